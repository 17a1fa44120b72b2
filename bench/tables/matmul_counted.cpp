#include "bench/tables/matmul_counted.hpp"

#include "common/catalogue.hpp"
#include "common/ops/matmul.hpp"
#ifdef TALLCACHE_HAS_PAPI
#include "common/papi/counting.hpp"
#include "common/papi/source.hpp"
#endif

namespace tallcache {
namespace {

constexpr std::string_view names[] = {
    "cycles",           "instructions", "L1 data misses", "L2 data misses",
    "L1 data accesses", "loads",        "stores",         "vector instructions, double"};

}  // namespace

#ifdef TALLCACHE_HAS_PAPI
std::vector<ProductCount> count_product(std::string_view variant, const Params& params, const Shape& shape,
                                        std::uint64_t seed) {
  std::vector<ProductCount> counts;
  std::vector<std::string> events;
  std::vector<std::size_t> places;
  for (std::string_view name : names) {
    const EventChoice choice = event_for(name, Source::hardware);
    counts.push_back({.name = std::string(name), .event = choice.event, .reason = choice.reason});
    if (choice.event.empty()) continue;
    events.push_back(choice.event);
    places.push_back(counts.size() - 1);
  }
  if (events.empty()) return counts;
  const auto executor = make_host_executor();
  const Operation& operation = operation_of<Matmul<double>>;
  Workspace workspace({&operation, shape, {}, seed}, *executor);
  const Candidate candidate{.variant = &find_variant(operation, variant), .params = params};
  if (const Check check = workspace.verify(candidate); !check)
    throw Error("wrong result: " + check.message(), Status::wrong);
  const std::vector<Count> counted = Counting(events).run([&] { workspace.run(candidate); });
  for (std::size_t i = 0; i < counted.size(); ++i) {
    ProductCount& count = counts[places[i]];
    if (counted[i].value)
      count.value = static_cast<double>(*counted[i].value);
    else
      count.reason = counted[i].reason;
  }
  return counts;
}
#else
std::vector<ProductCount> count_product(std::string_view, const Params&, const Shape&, std::uint64_t) {
  std::vector<ProductCount> counts;
  for (std::string_view name : names)
    counts.push_back({.name = std::string(name), .reason = "this build has no PAPI with libsde"});
  return counts;
}
#endif

}  // namespace tallcache
