#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "bench/suites/error_reference.hpp"
#include "common/catalogue.hpp"
#include "common/compare.hpp"

namespace tallcache {

double error_input(std::string_view input, std::uint64_t seed, std::uint64_t position) {
  const std::uint64_t at = 3 * position;
  if (input == "positive") return random_unit(seed, at);
  if (input == "spread") {
    const int exponent = static_cast<int>(random_up_to(seed, at, 40)) - 20;
    return std::ldexp(1 + random_unit(seed, at + 1), exponent) * (random_bits(seed, at + 2) & 1 ? 1 : -1);
  }
  if (input != "normal") throw Error(unknown_name("input", input, error_inputs));
  // Box and Muller (1958)
  return std::sqrt(-2 * std::log(1 - random_unit(seed, at))) *
         std::cos(2 * std::numbers::pi * random_unit(seed, at + 1));
}

namespace {

template <class T>
std::vector<T> elements(Index count, std::string_view input, std::uint64_t seed) {
  std::vector<T> list(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<T>(error_input(input, seed, i));
  return list;
}

// A number of double as the sum of two with half of its digits (Veltkamp 1968).
struct Halves {
  double high, low;
  explicit Halves(double x) {
    const double scaled = x * (0x1p27 + 1);
    high = scaled - (scaled - x);
    low = x - high;
  }
};

template <class T>
class ProductReference final : public ErrorReference {
 public:
  ProductReference(const Shape& shape, std::string_view input, std::uint64_t seed)
      : m_(shape["m"]),
        n_(shape["n"]),
        k_(shape["k"]),
        a_(elements<T>(m_ * k_, input, seed)),
        b_(elements<T>(k_ * n_, input, seed + 1)),
        sums_(static_cast<std::size_t>(m_ * n_)),
        corrections_(sums_.size()),
        magnitudes_(sums_.size()) {
    for (Index i = 0; i < m_; ++i)
      for (Index l = 0; l < k_; ++l) add_row(i, l);
  }

  void fill(std::span<std::byte* const> buffers) const override {
    std::ranges::copy(std::as_bytes(std::span(a_)), buffers[1]);
    std::ranges::copy(std::as_bytes(std::span(b_)), buffers[2]);
  }

  RoundingErrors errors(std::span<const std::byte> output) const override {
    using Sum = typename Element<T>::Sum;
    const auto* c = reinterpret_cast<const Sum*>(output.data());
    constexpr double unit_roundoff = Element<Sum>::epsilon / 2;
    RoundingErrors errors{0, 0};
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (!std::isfinite(c[i])) return {};
      const double distance = std::abs((static_cast<double>(c[i]) - sums_[i]) - corrections_[i]);
      const double error = distance > 0 ? distance / (magnitudes_[i] * unit_roundoff) : 0;
      errors.max = std::max(errors.max, error);
      errors.mean += error / static_cast<double>(sums_.size());
    }
    return errors;
  }

 private:
  // Row i of C += A(i, l) times row l of B. Products and sums are split without a fused multiply-add, which
  // not every processor has, so that the loop is one of vectors.
  void add_row(Index i, Index l) {
    const double a = a_[static_cast<std::size_t>(i * k_ + l)];
    const Halves as(a);
    const T* const b_row = b_.data() + l * n_;
    double *const sum = sums_.data() + i * n_, *const correction = corrections_.data() + i * n_,
                  *const magnitude = magnitudes_.data() + i * n_;
    for (Index j = 0; j < n_; ++j) {
      const double b = b_row[j], product = a * b;
      const Halves bs(b);
      const double product_error =
          as.low * bs.low - (((product - as.high * bs.high) - as.low * bs.high) - as.high * bs.low);
      const double next = sum[j] + product, taken = next - sum[j];
      correction[j] += (sum[j] - (next - taken)) + (product - taken) + product_error;
      sum[j] = next;
      magnitude[j] += std::abs(product);
    }
  }

  Index m_, n_, k_;
  std::vector<T> a_, b_;
  std::vector<double> sums_, corrections_, magnitudes_;
};

}  // namespace

template <class T>
std::unique_ptr<ErrorReference> product_reference(const Shape& shape, std::string_view input,
                                                  std::uint64_t seed) {
  return std::make_unique<ProductReference<T>>(shape, input, seed);
}

template std::unique_ptr<ErrorReference> product_reference<float>(const Shape&, std::string_view,
                                                                  std::uint64_t);
template std::unique_ptr<ErrorReference> product_reference<double>(const Shape&, std::string_view,
                                                                   std::uint64_t);
template std::unique_ptr<ErrorReference> product_reference<Bfloat16>(const Shape&, std::string_view,
                                                                     std::uint64_t);

}  // namespace tallcache
