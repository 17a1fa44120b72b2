#include "common/cache/run_traced.hpp"

#include <string>

namespace tallcache::cache {

void run_traced(const Variant& variant, Tracer& tracer, const Shape& shape, const Params& params,
                std::string_view input, std::uint64_t seed, const OwnInputs& own_inputs) {
  if (!variant.trace) throw Error(std::string(variant.name) + ": a library: not traced");
  const TracedProblem problem(*variant.operation, shape, variant.scratch(shape, params), input, seed,
                              own_inputs);
  variant.trace(problem.args(), params, tracer);
}

}  // namespace tallcache::cache
