// The product of one block of doubles on the tensor cores of compute capability 8.0 and later: the parts of
// BlockProduct (block_product.hpp), with a warp's matrix instruction (mma.sync) in place of a thread's sums.
// PTX ISA, "Matrix fragments for mma.m8n8k4", "mma.m16n8k4", "mma.m16n8k8".
#pragma once

#include "gpu/matmul/block_product.hpp"

namespace tallcache::gpu::matmul {

/// d += A B by a warp: A 16 x 4, B 4 x 8. Thread 4 g + t has a: rows g and g + 8 of column t; b: row t of
/// column g; d: columns 2 t and 2 t + 1 of row g, then of row g + 8.
__device__ __forceinline__ void multiply_by_warp(double (&d)[4], const double (&a)[2], const double (&b)[1]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};\n"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#pragma unroll
  for (int half = 0; half < 2; ++half)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
                 : "+d"(d[2 * half]), "+d"(d[2 * half + 1])
                 : "d"(a[half]), "d"(b[0]));
#endif
}

/// The same of A 16 x 8, of which thread 4 g + t has columns t and t + 4, and B 8 x 8.
__device__ __forceinline__ void multiply_by_warp(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
  for (int l = 0; l < 2; ++l) {
    const double a_half[] = {a[2 * l], a[2 * l + 1]}, b_half[] = {b[l]};
    multiply_by_warp(d, a_half, b_half);
  }
#endif
}

/// As BlockShape, on tensor cores.
template <int block_rows, int block_cols, int rows_of_warp, int cols_of_warp, int number_of_stages,
          int min_blocks_of_sm = 1>
struct MmaShape
    : BlockShape<block_rows, block_cols, 16, rows_of_warp, cols_of_warp, number_of_stages, min_blocks_of_sm> {
};

/// A warp's part of the product of doubles. Where `wide`, rows of A and B start at multiples of 16 bytes.
///
/// In shared memory, element c of row r of A (16 doubles) or of B lies at c ^ 4 (r % 4): the factors that 16
/// threads load fall into all 32 banks. They are loaded one by one, in the order in which the instruction
/// reads its registers; two at a time they would have to be moved.
template <int rows, int cols, int warp_rows, int warp_cols, int stages, int min_blocks, bool wide,
          class Thread>
class BlockProduct<double, MmaShape<rows, cols, warp_rows, warp_cols, stages, min_blocks>, wide, Thread,
                   Plain, double*> {
  static constexpr int depth = 16, threads = rows / warp_rows * (cols / warp_cols) * 32;
  static constexpr int a_size = rows * depth, stage_size = a_size + depth * cols;

 public:
  static constexpr int shared_bytes = stages * stage_size * static_cast<int>(sizeof(double));

  __device__ BlockProduct(const Thread&, double* memory, const MatrixView<const double>& a,
                          const MatrixView<const double>& b, Index row, Index col)
      : shared(memory), a_ld(a.ld), b_ld(b.ld) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    constexpr int warps_across = cols / warp_cols;
    tile_row = warp / warps_across * warp_rows + g;
    tile_col = warp % warps_across * warp_cols + 2 * t;
    a_at = place(tile_row, t, depth);
    b_at = a_size + place(t, warp % warps_across * warp_cols + g, cols);
    static_assert(a_size % 16 == 0 && warp_cols % 16 == 0);

    const int a_row = threadIdx.x / a_lanes, b_row = threadIdx.x / b_lanes;
    a_col = threadIdx.x % a_lanes * width;
    const int b_col = threadIdx.x % b_lanes * width;
    a_from = a.data + (row + a_row) * a.ld + a_col;
    b_from = b.data + static_cast<Index>(b_row) * b.ld + col + b_col;
    a_to = shared_address(memory + place(a_row, a_col, depth));
    b_to = a_size + place(b_row, b_col, cols);
    a_rows_left = static_cast<int>(a.rows - row < rows ? a.rows - row : rows) - a_row;
    b_bytes = bytes(b.cols - col - b_col);
  }

  /// As of the general one; `first` is a multiple of the depth.
  __device__ void multiply(Index first, Index last) {
    for (auto& of_row : sum)
      for (auto& tile : of_row)
        for (double& element : tile) element = 0;
    const int steps = static_cast<int>((last - first + depth - 1) / depth);
    a_from += first;
    b_from += first * b_ld;
    left = static_cast<int>(last - first);
    __syncthreads();  // the tile before this one is done
#pragma unroll
    for (int s = 0; s < stages - 1; ++s) copy(s);
    wait_for_stage();
    load(0, 0, 0);
    int at = 0, free_at = stages - 1;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      const int next = at == stages - 1 ? 0 : at + 1;
#pragma unroll
      for (int part = 0; part < depth / part_depth; ++part) {
        const bool is_last = part == depth / part_depth - 1;
        if (is_last) wait_for_stage();
        load((part + 1) % 2, is_last ? next : at, is_last ? 0 : part + 1);
        if (part == 0) copy(free_at);
        multiply_part(part % 2);
      }
      free_at = at;
      at = next;
    }
  }

  __device__ void store(const MatrixView<double>& to, bool pairs) const {
    const int rows_left = static_cast<int>(to.rows < rows ? to.rows : rows) - tile_row;
    const int cols_left = static_cast<int>(to.cols < cols ? to.cols : cols) - tile_col;
    double* const first = to.data + tile_row * to.ld + tile_col;
#pragma unroll
    for (int i = 0; i < 2 * row_tiles; ++i) {
      if (i * 8 >= rows_left) break;
      double* const row_of_c = first + i * 8 * to.ld;
#pragma unroll
      for (int j = 0; j < col_tiles; ++j) {
        const double x = sum[i / 2][j][i % 2 * 2], y = sum[i / 2][j][i % 2 * 2 + 1];
        double* const place = row_of_c + j * 8;
        if (j * 8 + 1 < cols_left && pairs) {
          *reinterpret_cast<double2*>(place) = {x, y};
        } else {
          if (j * 8 < cols_left) place[0] = x;
          if (j * 8 + 1 < cols_left) place[1] = y;
        }
      }
    }
  }

 private:
  // Factors of the next part are loaded beside the products of this one. With copies of 8 bytes, which are
  // twice as many, there are registers for half of it.
  static constexpr int part_depth = wide ? 8 : 4;
  static constexpr int row_tiles = warp_rows / 16, col_tiles = warp_cols / 8;

  // A thread copies `width` elements at once, of every a_step-th row of A and every b_step-th of B.
  static constexpr int width = wide ? 2 : 1;
  static constexpr int a_lanes = depth / width, a_step = threads / a_lanes;
  static constexpr int b_lanes = cols / width, b_step = threads / b_lanes;
  static_assert(a_step % 4 == 0 && rows % a_step == 0 && (4 % b_step == 0 || b_step % 4 == 0) &&
                depth % b_step == 0);

  /// Where element (r, c) of a tile in shared memory lies that has `row_size` columns.
  static __device__ __forceinline__ int place(unsigned r, unsigned c, int row_size) {
    return r * row_size + (c ^ r % 4 * 4);
  }
  /// Of a copy when `count` elements are left.
  static __device__ __forceinline__ int bytes(Index count) {
    return static_cast<int>(count <= 0      ? 0
                            : count < width ? count
                                            : width) *
           static_cast<int>(sizeof(double));
  }

  /// Copies the next columns of A and rows of B to stage `s`. What lies outside becomes zero: a copy of no
  /// bytes reads nothing.
  __device__ __forceinline__ void copy(int s) {
    constexpr int bytes_of_copy = width * 8;
    const std::uint32_t behind = s * static_cast<std::uint32_t>(stage_size * 8);
    const int a_bytes = bytes(left - a_col), rows_of_b = left - static_cast<int>(threadIdx.x / b_lanes);
#pragma unroll
    for (int r = 0; r < rows; r += a_step)
      copy_asynchronously<bytes_of_copy>(a_to + behind + r * depth * 8, a_from + r * a_ld,
                                         r < a_rows_left ? a_bytes : 0);
#pragma unroll
    for (int r = 0; r < depth; r += b_step) {
      // Where b_step is 1 or 2, rows differ in their swizzle.
      const std::uint32_t to = shared_address(shared + (b_to ^ r % 4 * 4));
      copy_asynchronously<bytes_of_copy>(to + behind + r * cols * 8, b_from + r * b_ld,
                                         r < rows_of_b ? b_bytes : 0);
    }
    a_from += depth;
    b_from += depth * b_ld;
    left -= depth;
    commit_copies();
  }
  static __device__ __forceinline__ void wait_for_stage() {
    wait_for_copies<stages - 2>();
    __syncthreads();
  }

  /// Part number `part` of the steps of stage `s`, to the registers of `side`.
  __device__ __forceinline__ void load(int side, int s, int part) {
    const double* const stage = shared + s * stage_size;
#pragma unroll
    for (int e = 0; e < part_depth / 4; ++e) {
      const int l = part * part_depth + e * 4;
#pragma unroll
      for (int i = 0; i < 2 * row_tiles; ++i)
        a_part[side][i / 2][2 * e + i % 2] = stage[(a_at ^ l) + i * 8 * depth];
#pragma unroll
      for (int j = 0; j < col_tiles; ++j)
        b_part[side][j][e] = stage[(b_at ^ j % 2 * 8) + j / 2 * 16 + l * cols];
    }
  }

  __device__ __forceinline__ void multiply_part(int side) {
#pragma unroll
    for (int j = 0; j < col_tiles; ++j)
#pragma unroll
      for (int i = 0; i < row_tiles; ++i) multiply_by_warp(sum[i][j], a_part[side][i], b_part[side][j]);
  }

  double* shared;
  Index a_ld, b_ld;
  const double *a_from, *b_from;  ///< what this thread copies next
  std::uint32_t a_to;             ///< and where, in the first stage
  int b_to, a_col, a_rows_left, b_bytes;
  int left;                ///< steps along k that are not copied
  int tile_row, tile_col;  ///< a thread's first element of C in the tile
  int a_at, b_at;          ///< a thread's first factors in a stage
  double a_part[2][row_tiles][part_depth / 2], b_part[2][col_tiles][part_depth / 4];
  double sum[row_tiles][col_tiles][4];
};

}  // namespace tallcache::gpu::matmul
