#include "bench/tables/list.hpp"
#include "bench/tables/speedup.hpp"

#include <fmt/format.h>

namespace tallcache {
namespace {

double slide(const Json& slide, const SpeedupCase& c, const SpeedupLine& line, int cores) {
  return line.label == "a spawn at every call" ? slide_timing(slide, c, cores) : absent;
}

const SpeedupTable& table() {
  static const SpeedupTable table = [] {
    SpeedupTable table{.id = "fib",
                       .operation = "fib",
                       .element = "uint64",
                       .lines = {{"a spawn at every call", "fib", {{"grain", 0}}},
                                 {"with a grain of 20", "fib", {{"grain", 20}}}},
                       .cases = {{"n = 22", {{"n", 22}}, Scale::smoke, 0}},
                       .cores = {2, 4},
                       .slide = slide};
    for (Index n : {30, 35, 40, 45, 50})
      table.cases.push_back({fmt::format("n = {}", n),
                             {{"n", n}},
                             n <= 35 ? Scale::quick : Scale::full,
                             static_cast<double>(n)});
    return table;
  }();
  return table;
}

Report report(const Inputs& inputs) {
  const Speedups speedups(table(), inputs);
  Report report = speedup_report(speedups);
  report.notes.push_back(
      "On one core both are the serial elision, a call without a spawn; on several, a call of a few "
      "nanoseconds pays for a "
      "spawn of oneTBB, which Cilk++ keeps near a call's price. That is the point of the table, and of the "
      "grain.");
  report.findings = {
      finds_efficient(speedups, "a spawn at every call still scales (the slide: 1.75 to 1.95 on two cores)",
                      "a spawn at every call", 0.85, 2, "oneTBB's spawn costs little more than a call",
                      "A spawn of oneTBB makes and enqueues a task: tens of nanoseconds for a call of two or "
                      "three, where Cilk++ pushes a frame"),
      finds_efficient(speedups, "with a grain it scales: an efficiency of 0.97 and more",
                      "with a grain of 20", 0.97, 0, "Ten thousand calls to a spawn hide its cost",
                      "The threads did not have their cores to themselves")};
  return report;
}

}  // namespace

const Table fib_table{"fib", "the Fibonacci program, spawning at every call and with a grain",
                      [](Scale scale, std::uint64_t seed) { return speedup_rows(table(), scale, seed); },
                      report};

}  // namespace tallcache
