#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/catalogue.hpp"

#include <fmt/format.h>

namespace tallcache::slide_tables::fib {
namespace {

const TimedTable& timed_table() {
  static const TimedTable table = [] {
    TimedTable table{.id = "fib",
                     .operation = &find_operation("fib", "uint64"),
                     .unit = "s",
                     .per_second = 1,
                     .lines = {},
                     .cases = {{"n = 22", 0, {{"n", 22}}, Scale::smoke}}};
    add_on_cores(table.lines, {.label = "a spawn at every call", .variant = "fib", .params = {{"grain", 0}}},
                 {{1, "t1"}, {2, "t2"}, {4, "t4"}});
    add_on_cores(table.lines, {.label = "with a grain of 20", .variant = "fib", .params = {{"grain", 20}}},
                 {{1, ""}, {2, ""}, {4, ""}});
    for (Index n : {30, 35, 40, 45, 50})
      table.cases.push_back({fmt::format("n = {}", n), n, {{"n", n}}, n <= 35 ? Scale::quick : Scale::full});
    return table;
  }();
  return table;
}

Report report(const Inputs& inputs) {
  const Timings timings(timed_table(), inputs);
  Report report = report_of(timings);
  report.notes.push_back(
      "On one core both are the serial elision, a call without a spawn; on several, a call of a few "
      "nanoseconds pays for a spawn of oneTBB, which Cilk++ keeps near a call's price. That is the point of "
      "the table, and of the grain.");
  report.findings = {
      finds_efficient(timings, "a spawn at every call still scales (the slide: 1.75 to 1.95 on two cores)",
                      "a spawn at every call", 0.85, 2, "oneTBB's spawn costs little more than a call",
                      "A spawn of oneTBB makes and enqueues a task: tens of nanoseconds for a call of two or "
                      "three, where Cilk++ pushes a frame"),
      finds_efficient(timings, "with a grain it scales: an efficiency of 0.97 and more", "with a grain of 20",
                      0.97, 0, "Ten thousand calls to a spawn hide its cost",
                      "The threads did not have their cores to themselves")};
  return report;
}

}  // namespace

const Table table{"fib", "the Fibonacci program, spawning at every call and with a grain",
                  [](Scale scale, std::uint64_t seed) { return rows_of(timed_table(), scale, seed); },
                  report};

}  // namespace tallcache::slide_tables::fib
