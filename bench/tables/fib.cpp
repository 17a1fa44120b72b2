#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/catalogue.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tallcache::slide_tables::fib {
namespace {

TimedTable timed_table() {
  TimedTable table{.id = "fib",
                   .operation = &find_operation("fib", "uint64"),
                   .unit = "s",
                   .cases = {{"n = 22", 0, {{"n", 22}}, Scale::smoke}}};
  add_on_cores(table.lines, {.label = "a spawn at every call", .variant = "fib", .params = {{"grain", 0}}},
               {{1, "t1"}, {2, "t2"}, {4, "t4"}});
  add_on_cores(table.lines, {.label = "with a grain of 20", .variant = "fib", .params = {{"grain", 20}}},
               {{1, ""}, {2, ""}, {4, ""}});
  for (Index n : {30, 35, 40, 45, 50})
    table.cases.push_back({fmt::format("n = {}", n), n, {{"n", n}}, n <= 35 ? Scale::quick : Scale::full});
  return table;
}

// "Under heartbeat": the policy that the run of `line` forked under, where the document names it.
std::string under(const Timings& timings, const Case& c, const Line& line) {
  const std::string policy = fork_policy_of(timings.document(), *timings.record(c, line));
  return policy.empty() ? "" : "Under " + policy;
}

// What spawns cost: the time of all threads beyond the serial elision's, for each call.
std::string cost_of_spawns(const Timings& timings, std::string_view label, int cores) {
  const auto [at, line, efficiency] = efficiency_of(timings, label, cores);
  if (!at) return "";
  const Operation& operation = *timings.table().operation;
  const double calls = operation.cost(complete_shape(operation, at->shape)).keys,
               alone = timings.here(*at, timings.baseline(*line)),
               beyond = line->threads * timings.here(*at, *line) - alone;
  const std::string policy = under(timings, *at, *line);
  return fmt::format("{} threads together take {} ns a call {} than the serial elision, which takes {}",
                     policy.empty() ? "The" : policy + " the", figure(std::abs(beyond) / calls * 1e9),
                     beyond < 0 ? "less" : "more", figure(alone / calls * 1e9));
}

void add_findings(const Timings& timings, Report& report) {
  constexpr std::string_view spawning = "a spawn at every call", grained = "with a grain of 20";
  const auto [at, line, efficiency] = efficiency_of(timings, spawning, 0);
  const std::string policy = at ? under(timings, *at, *line) : "";
  report.notes.push_back("On one core both are the serial elision, a call without a spawn. " +
                         (at ? policy.empty()
                                   ? std::string("The document does not name the fork policy of the others.")
                                   : policy + " on several."
                             : std::string("Nothing was measured on several.")));
  report.findings = {
      finds_efficient(timings, "a spawn at every call still scales (the slide: 1.75 to 1.95 on two cores)",
                      spawning, 0.85, 2),
      finds_efficient(timings, "with a grain it scales: an efficiency of 0.97 and more", grained, 0.97, 0)};
  if (report.findings[0].holds) report.findings[0].why = cost_of_spawns(timings, spawning, 2);
  if (report.findings[1].holds) report.findings[1].why = cost_of_spawns(timings, grained, 0);
}

}  // namespace

const Table table =
    timed("fib", "the Fibonacci program, spawning at every call and with a grain", timed_table, add_findings);

}  // namespace tallcache::slide_tables::fib
