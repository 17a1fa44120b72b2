// Codelets: transforms of 2 to 32 complex vectors, the shorter ones in registers, each lane a transform of
// its own. The real and the imaginary parts are vectors apart, so that a product of complex numbers has no
// shuffle. For each SIMD target, and for any of its vectors: at one lane a codelet is the scalar text.
#include <cstddef>
#include <utility>

#include "common/named.hpp"

// Once for each target.
#if defined(TALLCACHE_FFT_CODELETS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_FFT_CODELETS_INL_H
#undef TALLCACHE_FFT_CODELETS_INL_H
#else
#define TALLCACHE_FFT_CODELETS_INL_H
#endif

#include <hwy/highway.h>

#include "common/codelet_roots.hpp"
#include "cpu/fft/fft_leaves.hpp"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::fft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Complex numbers, one a lane.
template <class D>
struct ComplexVector {
  hn::Vec<D> re, im;
};

template <class D>
HWY_INLINE ComplexVector<D> add(const ComplexVector<D>& a, const ComplexVector<D>& b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class D>
HWY_INLINE ComplexVector<D> sub(const ComplexVector<D>& a, const ComplexVector<D>& b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class D>
HWY_INLINE ComplexVector<D> times(const ComplexVector<D>& a, const ComplexVector<D>& w) {
  return {hn::NegMulAdd(a.im, w.im, hn::Mul(a.re, w.re)), hn::MulAdd(a.re, w.im, hn::Mul(a.im, w.re))};
}
/// a - i b and a + i b.
template <class D>
HWY_INLINE ComplexVector<D> sub_i(const ComplexVector<D>& a, const ComplexVector<D>& b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
template <class D>
HWY_INLINE ComplexVector<D> add_i(const ComplexVector<D>& a, const ComplexVector<D>& b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}
/// a exp(-2 pi i k / n) for a constant root, with the fewest operations that it needs.
template <int k, int n, class D>
HWY_INLINE ComplexVector<D> times_root(D d, const ComplexVector<D>& a) {
  using T = hn::TFromD<D>;
  if constexpr (k == 0) {
    return a;
  } else if constexpr (4 * k == n) {
    return {a.im, hn::Neg(a.re)};
  } else if constexpr (8 * k == n) {
    const auto h = hn::Set(d, static_cast<T>(root_cosine<1, 8>));
    return {hn::Mul(h, hn::Add(a.re, a.im)), hn::Mul(h, hn::Sub(a.im, a.re))};
  } else if constexpr (8 * k == 3 * n) {
    const auto h = hn::Set(d, static_cast<T>(root_cosine<1, 8>));
    return {hn::Mul(h, hn::Sub(a.im, a.re)), hn::Neg(hn::Mul(h, hn::Add(a.re, a.im)))};
  } else {
    return times(a, ComplexVector<D>{hn::Set(d, static_cast<T>(root_cosine<k, n>)),
                                     hn::Set(d, static_cast<T>(-root_sine<k, n>))});
  }
}

/// x[0 .. R) becomes its transform: x[j] = sum over k of x[k] exp(-2 pi i j k / R).
template <int R, class D>
struct Codelet;

template <class D>
struct Codelet<1, D> {
  static HWY_INLINE void transform(D, ComplexVector<D>*) {}
};

template <class D>
struct Codelet<2, D> {
  static HWY_INLINE void transform(D, ComplexVector<D>* x) {
    const auto a = x[0];
    x[0] = add<D>(a, x[1]);
    x[1] = sub<D>(a, x[1]);
  }
};

template <class D>
struct Codelet<4, D> {
  static HWY_INLINE void transform(D, ComplexVector<D>* x) {
    const auto a = add<D>(x[0], x[2]), b = sub<D>(x[0], x[2]), c = add<D>(x[1], x[3]), e = sub<D>(x[1], x[3]);
    x[0] = add<D>(a, c);
    x[1] = sub_i<D>(b, e);
    x[2] = sub<D>(a, c);
    x[3] = add_i<D>(b, e);
  }
};

template <class D>
struct Codelet<8, D> {
  static HWY_INLINE void transform(D d, ComplexVector<D>* x) {
    ComplexVector<D> even[4], odd[4];
    halves(x, even, odd);
    Codelet<4, D>::transform(d, even);
    odd_outputs(d, odd);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) x[2 * k] = even[k], x[2 * k + 1] = odd[k];
  }
  /// What the even outputs are the transform of, and the odd ones are made of.
  static HWY_INLINE void halves(const ComplexVector<D>* x, ComplexVector<D>* even, ComplexVector<D>* odd) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) even[k] = add<D>(x[k], x[k + 4]), odd[k] = sub<D>(x[k], x[k + 4]);
  }
  /// Outputs 1, 3, 5, 7. The roots of 8 have the factor h, which the last sums multiply by.
  static HWY_INLINE void odd_outputs(D d, ComplexVector<D>* x) {
    const auto h = hn::Set(d, static_cast<hn::TFromD<D>>(root_cosine<1, 8>));
    const auto a = sub_i<D>(x[0], x[2]), b = add_i<D>(x[0], x[2]);
    const auto u = sub_i<D>(x[1], x[1]), v = add_i<D>(x[3], x[3]);
    const auto c = sub<D>(u, v), e = add<D>(u, v);
    x[0] = {hn::MulAdd(h, c.re, a.re), hn::MulAdd(h, c.im, a.im)};
    x[1] = {hn::MulAdd(h, e.im, b.re), hn::NegMulAdd(h, e.re, b.im)};
    x[2] = {hn::NegMulAdd(h, c.re, a.re), hn::NegMulAdd(h, c.im, a.im)};
    x[3] = {hn::NegMulAdd(h, e.im, b.re), hn::MulAdd(h, e.re, b.im)};
  }
};

/// n1 x n2: the columns, the twiddles, the rows.
template <int R, class D>
requires(columns_of_codelet(R) > 1) struct Codelet<R, D> {
  static HWY_INLINE void transform(D d, ComplexVector<D>* x) {
    ComplexVector<D> y[n1][n2];
    columns(d, x, y, std::make_integer_sequence<int, n2>());
#pragma GCC unroll 8
    for (int k = 0; k < n1; ++k) {
      Codelet<n2, D>::transform(d, y[k]);
#pragma GCC unroll 8
      for (int j = 0; j < n2; ++j) x[k + n1 * j] = y[k][j];
    }
  }

 private:
  static constexpr int n1 = columns_of_codelet(R), n2 = R / n1;

  template <int... j>
  static HWY_INLINE void columns(D d, const ComplexVector<D>* x, ComplexVector<D> (&y)[n1][n2],
                                 std::integer_sequence<int, j...>) {
    (column<j>(d, x, y, std::make_integer_sequence<int, n1>()), ...);
  }
  template <int j, int... k>
  static HWY_INLINE void column(D d, const ComplexVector<D>* x, ComplexVector<D> (&y)[n1][n2],
                                std::integer_sequence<int, k...>) {
    ComplexVector<D> z[n1] = {x[j + k * n2]...};
    Codelet<n1, D>::transform(d, z);
    ((y[k][j] = times_root<j * k, R>(d, z[k])), ...);
  }
};

/// An odd prime by its definition. Inputs k and R - k share their cosines, outputs j and R - j their sums.
template <int R, class D>
struct Codelet {
  static_assert(R % 2 == 1);
  static HWY_INLINE void transform(D d, ComplexVector<D>* x) {
    constexpr int half = R / 2;
    ComplexVector<D> sum[half], difference[half], total = x[0];
    for (int k = 1; k <= half; ++k) {
      sum[k - 1] = add<D>(x[k], x[R - k]);
      difference[k - 1] = sub<D>(x[k], x[R - k]);
      total = add<D>(total, sum[k - 1]);
    }
    const auto first = x[0];
    x[0] = total;
    // Loops over the largest primes: unrolled they would be thousands of instructions.
    if constexpr (R <= 7) {
#pragma GCC unroll 3
      for (int j = 1; j <= half; ++j) output(d, j, first, sum, difference, x);
    } else {
      for (int j = 1; j <= half; ++j) output(d, j, first, sum, difference, x);
    }
  }

 private:
  static HWY_INLINE void output(D d, int j, const ComplexVector<D>& first, const ComplexVector<D>* sum,
                                const ComplexVector<D>* difference, ComplexVector<D>* x) {
    using T = hn::TFromD<D>;
    ComplexVector<D> even = first, odd{hn::Zero(d), hn::Zero(d)};
#pragma GCC unroll 6
    for (int k = 1; k <= R / 2; ++k) {
      const auto c = hn::Set(d, static_cast<T>(root_cosines<R>[static_cast<unsigned>(j * k % R)]));
      const auto s = hn::Set(d, static_cast<T>(root_sines<R>[static_cast<unsigned>(j * k % R)]));
      even = {hn::MulAdd(c, sum[k - 1].re, even.re), hn::MulAdd(c, sum[k - 1].im, even.im)};
      odd = {hn::MulAdd(s, difference[k - 1].re, odd.re), hn::MulAdd(s, difference[k - 1].im, odd.im)};
    }
    x[j] = sub_i<D>(even, odd);
    x[R - j] = add_i<D>(even, odd);
  }
};

/// Vectors that are not needed for a while wait in memory: of more than 16 a compiler would spill most. Later
/// loads stay behind it.
template <class D, int count>
HWY_INLINE void set_aside(ComplexVector<D> (&x)[count]) {
  asm volatile("" : "+m"(x) : : "memory");
}

/// The transform of load(0), ..., load(R - 1), each passed to store(j, output j) as soon as it is ready, the
/// first when all are loaded. Radix 8 does its even and then its odd outputs where there are 16 registers.
template <int R, class D, class Load, class Store>
HWY_INLINE void transform(D d, const Load& load, const Store& store) {
  ComplexVector<D> x[R];
#pragma GCC unroll 16
  for (int k = 0; k < R; ++k) x[k] = load(k);
  if constexpr (R == 8 && !HWY_CAP_GE512) {
    ComplexVector<D> even[4], odd[4];
    Codelet<8, D>::halves(x, even, odd);
    set_aside<D>(odd);
    Codelet<4, D>::transform(d, even);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) store(2 * j, even[j]);
    Codelet<8, D>::odd_outputs(d, odd);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) store(2 * j + 1, odd[j]);
  } else {
    Codelet<R, D>::transform(d, x);
#pragma GCC unroll 16
    for (int j = 0; j < R; ++j) store(j, x[j]);
  }
}

}  // namespace tallcache::cpu::fft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
