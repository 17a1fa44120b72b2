// The passes of a transform over a batch, for each SIMD target, in place: number j of a butterfly goes to
// where its input j was (Gentleman and Sande 1966), so that the rows end in the reversed order of their
// digits. The last pass, or the transposition behind the columns, reads them by a table: no pass is a
// permutation alone. A lane of a vector is a transform, or in split_columns() a column, of its own. Between
// the passes the real and the imaginary parts of the lanes of a vector lie one behind the other.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "common/traced.hpp"

// Once for each target.
#if defined(TALLCACHE_FFT_PASSES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_FFT_PASSES_INL_H
#undef TALLCACHE_FFT_PASSES_INL_H
#else
#define TALLCACHE_FFT_PASSES_INL_H
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
/// The first `count` of a vector's numbers, the others 0; all where count is larger. The inverse transform is
/// the forward one with real and imaginary parts exchanged on both sides.
template <bool inverse, class D, class T, class Access>
HWY_INLINE ComplexVector<D> load_interleaved(D d, const T* p, Index count, Access access) {
  constexpr Index V = lanes_of<D>;
  ComplexVector<D> x;
  if (HWY_LIKELY(count >= V)) {
    const T* const from = load_n(access, p, 2 * V);
    x = {hn::LoadU(d, from), hn::LoadU(d, from + V)};
  } else {
    const T* const from = load_n(access, p, 2 * count);
#if HWY_MEM_OPS_MIGHT_FAULT
    HWY_ALIGN T part[2 * V] = {};
    copy_numbers(from, part, count);
    x = {hn::LoadU(d, part), hn::LoadU(d, part + V)};
#else
    x = {hn::MaskedLoad(first_of(d, 2 * count), d, from),
         hn::MaskedLoad(first_of(d, 2 * count - V), d, from + V)};
#endif
  }
  x = separated(d, x);
  return inverse ? ComplexVector<D>{x.im, x.re} : x;
}
template <bool inverse, class D, class T, class Access>
HWY_INLINE void store_interleaved(D d, const ComplexVector<D>& y, T* p, Index count, Access access) {
  constexpr Index V = lanes_of<D>;
  const auto x = separated(d, inverse ? ComplexVector<D>{y.im, y.re} : y);
  if (HWY_LIKELY(count >= V)) {
    T* const to = store_n(access, p, 2 * V);
    hn::StoreU(x.re, d, to);
    hn::StoreU(x.im, d, to + V);
  } else {
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

/// Number j of a butterfly times its root, which is loaded here: a broadcast is as fast as any load.
template <class D, class T, class Access>
HWY_INLINE ComplexVector<D> times_root_of(D d, const ComplexVector<D>& y, int j, const T* roots,
                                          Access access) {
  return j ? times<D>(y, root_of_all_lanes(d, roots + 2 * (j - 1), access)) : y;
}

/// One butterfly of each of `groups` transforms of R m rows, in place.
template <int R, bool twiddled, class D, class T, class Access>
HWY_INLINE void butterflies(D d, T* row, Index width, Index groups, Index m, const T* roots, Access access) {
  constexpr Index V = lanes_of<D>;
  const Index leg = 2 * width * m, next = R * leg - 2 * width;
  for (const T* end = row + 2 * width;;) {
    transform<R>(
        d, [=](int k) HWY_ATTR { return load_split(d, row + leg * k, access); },
        [=](int j, const ComplexVector<D>& y) HWY_ATTR {
          store_split(d, twiddled ? times_root_of(d, y, j, roots, access) : y, row + leg * j, access);
        });
    row += 2 * V;
    if (row != end) continue;
    if (--groups == 0) return;
    row += next;
    end = row + 2 * width;
  }
}

template <int R, class D, class T, class Access>
HWY_NOINLINE void middle_pass(T* HWY_RESTRICT x, Index width, Index groups, Index m,
                              const T* HWY_RESTRICT roots, Access access) {
  const D d;
  if (m == 1) return butterflies<R, false>(d, x, width, groups, m, roots, access);
  for (Index p = 0; p < m; ++p, roots += 2 * (R - 1), x += 2 * width)
    butterflies<R, true>(d, x, width, groups, m, roots, access);
}

/// first_pass() of a vector of columns, whose other numbers than `count` are 0.
template <int R, bool inverse, bool whole, class D, class T, class Access>
HWY_INLINE void first_butterflies(D d, const T* from, Index stride, Index count, T* to, Index width, Index m,
                                  const T* roots, Access access) {
  const Index from_leg = 2 * stride * m, leg = 2 * width * m;
  for (Index p = 0; p < m; ++p, roots += 2 * (R - 1), from += 2 * stride, to += 2 * width)
    transform<R>(
        d,
        [=](int k) HWY_ATTR {
          if (whole) __builtin_prefetch(from + from_leg * k + 2 * width, 0, 2);
          return load_interleaved<inverse>(d, from + from_leg * k, whole ? lanes_of<D> : count, access);
        },
        [=](int j, const ComplexVector<D>& y)
            HWY_ATTR { store_split(d, times_root_of(d, y, j, roots, access), to + leg * j, access); });
}

template <int R, bool inverse, class D, class T, class Access>
HWY_NOINLINE void first_pass(const T* HWY_RESTRICT from, Index stride, Index count, T* HWY_RESTRICT to,
                             Index width, Index m, const T* HWY_RESTRICT roots, Access access) {
  const D d;
  for (Index q = 0; q < width; q += lanes_of<D>) {
    const Index left = std::max<Index>(count - q, 0);
    const T* const in = from + 2 * q;
    T* const out = to + 2 * q;
    if (left >= lanes_of<D>)
      first_butterflies<R, inverse, true>(d, in, stride, left, out, width, m, roots, access);
    else
      first_butterflies<R, inverse, false>(d, in, stride, left, out, width, m, roots, access);
  }
}

/// last_pass() of a vector of columns, of which `count` are stored.
template <int R, bool inverse, bool whole, class D, class T, class Access>
HWY_INLINE void last_butterflies(D d, const T* from, T* to, Index stride, Index count, Index width,
                                 Index groups, Index all, const Index* order, Access access) {
  const Index leg = 2 * width, to_leg = 2 * stride * all;
  for (Index g = 0; g < groups; ++g, from += R * leg) {
    T* const out = to + 2 * stride * *load_n(access, order + g, 1);
    transform<R>(
        d, [=](int k) HWY_ATTR { return load_split(d, from + leg * k, access); },
        [=](int j, const ComplexVector<D>& y) HWY_ATTR {
          store_interleaved<inverse>(d, y, out + to_leg * j, whole ? lanes_of<D> : count, access);
        });
  }
}

template <int R, bool inverse, class D, class T, class Access>
HWY_NOINLINE void last_pass(const T* HWY_RESTRICT from, T* HWY_RESTRICT to, Index stride, Index count,
                            Index width, Index groups, Index all, const Index* HWY_RESTRICT order,
                            Access access) {
  const D d;
  for (Index c = 0; c < width && c < count; c += lanes_of<D>) {
    const T* const in = from + 2 * c;
    T* const out = to + 2 * c;
    if (count - c >= lanes_of<D>)
      last_butterflies<R, inverse, true>(d, in, out, stride, count - c, width, groups, all, order, access);
    else
      last_butterflies<R, inverse, false>(d, in, out, stride, count - c, width, groups, all, order, access);
  }
}

/// split_columns() of a vector of columns, whose other numbers than `count` are 0.
template <int R, bool inverse, class D, class T, class Access>
HWY_INLINE void split_vector(D d, const T* from, T* work, Index width, Index block, Index m, Index count,
                             const T* roots, Access access) {
  constexpr Index V = lanes_of<D>;
  constexpr Index rows = (R + V - 1) / V * V;
  ComplexVector<D> x[rows];
#pragma GCC unroll 16
  for (int k = 0; k < R; ++k) x[k] = load_interleaved<inverse>(d, from + 2 * m * k, count, access);
#pragma GCC unroll 16
  for (Index k = R; k < rows; ++k) x[k] = {hn::Zero(d), hn::Zero(d)};
  Codelet<R, D>::transform(d, x);
#pragma GCC unroll 16
  for (int j = 1; j < R; ++j) x[j] = times<D>(x[j], load_split(d, roots + 2 * V * (j - 1), access));
  Index left = width;  // of a block
#pragma GCC unroll 16
  for (Index b = 0; b < R; b += V) {
    store_transposed(
        d, [&](Index l) HWY_ATTR { return x[b + l]; }, work, width, access);
    work += 2 * V;
    left -= V;
    if (left == 0) work += 2 * (block - width), left = width;
  }
}

template <int R, bool inverse, class D, class T, class Access>
HWY_NOINLINE void split_columns(const T* HWY_RESTRICT from, T* HWY_RESTRICT work, Index width, Index block,
                                Index m, const T* HWY_RESTRICT roots, Access access) {
  const D d;
  constexpr Index V = lanes_of<D>;
  Index left = m;
  for (; left >= V; left -= V, roots += 2 * V * (R - 1), from += 2 * V, work += 2 * V * width)
    split_vector<R, inverse>(d, from, work, width, block, m, V, roots, access);
  if (left > 0) split_vector<R, inverse>(d, from, work, width, block, m, left, roots, access);
}

template <class D, class T, class Access>
HWY_NOINLINE void twiddle_transposed(const T* HWY_RESTRICT buffer, const Index* HWY_RESTRICT order,
                                     Index width, Index n1, T* HWY_RESTRICT work, Index block,
                                     const T* HWY_RESTRICT base_roots, const T* HWY_RESTRICT lane_roots,
                                     Access access) {
  const D d;
  constexpr Index V = lanes_of<D>;
  for (Index k = 0; k < n1; k += V)
    for (Index c = 0; c < width; c += V)
      store_transposed(
          d,
          [&](Index l) HWY_ATTR {
            const Index row = k + l, at = *load_n(access, order + row, 1);
            const auto base = root_of_all_lanes(d, base_roots + 2 * row, access);
            const auto w = times<D>(load_split(d, lane_roots + 2 * (row * width + c), access), base);
            return times<D>(load_split(d, buffer + 2 * (at * width + c), access), w);
          },
          work + 2 * (k / width * block + c * width + k % width), width, access);
}

template <bool exchanged, bool exchange, class D, class T, class Access>
HWY_NOINLINE void multiply(const T* from, const T* factors, T* to, Index count, Access access) {
  const D d;
  for (Index i = 0; i < count; i += lanes_of<D>) {
    const auto x = load_interleaved<exchanged>(d, from + 2 * i, count - i, access),
               w = load_interleaved<false>(d, factors + 2 * i, count - i, access);
    store_interleaved<exchange>(d, times<D>(x, w), to + 2 * i, count - i, access);
  }
}

/// One transform of R numbers, as the same codelet at one lane. `to` may be `from`.
template <int R, bool inverse, class T, class Access>
HWY_NOINLINE void whole(const T* from, T* to, Access access) {
  using D = hn::CappedTag<T, 1>;
  const D d;
  ComplexVector<D> x[R];
#pragma GCC unroll 32
  for (int k = 0; k < R; ++k) {
    const T* const at = load_n(access, from + 2 * k, 2);
    x[k] = {hn::Set(d, at[inverse]), hn::Set(d, at[!inverse])};
  }
  Codelet<R, D>::transform(d, x);
#pragma GCC unroll 32
  for (int j = 0; j < R; ++j) {
    T* const at = store_n(access, to + 2 * j, 2);
    at[inverse] = hn::GetLane(x[j].re);
    at[!inverse] = hn::GetLane(x[j].im);
  }
}

}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
