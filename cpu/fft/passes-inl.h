// The passes of a transform over a batch, for each SIMD target, in place: number j of a butterfly goes to
// where its input j was (Gentleman and Sande 1966), so that the rows end in the reversed order of their
// digits. The last pass, or the transposition behind the columns, reads them by a table: no pass is a
// permutation alone. A lane of a vector is a transform, or in split_columns() a column, of its own. Between
// the passes the real and the imaginary parts of the lanes of a vector lie one behind the other.
#include <algorithm>
#include <cstddef>

// Once for each target.
#if defined(TALLCACHE_FFT_PASSES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_FFT_PASSES_INL_H
#undef TALLCACHE_FFT_PASSES_INL_H
#else
#define TALLCACHE_FFT_PASSES_INL_H
#endif

#include <hwy/highway.h>

#include "cpu/fft/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
HWY_NOINLINE void middle_pass(T* HWY_RESTRICT x, Index width, Index groups, Index m, Index count,
                              const T* HWY_RESTRICT roots, Access access) {
  const D d;
  if (m == 1) return butterflies<R, false>(d, x, width, groups, m, roots, access);
  for (Index p = 0; p < count; ++p, roots += 2 * (R - 1), x += 2 * width)
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
  for (; groups > 0; --groups, order += 2) {
    const Index* const place = load_n(access, order, 2);
    const T* const in = from + R * leg * place[0];
    T* const out = to + 2 * stride * place[1];
    transform<R>(
        d, [=](int k) HWY_ATTR { return load_split(d, in + leg * k, access); },
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
  for (Index k = R; k < rows; ++k) x[k] = zeros(d);
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
                                Index m, Index count, const T* HWY_RESTRICT roots, Access access) {
  const D d;
  constexpr Index V = lanes_of<D>;
  Index left = count;
  for (; left >= V; left -= V, roots += 2 * V * (R - 1), from += 2 * V, work += 2 * V * width)
    split_vector<R, inverse>(d, from, work, width, block, m, V, roots, access);
  if (left > 0) split_vector<R, inverse>(d, from, work, width, block, m, left, roots, access);
}

template <bool inverse, class D, class T, class Access>
HWY_NOINLINE void twiddle_transposed(const T* HWY_RESTRICT buffer, const Index* HWY_RESTRICT order,
                                     Index width, Index n1, T* HWY_RESTRICT to, Index distance, Index count,
                                     const T* HWY_RESTRICT base_roots, const T* HWY_RESTRICT lane_roots,
                                     Access access) {
  const D d;
  constexpr Index V = lanes_of<D>;
  for (Index k = 0; k < n1; k += V)
    for (Index c = 0; c < width && c < count; c += V) {
      ComplexVector<D> x[V];
#pragma GCC unroll 16
      for (Index l = 0; l < V; ++l) {
        const Index row = k + l, at = *load_n(access, order + row, 1);
        const auto base = root_of_all_lanes(d, base_roots + 2 * row, access);
        const auto w = times<D>(load_split(d, lane_roots + 2 * (row * width + c), access), base);
        x[l] = times<D>(load_split(d, buffer + 2 * (at * width + c), access), w);
      }
      store_square<inverse>(d, x, to + 2 * (c * distance + k), distance, count - c, n1 - k, access);
    }
}

template <bool inverse, class D, class T, class Access>
HWY_NOINLINE void rows_to_lanes(const T* HWY_RESTRICT from, Index distance, Index count, Index n,
                                T* HWY_RESTRICT to, Index width, Access access) {
  const D d;
  constexpr Index V = lanes_of<D>;
  for (Index c = 0; c < width; c += V)
    for (Index k = 0; k < n; k += V) {
      ComplexVector<D> x[V];
      load_square<inverse>(d, from + 2 * (c * distance + k), distance, count - c, n - k, x, access);
#pragma GCC unroll 16
      for (Index l = 0; l < V; ++l) store_split(d, x[l], to + 2 * ((k + l) * width + c), access);
    }
}

template <bool inverse, class D, class T, class Access>
HWY_NOINLINE void lanes_to_rows(const T* HWY_RESTRICT from, const Index* HWY_RESTRICT order, Index width,
                                T* HWY_RESTRICT to, Index distance, Index count, Index n, Access access) {
  const D d;
  constexpr Index V = lanes_of<D>;
  for (Index c = 0; c < width && c < count; c += V)
    for (Index k = 0; k < n; k += V) {
      const Index* const at = load_n(access, order + k, V);
      ComplexVector<D> x[V];
#pragma GCC unroll 16
      for (Index l = 0; l < V; ++l) x[l] = load_split(d, from + 2 * (at[l] * width + c), access);
      store_square<inverse>(d, x, to + 2 * (c * distance + k), distance, count - c, n - k, access);
    }
}

/// short_rows() of `count` of a vector's transforms.
template <int R, bool inverse, class D, class T, class Access>
HWY_INLINE void short_rows_of(D d, const T* from, T* to, Index distance, Index count, Access access) {
  constexpr Index V = lanes_of<D>;
  ComplexVector<D> x[(R + V - 1) / V * V];
#pragma GCC unroll 16
  for (Index k = 0; k < R; k += V)
    load_square<inverse>(d, from + 2 * k, distance, count, R - k, x + k, access);
  Codelet<R, D>::transform(d, x);
#pragma GCC unroll 16
  for (Index k = 0; k < R; k += V)
    store_square<inverse>(d, x + k, to + 2 * k, distance, count, R - k, access);
}

template <int R, bool inverse, class D, class T, class Access>
HWY_NOINLINE void short_rows(const T* from, T* to, Index distance, Index count, Access access) {
  const D d;
  constexpr Index V = lanes_of<D>;
  for (; count >= V; count -= V, from += 2 * V * distance, to += 2 * V * distance)
    short_rows_of<R, inverse>(d, from, to, distance, V, access);
  if (count > 0) short_rows_of<R, inverse>(d, from, to, distance, count, access);
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
