// Runs a variant once on seeded inputs and passes every element access to a sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "common/variant.hpp"
#include "common/variant_text.hpp"

namespace tallcache::cache {

/// Puts inputs of the caller's own where Operation::fill() puts seeded ones.
using OwnInputs = std::function<void(std::span<std::byte* const> buffers)>;

/// The inputs and the scratch of one traced run. They lie one behind the other from a multiple of 2 MiB on,
/// each from a page on, so that the sets that they fall into, and so the conflict misses, are the same in
/// every run in caches of up to 2 MiB a way.
class TracedProblem {
 public:
  /// Fills the inputs and binds them; the sizes of `shape` must be complete, an empty `input` is the
  /// operation's first. With inputs of one's own `input` is their name alone. Throws what the operation
  /// throws, and Error when memory is short.
  TracedProblem(const Operation& operation, const Shape& shape, std::size_t scratch_bytes,
                std::string_view input = {}, std::uint64_t seed = 1, const OwnInputs& own_inputs = {});

  /// Arguments of the operation, as Variant::trace takes them.
  const void* args() const { return args_.bytes; }
  /// Where the inputs begin: a multiple of 2 MiB.
  const void* begin() const { return arena_.get(); }

 private:
  std::unique_ptr<std::byte, void (*)(void*)> arena_;
  ArgsStorage args_;
};

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
