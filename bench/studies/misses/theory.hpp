// What theory predicts of a run: its misses in an ideal cache, and the work that they are a rate of.
#pragma once

#include <optional>
#include <string_view>

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"

namespace tallcache {

/// The prediction for `variant` on `shape` (complete, as the params) in a fully associative cache of so many
/// bytes; nothing for a variant without a formula. A word is an element or a key.
std::optional<cache::Prediction> predicted_misses(const Variant& variant, const Shape& shape,
                                                  const Params& params, double cache_bytes,
                                                  double line_bytes);

/// The unit of miss rates: floating-point operations, keys, or elements that are moved.
struct Work {
  double amount;
  std::string_view unit;  ///< "flop", "key" or "element"
};
Work work_of(const Operation& operation, const Shape& shape);

}  // namespace tallcache
