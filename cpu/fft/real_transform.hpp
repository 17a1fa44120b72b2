// The transform of n real numbers. Those of an even n are taken as n / 2 complex ones, whose transform has
// the outputs of the even and of the odd numbers in its sums and differences (Cooley, Lewis and Welch, "The
// fast Fourier transform algorithm: programming considerations in the calculation of sine, cosine and Laplace
// transforms", 1970).
#pragma once

#include <complex>

#include "cpu/fft/transform.hpp"

namespace tallcache::cpu::fft {

/// Of n >= 1 numbers of T, in scratch that the caller keeps as long as the transform.
template <class T, class Access = Plain>
class RealTransform {
 public:
  using Complex = std::complex<T>;
  static constexpr Index base = Transform<T>::base;

  /// The bytes of tables and working memory on `shares` threads.
  static std::size_t scratch(Index n, Index shares, Index base) {
    const auto bytes = [](Index numbers) { return checked_product(numbers, sizeof(Complex), "fft"); };
    return checked_sum(scratch_bytes({bytes(widened(n)), bytes(roots(n))}),
                       Transform<T, Access>::scratch(complex_size(n), shares, base), "fft");
  }

  /// As scratch(); takes its piece of `scratch`.
  RealTransform(Index n, Index shares, Index base, Scratch<Access>& scratch)
      : n_(n),
        complex_(scratch.template vector<Complex>(widened(n))),
        half_roots_(scratch.template vector<Complex>(roots(n))),
        inner_(complex_size(n), shares, base, scratch) {}

  /// The same plan, in the same scratch, under another access policy.
  const RealTransform& with(Access) const { return *this; }
  template <class Other>
  RealTransform<T, Other> with(Other other) const {
    return {*this, other};
  }

  Index size() const { return n_; }

  /// Fills the tables.
  void prepare() const {
    inner_.prepare();
    const RootsOfUnity roots(n_);
    for (Index k = 0; k < half_roots_.size; ++k) half_roots_[k] = roots.at<T>(k) / T(2);
  }

  /// out[k] = sum over j of in[j] exp(-2 pi i j k / n), 0 <= k <= n / 2. `out` may begin where `in` does.
  template <class Fork>
  void operator()(Fork& fork, VectorView<Complex, Access> out, VectorView<const T, Access> in) const {
    const Access access = out.access();
    if (n_ % 2) {
      for (Index j = 0; j < n_; ++j) complex_[j] = Complex(in[j]);
      inner_(fork, reals(complex_.data), reals(complex_.data), access);
      for (Index k = 0; k < out.size; ++k) out[k] = Complex(complex_[k]);
      return;
    }
    const Index half = n_ / 2;
    inner_(fork, reals(out.data), in.data, access);
    const Complex first = out[0];
    out[0] = Complex(first.real() + first.imag());
    out[half] = Complex(first.real() - first.imag());
    CompiledApart<Access> apart(access);
    const auto policy = apart.policy();
    mirror(fork, inner_.texts().under(policy), reals(out.data), reals(out.data), policy);
  }

  /// The inverse, not scaled: n times what the transform took. The imaginary parts of in[0] and, for an even
  /// n, of in[n / 2] are taken for 0. `out` may begin where `in` does.
  template <class Fork>
  void inverse(Fork& fork, T* out, const Complex* in) const {
    if (n_ % 2) {
      complex_[0] = in[0].real();
      for (Index k = 1; k <= n_ / 2; ++k) complex_[k] = in[k], complex_[n_ - k] = std::conj(in[k]);
      inner_.inverse(fork, reals(complex_.data), reals(complex_.data));
      for (Index j = 0; j < n_; ++j) out[j] = complex_[j].real();
      return;
    }
    const T zeroth = in[0].real(), last = in[n_ / 2].real();
    out[0] = zeroth + last, out[1] = zeroth - last;
    mirror(fork, inner_.texts().inverse, reals(in), out, Plain{});
    inner_.inverse(fork, out, out);
  }

 private:
  template <class, class>
  friend class RealTransform;

  RealTransform(const auto& other, Access access)
      : n_(other.n_),
        complex_(other.complex_.with(access)),
        half_roots_(other.half_roots_.with(access)),
        inner_(other.inner_.with(access)) {}

  static Index complex_size(Index n) { return n % 2 ? n : n / 2; }
  static Index widened(Index n) { return n % 2 ? n : 0; }
  static Index roots(Index n) { return n % 2 ? 0 : n / 4 + 1; }
  static T* reals(Complex* data) { return reinterpret_cast<T*>(data); }
  static const T* reals(const Complex* data) { return reinterpret_cast<const T*>(data); }

  template <class Fork, class Text, class Policy>
  void mirror(Fork& fork, const Text& text, const T* from, T* to, Policy policy) const {
    constexpr Index block = 4096;
    loop_blocks(fork, n_ / 4, block, [=, this, &text](Index begin, Index end) {
      text.mirrored(from, to, reals(half_roots_.data), begin + 1, end + 1, n_ / 2, policy);
    });
  }

  Index n_;
  VectorView<Complex, Access> complex_, half_roots_;  ///< of an odd n; of an even one
  Transform<T, Access> inner_;
};

}  // namespace tallcache::cpu::fft
