// The catalogue: every variant, in the order of cpu/variants.def. Tests, benches, the program and the
// documentation all enumerate it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/executor.hpp"
#include "common/variant.hpp"

namespace tallcache {

/// Every variant of every backend that was built, in the order of the lists.
std::span<const Variant* const> variants();

/// Every operation that has a variant, in the order of first appearance.
std::span<const Operation* const> operations();

/// The operation called `name` on `element` (empty: its first element type); throws Error with the nearest
/// name.
const Operation& find_operation(std::string_view name, std::string_view element = {});

/// The variant called `name` of `operation`; throws Error with the nearest name.
const Variant& find_variant(const Operation& operation, std::string_view name,
                            Backend backend = Backend::cpu);

/// The variants of `operation`, in order.
std::vector<const Variant*> variants_of(const Operation& operation);

/// Of `names`, the one with the least edit distance from `name`, or empty when none is near.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names);

/// "unknown <kind> '<name>'; did you mean '<nearest>'?" or the list of names when none is near.
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> names);

/// Runs `variant` on arguments of the caller's own after validating them, on this thread and, for a parallel
/// one, threads - 1 more; scratch is allocated here. Throws Error when the arguments break the operation's
/// contract, and on a number of threads that this machine or the variant does not have.
///   tallcache::execute<tallcache::Matmul<double>>("recursive", {c, a, b}, {{"base", 32}}, 2);
template <class Op>
void execute(std::string_view variant, typename Op::template Args<Plain> args, const Params& params = {},
             int threads = 1) {
  const Variant& chosen = find_variant(operation_of<Op>, variant);
  if (const std::string reason = chosen.unavailable(); !reason.empty())
    throw Error(std::string(variant) + " is unavailable: " + reason);
  require_threads(threads);
  if (threads > 1 && !chosen.parallel) throw Error(std::string(variant) + " runs on one thread only");
  Op::validate(args);
  const Shape shape = Op::shape_of(args);
  if (!chosen.supports(shape))
    throw Error(std::string(variant) + " does not support " + to_string(operation_of<Op>, shape));
  const Params complete = complete_params(chosen, params);
  const std::size_t bytes = chosen.scratch(shape, complete, threads);
  require_memory(bytes, "the scratch of " + std::string(variant));
  const auto memory = make_host_executor()->allocate(bytes, chosen.scratch_pages);
  args.scratch = Scratch<>(memory->bytes());
  for (Entry entry : chosen.entries) entry(&args, complete, Launch{.threads = threads});
}

}  // namespace tallcache
