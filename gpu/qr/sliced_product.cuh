// C = A B with few rows or columns of C and many steps: the blocks of a cluster have a tile's steps, and add
// their sums by each other's shared memory.
#pragma once

#include "gpu/lu/chained_launch.cuh"
#include "gpu/matmul/cluster_product.cuh"
#include "gpu/matmul/mma_product.cuh"

namespace tallcache::gpu::qr {

template <class T>
struct SlicedTiles;
template <>
struct SlicedTiles<double> {
  using Large = matmul::MmaShape<128, 64, 32, 32, 4, 2>;
  using Medium = matmul::MmaShape<64, 64, 32, 32, 4, 2>;
  using Small = matmul::MmaShape<32, 32, 16, 16, 4, 2>;
};
template <>
struct SlicedTiles<float> {
  using Large = matmul::BlockShape<128, 128, 16, 64, 32, 3, 1>;
  using Medium = matmul::BlockShape<64, 64, 16, 32, 32, 4, 2>;
  using Small = matmul::BlockShape<32, 32, 16, 16, 16, 4, 2>;
};

/// Powers of two, so that each block of the device has a slice of 4 steps or more.
template <class Tiles>
int slices_of(Index tiles, Index depth) {
  const Index wanted = Index{multiprocessors()} * Tiles::min_blocks;
  int slices = 1;
  while (slices < 16 && 2 * slices * tiles <= wanted && depth >= 8 * slices * Tiles::depth) slices *= 2;
  return slices;
}

template <class Tiles, class T>
void multiply_in_slices(cudaStream_t stream, const MatrixView<T>& c, const MatrixView<const T>& a,
                        const MatrixView<const T>& b) {
  const auto order = matmul::tiles_of<Tiles>(c.rows, c.cols, matmul::BlockOrder::recursive);
  const int slices = slices_of<Tiles>(order.tiles(), a.cols);
  const auto launch = [&]<bool wide>() {
    using Product = matmul::BlockProduct<T, Tiles, wide, DeviceThread, Plain, T*>;
    lu::launch_chained<matmul::multiply_in_clusters<Tiles, wide, T, T>>(
        stream,
        {grid_of(Index{order.tiles()} * slices), Tiles::threads,
         static_cast<std::size_t>(std::max(Product::shared_bytes, matmul::SharedSums<Tiles, T>::bytes)),
         static_cast<unsigned>(slices)},
        c, a, b, order, slices, matmul::ProductPlan::share(a.cols, Tiles::depth, slices), true);
  };
  if (rows_are_chunks(a) && rows_are_chunks(b))
    launch.template operator()<true>();
  else
    launch.template operator()<false>();
}

/// C = A B. Rows of C start at multiples of 16 bytes. A has at least one column.
template <class T>
void multiply_sliced(cudaStream_t stream, const MatrixView<T>& c, const MatrixView<const T>& a,
                     const MatrixView<const T>& b) {
  using Tiles = SlicedTiles<T>;
  using Large = typename Tiles::Large;
  const Index tiles = ceil_div<Index>(c.rows, Large::rows) * ceil_div<Index>(c.cols, Large::cols);
  const bool fills =
      2 * tiles * slices_of<Large>(tiles, a.cols) >= Index{multiprocessors()} * Large::min_blocks;
  if (c.rows > Tiles::Medium::rows && fills)
    multiply_in_slices<Large>(stream, c, a, b);
  else if (c.rows > 32 && c.cols > 32)
    multiply_in_slices<typename Tiles::Medium>(stream, c, a, b);
  else
    multiply_in_slices<typename Tiles::Small>(stream, c, a, b);
}

}  // namespace tallcache::gpu::qr
