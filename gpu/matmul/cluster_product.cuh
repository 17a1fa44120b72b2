// Products whose tiles are fewer than would fill the multiprocessors: a cluster of blocks has a tile of C,
// and each of its blocks a part of the steps along k. One launch: the parts are added through the cluster's
// shared memory.
#pragma once

#include <algorithm>

#include "gpu/dependent_launch.cuh"
#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/block_launch.hpp"
#include "gpu/matmul/cluster_sums.cuh"
#include "gpu/matmul/product_plan.hpp"

namespace tallcache::gpu::matmul {

/// The cluster of a tile has `parts` blocks, and each has `share` steps along k, a multiple of Tiles::depth.
/// May start before the kernel before it has ended (launch_dependent).
template <class Tiles, bool wide_b, class Sum, class T>
__global__ void __launch_bounds__(Tiles::threads, Tiles::min_blocks)
    multiply_in_clusters(MatrixView<Sum> c, MatrixView<const T> a, MatrixView<const T> b, TileOrder order,
                         int parts, Index share, bool wide_c) {
  const int rank = static_cast<int>(cluster_rank());
  const auto at = order.at(static_cast<int>(cluster_number()));
  const Index row = static_cast<Index>(at.row) * Tiles::rows, col = static_cast<Index>(at.col) * Tiles::cols;
  const Index first = min(rank * share, a.cols);
  wait_for_last_kernel();
  // Not before: else blocks of several kernels wait on a multiprocessor, and two of one meet there while
  // another is idle (TUNING.md).
  let_next_kernel_start();
  auto product = block_product<Tiles, wide_b>(DeviceThread{}, a, b, row, col);
  product.multiply(first, min(first + share, a.cols));
  if (parts == 1) {
    product.store(c.block(row, col, c.rows - row, c.cols - col), wide_c);
    return;
  }
#if __CUDA_ARCH__ >= 900
  wait_for_copies<0>();
  __syncthreads();
  Sum* const own = dynamic_shared<Sum>(DeviceThread{});
  product.store(SharedSums<Tiles, Sum>::at(own), true);
  sync_cluster();
  add_parts_of_cluster<Tiles, Tiles::threads>(c, row, col, own, threadIdx.x, rank, parts, wide_c);
  sync_cluster();  // no block ends while others read from it
#endif
}

/// Starts the product with `parts` blocks for each tile, 1 to 8. Where `wide`, rows of B, and of A where the
/// tiles want it, start at multiples of 16 bytes.
template <class Tiles, class Sum, class T, class Wide>
void start_in_clusters(const Launch& launch, const MatrixView<Sum>& c, const MatrixView<const T>& a,
                       const MatrixView<const T>& b, const TileOrder& order, int parts, Wide wide) {
  if (c.rows == 0 || c.cols == 0) return;
  with_constant(wide, [&]<bool wide_b>(std::bool_constant<wide_b>) {
    const auto kernel = multiply_in_clusters<Tiles, wide_b, Sum, T>;
    // Computed here: a division takes a kernel longer than its first loads.
    const Index share = ProductPlan::share(a.cols, Tiles::depth, parts);
    const int bytes = std::max(BlockProduct<T, Tiles, wide_b, DeviceThread, Plain, T*>::shared_bytes,
                               parts > 1 ? SharedSums<Tiles, Sum>::bytes : 0);
    allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
    launch_dependent_clusters(kernel, parts, grid_of(Index{order.tiles()} * parts), Tiles::threads, bytes,
                              stream_of(launch), c, a, b, order, parts, share, rows_are_chunks(c));
  });
}

}  // namespace tallcache::gpu::matmul
