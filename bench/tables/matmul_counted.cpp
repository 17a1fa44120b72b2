#include "bench/tables/matmul_counted.hpp"

#include "common/catalogue.hpp"
#include "common/ops/matmul.hpp"
#ifdef TALLCACHE_HAS_PAPI
#include "bench/measure/counted.hpp"
#endif

namespace tallcache {
namespace {

constexpr std::string_view names[] = {
    "cycles",           "instructions", "L1 data misses", "L2 data misses",
    "L1 data accesses", "loads",        "stores",         "vector instructions, double"};

}  // namespace

std::vector<ProductCount> count_product(std::string_view variant, const Params& params, const Shape& shape,
                                        std::uint64_t seed) {
  std::vector<ProductCount> counts;
#ifdef TALLCACHE_HAS_PAPI
  const Operation& operation = operation_of<Matmul<double>>;
  const auto executor = make_executor("cpu");
  Workspace workspace({&operation, shape, {}, seed}, *executor);
  const Candidate candidate{.variant = &find_variant(operation, variant), .params = params};
  if (const Check check = workspace.verify(candidate); !check)
    throw Error("wrong result: " + check.message(), Status::wrong);
  for (const Counted& count : count_quantities(workspace, candidate, names))
    counts.push_back({.name = count.name,
                      .event = count.event,
                      .value = count.value ? static_cast<double>(*count.value) : no_value,
                      .reason = count.reason});
#else
  for (std::string_view name : names)
    counts.push_back({.name = std::string(name), .reason = "this build has no PAPI with libsde"});
#endif
  return counts;
}

}  // namespace tallcache
