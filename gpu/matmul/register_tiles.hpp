// Register tiles: a thread computes 8 x 8 elements of C, which it keeps in registers.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::matmul {

/// A block of 256 threads computes a tile of 128 x 128 elements; thread (x, y) has those that are a multiple
/// of 16 apart from (y, x). For 8 steps along k each element in shared memory is read by 16 threads, and
/// 16 reads of a thread serve 64 products.
struct MultiplyRegisterTiles {
  static constexpr int side = 16, each = 8, tile = side * each, depth = 8;
  static constexpr int max_threads = side * side;

  template <class Thread, class C, class A, class B>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, A a, B b, Tiling tiling) const {
    using T = typename C::value_type;
    auto&& a_tile = shared<0, T[tile][depth + 1]>(t);
    auto&& b_tile = shared<1, T[depth][tile]>(t);
    const int x = t.thread().x % side, y = t.thread().x / side, id = t.thread().x;
    const Tile first = tiling.origin(t);

    T sum[each][each]{};
    for (Index l = 0; l < a.cols; l += depth) {
#pragma unroll
      for (int e = id; e < tile * depth; e += max_threads) {
        const Index i = first.row + e / depth, a_col = l + e % depth;
        a_tile[e / depth][e % depth] = i < a.rows && a_col < a.cols ? a(i, a_col) : T{};
      }
#pragma unroll
      for (int e = id; e < tile * depth; e += max_threads) {
        const Index j = first.col + e % tile, b_row = l + e / tile;
        b_tile[e / tile][e % tile] = b_row < b.rows && j < b.cols ? b(b_row, j) : T{};
      }
      t.sync();
#pragma unroll
      for (int k = 0; k < depth; ++k) {
        T a_part[each], b_part[each];
#pragma unroll
        for (int e = 0; e < each; ++e) {
          a_part[e] = a_tile[y + e * side][k];
          b_part[e] = b_tile[k][x + e * side];
        }
#pragma unroll
        for (int i = 0; i < each; ++i)
#pragma unroll
          for (int j = 0; j < each; ++j) sum[i][j] += a_part[i] * b_part[j];
      }
      t.sync();
    }

#pragma unroll
    for (int i = 0; i < each; ++i)
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const Index row = first.row + y + i * side, col = first.col + x + j * side;
        if (row < c.rows && col < c.cols) c(row, col) = sum[i][j];
      }
  }
};

struct register_tiles : OnGpu {
  static constexpr std::string_view idea =
      "a thread does 8 x 8 elements in registers: 16 reads of shared memory for 64 products; applies tiling, "
      "coarsening";
  static constexpr std::string_view source = "Volkov, Demmel 2008";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using Kernel = MultiplyRegisterTiles;
    const Tiling tiling(args.c.rows, args.c.cols, Kernel::tile, Kernel::tile);
    if (tiling.empty()) return;
    launch_kernel(device, Kernel{}, {{tiling.grid()}, {Kernel::max_threads}}, args.c, args.a, args.b, tiling);
  }
};

}  // namespace tallcache::gpu::matmul
