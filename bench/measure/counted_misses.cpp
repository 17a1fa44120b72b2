// Misses counted through PAPI: the model's, as software-defined events, and the processor's own.
#include <fmt/format.h>

#include <array>

#include "bench/measure/counted.hpp"
#include "bench/measure/misses.hpp"
#include "bench/measure/stops_trace.hpp"
#include "common/cache/hierarchy.hpp"
#include "common/cache/run_traced.hpp"
#include "common/papi/counting.hpp"
#include "common/papi/simulated.hpp"

namespace tallcache {
namespace {

constexpr std::array per_level_events{Simulated::l1_accesses, Simulated::l1_misses, Simulated::l1_cold,
                                      Simulated::l1_capacity, Simulated::l1_conflict};

void publish(const cache::Hierarchy& hierarchy, const cache::TraceCounts& trace) {
  auto& counters = simulated_counters();
  const auto add = [&](Simulated event, std::uint64_t count) {
    counters.publish({event});
    counters.add(event, static_cast<long long>(count));
  };
  add(Simulated::loads, trace.loads);
  add(Simulated::stores, trace.stores);
  for (std::size_t i = 0; i < hierarchy.levels(); ++i) {
    const cache::LevelCounts& counts = hierarchy.counts(i);
    const std::uint64_t values[] = {counts.accesses(), counts.misses(), counts.cold, counts.capacity,
                                    counts.conflict};
    for (std::size_t e = 0; e < per_level_events.size(); ++e)
      add(at_level(per_level_events[e], static_cast<int>(i) + 1), values[e]);
  }
}

}  // namespace

MissCounts simulated_misses(const Problem& problem, const Candidate& candidate,
                            std::span<const cache::CacheLevel> levels) {
  std::vector<Simulated> events{Simulated::loads, Simulated::stores};
  for (std::size_t i = 0; i < levels.size(); ++i)
    for (Simulated event : per_level_events) events.push_back(at_level(event, static_cast<int>(i) + 1));
  std::vector<std::string> names;
  for (Simulated event : events) {
    simulated_counters().publish({event});
    names.emplace_back(papi_name(event));
  }
  const Params params = complete_params(*candidate.variant, candidate.params);
  const auto counts = Counting(names).run([&] {
    cache::Hierarchy hierarchy(levels);
    StopsTrace stops;
    const cache::TraceCounts trace =
        cache::trace(levels.front().line, {&hierarchy, &stops}, [&](cache::Tracer& tracer) {
          cache::run_traced(*candidate.variant, tracer, problem.shape, params, problem.input, problem.seed,
                            problem.own_inputs);
        });
    publish(hierarchy, trace);
  });
  for (const Count& count : counts)
    if (!count.value) throw Error(fmt::format("PAPI does not read {}: {}", count.event, count.reason));

  MissCounts result{counts[0].value, counts[1].value, {}};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Count* level = &counts[2 + i * per_level_events.size()];
    result.levels.push_back(
        {level[0].value, level[1].value, level[2].value, level[3].value, level[4].value, level[1].event, {}});
  }
  return result;
}

MissCounts hardware_misses(Workspace& workspace, const Candidate& candidate) {
  const std::string_view quantities[] = {
      "loads",          "stores",           "L1 data misses", "L1 data accesses",
      "L2 data misses", "L2 data accesses", "L3 data misses", "L3 data accesses"};
  const std::vector<Counted> counts = count_quantities(workspace, candidate, quantities);
  MissCounts result{counts[0].value, counts[1].value, {}};
  for (std::size_t i = 2; i < counts.size(); i += 2)
    result.levels.push_back({.accesses = counts[i + 1].value,
                             .misses = counts[i].value,
                             .event = counts[i].event,
                             .reason = counts[i].reason});
  return result;
}

}  // namespace tallcache
