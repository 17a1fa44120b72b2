// The misses that theory predicts in the (Z, L) ideal cache: Z words of fully associative cache in lines of
// L words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/variant.hpp"

namespace tallcache {

struct Prediction {
  double misses;
  std::string formula;  ///< of the case of (Z, L), and its condition
  bool order;           ///< Theta or O, with a constant of 1
};

/// The prediction for `variant` on `shape` (complete, as the params) with `cache_words` Z and `line_words` L;
/// nothing for a variant without a formula. Where the usual formula assumes that the data exceed the cache,
/// each case that fits has a formula of its own.
std::optional<Prediction> predicted_misses(const Variant& variant, const Shape& shape, const Params& params,
                                           double cache_words, double line_words);

/// The bytes of a word of `operation`: of an element or a key.
std::size_t word_bytes(const Operation& operation);

/// The unit of miss rates: floating-point operations, keys, or elements that are moved.
struct Work {
  double amount;
  std::string_view unit;  ///< "flop", "key" or "element"
};
Work work_of(const Operation& operation, const Shape& shape);

}  // namespace tallcache
