// The register kernels of the product in bfloat16 with float sums. Two steps of the inner dimension lie
// together in a packed panel, [k / 2][mr][2] for A and [k / 2][nr][2] for B: a lane of 32 bits has both.
// Where the processor has AVX-512 BF16, one instruction multiplies and adds both; elsewhere they are widened
// to float.
#include <algorithm>
#include <cstring>

#include "common/amx.hpp"
#include "cpu/matmul/register_kernel.hpp"

#include "cpu/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/matmul/bfloat16_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/highway.h>

#ifndef TALLCACHE_BFLOAT16_PACKING
#define TALLCACHE_BFLOAT16_PACKING
namespace tallcache::cpu::matmul {
namespace {

/// The bits of steps l and l + 1 of a row; of the first alone where l + 1 == k.
template <class Access>
std::uint32_t pair_at(const Bfloat16* row, Index l, Index k, Index col_stride, Access access) {
  const Bfloat16 first = access.at(row + l * col_stride);
  if (l + 1 == k) return first.bits;
  const Bfloat16 second = access.at(row + (l + 1) * col_stride);
  return first.bits | std::uint32_t{second.bits} << 16;
}

template <class Access>
void put_pair(Bfloat16* to, std::uint32_t pair, Access access) {
  std::memcpy(static_cast<void*>(store_n(access, to, 2)), &pair, sizeof pair);
}

template <class Access>
void put_zeros(Bfloat16* to, Index count, Access access) {
  std::memset(static_cast<void*>(store_n(access, to, count)), 0, count * sizeof(Bfloat16));
}

/// Whether the pairs of steps of a row are floats' places.
inline bool pairs_are_words(const Bfloat16* from, Index row_stride, Index col_stride) {
  return col_stride == 1 && row_stride % 2 == 0 &&
         reinterpret_cast<std::uintptr_t>(from) % sizeof(float) == 0;
}

/// KernelText::pack_a: to[(p * pairs + l / 2) * width + i][2].
template <class Access>
void pack_rows(Bfloat16* to, Index width, Index count, Index k, const Bfloat16* from, Index row_stride,
               Index col_stride, Access access) {
  const Index pairs = ceil_div<Index>(k, 2);
  const bool words = pairs_are_words(from, row_stride, col_stride);
  for (Index first = 0; first < count; first += width, to += 2 * pairs * width) {
    const Index rows = std::min(width, count - first);
    const Bfloat16* const panel = from + first * row_stride;
    // The kernel of float transposes squares of words in registers.
    if (words)
      register_kernel<float>().text.under(access).pack_a(reinterpret_cast<float*>(to), width, rows, k / 2,
                                                         reinterpret_cast<const float*>(panel),
                                                         row_stride / 2, 1, access);
    else if (rows < width)
      put_zeros(to, 2 * pairs * width, access);
    const Index packed = words ? k / 2 * 2 : 0;
    if (words && packed < k) put_zeros(to + packed * width, 2 * width, access);
    for (Index i = 0; i < rows; ++i)
      for (Index l = packed; l < k; l += 2)
        put_pair(to + l * width + 2 * i, pair_at(panel + i * row_stride, l, k, col_stride, access), access);
  }
}

/// Two steps of 16 columns side by side.
template <class Access>
void interleave(Bfloat16* to, const Bfloat16* even, const Bfloat16* odd, Access access) {
  std::uint32_t pairs[16];
  even = load_n(access, even, 16), odd = load_n(access, odd, 16);
  for (int j = 0; j < 16; ++j) pairs[j] = even[j].bits | std::uint32_t{odd[j].bits} << 16;
  std::memcpy(static_cast<void*>(store_n(access, to, 32)), pairs, sizeof pairs);
}

/// KernelText::pack_b, whose elements are contiguous at each step. Whole rows are read, as a panel's
/// share of a row is only a few lines of a page.
template <class Access>
void pack_columns(Bfloat16* to, Index width, Index count, Index k, const Bfloat16* from, Index row_stride,
                  Index col_stride, Access access) {
  const Index pairs = ceil_div<Index>(k, 2);
  for (Index l = 0; l < k; l += 2) {
    const Bfloat16 *const even = from + l * col_stride, *const odd = even + col_stride;
    for (Index first = 0; first < count; first += width) {
      const Index cols = std::min(width, count - first);
      Bfloat16* const panel = to + first * 2 * pairs + l * width;
      Index whole = 0;  // columns in vectors
      if (row_stride == 1 && l + 1 < k)
        for (; whole + 16 <= cols; whole += 16)
          interleave(panel + 2 * whole, even + first + whole, odd + first + whole, access);
      for (Index j = whole; j < width; ++j)
        put_pair(panel + 2 * j,
                 j < cols ? pair_at(even + (first + j) * row_stride, 0, k - l, col_stride, access) : 0,
                 access);
    }
  }
}

/// C = alpha sum + beta C for a row of `cols` elements.
template <class Access>
void store_row(float* c, const float* sum, Index cols, float alpha, float beta, Access access) {
  if (beta == 0)
    for (Index j = 0; j < cols; ++j) access.at(c + j) = alpha * sum[j];
  else
    for (Index j = 0; j < cols; ++j) access.at(c + j) = alpha * sum[j] + beta * access.at(c + j);
}

}  // namespace
}  // namespace tallcache::cpu::matmul
#endif

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::matmul::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr int bf_mr = 8, bf_nv = 3;
#else
inline constexpr int bf_mr = 4, bf_nv = 2;
#endif
using Floats = hn::ScalableTag<float>;
using Words = hn::ScalableTag<std::uint32_t>;

/// One tile: the two halves of a word are widened to two floats.
template <class Access>
HWY_INLINE void multiply_widened(const Block<Bfloat16>& x, const Bfloat16* a, const Bfloat16* b, float* c,
                                 Index rows, Index cols, Access access) {
  const Floats d;
  const Words w;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), nr = bf_nv * lanes;
  const auto high = hn::Set(w, 0xffff0000u);
  hn::Vec<Floats> sum[bf_mr][bf_nv];
#pragma GCC unroll 8
  for (int r = 0; r < bf_mr; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < bf_nv; ++v) sum[r][v] = hn::Zero(d);
  for (Index l = 0; l < x.k; l += 2, a += 2 * bf_mr, b += 2 * nr) {
    hn::Vec<Floats> first[bf_nv], second[bf_nv];
#pragma GCC unroll 3
    for (int v = 0; v < bf_nv; ++v) {
      const auto words =
          hn::LoadU(w, reinterpret_cast<const std::uint32_t*>(load_n(access, b + 2 * v * lanes, 2 * lanes)));
      first[v] = hn::BitCast(d, hn::ShiftLeft<16>(words));
      second[v] = hn::BitCast(d, hn::And(words, high));
    }
#pragma GCC unroll 8
    for (int r = 0; r < bf_mr; ++r) {
      std::uint32_t pair;
      std::memcpy(&pair, load_n(access, a + 2 * r, 2), sizeof pair);
      const auto pairs = hn::Set(w, pair);
      const auto left = hn::BitCast(d, hn::ShiftLeft<16>(pairs)),
                 right = hn::BitCast(d, hn::And(pairs, high));
#pragma GCC unroll 3
      for (int v = 0; v < bf_nv; ++v)
        sum[r][v] = hn::MulAdd(right, second[v], hn::MulAdd(left, first[v], sum[r][v]));
    }
  }
  HWY_ALIGN float row[bf_nv * hn::MaxLanes(d)];
#pragma GCC unroll 8
  for (int r = 0; r < bf_mr; ++r) {
    if (r >= rows) break;
#pragma GCC unroll 3
    for (int v = 0; v < bf_nv; ++v) hn::Store(sum[r][v], d, row + v * lanes);
    store_row(c + r * x.ldc, row, cols, x.alpha, x.beta, access);
  }
}

template <class Access>
void MultiplyWidened(const Block<Bfloat16>& x, Access access) {
  const Index nr = bf_nv * static_cast<Index>(hn::Lanes(Floats()));
  for (Index j = 0; j < x.n; j += nr)
    for (Index i = 0; i < x.m; i += bf_mr)
      multiply_widened(x, x.a.at(i / bf_mr), x.b.at(j / nr), x.c + i * x.ldc + j,
                       std::min<Index>(bf_mr, x.m - i), std::min<Index>(nr, x.n - j), access);
}

template <class Access>
constexpr KernelText<Bfloat16, Access> text{&MultiplyWidened<Access>, &pack_rows<Access>,
                                            &pack_columns<Access>};

const RegisterKernel<Bfloat16>* WideningKernel() {
  static constexpr Index lanes = hn::MaxLanes(Floats());
  static constexpr RegisterKernel<Bfloat16> kernel{.mr = bf_mr,
                                                   .nr = bf_nv * lanes,
                                                   .lanes = lanes,
                                                   .kc = 768,
                                                   .mc = 12 * bf_mr,
                                                   .nc = 4 * bf_nv * lanes,
                                                   .per_ns = 4 * lanes,
                                                   .min_packed = 0,
                                                   .masked = false,
                                                   .text = {text<Plain>, text<Traced<AnySink>>},
                                                   .k_group = 2};
  return &kernel;
}

}  // namespace tallcache::cpu::matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tallcache::cpu::matmul {

HWY_EXPORT(WideningKernel);

#ifdef __x86_64__
namespace {

#define TALLCACHE_DOT __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
constexpr int dot_mr = 8, dot_nv = 3, dot_lanes = 16;
constexpr Index dot_nr = dot_nv * dot_lanes;

/// One tile: 24 sums in 32 registers, as in float.
template <class Access>
TALLCACHE_DOT void multiply_dots(const Block<Bfloat16>& x, const Bfloat16* a, const Bfloat16* b, float* c,
                                 Index rows, Index cols, const Bfloat16* ahead, Access access) {
  __m512 sum[dot_mr][dot_nv];
#pragma GCC unroll 8
  for (int r = 0; r < dot_mr; ++r)
#pragma GCC unroll 3
    for (int v = 0; v < dot_nv; ++v) sum[r][v] = _mm512_setzero_ps();
#pragma GCC unroll 2
  for (Index l = 0; l < x.k; l += 2, a += 2 * dot_mr, b += 2 * dot_nr) {
    __m512i factor[dot_nv];
    __builtin_prefetch(b + 8 * dot_nr);
    __builtin_prefetch(b + 8 * dot_nr + 32);
    __builtin_prefetch(b + 8 * dot_nr + 64);
    __builtin_prefetch(ahead + l / 2 * 32, 0, 2);
#pragma GCC unroll 3
    for (int v = 0; v < dot_nv; ++v)
      factor[v] = _mm512_loadu_si512(load_n(access, b + 2 * v * dot_lanes, 2 * dot_lanes));
#pragma GCC unroll 8
    for (int r = 0; r < dot_mr; ++r) {
      std::int32_t pair;
      std::memcpy(&pair, load_n(access, a + 2 * r, 2), sizeof pair);
      const __m512i left = _mm512_set1_epi32(pair);
#pragma GCC unroll 3
      for (int v = 0; v < dot_nv; ++v)
        sum[r][v] = _mm512_dpbf16_ps(sum[r][v], reinterpret_cast<const __m512bh&>(left),
                                     reinterpret_cast<const __m512bh&>(factor[v]));
    }
  }
  const __m512 alpha = _mm512_set1_ps(x.alpha), beta = _mm512_set1_ps(x.beta);
#pragma GCC unroll 8
  for (int r = 0; r < dot_mr; ++r) {
    if (r >= rows) break;
#pragma GCC unroll 3
    for (int v = 0; v < dot_nv; ++v) {
      const Index left = std::clamp<Index>(cols - v * dot_lanes, 0, dot_lanes);
      const auto mask = static_cast<__mmask16>((1u << left) - 1);
      float* const to = c + r * x.ldc + v * dot_lanes;
      __m512 out = _mm512_mul_ps(alpha, sum[r][v]);
      if (x.beta != 0)
        out = _mm512_fmadd_ps(beta, _mm512_maskz_loadu_ps(mask, load_n(access, to, left)), out);
      _mm512_mask_storeu_ps(store_n(access, to, left), mask, out);
    }
  }
}

template <class Access>
void multiply_by_dots(const Block<Bfloat16>& x, Access access) {
  const Index tiles = ceil_div<Index>(x.m, dot_mr) * ceil_div(x.n, dot_nr);
  const Index share = tiles ? x.ahead[0].size / tiles : 0;
  Index tile = 0;
  for (Index j = 0; j < x.n; j += dot_nr)
    for (Index i = 0; i < x.m; i += dot_mr, ++tile)
      multiply_dots(x, x.a.at(i / dot_mr), x.b.at(j / dot_nr), x.c + i * x.ldc + j,
                    std::min<Index>(dot_mr, x.m - i), std::min(dot_nr, x.n - j),
                    x.ahead[0].begin + share * tile, access);
}

template <class Access>
constexpr KernelText<Bfloat16, Access> text_of_dots{&multiply_by_dots<Access>, &pack_rows<Access>,
                                                    &pack_columns<Access>};

constexpr RegisterKernel<Bfloat16> kernel_of_dots{
    .mr = dot_mr,
    .nr = dot_nr,
    .lanes = dot_lanes,
    .kc = 768,
    .mc = 12 * dot_mr,
    .nc = 4 * dot_nr,
    .per_ns = 8 * dot_lanes,
    .min_packed = 0,
    .masked = false,
    .text = {text_of_dots<Plain>, text_of_dots<Traced<AnySink>>},
    .k_group = 2};

bool has_dots() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw");
}

}  // namespace
#endif

const RegisterKernel<Bfloat16>* dot_kernel() {
#ifdef __x86_64__
  static const bool has = has_dots();
  if (has) return &kernel_of_dots;
#endif
  return nullptr;
}

const RegisterKernel<Bfloat16>& widening_kernel() { return *HWY_DYNAMIC_DISPATCH(WideningKernel)(); }

template <>
const RegisterKernel<Bfloat16>& register_kernel<Bfloat16>() {
  const RegisterKernel<Bfloat16>* const dots = dot_kernel();
  // Processors with AMX do one of these instructions in two cycles (TUNING.md).
  static const bool is_fast = dots && !has_amx();
  return is_fast ? *dots : widening_kernel();
}

}  // namespace tallcache::cpu::matmul
#endif
