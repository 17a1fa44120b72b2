// The product of one block of doubles on the tensor cores of compute capability 8.0 and later: the parts of
// BlockProduct (block_product.cuh), with a warp's matrix instruction (mma.sync) in place of a thread's sums.
// PTX ISA, "Matrix fragments for mma.m8n8k4", "mma.m16n8k8".
#pragma once

#include "gpu/matmul/block_product.cuh"

namespace tallcache::gpu::matmul {

/// d += A B by a warp: A 16 x 8, B 8 x 8. Thread 4 g + t has a: rows g, g + 8 of column t, then of column
/// t + 4; b: rows t, t + 4 of column g; d: columns 2 t and 2 t + 1 of row g, then of row g + 8.
__device__ __forceinline__ void multiply_by_warp(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#pragma unroll
  for (int l = 0; l < 2; ++l)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
                   : "+d"(d[2 * half]), "+d"(d[2 * half + 1])
                   : "d"(a[2 * l + half]), "d"(b[l]));
#endif
}

/// As BlockShape, on tensor cores.
template <int block_rows, int block_cols, int rows_of_warp, int cols_of_warp, int number_of_stages,
          int min_blocks_of_sm = 1>
struct MmaShape
    : BlockShape<block_rows, block_cols, 16, rows_of_warp, cols_of_warp, number_of_stages, min_blocks_of_sm> {
};

/// A warp's part of the product of doubles. In shared memory, element c of row r of A (16 doubles) or of B lies
/// at c ^ 4 (r % 4): the factors that 16 threads load fall into all 32 banks. They are loaded one by one, in
/// the order in which the instruction reads its registers; two at a time they would have to be moved.
template <int rows, int cols, int warp_rows, int warp_cols, int stages, int min_blocks, bool wide_b>
class BlockProduct<double, MmaShape<rows, cols, warp_rows, warp_cols, stages, min_blocks>, wide_b> {
  static constexpr int depth = 16, threads = rows / warp_rows * (cols / warp_cols) * 32;
  static constexpr int a_size = rows * depth, stage_size = a_size + depth * cols;

 public:
  static constexpr int shared_bytes = stages * stage_size * static_cast<int>(sizeof(double));

  __device__ BlockProduct(double* memory, const MatrixView<const double>& a,
                          const MatrixView<const double>& b, Index row, Index col)
      : shared(memory), a_ld(a.ld), b_ld(b.ld) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    constexpr int warps_across = cols / warp_cols;
    tile_row = warp / warps_across * warp_rows + g;
    tile_col = warp % warps_across * warp_cols + 2 * t;
    a_at = place(tile_row, t, depth);
    b_at = a_size + place(t, warp % warps_across * warp_cols + g, cols);
    static_assert(a_size % 16 == 0 && warp_cols % 16 == 0);
    wide_a = a.ld % 2 == 0 && reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0;
    a_from = a.data + row * a.ld;
    b_from = b.data + col;
    rows_left = static_cast<int>(a.rows - row < rows ? a.rows - row : rows);
    cols_left = static_cast<int>(b.cols - col < cols ? b.cols - col : cols);
  }

  /// As of the general one; `first` is a multiple of the depth.
  __device__ void multiply(Index first, Index last) {
    for (auto& of_row : sum)
      for (auto& tile : of_row)
        for (double& element : tile) element = 0;
    const int steps = static_cast<int>((last - first + depth - 1) / depth);
    __syncthreads();  // the tile before this one is done
#pragma unroll
    for (int s = 0; s < stages - 1; ++s) {
      if (s < steps) copy(s, first + s * depth, last);
      commit_copies();
    }
    wait_for_stage();
    load(0, 0, 0);
    int at = 0, free_at = stages - 1;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      load(1, at, 1);
      if (step + stages - 1 < steps) copy(free_at, first + (step + stages - 1) * Index{depth}, last);
      commit_copies();
      multiply_half(0);
      free_at = at;
      at = at == stages - 1 ? 0 : at + 1;
      wait_for_stage();
      load(0, at, 0);
      multiply_half(1);
    }
  }

  __device__ void store(double* to, Index ld, Index row_end, Index col_end, bool wide) const {
#pragma unroll
    for (int i = 0; i < 2 * row_tiles; ++i) {
      const int r = tile_row + i * 8;
      if (r >= row_end) continue;
#pragma unroll
      for (int j = 0; j < col_tiles; ++j) {
        const int c = tile_col + j * 8;
        const double x = sum[i / 2][j][i % 2 * 2], y = sum[i / 2][j][i % 2 * 2 + 1];
        double* const place = to + r * ld + c;
        if (wide && c + 2 <= col_end) {
          *reinterpret_cast<double2*>(place) = {x, y};
        } else {
          if (c < col_end) place[0] = x;
          if (c + 1 < col_end) place[1] = y;
        }
      }
    }
  }

 private:
  static constexpr int row_tiles = warp_rows / 16, col_tiles = warp_cols / 8;

  /// Where element (r, c) of a tile in shared memory lies that has `width` columns.
  static __device__ __forceinline__ int place(unsigned r, unsigned c, int width) {
    return r * width + (c ^ r % 4 * 4);
  }
  static __device__ __forceinline__ int bytes(Index left, int width) {
    return static_cast<int>(left <= 0 ? 0 : left < width ? left : width) * static_cast<int>(sizeof(double));
  }

  /// Copies columns [l, l + depth) of A and these rows of B to stage `s`, zeros from `last` on.
  __device__ __forceinline__ void copy(int s, Index l, Index last) {
    double* const stage = shared + s * stage_size;
    unsigned thread = threadIdx.x;
    asm volatile("" : "+r"(thread));  // what follows from it is computed again: registers are scarce
    if (wide_a)
      copy_a<2>(stage, thread, l, last);
    else
      copy_a<1>(stage, thread, l, last);
    copy_b<wide_b ? 2 : 1>(stage + a_size, thread, l, last);
  }

  // Rows and columns beyond C's edges are read from the last one, or are zero: their sums are not stored.
  template <int width>
  __device__ __forceinline__ void copy_a(double* stage, unsigned thread, Index l, Index last) {
    constexpr int lanes = depth / width, rows_at_once = threads / lanes;
    const int c = thread % lanes * width, first = thread / lanes;
    const int count = bytes(last - l - c, width);
    const double* const from = a_from + (count > 0 ? l + c : 0);
    const std::uint32_t to = shared_address(stage + place(first, c, depth));
    static_assert(rows_at_once % 4 == 0 && rows % rows_at_once == 0);
#pragma unroll
    for (int r = 0; r < rows; r += rows_at_once) {
      const int i = first + r < rows_left ? first + r : rows_left - 1;
      copy_asynchronously<width * 8>(to + r * depth * 8, from + i * a_ld, count);
    }
  }
  template <int width>
  __device__ __forceinline__ void copy_b(double* stage, unsigned thread, Index l, Index last) {
    constexpr int lanes = cols / width, rows_at_once = threads / lanes;
    const int c = thread % lanes * width, first = thread / lanes;
    const int count = bytes(cols_left - c, width);
    const double* const from = b_from + (count > 0 ? c : 0);
    static_assert(depth % rows_at_once == 0);
#pragma unroll
    for (int r = first; r < first + depth; r += rows_at_once) {
      const bool inside = l + r < last;
      copy_asynchronously<width * 8>(shared_address(stage + place(r, c, cols)),
                                     from + (inside ? l + r : 0) * b_ld, inside ? count : 0);
    }
  }

  static __device__ __forceinline__ void wait_for_stage() {
    wait_for_copies<stages - 2>();
    __syncthreads();
  }

  /// Half of the steps of stage `s`, to the registers of `side`.
  __device__ __forceinline__ void load(int side, int s, int half) {
    const double* const stage = shared + s * stage_size;
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int l = half * 8 + e * 4;
#pragma unroll
      for (int i = 0; i < 2 * row_tiles; ++i)
        a_part[side][i / 2][2 * e + i % 2] = stage[(a_at ^ l) + i * 8 * depth];
#pragma unroll
      for (int j = 0; j < col_tiles; ++j)
        b_part[side][j][e] = stage[(b_at ^ j % 2 * 8) + j / 2 * 16 + l * cols];
    }
  }

  __device__ __forceinline__ void multiply_half(int side) {
#pragma unroll
    for (int j = 0; j < col_tiles; ++j)
#pragma unroll
      for (int i = 0; i < row_tiles; ++i) multiply_by_warp(sum[i][j], a_part[side][i], b_part[side][j]);
  }

  double* shared;
  Index a_ld, b_ld;
  const double *a_from, *b_from;  ///< the first element of the tile's rows and columns
  int rows_left, cols_left;       ///< of the tile inside C
  int tile_row, tile_col;         ///< a thread's first element of C in the tile
  int a_at, b_at;                 ///< a thread's first factors in a stage
  bool wide_a;
  double a_part[2][row_tiles][4], b_part[2][col_tiles][2];
  double sum[row_tiles][col_tiles][4];
};

}  // namespace tallcache::gpu::matmul
