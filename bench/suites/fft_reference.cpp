#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "bench/suites/error_reference.hpp"
#include "common/error.hpp"

namespace tallcache {
namespace {

using Long = std::complex<long double>;

// The transform of x by halves (Cooley and Tukey 1965; Stockham's order, which needs no reversal of bits).
std::vector<Long> long_transform(std::vector<Long> x) {
  const std::size_t n = x.size();
  std::vector<Long> other(n), roots(n / 2);
  for (std::size_t k = 0; k < roots.size(); ++k)
    roots[k] = std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                    static_cast<long double>(n));
  for (std::size_t half = n / 2, stride = 1; half > 0; half /= 2, stride *= 2) {
    for (std::size_t k = 0; k < half; ++k)
      for (std::size_t j = 0; j < stride; ++j) {
        const Long a = x[k * stride + j], b = x[(k + half) * stride + j];
        other[2 * k * stride + j] = a + b;
        other[(2 * k + 1) * stride + j] = (a - b) * roots[k * stride];
      }
    std::swap(x, other);
  }
  return x;
}

template <class T>
class FftReference final : public ErrorReference {
  using Complex = std::complex<T>;

 public:
  FftReference(const Shape& shape, std::string_view input, std::uint64_t seed)
      : in_(static_cast<std::size_t>(shape["n"])) {
    if (in_.empty() || (in_.size() & (in_.size() - 1)) != 0)
      throw Error("the errors of transforms are measured for powers of two");
    for (std::size_t j = 0; j < in_.size(); ++j)
      in_[j] = {static_cast<T>(error_input(input, seed, 2 * j)),
                static_cast<T>(error_input(input, seed, 2 * j + 1))};
    exact_ = long_transform({in_.begin(), in_.end()});
    long double squares = 0;
    for (const Long& y : exact_) squares += std::norm(y);
    magnitude_ = std::sqrt(static_cast<double>(squares) / static_cast<double>(exact_.size()));
  }

  void fill(std::span<std::byte* const> buffers) const override {
    std::ranges::copy(std::as_bytes(std::span(in_)), buffers[1]);
  }

  RoundingErrors errors(std::span<const std::byte> output) const override {
    const auto* out = reinterpret_cast<const Complex*>(output.data());
    RoundingErrors errors{0, 0};
    for (std::size_t k = 0; k < exact_.size(); ++k) {
      if (!std::isfinite(out[k].real()) || !std::isfinite(out[k].imag())) return {};
      const auto distance = static_cast<double>(std::abs(Long(out[k]) - exact_[k]));
      const double error = distance > 0 ? distance / (magnitude_ * unit_roundoff) : 0;
      errors.max = std::max(errors.max, error);
      errors.mean += error / static_cast<double>(exact_.size());
    }
    return errors;
  }

 private:
  static constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2;
  std::vector<Complex> in_;
  std::vector<Long> exact_;
  double magnitude_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<ErrorReference> fft_reference(const Shape& shape, std::string_view input,
                                              std::uint64_t seed) {
  return std::make_unique<FftReference<T>>(shape, input, seed);
}
template std::unique_ptr<ErrorReference> fft_reference<float>(const Shape&, std::string_view, std::uint64_t);
template std::unique_ptr<ErrorReference> fft_reference<double>(const Shape&, std::string_view, std::uint64_t);

}  // namespace tallcache
