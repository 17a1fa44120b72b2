// Register tiles with 16 bytes an access, and the next tiles on their way while this one is multiplied.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/chunk.hpp"
#include "gpu/tile.hpp"

namespace tallcache::gpu::matmul {

/// A block of 256 threads computes a tile of 128 x 128 elements of C. Each thread has 8 x 8 of them: the
/// squares of 4 x 4 from (64 p + 4 y, 64 q + 4 x) on for p, q in {0, 1}. A is transposed on its way to shared
/// memory, so that a thread's elements of its column lie side by side. `wide_a` says that A's rows start at
/// multiples of 16 bytes.
template <class T>
struct MultiplyVectorTiles {
  static constexpr int max_threads = 256, min_blocks = 1, side = 128, depth = 8, each = 8;
  static constexpr int vector = 16 / sizeof(T), a_chunks = depth / vector,
                       b_chunks = side / vector;                      // of a row
  static constexpr int chunks = side * depth / vector / max_threads;  // of A and of B that a thread loads

  using ATile = T[depth][side + 4];
  using BTile = T[depth][side];
  struct NextTiles {
    Chunk<T> a[chunks], b[chunks];
  };

  template <class Thread, class C, class A, class B>
  TALLCACHE_DEVICE void operator()(const Thread& t, C c, A a, B b, Tiling tiling, bool wide_c, bool wide_a,
                                   bool wide_b) const {
    auto&& a_tile = shared<0, ATile, 16>(t);
    auto&& b_tile = shared<1, BTile, 16>(t);
    const int id = t.thread().x, x = id % 16 * 4, y = id / 16 * 4;
    const Tile first = tiling.origin(t);
    NextTiles next;
    T sum[each][each]{};
    load(next, id, a, b, first, 0, wide_a, wide_b);
    for (Index l = 0; l < a.cols; l += depth) {
      store(next, id, a_tile, b_tile);
      t.sync();
      load(next, id, a, b, first, l + depth, wide_a, wide_b);
      multiply(sum, a_tile, b_tile, x, y);
      t.sync();
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const Index row = first.row + i / 4 * 64 + y + i % 4;
      if (row >= c.rows) continue;
#pragma unroll
      for (int j = 0; j < each; j += vector) {
        const Index col = first.col + j / 4 * 64 + x + j % 4;
        Chunk<T> chunk;
#pragma unroll
        for (int e = 0; e < vector; ++e) chunk.at[e] = sum[i][j + e];
        store_chunk(c(row, col), 0, c.cols - col, chunk, wide_c);
      }
    }
  }

 private:
  /// A thread's chunks of columns [l, l + depth) of A and of those rows of B; zero beyond the edges.
  template <class A, class B>
  static TALLCACHE_DEVICE void load(NextTiles& next, int thread, const A& a, const B& b, Tile first, Index l,
                                    bool wide_a, bool wide_b) {
#pragma unroll
    for (int n = 0; n < chunks; ++n) {
      const int id = thread + n * max_threads;
      const Index i = first.row + id / a_chunks, a_col = l + id % a_chunks * vector;
      const Index b_row = l + id / b_chunks, j = first.col + id % b_chunks * vector;
      next.a[n] = next.b[n] = {};
      if (i < a.rows) next.a[n] = load_chunk<T>(a(i, a_col), 0, a.cols - a_col, wide_a);
      if (b_row < b.rows) next.b[n] = load_chunk<T>(b(b_row, j), 0, b.cols - j, wide_b);
    }
  }

  template <class ATiles, class BTiles>
  static TALLCACHE_DEVICE void store(const NextTiles& next, int thread, ATiles&& a_tile, BTiles&& b_tile) {
#pragma unroll
    for (int n = 0; n < chunks; ++n) {
      const int id = thread + n * max_threads;
#pragma unroll
      for (int e = 0; e < vector; ++e) a_tile[id % a_chunks * vector + e][id / a_chunks] = next.a[n].at[e];
      vector_at<vector>(b_tile[id / b_chunks][id % b_chunks * vector]) = next.b[n];
    }
  }

  /// Adds the products of this step to a thread's sums.
  template <class ATiles, class BTiles>
  static TALLCACHE_DEVICE void multiply(T (&sum)[each][each], const ATiles& a_tile, const BTiles& b_tile,
                                        int x, int y) {
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      T a_part[each], b_part[each];
#pragma unroll
      for (int e = 0; e < each; e += vector) {
        const int at = e / 4 * 64 + e % 4;
        const Chunk<T> a_chunk = vector_at<vector>(a_tile[l][y + at]);
        const Chunk<T> b_chunk = vector_at<vector>(b_tile[l][x + at]);
#pragma unroll
        for (int v = 0; v < vector; ++v) {
          a_part[e + v] = a_chunk.at[v];
          b_part[e + v] = b_chunk.at[v];
        }
      }
#pragma unroll
      for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) sum[i][j] += a_part[i] * b_part[j];
    }
  }
};

struct vector_loads : OnGpu {
  static constexpr std::string_view idea =
      "register tiles, 16 bytes an access where rows start at multiples of 16, A transposed in shared "
      "memory, next tiles loaded to registers beside the products; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source = "Volkov, Demmel 2008";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using Kernel = MultiplyVectorTiles<typename decltype(args.c)::value_type>;
    const Tiling tiling(args.c.rows, args.c.cols, Kernel::side, Kernel::side);
    if (tiling.empty()) return;
    launch_kernel(device, Kernel{}, {{tiling.grid()}, {Kernel::max_threads}}, args.c, args.a, args.b, tiling,
                  rows_are_chunks(args.c), rows_are_chunks(args.a), rows_are_chunks(args.b));
  }
};

}  // namespace tallcache::gpu::matmul
