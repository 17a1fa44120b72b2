// The passes of a transform over a batch, for each SIMD target: Stockham's, which leave the numbers in order,
// so that none is a permutation alone. A lane of a vector is a transform, or in split_columns() a column, of
// its own. Between the passes the real and the imaginary parts of the lanes of a vector lie one behind the
// other.
#include <algorithm>
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

/// Arrays of vectors need vectors of a fixed size.
template <class T>
using Tag = hn::CappedTag<T, HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR ? 1 : 64 / sizeof(T)>;
template <class D>
inline constexpr Index lanes_of = static_cast<Index>(hn::MaxLanes(D()));

template <class D>
constexpr Index place_of_lane(Index l) {
  return fft::place_of_lane<hn::TFromD<D>>(l, lanes_of<D>);
}

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

/// Whole vectors of interleaved numbers. The inverse transform is the forward one with real and imaginary
/// parts exchanged on both sides.
#if HWY_TARGET == HWY_SCALAR
template <bool inverse, class D, class T>
HWY_INLINE ComplexVector<D> from_interleaved(D d, const T* p) {
  return {hn::Set(d, p[inverse]), hn::Set(d, p[!inverse])};
}
template <bool inverse, class D, class T>
HWY_INLINE void to_interleaved(D, const ComplexVector<D>& y, T* p) {
  p[inverse] = hn::GetLane(y.re);
  p[!inverse] = hn::GetLane(y.im);
}
template <class D>
HWY_INLINE void transpose_lanes(D, hn::Vec<D>*) {}
#else
template <bool inverse, class D, class T>
HWY_INLINE ComplexVector<D> from_interleaved(D d, const T* p) {
  ComplexVector<D> x;
  if constexpr (sizeof(T) == 8 && lanes_of < D >> 1) {
    const auto a = hn::LoadU(d, p), b = hn::LoadU(d, p + lanes_of<D>);
    x = {hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)};
  } else {
    hn::LoadInterleaved2(d, p, x.re, x.im);
  }
  return inverse ? ComplexVector<D>{x.im, x.re} : x;
}
template <bool inverse, class D, class T>
HWY_INLINE void to_interleaved(D d, const ComplexVector<D>& y, T* p) {
  const ComplexVector<D> x = inverse ? ComplexVector<D>{y.im, y.re} : y;
  if constexpr (sizeof(T) == 8 && lanes_of < D >> 1) {
    hn::StoreU(hn::InterleaveLower(d, x.re, x.im), d, p);
    hn::StoreU(hn::InterleaveUpper(d, x.re, x.im), d, p + lanes_of<D>);
  } else {
    hn::StoreInterleaved2(x.re, x.im, d, p);
  }
}
/// Vectors l = 0, ..., as many as lanes, become the columns of what they were.
template <class D>
HWY_INLINE void transpose_lanes(D d, hn::Vec<D>* v) {
  constexpr Index V = lanes_of<D>;
  using T = hn::TFromD<D>;
  if constexpr (V == 2 && sizeof(T) == 8) {
    const auto a = hn::InterleaveLower(d, v[0], v[1]);
    v[1] = hn::InterleaveUpper(d, v[0], v[1]);
    v[0] = a;
  } else if constexpr (V == 4 && sizeof(T) == 8) {
    const auto a = hn::InterleaveLower(d, v[0], v[1]), b = hn::InterleaveUpper(d, v[0], v[1]);
    const auto c = hn::InterleaveLower(d, v[2], v[3]), e = hn::InterleaveUpper(d, v[2], v[3]);
    v[0] = hn::ConcatLowerLower(d, c, a);
    v[1] = hn::ConcatLowerLower(d, e, b);
    v[2] = hn::ConcatUpperUpper(d, c, a);
    v[3] = hn::ConcatUpperUpper(d, e, b);
  } else if constexpr (V == 8 && sizeof(T) == 4) {
    const hn::RepartitionToWide<D> pairs;
    hn::Vec<D> low[4], high[4];
#pragma GCC unroll 4
    for (Index i = 0; i < 4; ++i) {
      low[i] = hn::InterleaveLower(d, v[2 * i], v[2 * i + 1]);
      high[i] = hn::InterleaveUpper(d, v[2 * i], v[2 * i + 1]);
    }
    const auto quarter = [&](bool upper, const auto& a, const auto& b) HWY_ATTR {
      const auto x = hn::BitCast(pairs, a), y = hn::BitCast(pairs, b);
      return hn::BitCast(d, upper ? hn::InterleaveUpper(pairs, x, y) : hn::InterleaveLower(pairs, x, y));
    };
#pragma GCC unroll 4
    for (Index c = 0; c < 4; ++c) {
      const auto& side = c < 2 ? low : high;
      const auto top = quarter(c % 2, side[0], side[1]), bottom = quarter(c % 2, side[2], side[3]);
      v[c] = hn::ConcatLowerLower(d, bottom, top);
      v[c + 4] = hn::ConcatUpperUpper(d, bottom, top);
    }
  } else if constexpr (V > 1) {
    HWY_ALIGN T rows[V * V], cols[V * V];
    for (Index i = 0; i < V; ++i) hn::Store(v[i], d, rows + i * V);
    for (Index i = 0; i < V; ++i)
      for (Index j = 0; j < V; ++j) cols[j * V + i] = rows[i * V + j];
    for (Index i = 0; i < V; ++i) v[i] = hn::Load(d, cols + i * V);
  }
}
#endif
/// The first `count` of a vector's numbers, the others 0; all where count is larger.
template <bool inverse, class D, class T, class Access>
HWY_INLINE ComplexVector<D> load_interleaved(D d, const T* p, Index count, Access access) {
  constexpr Index V = lanes_of<D>;
  if (HWY_LIKELY(count >= V)) return from_interleaved<inverse>(d, load_n(access, p, 2 * V));
  HWY_ALIGN T part[2 * V] = {};
  std::memcpy(part, load_n(access, p, 2 * count), static_cast<std::size_t>(2 * count) * sizeof(T));
  return from_interleaved<inverse>(d, static_cast<const T*>(part));
}
template <bool inverse, class D, class T, class Access>
HWY_INLINE void store_interleaved(D d, const ComplexVector<D>& x, T* p, Index count, Access access) {
  constexpr Index V = lanes_of<D>;
  if (HWY_LIKELY(count >= V)) return to_interleaved<inverse>(d, x, store_n(access, p, 2 * V));
  HWY_ALIGN T part[2 * V];
  to_interleaved<inverse>(d, x, static_cast<T*>(part));
  std::memcpy(store_n(access, p, 2 * count), part, static_cast<std::size_t>(2 * count) * sizeof(T));
}

/// Stores the square whose row place_of_lane(l) is x(l), transposed: row i at to + 2 i stride.
template <class D, class T, class Row, class Access>
HWY_INLINE void store_transposed(D d, const Row& x, T* to, Index stride, Access access) {
  constexpr Index V = lanes_of<D>;
  hn::Vec<D> re[V], im[V];
#pragma GCC unroll 16
  for (Index l = 0; l < V; ++l) {
    const ComplexVector<D> row = x(place_of_lane<D>(l));
    re[l] = row.re, im[l] = row.im;
  }
  transpose_lanes(d, re);
  transpose_lanes(d, im);
#pragma GCC unroll 16
  for (Index l = 0; l < V; ++l)
    store_split(d, ComplexVector<D>{re[l], im[l]}, to + 2 * place_of_lane<D>(l) * stride, access);
}

/// The roots of a butterfly.
template <int R, class D>
struct Roots {
  ComplexVector<D> w[R];
  template <class T, class Access>
  HWY_INLINE Roots(D d, const T* roots, Access access) {
#pragma GCC unroll 16
    for (int j = 1; j < R; ++j) w[j] = root_of_all_lanes(d, roots + 2 * (j - 1), access);
  }
  HWY_INLINE ComplexVector<D> times_root(int j, const ComplexVector<D>& y) const {
    return j ? times<D>(y, w[j]) : y;
  }
};

template <int R, class T, class Access>
HWY_NOINLINE void middle_pass(const T* HWY_RESTRICT from, T* HWY_RESTRICT to, Index s, Index m,
                              const T* HWY_RESTRICT roots, Access access) {
  using D = Tag<T>;
  const D d;
  constexpr Index V = lanes_of<D>;
  const auto butterflies = [&](const T* in, T* out, const auto& twiddled) HWY_ATTR {
    for (Index q = 0; q < s; q += V, in += 2 * V, out += 2 * V)
      transform<R>(
          d, [&](int k) HWY_ATTR { return load_split(d, in + 2 * s * m * k, access); },
          [&](int j, const ComplexVector<D>& y)
              HWY_ATTR { store_split(d, twiddled(j, y), out + 2 * s * j, access); });
  };
  if (m == 1) return butterflies(from, to, [](int, const ComplexVector<D>& y) HWY_ATTR { return y; });
  for (Index p = 0; p < m; ++p, roots += 2 * (R - 1)) {
    const Roots<R, D> w(d, roots, access);
    butterflies(from + 2 * s * p, to + 2 * s * R * p,
                [&](int j, const ComplexVector<D>& y) HWY_ATTR { return w.times_root(j, y); });
  }
}

template <int R, bool inverse, class T, class Access>
HWY_NOINLINE void first_pass(const T* HWY_RESTRICT from, Index stride, Index count, T* HWY_RESTRICT to,
                             Index width, Index m, const T* HWY_RESTRICT roots, Access access) {
  using D = Tag<T>;
  const D d;
  constexpr Index V = lanes_of<D>;
  for (Index p = 0; p < m; ++p, roots += 2 * (R - 1)) {
    const Roots<R, D> w(d, roots, access);
    const T* in = from + 2 * stride * p;
    T* out = to + 2 * width * R * p;
    for (Index q = 0; q < width; q += V, in += 2 * V, out += 2 * V) {
      const Index left = std::max<Index>(count - q, 0);
      transform<R>(
          d,
          [&](int k) HWY_ATTR {
            const T* const row = in + 2 * stride * m * k;
            __builtin_prefetch(row + 2 * width, 0, 2);
            return load_interleaved<inverse>(d, row, left, access);
          },
          [&](int j, const ComplexVector<D>& y)
              HWY_ATTR { store_split(d, w.times_root(j, y), out + 2 * width * j, access); });
    }
  }
}

template <int R, bool inverse, class T, class Access>
HWY_NOINLINE void last_pass(const T* HWY_RESTRICT from, T* HWY_RESTRICT to, Index stride, Index count,
                            Index width, Index groups, Access access) {
  using D = Tag<T>;
  const D d;
  constexpr Index V = lanes_of<D>;
  const Index s = width * groups;
  for (Index g = 0; g < groups; ++g)
    for (Index c = 0; c < width && c < count; c += V) {
      const T* in = from + 2 * (g * width + c);
      T* out = to + 2 * (c + g * stride);
      transform<R>(
          d, [&](int k) HWY_ATTR { return load_split(d, in + 2 * s * k, access); },
          [&](int j, const ComplexVector<D>& y) HWY_ATTR {
            store_interleaved<inverse>(d, y, out + 2 * groups * stride * j, count - c, access);
          });
    }
}

template <int R, bool inverse, class T, class Access>
HWY_NOINLINE void split_columns(const T* HWY_RESTRICT from, T* HWY_RESTRICT work, Index width, Index block,
                                Index m, const T* HWY_RESTRICT roots, Access access) {
  using D = Tag<T>;
  const D d;
  constexpr Index V = lanes_of<D>;
  if constexpr (R % V == 0) {
    for (Index p = 0; p < m; p += V, roots += 2 * V * (R - 1), from += 2 * V, work += 2 * V * width) {
      ComplexVector<D> x[R];
#pragma GCC unroll 16
      for (int k = 0; k < R; ++k) x[k] = load_interleaved<inverse>(d, from + 2 * m * k, m - p, access);
      Codelet<R, D>::transform(d, x);
#pragma GCC unroll 16
      for (int j = 1; j < R; ++j) x[j] = times<D>(x[j], load_split(d, roots + 2 * V * (j - 1), access));
#pragma GCC unroll 16
      for (Index b = 0; b < R; b += V)
        store_transposed(
            d, [&](Index l) HWY_ATTR { return x[b + l]; }, work + 2 * (b / width * block + b % width), width,
            access);
    }
  }
}

template <class T, class Access>
HWY_NOINLINE void twiddle_transposed(const T* HWY_RESTRICT buffer, Index width, Index n1,
                                     T* HWY_RESTRICT work, Index block, const T* HWY_RESTRICT base_roots,
                                     const T* HWY_RESTRICT lane_roots, Access access) {
  using D = Tag<T>;
  const D d;
  constexpr Index V = lanes_of<D>;
  for (Index k = 0; k < n1; k += V)
    for (Index c = 0; c < width; c += V)
      store_transposed(
          d,
          [&](Index l) HWY_ATTR {
            const Index row = k + l;
            const auto base = root_of_all_lanes(d, base_roots + 2 * row, access);
            const auto w = times<D>(load_split(d, lane_roots + 2 * (row * width + c), access), base);
            return times<D>(load_split(d, buffer + 2 * (row * width + c), access), w);
          },
          work + 2 * (k / width * block + c * width + k % width), width, access);
}

/// One transform of R numbers, as the same codelet at one lane. `to` may be `from`.
template <int R, bool inverse, class T, class Access>
HWY_NOINLINE void whole(const T* from, T* to, Access access) {
  using D = hn::CappedTag<T, 1>;
  const D d;
  ComplexVector<D> x[R];
  for (int k = 0; k < R; ++k) {
    const T* const at = load_n(access, from + 2 * k, 2);
    x[k] = {hn::Set(d, at[inverse]), hn::Set(d, at[!inverse])};
  }
  Codelet<R, D>::transform(d, x);
  for (int j = 0; j < R; ++j) {
    T* const at = store_n(access, to + 2 * j, 2);
    at[inverse] = hn::GetLane(x[j].re);
    at[!inverse] = hn::GetLane(x[j].im);
  }
}

}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
