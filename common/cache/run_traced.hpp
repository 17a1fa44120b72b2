// Runs a variant once on seeded inputs and passes every element access to a sink.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/cache/traced_problem.hpp"
#include "common/variant.hpp"
#include "common/variant_text.hpp"

namespace tallcache::cache {

/// Runs all timed phases of `variant`, whose params must be complete, on the given shape. Throws Error as
/// TracedProblem does, and when the variant is a library.
void run_traced(const Variant& variant, Tracer& tracer, const Shape& shape, const Params& params,
                std::string_view input = {}, std::uint64_t seed = 1, const OwnInputs& own_inputs = {});

/// The same for variant class `V` on operation `Op` and any sink. Params that are left out take
/// their defaults.
template <class V, class Op, class Sink>
void run_traced(Sink& sink, const Shape& shape, const Params& given = {}, std::string_view input = {},
                std::uint64_t seed = 1) {
  Params params;
  for (const ParamSpec& spec : detail::params_of<V>()) {
    const Params::Item* item = given.find(spec.name);
    params.set(spec.name, item ? item->value : spec.default_value);
  }
  const TracedProblem problem(operation_of<Op>, shape, detail::scratch_of<V, Op>(shape, params, 1), input,
                              seed);
  detail::prepare<V>(detail::args_of<Op>(problem.args()), params);
  Serial fork;
  detail::run_phases<V>(fork, detail::args_of<Op>(problem.args()).with(Traced<Sink>{&sink}), params);
}

}  // namespace tallcache::cache
