// The products of a batch of matrices in one kernel.
#pragma once

#include "common/ops/matmul_batched.hpp"
#include "gpu/matmul/block_launch.hpp"

namespace tallcache::gpu::matmul {

/// A warp for each 16 x 16 elements of each C, 4 x 2 of them a thread. Where `pairs`, two neighbouring
/// elements of C from an even column on can be stored at once.
struct MultiplySmall {
  static constexpr int side = 16, warps = 8, max_threads = warps * 32;

  template <class Thread, class C, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, A a, A b, Index m, Index across, Index tiles,
                                   bool pairs) const {
    auto&& a_parts =
        shared<0, float[warps][side][side + 4], 16>(t);  // A transposed: neighbours in other banks
    auto&& b_parts = shared<1, float[warps][side][side], 16>(t);
    const int warp = static_cast<int>(t.thread().x) / 32, lane = static_cast<int>(t.thread().x) % 32;
    const Index number = static_cast<Index>(t.block().x) * warps + warp, product = number / tiles;
    if (product * m >= c.rows) return;  // the whole warp
    const Index first = number % tiles / across * side, col = number % tiles % across * side;
    const auto own_a = a.block(product * m + first, 0, m - first, a.cols);
    const auto own_b = b.block(product * a.cols, col, a.cols, b.cols - col);
    const int rows = static_cast<int>(own_a.rows < side ? own_a.rows : side);
    const int cols = static_cast<int>(own_b.cols < side ? own_b.cols : side);
    auto&& a_part = a_parts[warp];
    auto&& b_part = b_parts[warp];
    const int i0 = lane / 8 * 4, j0 = lane % 8 * 2;
    float sum[4][2]{};
    for (Index l0 = 0; l0 < a.cols; l0 += side) {
      const int depth = static_cast<int>(a.cols - l0 < side ? a.cols - l0 : side);
#pragma unroll
      for (int e = lane; e < side * side; e += 32) {
        const int y = e / side, x = e % side;
        a_part[x][y] = y < rows && x < depth ? float{own_a(y, l0 + x)} : 0;
        b_part[y][x] = y < depth && x < cols ? float{own_b(l0 + y, x)} : 0;
      }
      t.sync_warp();
#pragma unroll
      for (int l = 0; l < side; ++l) {
        const Vector<float, 4> left = vector_at<4>(a_part[l][i0]);
        const Vector<float, 2> right = vector_at<2>(b_part[l][j0]);
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 2; ++j) sum[i][j] += left.at[i] * right.at[j];
      }
      t.sync_warp();
    }
    store(c.block(product * m + first + i0, col + j0, rows - i0, cols - j0), sum, pairs);
  }

 private:
  template <class C>
  static TALLCACHE_DEVICE void store(const C& to, const float (&sum)[4][2], bool pairs) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i >= to.rows) break;
      auto&& first = to(i, 0);
      if (pairs && 2 <= to.cols)
        vector_at<2>(first) = Vector<float, 2>{sum[i][0], sum[i][1]};
      else
        for (int j = 0; j < 2; ++j)
          if (j < to.cols) element_at(first, j) = sum[i][j];
    }
  }
};

/// A block for each tile of each C, of m rows.
template <class Tiles, bool wide_b>
struct MultiplyTilesOfEach {
  static constexpr int max_threads = Tiles::threads, min_blocks = Tiles::min_blocks;
  static constexpr std::size_t max_dynamic_shared_bytes = BlockProduct<float, Tiles, wide_b>::shared_bytes;

  template <class Thread, class C, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, A a, A b, Index m, TileOrder order,
                                   bool wide_c) const {
    const Index product = t.block().x / order.tiles();
    const auto at = order.at(static_cast<int>(t.block().x % order.tiles()));
    const Index row = static_cast<Index>(at.row) * Tiles::rows,
                col = static_cast<Index>(at.col) * Tiles::cols;
    auto tile = block_product<Tiles, wide_b>(t, a.block(product * m, 0, m, a.cols),
                                             b.block(product * a.cols, 0, a.cols, b.cols), row, col);
    tile.multiply(0, a.cols);
    tile.store(c.block(product * m + row, col, m - row, c.cols - col), wide_c);
  }
};

struct batched : OnGpu {
  static constexpr std::string_view idea =
      "one kernel: a warp for each 16 x 16 elements of small matrices, a block for each tile of others; "
      "applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
  using operations = OperationList<MatmulBatched<float>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const auto& [c, a, b, batch, scratch] = args;
    const Index m = args.m();
    if (c.rows == 0 || c.cols == 0) return;
    if (m <= MultiplySmall::side || c.cols <= MultiplySmall::side) {
      const Index across = ceil_div<Index>(c.cols, MultiplySmall::side),
                  tiles = ceil_div<Index>(m, MultiplySmall::side) * across;
      const bool pairs = c.ld % 2 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % 8 == 0;
      launch_kernel(
          device, MultiplySmall{},
          {{grid_of(ceil_div<Index>(batch * tiles, MultiplySmall::warps))}, {MultiplySmall::max_threads}}, c,
          a, b, m, across, tiles, pairs);
    } else if (std::min(m, c.cols) <= 32) {
      start<BlockShape<32, 32, 32, 16, 16, 4, 4>>(device, args);
    } else if (m * c.cols < Index{512} * 512) {
      start<BlockShape<64, 64, 16, 32, 32, 4, 4>>(device, args);
    } else {
      start<BlockShape<64, 128, 32, 32, 64, 3, 1, 2>>(device, args);
    }
  }

 private:
  template <class Tiles, class Device, class Args>
  static void start(Device& device, const Args& args) {
    const TileOrder order = tiles_of<Tiles>(args.m(), args.c.cols, BlockOrder::recursive);
    // All matrices begin at whole chunks where the first does, as their leading dimension is one of chunks.
    with_constant(rows_are_chunks(args.b), [&]<bool wide_b>(std::bool_constant<wide_b>) {
      using Kernel = MultiplyTilesOfEach<Tiles, wide_b>;
      launch_kernel(
          device, Kernel{},
          {{grid_of(args.batch * order.tiles())}, {Tiles::threads}, Kernel::max_dynamic_shared_bytes}, args.c,
          args.a, args.b, args.m(), order, rows_are_chunks(args.c));
    });
  }
};

}  // namespace tallcache::gpu::matmul
