// The kernels of products in blocks (block_product.cuh), and their launch.
#pragma once

#include <type_traits>

#include "common/ops/matmul.hpp"
#include "gpu/check.hpp"
#include "gpu/matmul/block_order.hpp"
#include "gpu/matmul/block_product.cuh"
#include "gpu/matmul/stream_plan.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/chunk.hpp"

namespace tallcache::gpu::matmul {

/// A block for each of the first tiles of C. Apart from multiply_shared(), whose loop around the product
/// takes registers from it (TUNING.md).
template <class T, class Tiles, bool wide_b>
__global__ void __launch_bounds__(Tiles::threads, Tiles::min_blocks)
    multiply_whole(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, TileOrder order,
                   bool wide_c) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto at = order.at(static_cast<int>(blockIdx.x));
  const Index row = static_cast<Index>(at.row) * Tiles::rows, col = static_cast<Index>(at.col) * Tiles::cols;
  BlockProduct<T, Tiles, wide_b> product(reinterpret_cast<T*>(memory), a, b, row, col);
  product.multiply(0, a.cols);
  product.store(c.data + row * c.ld + col, c.ld, c.rows - row, c.cols - col, wide_c);
}

/// Each block does its part of the shared tiles of `plan`. `parts` has a tile for each of the plan's slots.
template <class T, class Tiles, bool wide_b>
__global__ void __launch_bounds__(Tiles::threads, Tiles::min_blocks)
    multiply_shared(MatrixView<T> c, MatrixView<const T> a, MatrixView<const T> b, TileOrder order,
                    StreamPlan plan, T* parts, bool wide_c) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int block = static_cast<int>(blockIdx.x);
  int step = plan.first_step(block);
  const int end = plan.first_step(block + 1);
  do {
    const int tile = step / plan.steps, begin = tile * plan.steps;
    const int stop = end < begin + plan.steps ? end : begin + plan.steps;
    const auto at = order.at(plan.whole + tile);
    const Index row = static_cast<Index>(at.row) * Tiles::rows;
    const Index col = static_cast<Index>(at.col) * Tiles::cols;
    BlockProduct<T, Tiles, wide_b> product(reinterpret_cast<T*>(memory), a, b, row, col);
    const Index last = static_cast<Index>(stop - begin) * Tiles::depth;
    product.multiply(static_cast<Index>(step - begin) * Tiles::depth, last < a.cols ? last : a.cols);
    if (stop - step == plan.steps)
      product.store(c.data + row * c.ld + col, c.ld, c.rows - row, c.cols - col, wide_c);
    else
      product.store(parts + static_cast<Index>(plan.slot(block, tile)) * Tiles::rows * Tiles::cols,
                    Tiles::cols, Tiles::rows, Tiles::cols, true);
    step = stop;
  } while (step < end);
}

/// Adds the parts of shared tile blockIdx.x, 32 columns a block. The 8 rows of threads of a block are groups
/// of `lanes`, which have every lanes-th part of the elements of a row; their sums are added in order.
template <class T, class Tiles>
__global__ void __launch_bounds__(256)
    add_parts(MatrixView<T> c, TileOrder order, StreamPlan plan, const T* parts, int lanes) {
  __shared__ T sums[8][32];
  const int tile = static_cast<int>(blockIdx.x);
  const int first = plan.owner(tile * plan.steps), last = plan.owner((tile + 1) * plan.steps - 1);
  if (first == last) return;
  const auto at = order.at(plan.whole + tile);
  const int groups = 8 / lanes, lane = static_cast<int>(threadIdx.y) % lanes;
  const int j = static_cast<int>(blockIdx.y * 32 + threadIdx.x);
  const Index col = static_cast<Index>(at.col) * Tiles::cols + j;
  constexpr Index slot_size = Index{Tiles::rows} * Tiles::cols;
  const T* const part = parts + 2 * first * slot_size + j;
  // The first block alone may have begun in the tile before this one.
  const Index of_first = (plan.slot(first, tile) - 2 * first) * slot_size;
  for (int i = static_cast<int>(blockIdx.z) * groups + static_cast<int>(threadIdx.y) / lanes; i < Tiles::rows;
       i += static_cast<int>(gridDim.z) * groups) {
    const Index row = static_cast<Index>(at.row) * Tiles::rows + i;
    const bool inside = row < c.rows && col < c.cols;
    T sum{};
    if (inside) {
#pragma unroll 4
      for (int p = lane; p <= last - first; p += lanes)
        sum += part[(p == 0 ? of_first : 2 * p * slot_size) + i * Tiles::cols];
    }
    if (lanes > 1) {
      sums[threadIdx.y][threadIdx.x] = sum;
      __syncthreads();
      if (lane == 0)
        for (int other = 1; other < lanes; ++other) sum += sums[threadIdx.y + other][threadIdx.x];
      __syncthreads();
    }
    if (lane == 0 && inside) c(row, col) = sum;
  }
}

/// Starts the product in the stream of `launch`. `parts` has plan.slots() tiles. Where `wide`, rows of B, and
/// of A where the tiles want it, start at multiples of 16 bytes.
template <class Tiles, class T>
void multiply_in_blocks(const Launch& launch, const typename Matmul<T>::template Args<>& args,
                        const TileOrder& order, const StreamPlan& plan, T* parts, bool wide) {
  const auto& [c, a, b, scratch] = args;
  if (c.rows == 0 || c.cols == 0) return;
  const bool wide_c = rows_are_chunks(c);
  const auto start = [&]<bool wide_b>(std::bool_constant<wide_b>) {
    constexpr int shared_bytes = BlockProduct<T, Tiles, wide_b>::shared_bytes;
    if (plan.whole > 0) {
      const auto kernel = multiply_whole<T, Tiles, wide_b>;
      allow_dynamic_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
      kernel<<<plan.whole, Tiles::threads, shared_bytes, stream_of(launch)>>>(c, a, b, order, wide_c);
      check_launch();
    }
    if (plan.sharing > 0) {
      const auto kernel = multiply_shared<T, Tiles, wide_b>;
      allow_dynamic_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
      kernel<<<plan.sharing, Tiles::threads, shared_bytes, stream_of(launch)>>>(c, a, b, order, plan, parts,
                                                                                wide_c);
      check_launch();
    }
  };
  if (wide)
    start(std::true_type{});
  else
    start(std::false_type{});
  if (plan.sharing == 0) return;
  const int lanes = plan.max_parts() < 16 ? 1 : 8;
  // To find the parts takes a block as long as to add those of some rows: few blocks, of many rows.
  constexpr int columns = Tiles::cols / 32, blocks = 1024;
  const int rows_at_once = 8 / lanes;
  const dim3 grid(plan.shared_tiles, columns,
                  std::min(Tiles::rows / rows_at_once, ceil_div(blocks, plan.shared_tiles * columns)));
  add_parts<T, Tiles><<<grid, dim3(32, 8), 0, stream_of(launch)>>>(c, order, plan, parts, lanes);
  check_launch();
}

template <class Tiles, class T>
void multiply_in_blocks(const Launch& launch, const typename Matmul<T>::template Args<>& args,
                        const TileOrder& order, const StreamPlan& plan, T* parts) {
  multiply_in_blocks<Tiles, T>(launch, args, order, plan, parts, rows_are_chunks(args.b));
}

}  // namespace tallcache::gpu::matmul
