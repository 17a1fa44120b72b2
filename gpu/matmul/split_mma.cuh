// The product of one block of floats as three TF32 products on a warp's tensor cores (mma.sync): the parts of
// BlockProduct (block_product.hpp). Each element is split into big, its nearest TF32 number, and small, what
// is left; the product of two small parts is left out. Ootomo and Yokota 2022. PTX ISA, "Matrix fragments for
// mma.m16n8k8".
//
// An infinity has no small part: it, and an element beyond 2^127, makes NaN of its products.
#pragma once

#include <bit>

#include "gpu/matmul/block_product.hpp"

namespace tallcache::gpu::matmul {

/// d += A B by a warp: A 16 x 8, B 8 x 8, TF32. Thread 4 g + t has a: rows g and g + 8 of column t, then of
/// column t + 4; b: rows t and t + 4 of column g; d: columns 2 t and 2 t + 1 of row g, then of row g + 8.
__device__ __forceinline__ void multiply_by_warp(float (&d)[4], const std::uint32_t (&a)[4],
                                                 const std::uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/// As BlockShape, on tensor cores, with floats that are split.
template <int block_rows, int block_cols, int block_depth, int rows_of_warp, int cols_of_warp,
          int number_of_stages, int min_blocks_of_sm = 1>
struct SplitMmaShape : BlockShape<block_rows, block_cols, block_depth, rows_of_warp, cols_of_warp,
                                  number_of_stages, min_blocks_of_sm> {
  static constexpr bool wide_alone = true;
};

/// A warp's part of the product. Rows of A and B start at multiples of 16 bytes.
///
/// In shared memory, element c of row r of A lies at c ^ 4 (r % 8) of 32 elements, or at c ^ 4 (r / 2 % 4) of
/// 16, that of B at c ^ 8 (r % 4): what a warp loads at once falls into all 32 banks.
template <int rows, int cols, int depth, int warp_rows, int warp_cols, int stages, int min_blocks,
          class Thread>
class BlockProduct<float, SplitMmaShape<rows, cols, depth, warp_rows, warp_cols, stages, min_blocks>, true,
                   Thread, Plain, float*> {
  static constexpr int threads = rows / warp_rows * (cols / warp_cols) * 32;
  static constexpr int a_size = rows * depth, stage_size = a_size + depth * cols;

 public:
  static constexpr int shared_bytes = stages * stage_size * static_cast<int>(sizeof(float));

  __device__ BlockProduct(const Thread&, float* memory, const MatrixView<const float>& a,
                          const MatrixView<const float>& b, Index row, Index col)
      : shared(memory), a_ld(a.ld), b_ld(b.ld) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    constexpr int warps_across = cols / warp_cols;
    const int warp_row = warp / warps_across * warp_rows, warp_col = warp % warps_across * warp_cols;
    tile_row = warp_row + g;
    tile_col = warp_col + 2 * t;
    a_at = a_place(tile_row, t);
    b_at = a_size + b_place(t, warp_col + g);

    const int a_row = threadIdx.x / a_lanes, b_row = threadIdx.x / b_lanes;
    a_col = threadIdx.x % a_lanes * 4;
    const int b_col = threadIdx.x % b_lanes * 4;
    a_from = a.data + (row + a_row) * a.ld + a_col;
    b_from = b.data + static_cast<Index>(b_row) * b.ld + col + b_col;
    a_to = shared_address(memory + a_place(a_row, a_col));
    b_to = shared_address(memory + a_size + b_place(b_row, b_col));
    a_rows_left = static_cast<int>(a.rows - row < rows ? a.rows - row : rows) - a_row;
    b_bytes = bytes(b.cols - col - b_col);
  }

  /// Sets the sums to the products of columns [first, last) of A and rows [first, last) of B; `first` is a
  /// multiple of the depth.
  __device__ void multiply(Index first, Index last) {
    for (auto& of_row : sum)
      for (auto& tile : of_row)
        for (float& element : tile) element = 0;
    const int steps = static_cast<int>((last - first + depth - 1) / depth);
    a_from += first;
    b_from += first * b_ld;
    left = static_cast<int>(last - first);
    __syncthreads();  // the tile before this one is done
#pragma unroll
    for (int s = 0; s < stages - 1; ++s) copy(s);
    int at = 0, free_at = stages - 1;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      wait_for_copies<stages - 2>();
      __syncthreads();
      copy(free_at);
#pragma unroll
      for (int part = 0; part < depth / 8; ++part) multiply_part(shared + at * stage_size, part);
      free_at = at;
      at = at == stages - 1 ? 0 : at + 1;
    }
  }

  __device__ void store(const MatrixView<float>& to, bool) const {
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
#pragma unroll
      for (int j = 0; j < col_tiles; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float* const place = to.data + (tile_row + i * 16 + half * 8) * to.ld + tile_col + j * 8;
          *reinterpret_cast<float2*>(place) = {sum[i][j][2 * half], sum[i][j][2 * half + 1]};
        }
  }

 private:
  static constexpr int row_tiles = warp_rows / 16, col_tiles = warp_cols / 8;
  // A thread copies 4 elements at once, of every a_step-th row of A and every b_step-th of B.
  static constexpr int a_lanes = depth / 4, a_step = threads / a_lanes;
  static constexpr int b_lanes = cols / 4, b_step = threads / b_lanes;
  static_assert((depth == 16 || depth == 32) && cols % 32 == 0 && warp_cols % 8 == 0 && warp_rows % 16 == 0);
  static_assert(a_step % 8 == 0 && rows % a_step == 0 && b_step % 4 == 0 && depth % b_step == 0);

  static __device__ __forceinline__ int a_place(int r, int c) {
    return r * depth + (c ^ (depth == 32 ? r % 8 : r / 2 % 4) * 4);
  }
  static __device__ __forceinline__ int b_place(int r, int c) { return r * cols + (c ^ r % 4 * 8); }
  static __device__ __forceinline__ int bytes(Index count) {
    return static_cast<int>(count <= 0 ? 0 : count < 4 ? count : 4) * 4;
  }

  /// Copies the next columns of A and rows of B to stage `s`. What lies outside becomes zero: a copy of no
  /// bytes reads nothing.
  __device__ __forceinline__ void copy(int s) {
    const std::uint32_t behind = s * static_cast<std::uint32_t>(stage_size * 4);
    const int a_bytes = bytes(left - a_col), rows_of_b = left - static_cast<int>(threadIdx.x / b_lanes);
#pragma unroll
    for (int r = 0; r < rows; r += a_step)
      copy_asynchronously<16>(a_to + behind + r * depth * 4, a_from + r * a_ld,
                              r < a_rows_left ? a_bytes : 0);
#pragma unroll
    for (int r = 0; r < depth; r += b_step)
      copy_asynchronously<16>(b_to + behind + r * cols * 4, b_from + r * b_ld, r < rows_of_b ? b_bytes : 0);
    a_from += depth;
    b_from += depth * b_ld;
    left -= depth;
    commit_copies();
  }

  static __device__ __forceinline__ void split(float x, std::uint32_t& big, std::uint32_t& small) {
    big = (std::bit_cast<std::uint32_t>(x) + 0x1000u) & 0xffffe000u;
    small = std::bit_cast<std::uint32_t>(x - std::bit_cast<float>(big));
  }

  /// Eight steps along k of a stage.
  __device__ __forceinline__ void multiply_part(const float* stage, int part) {
    std::uint32_t a_big[row_tiles][4], a_small[row_tiles][4], b_big[col_tiles][2], b_small[col_tiles][2];
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        split(stage[(a_at ^ (part * 8 + e / 2 * 4)) + (i * 16 + e % 2 * 8) * depth], a_big[i][e],
              a_small[i][e]);
#pragma unroll
    for (int j = 0; j < col_tiles; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        split(stage[(b_at ^ j % 4 * 8) + j / 4 * 32 + (part * 8 + e * 4) * cols], b_big[j][e], b_small[j][e]);
#pragma unroll
    for (int j = 0; j < col_tiles; ++j)
#pragma unroll
      for (int i = 0; i < row_tiles; ++i) multiply_by_warp(sum[i][j], a_small[i], b_big[j]);
#pragma unroll
    for (int j = 0; j < col_tiles; ++j)
#pragma unroll
      for (int i = 0; i < row_tiles; ++i) multiply_by_warp(sum[i][j], a_big[i], b_small[j]);
#pragma unroll
    for (int j = 0; j < col_tiles; ++j)
#pragma unroll
      for (int i = 0; i < row_tiles; ++i) multiply_by_warp(sum[i][j], a_big[i], b_big[j]);
  }

  float* shared;
  Index a_ld, b_ld;
  const float *a_from, *b_from;  ///< what this thread copies next
  std::uint32_t a_to, b_to;      ///< and where, in the first stage
  int a_col, a_rows_left, b_bytes;
  int left;                ///< steps along k that are not copied
  int tile_row, tile_col;  ///< a thread's first element of C in the tile
  int a_at, b_at;          ///< a thread's first factors in a stage
  float sum[row_tiles][col_tiles][4];
};

}  // namespace tallcache::gpu::matmul
