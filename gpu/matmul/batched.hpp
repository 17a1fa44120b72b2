// The products of a batch of matrices in one kernel.
#pragma once

#include "common/ops/matmul_batched.hpp"
#include "gpu/matmul/block_launch.hpp"

namespace tallcache::gpu::matmul {

inline constexpr int small_side = 16, small_warps = 8;

/// A warp for each 16 x 16 elements of each C, 4 x 2 of them a thread.
__global__ void __launch_bounds__(small_warps * 32)
    multiply_small(MatrixView<float> c, MatrixView<const float> a, MatrixView<const float> b, Index m,
                   Index across, Index tiles) {
  constexpr int pitch = small_side + 4;  // A is transposed: neighbours go to other banks
  __shared__ __align__(16) float a_parts[small_warps][small_side][pitch];
  __shared__ __align__(16) float b_parts[small_warps][small_side][small_side];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Index number = static_cast<Index>(blockIdx.x) * small_warps + warp, product = number / tiles;
  if (product * m >= c.rows) return;  // the whole warp
  const Index first = number % tiles / across * small_side, col = number % tiles % across * small_side;
  const Index a_row = product * m, b_row = product * a.cols, row = a_row + first;
  const int rows = static_cast<int>(min(m - first, Index{small_side})),
            cols = static_cast<int>(min(c.cols - col, Index{small_side}));
  auto& a_part = a_parts[warp];
  auto& b_part = b_parts[warp];
  const int i0 = lane / 8 * 4, j0 = lane % 8 * 2;
  float sum[4][2]{};
  for (Index l0 = 0; l0 < a.cols; l0 += small_side) {
    const int depth = static_cast<int>(min(a.cols - l0, Index{small_side}));
#pragma unroll
    for (int e = lane; e < small_side * small_side; e += 32) {
      const int y = e / small_side, x = e % small_side;
      a_part[x][y] = y < rows && x < depth ? a(row + y, l0 + x) : 0;
      b_part[y][x] = y < depth && x < cols ? b(b_row + l0 + y, col + x) : 0;
    }
    __syncwarp();
#pragma unroll
    for (int l = 0; l < small_side; ++l) {
      const auto left = *reinterpret_cast<const Vector<float, 4>*>(&a_part[l][i0]);
      const auto right = *reinterpret_cast<const Vector<float, 2>*>(&b_part[l][j0]);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) sum[i][j] += left.at[i] * right.at[j];
    }
    __syncwarp();
  }
  const bool pairs = c.ld % 2 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % 8 == 0 && j0 + 2 <= cols;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i0 + i >= rows) break;
    float* const to = &c(row + i0 + i, col + j0);
    if (pairs)
      *reinterpret_cast<Vector<float, 2>*>(to) = {sum[i][0], sum[i][1]};
    else
      for (int j = 0; j < 2; ++j)
        if (j0 + j < cols) to[j] = sum[i][j];
  }
}

/// A block for each tile of each C.
template <class Tiles, bool wide_b>
__global__ void __launch_bounds__(Tiles::threads, Tiles::min_blocks)
    multiply_tiles_of_each(MatrixView<float> c, MatrixView<const float> a, MatrixView<const float> b, Index m,
                           TileOrder order, bool wide_c) {
  const Index product = blockIdx.x / order.tiles();
  const auto at = order.at(static_cast<int>(blockIdx.x % order.tiles()));
  const Index row = static_cast<Index>(at.row) * Tiles::rows, col = static_cast<Index>(at.col) * Tiles::cols;
  const auto own_a = a.block(product * m, 0, m, a.cols);
  const auto own_b = b.block(product * a.cols, 0, a.cols, b.cols);
  auto tile = block_product<Tiles, wide_b>(DeviceThread{}, own_a, own_b, row, col);
  tile.multiply(0, a.cols);
  tile.store(c.block(product * m + row, col, m - row, c.cols - col), wide_c);
}

struct batched : OnGpu {
  static constexpr std::string_view idea =
      "one kernel: a warp for each 16 x 16 elements of small matrices, a block for each tile of others; "
      "applies tiling, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; CUTLASS";
  using operations = OperationList<MatmulBatched<float>>;

  static void call(const Launch& launch, const MatmulBatched<float>::Args<>& args, const Params&) {
    const auto& [c, a, b, batch, scratch] = args;
    if (c.rows == 0 || c.cols == 0) return;
    const Shape shape = MatmulBatched<float>::shape_of(args);
    if (args.m() <= small_side || c.cols <= small_side) {
      const Index across = ceil_div<Index>(c.cols, small_side),
                  tiles = ceil_div<Index>(args.m(), small_side) * across;
      multiply_small<<<grid_of(ceil_div<Index>(batch * tiles, small_warps)), small_warps * 32, 0,
                       stream_of(launch)>>>(c, a, b, args.m(), across, tiles);
      check_launch();
    } else if (std::min(args.m(), c.cols) <= 32) {
      start<BlockShape<32, 32, 32, 16, 16, 4, 4>>(launch, args, shape);
    } else if (args.m() * c.cols < Index{512} * 512) {
      start<BlockShape<64, 64, 16, 32, 32, 4, 4>>(launch, args, shape);
    } else {
      start<BlockShape<64, 128, 32, 32, 64, 3, 1, 2>>(launch, args, shape);
    }
  }

 private:
  template <class Tiles>
  static void start(const Launch& launch, const MatmulBatched<float>::Args<>& args, const Shape& shape) {
    const TileOrder order = tiles_of<Tiles>(shape, BlockOrder::recursive);
    const auto with = [&](auto kernel, int shared_bytes) {
      allow_dynamic_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
      kernel<<<grid_of(args.batch * order.tiles()), Tiles::threads, shared_bytes, stream_of(launch)>>>(
          args.c, args.a, args.b, args.m(), order, rows_are_chunks(args.c));
      check_launch();
    };
    // All matrices begin at whole chunks where the first does, as their leading dimension is one of chunks.
    if (rows_are_chunks(args.b))
      with(multiply_tiles_of_each<Tiles, true>, BlockProduct<float, Tiles, true>::shared_bytes);
    else
      with(multiply_tiles_of_each<Tiles, false>, BlockProduct<float, Tiles, false>::shared_bytes);
  }
};

}  // namespace tallcache::gpu::matmul
