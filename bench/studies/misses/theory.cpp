#include "bench/studies/misses/theory.hpp"

namespace tallcache {
namespace {

double word_bytes(const Operation& operation) {
  return static_cast<double>(find_element(operation.element).word_bytes);
}

}  // namespace

std::optional<cache::Prediction> predicted_misses(const Variant& variant, const Shape& shape,
                                                  const Params& params, double cache_bytes,
                                                  double line_bytes) {
  if (!variant.predicted_misses) return {};
  const double word = word_bytes(*variant.operation);
  return variant.predicted_misses(shape, params, {cache_bytes / word, line_bytes / word});
}

Work work_of(const Operation& operation, const Shape& shape) {
  const Cost cost = operation.cost(shape);
  if (cost.flops > 0) return {cost.flops, "flop"};
  if (cost.keys > 0) return {cost.keys, "key"};
  // A move reads and writes each element once.
  return {cost.bytes / (2.0 * word_bytes(operation)), "element"};
}

}  // namespace tallcache
