// Complex numbers between memory and the lanes of vectors, for each SIMD target: split, interleaved,
// transposed.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "common/traced.hpp"

// Once for each target.
#if defined(TALLCACHE_FFT_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_FFT_LANES_INL_H
#undef TALLCACHE_FFT_LANES_INL_H
#else
#define TALLCACHE_FFT_LANES_INL_H
#endif

#include <hwy/highway.h>

#include "cpu/fft/codelets-inl.h"
#include "cpu/fft/fft_leaves.hpp"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of `lanes` numbers of T where the target has them, else of as many as it has. Arrays of vectors
/// need vectors of a fixed size.
template <class T, int lanes>
using Tag = hn::CappedTag<T, HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR ? 1 : lanes>;
template <class D>
inline constexpr Index lanes_of = static_cast<Index>(hn::MaxLanes(D()));

template <class D, class T, class Access>
HWY_INLINE ComplexVector<D> load_split(D d, const T* p, Access access) {
  constexpr Index V = lanes_of<D>;
  return {hn::Load(d, load_n(access, p, V)), hn::Load(d, load_n(access, p + V, V))};
}
template <class D, class T, class Access>
HWY_INLINE void store_split(D d, const ComplexVector<D>& x, T* p, Access access) {
  constexpr Index V = lanes_of<D>;
  hn::Store(x.re, d, store_n(access, p, V));
  hn::Store(x.im, d, store_n(access, p + V, V));
}
template <class D, class T, class Access>
HWY_INLINE ComplexVector<D> root_of_all_lanes(D d, const T* p, Access access) {
  const T* const root = load_n(access, p, 2);
  return {hn::Set(d, root[0]), hn::Set(d, root[1])};
}

/// Zeros that a compiler takes for any number: where it knows them, g++ 12 makes a vmovq of an interleaving,
/// whose shortest encoding between registers valgrind 3.19 does not decode.
template <class D>
HWY_INLINE ComplexVector<D> zeros(D d) {
  hn::TFromD<D> zero = 0;
  asm("" : "+m"(zero));
  return {hn::Set(d, zero), hn::Set(d, zero)};
}

/// Two vectors of interleaved numbers as their real and imaginary parts, whose lanes are the columns of
/// place_of_lane(). It is its own inverse.
template <class D>
HWY_INLINE ComplexVector<D> separated([[maybe_unused]] D d, const ComplexVector<D>& x) {
  if constexpr (lanes_of<D> == 1) return x;
#if HWY_TARGET != HWY_SCALAR
  else if constexpr (sizeof(hn::TFromD<D>) == 8)
    return {hn::InterleaveLower(d, x.re, x.im), hn::InterleaveUpper(d, x.re, x.im)};
  else
    return {hn::OddEven(hn::DupEven(x.im), x.re), hn::OddEven(x.im, hn::DupOdd(x.re))};
#endif
}
#if HWY_TARGET == HWY_SCALAR
template <class D>
HWY_INLINE void transpose_lanes(D, hn::Vec<D>*) {}
#else
/// Blocks of 16 bytes: vectors v, v + step, ..., as many as a vector has blocks, become their columns.
template <class D>
HWY_INLINE void transpose_blocks([[maybe_unused]] D d, hn::Vec<D>* v, Index step) {
  constexpr Index blocks = lanes_of<D> * static_cast<Index>(sizeof(hn::TFromD<D>)) / 16;
  if constexpr (blocks == 2) {
    const auto a = hn::ConcatLowerLower(d, v[step], v[0]);
    v[step] = hn::ConcatUpperUpper(d, v[step], v[0]);
    v[0] = a;
  } else if constexpr (blocks == 4) {
    const auto &x0 = v[0], &x1 = v[step], &x2 = v[2 * step], &x3 = v[3 * step];
    const auto a = hn::ConcatLowerLower(d, x2, x0), b = hn::ConcatLowerLower(d, x3, x1);
    const auto c = hn::ConcatUpperUpper(d, x2, x0), e = hn::ConcatUpperUpper(d, x3, x1);
    v[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
    v[step] = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
    v[2 * step] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(e), c);
    v[3 * step] = hn::OddEvenBlocks(e, hn::SwapAdjacentBlocks(c));
  }
}
/// Vectors l = 0, ..., as many as lanes, become the columns of what they were: first in blocks of 16 bytes.
template <class D>
HWY_INLINE void transpose_lanes([[maybe_unused]] D d, hn::Vec<D>* v) {
  constexpr Index V = lanes_of<D>, K = std::min<Index>(V, 16 / sizeof(hn::TFromD<D>));
  if constexpr (K > 1) {
#pragma GCC unroll 16
    for (Index i = 0; i < V; i += 2) {
      const auto a = hn::InterleaveLower(d, v[i], v[i + 1]);
      v[i + 1] = hn::InterleaveUpper(d, v[i], v[i + 1]);
      v[i] = a;
    }
  }
  if constexpr (K == 4) {
    const hn::RepartitionToWide<D> pairs;
#pragma GCC unroll 16
    for (Index i = 0; i < V; i += 4) {
      const auto a = hn::BitCast(pairs, v[i]), b = hn::BitCast(pairs, v[i + 1]),
                 c = hn::BitCast(pairs, v[i + 2]), e = hn::BitCast(pairs, v[i + 3]);
      v[i] = hn::BitCast(d, hn::InterleaveLower(pairs, a, c));
      v[i + 1] = hn::BitCast(d, hn::InterleaveUpper(pairs, a, c));
      v[i + 2] = hn::BitCast(d, hn::InterleaveLower(pairs, b, e));
      v[i + 3] = hn::BitCast(d, hn::InterleaveUpper(pairs, b, e));
    }
  }
  // Block b of vector K g + c has rows K g to K g + K - 1 of column K b + c.
#pragma GCC unroll 4
  for (Index c = 0; c < K; ++c) transpose_blocks(d, v + c, K);
}
#endif
#if HWY_MEM_OPS_MIGHT_FAULT
/// One by one: a call of memcpy, which a compiler makes of such a loop, takes longer.
template <class T>
HWY_INLINE void copy_numbers(const T* from, T* to, Index count) {
  for (Index i = 0; i < 2 * count; i += 2) {
    std::memcpy(to + i, from + i, 2 * sizeof(T));
    asm volatile("" ::: "memory");
  }
}
#else
template <class D>
HWY_INLINE hn::Mask<D> first_of(D d, Index count) {
  return hn::FirstN(d, static_cast<std::size_t>(std::max<Index>(count, 0)));
}
#endif
/// The first `count` of a vector's numbers as they lie in memory, the others 0; all where count is larger.
template <class D, class T, class Access>
HWY_INLINE ComplexVector<D> load_pairs(D d, const T* p, Index count, Access access) {
  constexpr Index V = lanes_of<D>;
  if (HWY_LIKELY(count >= V)) {
    const T* const from = load_n(access, p, 2 * V);
    return {hn::LoadU(d, from), hn::LoadU(d, from + V)};
  }
  const T* const from = load_n(access, p, 2 * count);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T part[2 * V] = {};
  copy_numbers(from, part, count);
  return {hn::LoadU(d, part), hn::LoadU(d, part + V)};
#else
  return {hn::MaskedLoad(first_of(d, 2 * count), d, from),
          hn::MaskedLoad(first_of(d, 2 * count - V), d, from + V)};
#endif
}
template <class D, class T, class Access>
HWY_INLINE void store_pairs(D d, const ComplexVector<D>& x, T* p, Index count, Access access) {
  constexpr Index V = lanes_of<D>;
  if (HWY_LIKELY(count >= V)) {
    T* const to = store_n(access, p, 2 * V);
    hn::StoreU(x.re, d, to);
    hn::StoreU(x.im, d, to + V);
    return;
  }
  T* const to = store_n(access, p, 2 * count);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T part[2 * V];
  hn::StoreU(x.re, d, part);
  hn::StoreU(x.im, d, part + V);
  copy_numbers(part, to, count);
#else
  hn::BlendedStore(x.re, first_of(d, 2 * count), d, to);
  hn::BlendedStore(x.im, first_of(d, 2 * count - V), d, to + V);
#endif
}

/// The inverse transform is the forward one with real and imaginary parts exchanged on both sides.
template <bool inverse, class D>
HWY_INLINE ComplexVector<D> split_pairs(D d, const ComplexVector<D>& pairs) {
  const auto x = separated(d, pairs);
  return inverse ? ComplexVector<D>{x.im, x.re} : x;
}
template <bool inverse, class D>
HWY_INLINE ComplexVector<D> joined_pairs(D d, const ComplexVector<D>& x) {
  return separated(d, inverse ? ComplexVector<D>{x.im, x.re} : x);
}
template <bool inverse, class D, class T, class Access>
HWY_INLINE ComplexVector<D> load_interleaved(D d, const T* p, Index count, Access access) {
  return split_pairs<inverse>(d, load_pairs(d, p, count, access));
}
template <bool inverse, class D, class T, class Access>
HWY_INLINE void store_interleaved(D d, const ComplexVector<D>& x, T* p, Index count, Access access) {
  store_pairs(d, joined_pairs<inverse>(d, x), p, count, access);
}

/// Stores the square whose row place_of_lane(l) is x(l), transposed: row i at to + 2 i stride.
template <class D, class T, class Row, class Access>
HWY_INLINE void store_transposed(D d, const Row& x, T* to, Index stride, Access access) {
  constexpr Index V = lanes_of<D>;
  hn::Vec<D> re[V], im[V];
#pragma GCC unroll 16
  for (Index l = 0; l < V; ++l) {
    const ComplexVector<D> row = x(place_of_lane(l, V));
    re[l] = row.re, im[l] = row.im;
  }
  transpose_lanes(d, re);
  transpose_lanes(d, im);
#pragma GCC unroll 16
  for (Index l = 0; l < V; ++l)
    store_split(d, ComplexVector<D>{re[l], im[l]}, to + 2 * place_of_lane(l, V) * stride, access);
}

/// A square of as many rows as a vector has lanes, of numbers as they lie in memory, becomes its columns: as
/// four squares of whole numbers.
template <class D>
HWY_INLINE void transpose_pairs([[maybe_unused]] D d, [[maybe_unused]] ComplexVector<D>* x) {
#if HWY_TARGET != HWY_SCALAR
  constexpr Index V = lanes_of<D>, half = V / 2;
  if constexpr (V > 1) {
    hn::Vec<D> quarter[4][half];
#pragma GCC unroll 16
    for (Index l = 0; l < half; ++l) {
      quarter[0][l] = x[l].re, quarter[1][l] = x[l].im;
      quarter[2][l] = x[half + l].re, quarter[3][l] = x[half + l].im;
    }
#pragma GCC unroll 4
    for (auto& q : quarter) {
      if constexpr (sizeof(hn::TFromD<D>) == 8) {
        transpose_blocks(d, q, 1);
      } else {
        const hn::RepartitionToWide<D> numbers;
        hn::Vec<decltype(numbers)> whole[half];
#pragma GCC unroll 16
        for (Index l = 0; l < half; ++l) whole[l] = hn::BitCast(numbers, q[l]);
        transpose_lanes(numbers, whole);
#pragma GCC unroll 16
        for (Index l = 0; l < half; ++l) q[l] = hn::BitCast(d, whole[l]);
      }
    }
#pragma GCC unroll 16
    for (Index l = 0; l < half; ++l) {
      x[l] = {quarter[0][l], quarter[2][l]};
      x[half + l] = {quarter[1][l], quarter[3][l]};
    }
  }
#endif
}

/// x[k] becomes number k of as many transforms as there are lanes, which lie `distance` apart; `rows` of them
/// have `n` numbers, the others are 0.
template <bool inverse, class D, class T, class Access>
HWY_INLINE void load_square(D d, const T* from, Index distance, Index rows, Index n, ComplexVector<D>* x,
                            Access access) {
  constexpr Index V = lanes_of<D>;
#pragma GCC unroll 16
  for (Index l = 0; l < V; ++l)
    x[l] = l < rows ? load_pairs(d, from + 2 * l * distance, n, access)
                    : ComplexVector<D>{hn::Zero(d), hn::Zero(d)};
  transpose_pairs(d, x);
#pragma GCC unroll 16
  for (Index l = 0; l < V; ++l) x[l] = split_pairs<inverse>(d, x[l]);
}
/// The opposite; x is used up.
template <bool inverse, class D, class T, class Access>
HWY_INLINE void store_square(D d, ComplexVector<D>* x, T* to, Index distance, Index rows, Index n,
                             Access access) {
  constexpr Index V = lanes_of<D>;
#pragma GCC unroll 16
  for (Index l = 0; l < V; ++l) x[l] = joined_pairs<inverse>(d, x[l]);
  transpose_pairs(d, x);
#pragma GCC unroll 16
  for (Index l = 0; l < V; ++l)
    if (l < rows) store_pairs(d, x[l], to + 2 * l * distance, n, access);
}

}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
