// A = A^T in place. A block reads a tile on or above the diagonal and its mirror image, and writes each to
// the other's place.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/check.hpp"
#include "gpu/tile.hpp"
#include "gpu/transpose/transposed_tile.cuh"

namespace tallcache::gpu::transpose {

/// The order of the tiles on and above the diagonal of n x n tiles: a row from the top and then one from the
/// bottom. Two such rows have n + 1 tiles.
struct TriangularOrder {
  unsigned n;

  unsigned tiles() const { return grid_of(Index{n} * (n + 1) / 2); }

  __device__ Tile tile(unsigned index) const {
    const unsigned row = index / (n + 1), col = row + index % (n + 1), mirrored = n - 1 - row;
    if (col < n) return {row, col};
    return {mirrored, mirrored + (col - n)};
  }
};

template <class T, int side, int threads>
__global__ void __launch_bounds__(threads) swap_tiles(MatrixView<T> a, TriangularOrder order) {
  using SharedTile = TransposedTile<T, side, threads>;
  __shared__ SharedTile above, below;
  const Tile at = order.tile(blockIdx.x);
  const Index i = at.row * side, j = at.col * side;
  {
    const typename SharedTile::Squares upper(a, i, j);
    if (i != j) {
      const typename SharedTile::Squares lower(a, j, i);
      below.load_transposed(lower, OnTime{});
    }
    above.load_transposed(upper, OnTime{});
  }
  __syncthreads();
  above.store(a, j, i, OnTime{});
  if (i != j) below.store(a, i, j, OnTime{});
}

/// The same for rows that start anywhere, one element an access.
template <class T, int side, int threads>
__global__ void __launch_bounds__(threads) swap_elements(MatrixView<T> a, TriangularOrder order) {
  using SharedTile = T[side][side + 1];
  __shared__ SharedTile above, below;
  constexpr int step = threads / side, loads = side / step;
  const Tile at = order.tile(blockIdx.x);
  const int x = threadIdx.x % side, y = threadIdx.x / side;
  const auto load = [&](SharedTile& tile, Index i, Index j) {
    T value[loads];
#pragma unroll
    for (int e = 0; e < loads; ++e)
      if (i + y + e * step < a.rows && j + x < a.cols) value[e] = a(i + y + e * step, j + x);
#pragma unroll
    for (int e = 0; e < loads; ++e) tile[y + e * step][x] = value[e];
  };
  const auto store = [&](const SharedTile& tile, Index i, Index j) {
#pragma unroll
    for (int e = 0; e < loads; ++e)
      if (i + y + e * step < a.rows && j + x < a.cols) a(i + y + e * step, j + x) = tile[x][y + e * step];
  };
  const Index i = at.row * side, j = at.col * side;
  load(above, i, j);
  if (i != j) load(below, j, i);
  __syncthreads();
  store(above, j, i);
  if (i != j) store(below, i, j);
}

struct in_place : OnGpu {
  static constexpr std::string_view idea =
      "a block swaps two tiles that mirror each other, 16 bytes an access where rows are whole 16 bytes; "
      "applies coalescing, tiling, coarsening";
  static constexpr std::string_view source = "M6: REC-TRANSPOSE in place, on the GPU";
  using operations =
      OperationList<TransposeInPlace<float>, TransposeInPlace<double>, TransposeInPlace<std::int32_t>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    using T = typename decltype(args.a)::value_type;
    constexpr int side = 256 / sizeof(T), threads = 128, element_threads = 256;
    if (args.a.rows == 0) return;
    const TriangularOrder order{static_cast<unsigned>(ceil_div(args.a.rows, side))};
    if (rows_are_chunks(args.a))
      swap_tiles<T, side, threads><<<order.tiles(), threads, 0, stream_of(launch)>>>(args.a, order);
    else
      swap_elements<T, side, element_threads>
          <<<order.tiles(), element_threads, 0, stream_of(launch)>>>(args.a, order);
    check_launch();
  }
};

}  // namespace tallcache::gpu::transpose
