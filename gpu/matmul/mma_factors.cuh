// What a warp's matrix instructions multiply in a block's product (mma_product.cuh). PTX ISA, "Matrix
// fragments for mma.m8n8k4", "mma.m16n8k4", "mma.m16n8k8", "mma.m16n8k16", "ldmatrix".
#pragma once

#include <bit>
#include <cstdint>

#include "common/bfloat16.hpp"
#include "gpu/asynchronous_copy.cuh"

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

/// The same of TF32 (mma.m16n8k8).
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

/// The same of bfloat16, A 16 x 16 and B 16 x 8: a register has two neighbours along k.
struct PairsOfBfloat16 {
  std::uint32_t bits;
};
__device__ __forceinline__ void multiply_by_warp(float (&d)[4], const PairsOfBfloat16 (&a)[4],
                                                 const PairsOfBfloat16 (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0].bits), "r"(a[1].bits), "r"(a[2].bits), "r"(a[3].bits), "r"(b[0].bits), "r"(b[1].bits));
#endif
}

/// The nearest TF32 number, of two the one of larger magnitude, as the bits of a float. A NaN stays one.
__device__ __forceinline__ std::uint32_t to_tf32(float x) {
  std::uint32_t bits = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#endif
  return bits;
}

/// sum += A B, of a warp's tiles of 16 x 8.
template <int row_tiles, int col_tiles, class Sum, class A, class B, int a_size, int b_size>
__device__ __forceinline__ void multiply_tiles_of_warp(Sum (&sum)[row_tiles][col_tiles][4],
                                                       const A (&a)[row_tiles][a_size],
                                                       const B (&b)[col_tiles][b_size]) {
#pragma unroll
  for (int j = 0; j < col_tiles; ++j)
#pragma unroll
    for (int i = 0; i < row_tiles; ++i) multiply_by_warp(sum[i][j], a[i], b[j]);
}

/// Factors of T, one a register, which are loaded one by one, in the order in which the instruction reads its
/// registers; two at a time they would have to be moved.
///
/// Element (r, c) of a tile in shared memory lies in column c ^ swizzle(r, columns) of its row, so that
/// what a warp loads at once falls into all 32 banks; swizzles of rows `period` apart are equal.
template <class T>
struct FactorsOf {
  using Register = T;
  static constexpr int a_period = 32 / int{sizeof(T)}, b_period = 4;

  static __device__ constexpr int a_swizzle(int r, int row_size) {
    return (row_size * int{sizeof(T)} == 64 ? r / 2 % (a_period / 2) : r % a_period) * 4;
  }
  static __device__ constexpr int b_swizzle(int r, int) { return r % b_period * (32 / int{sizeof(T)}); }

  // A lane's first factor in its warp's tile.
  static __device__ int a_row(int lane) { return lane / 4; }
  static __device__ int a_col(int lane) { return lane % 4; }
  static __device__ int b_row(int lane) { return lane % 4; }
  static __device__ int b_col(int lane) { return lane / 4; }

  /// The steps along k whose factors a thread has in registers at once, and their number.
  static constexpr int part_depth(bool) { return 8; }
  static constexpr int a_registers(int part) { return part / 2; }
  static constexpr int b_registers(int part) { return part / 4; }

  /// Steps from l on; `at` is the place of the lane's first factor in `stage`.
  template <int depth, int row_tiles, int size>
  static __device__ __forceinline__ void load_a(Register (&a)[row_tiles][size], const T* stage, int at,
                                                int l) {
#pragma unroll
    for (int e = 0; e < size / 2; ++e)
#pragma unroll
      for (int i = 0; i < 2 * row_tiles; ++i)
        a[i / 2][2 * e + i % 2] = stage[(at ^ (l + 4 * e)) + i * 8 * depth];
  }
  template <int cols, int col_tiles, int size>
  static __device__ __forceinline__ void load_b(Register (&b)[col_tiles][size], const T* stage, int at,
                                                int l) {
    constexpr int line = 128 / int{sizeof(T)};
#pragma unroll
    for (int e = 0; e < size; ++e)
#pragma unroll
      for (int j = 0; j < col_tiles; ++j)
        b[j][e] = stage[(at ^ j * 8 % line) + j * 8 / line * line + (l + 4 * e) * cols];
  }
};

struct Doubles : FactorsOf<double> {
  using Sum = double;
  /// With copies of 8 bytes, which are twice as many, there are registers for half of it.
  static constexpr int part_depth(bool wide) { return wide ? 8 : 4; }

  template <class Sums, class A, class B>
  static __device__ __forceinline__ void multiply(Sums& sum, const A& a, const B& b) {
    multiply_tiles_of_warp(sum, a, b);
  }
};

/// Floats cut to 10 bits of mantissa: those of A are truncated, as by transposed_wgmma, those of B rounded.
struct Tf32Floats : FactorsOf<float> {
  using Sum = float;

  template <class Sums, int row_tiles, int a_size, int col_tiles, int b_size>
  static __device__ __forceinline__ void multiply(Sums& sum, const float (&a)[row_tiles][a_size],
                                                  const float (&b)[col_tiles][b_size]) {
    std::uint32_t a_bits[row_tiles][a_size], b_bits[col_tiles][b_size];
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
#pragma unroll
      for (int e = 0; e < a_size; ++e) a_bits[i][e] = std::bit_cast<std::uint32_t>(a[i][e]);
#pragma unroll
    for (int j = 0; j < col_tiles; ++j)
#pragma unroll
      for (int e = 0; e < b_size; ++e) b_bits[j][e] = to_tf32(b[j][e]);
    multiply_tiles_of_warp(sum, a_bits, b_bits);
  }
};

/// A product of floats as three TF32 products. Each element is split into big, its nearest TF32 number, and
/// small, what is left; the product of two small parts is left out. Ootomo and Yokota 2022.
///
/// An infinity has no small part: it, and an element beyond 2^127, makes NaN of its products.
struct SplitFloats : FactorsOf<float> {
  using Sum = float;
  static constexpr bool wide_alone = true;  ///< rows start at multiples of 16 bytes

  template <int tiles, int size>
  struct Parts {
    std::uint32_t big[tiles][size], small[tiles][size];

    __device__ __forceinline__ explicit Parts(const float (&x)[tiles][size]) {
#pragma unroll
      for (int i = 0; i < tiles; ++i)
#pragma unroll
        for (int e = 0; e < size; ++e) {
          big[i][e] = (std::bit_cast<std::uint32_t>(x[i][e]) + 0x1000u) & 0xffffe000u;
          small[i][e] = std::bit_cast<std::uint32_t>(x[i][e] - std::bit_cast<float>(big[i][e]));
        }
    }
  };

  template <class Sums, int row_tiles, int a_size, int col_tiles, int b_size>
  static __device__ __forceinline__ void multiply(Sums& sum, const float (&a)[row_tiles][a_size],
                                                  const float (&b)[col_tiles][b_size]) {
    const Parts<row_tiles, a_size> of_a(a);
    const Parts<col_tiles, b_size> of_b(b);
    multiply_tiles_of_warp(sum, of_a.small, of_b.big);
    multiply_tiles_of_warp(sum, of_a.big, of_b.small);
    multiply_tiles_of_warp(sum, of_a.big, of_b.big);
  }
};

/// Four matrices of 8 x 8 bfloat16 from shared memory, of which lane 8 i + r gives row r of matrix i. Lane
/// 4 g + t has the elements 2 t and 2 t + 1 of row g of each, of column g where `transposed`.
template <bool transposed>
__device__ __forceinline__ void load_matrices(PairsOfBfloat16& x, PairsOfBfloat16& y, PairsOfBfloat16& z,
                                              PairsOfBfloat16& w, const Bfloat16* row) {
#ifdef __CUDA_ARCH__
  const std::uint32_t at = shared_address(row);
  if constexpr (transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(x.bits), "=r"(y.bits), "=r"(z.bits), "=r"(w.bits)
                 : "r"(at)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(x.bits), "=r"(y.bits), "=r"(z.bits), "=r"(w.bits)
                 : "r"(at)
                 : "memory");
#endif
}

/// Rows of a tile have 64 or 128 bytes, or more.
struct Bfloat16s {
  using Register = PairsOfBfloat16;
  using Sum = float;
  static constexpr int a_period = 8, b_period = 8;

  static __device__ constexpr int a_swizzle(int r, int row_size) {
    return (row_size == 32 ? r / 2 % 4 : r % 8) * 8;
  }
  static __device__ constexpr int b_swizzle(int r, int row_size) { return a_swizzle(r, row_size); }
  static __device__ int a_row(int lane) { return lane % 16; }
  static __device__ int a_col(int lane) { return lane / 16 * 8; }
  static __device__ int b_row(int lane) { return lane % 16; }
  static __device__ int b_col(int lane) { return lane / 16 * 8; }
  static constexpr int part_depth(bool) { return 16; }
  static constexpr int a_registers(int) { return 4; }
  static constexpr int b_registers(int) { return 2; }

  template <int depth, int row_tiles>
  static __device__ __forceinline__ void load_a(Register (&a)[row_tiles][4], const Bfloat16* stage, int at,
                                                int l) {
#pragma unroll
    for (int i = 0; i < row_tiles; ++i)
      load_matrices<false>(a[i][0], a[i][1], a[i][2], a[i][3], stage + (at ^ l) + i * 16 * depth);
  }
  template <int cols, int col_tiles>
  static __device__ __forceinline__ void load_b(Register (&b)[col_tiles][2], const Bfloat16* stage, int at,
                                                int l) {
    constexpr int line = cols == 32 ? 32 : 64;
    static_assert(col_tiles % 2 == 0);
#pragma unroll
    for (int j = 0; j < col_tiles; j += 2)
      load_matrices<true>(b[j][0], b[j][1], b[j + 1][0], b[j + 1][1],
                          stage + (at ^ j * 8 % line) + j * 8 / line * line + l * cols);
  }
  template <class Sums, class A, class B>
  static __device__ __forceinline__ void multiply(Sums& sum, const A& a, const B& b) {
    multiply_tiles_of_warp(sum, a, b);
  }
};

}  // namespace tallcache::gpu::matmul
