// The rounding errors of results: inputs of one kind, and the result that they would have without rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "bench/results/no_value.hpp"
#include "common/operation.hpp"

namespace tallcache {

/// Over the elements of a result: the distance from the exact value over the magnitude that bounds it, in
/// units of the unit roundoff u of the result's elements (2^-24 in float, 2^-53 in double). NaN when an
/// element is not finite.
struct RoundingErrors {
  double max = no_value, mean = no_value;
};

class ErrorReference {
 public:
  virtual ~ErrorReference() = default;
  /// Puts the inputs where Operation::fill() puts those of the operation.
  virtual void fill(std::span<std::byte* const> buffers) const = 0;
  /// Of the operation's output as a variant left it.
  virtual RoundingErrors errors(std::span<const std::byte> output) const = 0;
};

/// Kinds of factors: standard normal; uniform in [0, 1); of either sign with exponents over 2^40.
inline constexpr std::string_view error_inputs[] = {"normal", "positive", "spread"};

/// The number at a position of such an input. Throws Error on an unknown kind.
double error_input(std::string_view input, std::uint64_t seed, std::uint64_t position);

/// Of a Fourier transform in T, float or double, whose n is a power of two: each |y - exact| over the root
/// mean square of the exact outputs, which are computed with 11 bits more than double has.
template <class T>
std::unique_ptr<ErrorReference> fft_reference(const Shape&, std::string_view input, std::uint64_t seed);

/// Of a product C = A B in T, each |c - exact| over (|A||B|). Exact are sums in twice the precision: Dot2
/// (Ogita, Rump, Oishi, "Accurate sum and dot product", 2005), whose error is below (k 2^-53)^2 of |A||B|.
template <class T>
std::unique_ptr<ErrorReference> product_reference(const Shape&, std::string_view input, std::uint64_t seed);

extern template std::unique_ptr<ErrorReference> fft_reference<float>(const Shape&, std::string_view,
                                                                     std::uint64_t);
extern template std::unique_ptr<ErrorReference> fft_reference<double>(const Shape&, std::string_view,
                                                                      std::uint64_t);
extern template std::unique_ptr<ErrorReference> product_reference<float>(const Shape&, std::string_view,
                                                                         std::uint64_t);
extern template std::unique_ptr<ErrorReference> product_reference<double>(const Shape&, std::string_view,
                                                                          std::uint64_t);
extern template std::unique_ptr<ErrorReference> product_reference<Bfloat16>(const Shape&, std::string_view,
                                                                            std::uint64_t);

}  // namespace tallcache
