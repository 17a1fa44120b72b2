// Register tiles with 16 bytes an access, and the next tiles on their way while this one is multiplied.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/check.hpp"
#include "gpu/tile.hpp"
#include "gpu/transpose/chunk.cuh"

namespace tallcache::gpu::matmul {

/// A tile of 128 x 128 elements of C, of which each of 256 threads has 8 x 8: the squares of 4 x 4 around
/// (64 p + 4 y, 64 q + 4 x) for p, q in {0, 1}. A is transposed on its way to shared memory, so that a
/// thread's elements of its column lie side by side.
template <class T>
struct VectorTile {
  using Chunk = transpose::Chunk<T>;
  static constexpr int threads = 256, side = 128, depth = 8, each = 8, vector = Chunk::size;
  static constexpr int chunks = side * depth / vector / threads;  // of A and of B that a thread loads
  static constexpr int a_chunks = depth / vector, b_chunks = side / vector;  // of a row

  T a[depth][side + 4];
  T b[depth][side];

  /// The chunk at (i, j), zero beyond the edges.
  static __device__ Chunk chunk_of(const MatrixView<const T>& from, Index i, Index j, bool whole) {
    if (i >= from.rows) return {};
    const T* const row = from.data + i * from.ld;
    if (whole) return transpose::load_chunk(row, j, from.cols);
    Chunk chunk{};
#pragma unroll
    for (int e = 0; e < vector; ++e)
      if (j + e < from.cols) chunk.at[e] = row[j + e];
    return chunk;
  }

  __device__ void store(const Chunk (&a_next)[chunks], const Chunk (&b_next)[chunks]) {
#pragma unroll
    for (int n = 0; n < chunks; ++n) {
      const int id = threadIdx.x + n * threads;
#pragma unroll
      for (int e = 0; e < vector; ++e) a[id % a_chunks * vector + e][id / a_chunks] = a_next[n].at[e];
      *reinterpret_cast<Chunk*>(&b[id / b_chunks][id % b_chunks * vector]) = b_next[n];
    }
  }

  /// Adds the products of this step to a thread's sums.
  __device__ void multiply(T (&sum)[each][each]) const {
    const int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      T a_part[each], b_part[each];
#pragma unroll
      for (int e = 0; e < each; e += vector) {
        const int at = e / 4 * 64 + e % 4;
        const auto a_chunk = *reinterpret_cast<const Chunk*>(&a[l][y + at]);
        const auto b_chunk = *reinterpret_cast<const Chunk*>(&b[l][x + at]);
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

template <class T>
__global__ void __launch_bounds__(256, 1)
    multiply_vector_tiles(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, Tiling tiling,
                          bool whole_a, bool whole_b, bool whole_c) {
  using Shared = VectorTile<T>;
  using Chunk = typename Shared::Chunk;
  __shared__ __align__(16) Shared tile;
  const Tile first = tiling.origin(DeviceThread{});
  Chunk a_next[Shared::chunks], b_next[Shared::chunks];
  const auto load = [&](Index l) {
#pragma unroll
    for (int n = 0; n < Shared::chunks; ++n) {
      const int id = threadIdx.x + n * Shared::threads;
      const int i = id / Shared::a_chunks, j = id % Shared::b_chunks * Shared::vector;
      a_next[n] = Shared::chunk_of(a, first.row + i, l + id % Shared::a_chunks * Shared::vector, whole_a);
      b_next[n] = Shared::chunk_of(b, l + id / Shared::b_chunks, first.col + j, whole_b);
    }
  };
  T sum[Shared::each][Shared::each]{};
  load(0);
  for (Index l = 0; l < a.cols; l += Shared::depth) {
    tile.store(a_next, b_next);
    __syncthreads();
    load(l + Shared::depth);
    tile.multiply(sum);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < Shared::each; ++i) {
    const Index row = first.row + i / 4 * 64 + threadIdx.x / 16 * 4 + i % 4;
    if (row >= c.rows) continue;
#pragma unroll
    for (int j = 0; j < Shared::each; j += Shared::vector) {
      const Index col = first.col + j / 4 * 64 + threadIdx.x % 16 * 4 + j % 4;
      Chunk chunk;
#pragma unroll
      for (int e = 0; e < Shared::vector; ++e) chunk.at[e] = sum[i][j + e];
      if (whole_c) {
        transpose::store_chunk(c.data + row * c.ld, col, c.cols, chunk);
      } else {
#pragma unroll
        for (int e = 0; e < Shared::vector; ++e)
          if (col + e < c.cols) c(row, col + e) = chunk.at[e];
      }
    }
  }
}

struct vector_loads : OnGpu {
  static constexpr std::string_view idea =
      "register tiles, 16 bytes an access where rows start at multiples of 16, A transposed in shared "
      "memory, next tiles loaded to registers beside the products; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source = "Volkov, Demmel 2008";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<std::int32_t>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    using T = typename decltype(args.c)::value_type;
    using transpose::rows_are_chunks;
    const Tiling tiling(args.c.rows, args.c.cols, VectorTile<T>::side, VectorTile<T>::side);
    if (tiling.empty()) return;
    multiply_vector_tiles<T><<<tiling.grid(), VectorTile<T>::threads, 0, stream_of(launch)>>>(
        args.c, args.a, args.b, tiling, rows_are_chunks(args.a), rows_are_chunks(args.b),
        rows_are_chunks(args.c));
    check_launch();
  }
};

}  // namespace tallcache::gpu::matmul
