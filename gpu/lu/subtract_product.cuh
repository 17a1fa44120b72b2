// C -= A B by the products of gpu/matmul: doubles on tensor cores, floats on CUDA cores, or split on tensor
// cores.
#pragma once

#include "gpu/chunk.hpp"
#include "gpu/launch.cuh"
#include "gpu/lu/chained_launch.cuh"
#include "gpu/matmul/block_order.hpp"
#include "gpu/matmul/mma_product.cuh"
#include "gpu/tuning/tuning.hpp"

namespace tallcache::gpu::lu {

template <class T, class Tiles, bool wide>
struct Subtraction {
  using Product = matmul::BlockProduct<T, Tiles, wide, DeviceThread, Plain, T*>;
  static constexpr int pitch = Tiles::cols + 16 / static_cast<int>(sizeof(T));
  static constexpr int tile_bytes = Tiles::rows * pitch * static_cast<int>(sizeof(T));
  static constexpr int shared_bytes = std::max(Product::shared_bytes, tile_bytes);
};

/// Subtracts the sums in shared memory from the tile of C with first element (row, col). Several loads are
/// under way before the first is used.
template <class T, class Tiles, bool wide>
__device__ __forceinline__ void subtract_staged(const MatrixView<T>& c, Index row, Index col, const T* sums,
                                                bool lower) {
  constexpr int size = Chunk<T>::size, across = Tiles::cols / size, together = 8;
  constexpr int pitch = Subtraction<T, Tiles, wide>::pitch;
  static_assert(Tiles::rows * across % (together * Tiles::threads) == 0);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < Tiles::rows * across; i += together * Tiles::threads) {
    Chunk<T> chunk[together];
    int left[together];
#pragma unroll
    for (int u = 0; u < together; ++u) {
      const int r = (i + u * Tiles::threads) / across, j = (i + u * Tiles::threads) % across * size;
      // Of a lower triangle, what lies right of the diagonal stays as it is.
      const Index end = lower && row + r + 1 < c.cols ? row + r + 1 : c.cols;
      const Index count = row + r < c.rows ? end - (col + j) : 0;
      left[u] = static_cast<int>(count < 0 ? 0 : count < size ? count : size);
      if (left[u] > 0) chunk[u] = load_chunk<T>(c(row + r, col + j), 0, left[u], wide);
    }
#pragma unroll
    for (int u = 0; u < together; ++u) {
      const int r = (i + u * Tiles::threads) / across, j = (i + u * Tiles::threads) % across * size;
      if (left[u] == 0) continue;
#pragma unroll
      for (int e = 0; e < size; ++e) chunk[u].at[e] -= sums[r * pitch + j + e];
      store_chunk(c(row + r, col + j), 0, left[u], chunk[u], wide);
    }
  }
}

/// A block subtracts a tile. The sums go through shared memory, so that rows of C are read and written whole.
template <class T, class Tiles, bool wide>
__global__ void __launch_bounds__(Tiles::threads, Tiles::min_blocks)
    subtract_tile(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, matmul::TileOrder order,
                  bool lower) {
  using Of = Subtraction<T, Tiles, wide>;
  const auto at = order.at(static_cast<int>(blockIdx.x));
  const Index row = static_cast<Index>(at.row) * Tiles::rows, col = static_cast<Index>(at.col) * Tiles::cols;
  let_next_kernel_start();
  if (lower && col >= row + Tiles::rows) return;
  T* const memory = dynamic_shared<T>(DeviceThread{});
  wait_for_last_kernel();
  typename Of::Product product(DeviceThread{}, memory, a, b, row, col);
  product.multiply(0, a.cols);
  wait_for_copies<0>();
  __syncthreads();
  product.store(MatrixView<T>{memory, Tiles::rows, Tiles::cols, Of::pitch}, true);
  __syncthreads();
  subtract_staged<T, Tiles, wide>(c, row, col, memory, lower);
}

template <class Tiles, class T>
void subtract_in_tiles(cudaStream_t stream, const MatrixView<T>& c, const MatrixView<const T>& a,
                       const MatrixView<const T>& b, bool lower) {
  const auto order = matmul::tiles_of<Tiles>(c.rows, c.cols, matmul::BlockOrder::recursive);
  const auto launch = [&]<bool wide>() {
    launch_chained<subtract_tile<T, Tiles, wide>>(
        stream,
        {grid_of(order.tiles()), Tiles::threads,
         static_cast<std::size_t>(Subtraction<T, Tiles, wide>::shared_bytes)},
        c, a, b, order, lower);
  };
  if (rows_are_chunks(c) && rows_are_chunks(a) && rows_are_chunks(b))
    return launch.template operator()<true>();
  if constexpr (requires { Tiles::Factors::wide_alone; })
    throw Error("a product of split floats needs rows that start at multiples of 16 bytes");
  else
    launch.template operator()<false>();
}

/// How products are made. `split` floats are three TF32 products: an error of 2^-21 |A||B| and more, and an
/// infinity makes NaN.
enum class Products { standard, split };

template <class T, Products products>
struct SubtractionTiles;
template <>
struct SubtractionTiles<double, Products::standard> {
  using Large = matmul::MmaShape<128, 64, 32, 32, 4, 2>;
  using Small = matmul::MmaShape<64, 64, 32, 32, 4, 2>;
};
template <>
struct SubtractionTiles<float, Products::standard> {
  using Large = matmul::BlockShape<128, 128, 16, 64, 32, 3, 1>;
  using Small = matmul::BlockShape<64, 64, 16, 32, 32, 4, 2>;
};
template <>
struct SubtractionTiles<float, Products::split> {
  using Large = matmul::MmaTiles<matmul::SplitFloats, 128, 128, 16, 64, 32, 4, 1>;
  using Small = matmul::MmaTiles<matmul::SplitFloats, 64, 64, 16, 32, 32, 4, 2>;
};

/// C -= A B; where `lower`, on the lower triangle of C alone, the diagonal included. Split floats need rows
/// that start at multiples of 16 bytes.
template <class T, Products products = Products::standard>
void subtract_product(cudaStream_t stream, const MatrixView<T>& c, const MatrixView<const T>& a,
                      const MatrixView<const T>& b, bool lower = false) {
  if (c.rows == 0 || c.cols == 0 || a.cols == 0) return;
  using Large = typename SubtractionTiles<T, products>::Large;
  const Index tiles = ceil_div<Index>(c.rows, Large::rows) * ceil_div<Index>(c.cols, Large::cols);
  if (100 * tiles / (lower ? 2 : 1) >= device_tuning().factor_large_tiles * Index{multiprocessors()})
    subtract_in_tiles<Large>(stream, c, a, b, lower);
  else
    subtract_in_tiles<typename SubtractionTiles<T, products>::Small>(stream, c, a, b, lower);
}

}  // namespace tallcache::gpu::lu
