// Convolutions by Fourier transforms, and exact products of large integers by number-theoretic ones.
//
//   const std::vector<double> a{1, 2, 3}, b{4, 5};
//   const auto c = tallcache::convolve(a, b);                 // 4, 13, 22, 15
//   tallcache::ConvolutionPlan<double> plan(1000000, 1000);   // for many of these sizes
//   const std::vector<std::uint32_t> x{0, 1}, y{3};           // 2^32 and 3: limbs, the least first
//   const auto z = tallcache::multiply_integers(x, y);        // 0, 3, 0: as many limbs as both have
#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "common/execute.hpp"
#include "common/ops/integer_product.hpp"
#include "fft.hpp"

namespace tallcache {

/// The linear convolution of two sequences of m and n numbers, float, double or std::complex of these: c[k]
/// is the sum of a[i] b[k - i], of m + n - 1 numbers, none where m or n is 0. The coefficients of
/// polynomials, and filters of signals, are convolved. A plan has the tables and the memory, so that two
/// threads need a plan each. An error is at most of about log2(m + n) units of rounding of the product of
/// both norms.
///
/// Source: Cooley and Tukey 1965; Stockham, "High-speed convolution and correlation", 1966.
template <class Number>
class ConvolutionPlan {
 public:
  using Real = typename detail::RealPart<Number>::type;
  using Complex = std::complex<Real>;
  static constexpr bool is_real = std::is_same_v<Number, Real>;

  /// On `threads` threads including the caller. Throws Error on a negative size, one whose bytes overflow,
  /// and fewer than one thread.
  ConvolutionPlan(Index m, Index n, int threads = 1)
      : m_(detail::fft_size(m)), n_(detail::fft_size(n)), plan_(transform_size(), threads) {
    const std::size_t numbers = static_cast<std::size_t>(plan_.size());
    if constexpr (is_real) padded_.resize(numbers);
    const std::size_t frequencies = is_real && numbers ? numbers / 2 + 1 : numbers;
    a_.resize(frequencies), b_.resize(frequencies);
  }

  /// m + n - 1, or 0.
  Index size() const { return m_ == 0 || n_ == 0 ? 0 : m_ + n_ - 1; }

  /// out = the convolution of a and b. `out` may overlap them. Throws Error where an array has another size.
  void operator()(std::span<Number> out, std::span<const Number> a, std::span<const Number> b) {
    detail::expect_fft_size(a.size(), m_);
    detail::expect_fft_size(b.size(), n_);
    detail::expect_fft_size(out.size(), size());
    if (size() == 0) return;
    transform(a_, a);
    transform(b_, b);
    const Real scale = Real(1) / static_cast<Real>(plan_.size());
    for (std::size_t k = 0; k < a_.size(); ++k) {
      const Complex x = a_[k], y = b_[k];
      a_[k] = {scale * (x.real() * y.real() - x.imag() * y.imag()),
               scale * (x.real() * y.imag() + x.imag() * y.real())};
    }
    std::span<const Number> whole;
    if constexpr (is_real)
      plan_.inverse(padded_, a_), whole = padded_;
    else
      plan_.inverse(a_, a_), whole = a_;
    std::copy_n(whole.begin(), out.size(), out.begin());
  }

 private:
  /// Even, as real transforms are then of half the size. A cyclic convolution of it is the linear one.
  Index transform_size() const { return size() < 2 ? size() : cpu::fft::smooth_size(size() + size() % 2); }

  void transform(std::vector<Complex>& out, std::span<const Number> in) {
    auto& padded = [&]() -> auto& {
      if constexpr (is_real)
        return padded_;
      else
        return out;
    }
    ();
    std::fill(std::copy(in.begin(), in.end(), padded.begin()), padded.end(), Number{});
    plan_.forward(out, padded);
  }

  Index m_, n_;
  std::conditional_t<is_real, RealFftPlan<Real>, FftPlan<Real>> plan_;
  std::vector<Complex> a_, b_;
  std::vector<Real> padded_;
};

/// The linear convolution of a and b, of m and n numbers, on `threads` threads including the caller, without
/// a plan that is kept. Throws Error as ConvolutionPlan does.
///
/// Source: Stockham, "High-speed convolution and correlation", 1966.
template <class Number>
std::vector<Number> convolve(const std::vector<Number>& a, const std::vector<Number>& b, int threads = 1) {
  ConvolutionPlan<Number> plan(static_cast<Index>(a.size()), static_cast<Index>(b.size()), threads);
  std::vector<Number> out(static_cast<std::size_t>(plan.size()));
  plan(out, a, b);
  return out;
}

/// out = a b, exact, of non-negative integers of m and n limbs: digits to the base 2^32, the least
/// significant first. The product has m + n limbs. On `threads` threads including the caller. Throws Error
/// where `out` has another size or overlaps a factor, and where it has more than 2^25 limbs and neither
/// factor is short.
///
/// Source: Pollard, "The fast Fourier transform in a finite field", Mathematics of Computation 25(114), 1971;
/// Schönhage and Strassen, "Schnelle Multiplikation großer Zahlen", Computing 7, 1971.
inline void multiply_integers(std::span<std::uint32_t> out, std::span<const std::uint32_t> a,
                              std::span<const std::uint32_t> b, int threads = 1) {
  const auto view = [](auto limbs) {
    return VectorView<typename decltype(limbs)::element_type>{limbs.data(), static_cast<Index>(limbs.size())};
  };
  const bool is_short = std::min(a.size(), b.size()) <= 400;
  execute<IntegerProduct>(is_short ? "schoolbook" : "six_step", {view(out), view(a), view(b)}, {}, threads);
}

/// The same as a vector of m + n limbs.
inline std::vector<std::uint32_t> multiply_integers(std::span<const std::uint32_t> a,
                                                    std::span<const std::uint32_t> b, int threads = 1) {
  std::vector<std::uint32_t> out(a.size() + b.size());
  multiply_integers(out, a, b, threads);
  return out;
}

}  // namespace tallcache
