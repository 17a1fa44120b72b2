// Error classes: how far a variant's result may be from the exact one. Speeds are compared within a class.
//
// A variant whose errors may exceed its operation's own bound declares its class in one line:
//
//   static constexpr ErrorClass error_class = ErrorClass::normwise;
//
// Its results are then checked against the bound of that class, and its records name it. Only an operation
// whose check() takes an ErrorClass may have such variants. Its results in whole numbers are exact, and of
// the standard class. A product's class normwise applies to factors that were made for it: on the operation's
// own inputs, whose elements are of one size, a variant of that class is held to the standard one.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

#include "common/element.hpp"
#include "common/view.hpp"

namespace tallcache {

/// From the strongest on.
enum class ErrorClass {
  standard,        ///< the bound that the operation's check documents
  split_factors,   ///< factors of float as two parts of 11 bits each, sums rounded every few steps
  truncated_sums,  ///< the same, with all sums truncated
  normwise         ///< bounded by norms alone, as Strassen's product
};
inline constexpr std::array error_classes{ErrorClass::standard, ErrorClass::split_factors,
                                          ErrorClass::truncated_sums, ErrorClass::normwise};

namespace detail {
struct ErrorClassText {
  std::string_view name, bound;
};
inline constexpr std::array<ErrorClassText, error_classes.size()> error_class_texts{{
    {"standard", "the operation's own bound; of a product (k + 2) eps |A||B|"},
    {"split_factors", "(9/8 k + 5) eps |A||B|"},
    {"truncated_sums", "(27/8 k + 5) eps |A||B|"},
    {"normwise", "(12^L (l^2 + 5 l) - 5 k) eps max|A| max|B| with L halvings of k to l <= 8"},
}};
}  // namespace detail

/// The class's name in documents.
constexpr std::string_view name_of(ErrorClass error_class) {
  return detail::error_class_texts[static_cast<std::size_t>(error_class)].name;
}

/// Its bound as a formula, in eps, the distance from 1 to the next number of the result's type.
constexpr std::string_view bound_text(ErrorClass error_class) {
  return detail::error_class_texts[static_cast<std::size_t>(error_class)].bound;
}

constexpr std::optional<ErrorClass> parse_error_class(std::string_view name) {
  for (const ErrorClass error_class : error_classes)
    if (name_of(error_class) == name) return error_class;
  return {};
}

/// The largest error of an element of C = A B: componentwise times that element of |A||B|, plus normwise
/// times max|A| max|B|.
struct ProductBound {
  double componentwise = 0, normwise = 0;
};

/// The bound of a product whose factors are of `E`, with k products in a sum, where nothing underflows.
///
/// standard: a sum of k products in any order (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
/// 3.1); twice that where a tensor core makes the sums, as it truncates them; and 2 x 2^-10 more where the
/// factors are cut to TF32.
///
/// split_factors and truncated_sums, of float: x is big + small, with |small| <= 2^-11 |x|. The product of
/// two small parts is left out, 2^-22 = 2 eps of |x y|, and a tensor core cuts small to 11 bits, which loses
/// at most eps |x| of each factor: 4 eps. It adds 8 products to a sum exactly but for digits below those of
/// the largest, each a loss of less than eps, and one more where it truncates the sum: k + k/8 eps in all of
/// the sums of big products, when the others are added first. Where all three products go to one sum, the
/// loss is three times that (Fasi, Higham, Mikaitis, Pranesh, Numerical behavior of NVIDIA tensor cores,
/// 2021).
///
/// normwise: L levels of Strassen's product over leaves of l products (Higham 2002, 23.2.2), at the most
/// levels that a variant may have, with leaves of at most 8.
template <class E>
constexpr ProductBound product_bound(ErrorClass error_class, Index k) {
  using Sum = typename Element<E>::Sum;
  constexpr double eps = Element<Sum>::epsilon;
  if (Element<E>::is_exact) return {};
  const auto products = static_cast<double>(k);
  switch (error_class) {
    case ErrorClass::split_factors:
      return {(9 * products / 8 + 5) * eps};
    case ErrorClass::truncated_sums:
      return {(27 * products / 8 + 5) * eps};
    case ErrorClass::normwise: {
      double growth = 1;
      Index leaf = k;
      for (; leaf > 8; leaf -= leaf / 2) growth *= 12;
      const auto l = static_cast<double>(leaf);
      return {0, (growth * (l * l + 5 * l) - 5 * products) * eps};
    }
    case ErrorClass::standard:
      break;
  }
  constexpr bool truncates = !std::is_same_v<E, Sum>;
  constexpr double cut_factors = std::is_same_v<E, Tf32> ? 2.01 * Element<Tf32>::epsilon : 0;
  return {(products + 2) * eps * (truncates ? 2 : 1) + cut_factors};
}

}  // namespace tallcache
