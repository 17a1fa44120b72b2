#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/catalogue.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tallcache::slide_tables::matmul_threshold {
namespace {

TimedTable timed_table() {
  TimedTable table{.id = "matmul-threshold",
                   .operation = &find_operation("matmul", "double"),
                   .unit = "s",
                   .cases = {{"threshold 16", 0, {{"m", 69}, {"k", 84}, {"n", 111}}, Scale::smoke, 16}}};
  add_on_cores(table.lines, {"iterative", "naive"}, {{1, "iterative_st"}, {2, ""}, {4, "iterative_pt"}});
  add_on_cores(table.lines, {.label = "recursive", .variant = "recursive", .swept = "base"},
               {{1, "recursive_st"}, {2, ""}, {4, "recursive_pt"}});
  for (Index threshold : {10, 16, 32, 48, 64, 80})
    table.cases.push_back({fmt::format("threshold {}", threshold),
                           threshold,
                           {{"m", 687}, {"k", 837}, {"n", 1107}},
                           Scale::quick,
                           threshold});
  return table;
}

// A threshold that was not measured may be the fastest: it leaves the finding undecided.
Finding finds_threshold(const Timings& timings) {
  Finding finding{
      "the recursive product is fastest at a threshold of 48 to 64, and slow at 10", {}, "", "Not measured"};
  const Line& recursive = timings.line("recursive");
  double best = no_value, ten = no_value;
  Index at = 0;
  std::string absent;
  for (const Case* c : timings.cases()) {
    if (timings.left_out(*c)) continue;
    const double here = timings.here(*c, recursive);
    if (std::isnan(here)) absent += fmt::format("{}{}", absent.empty() ? "" : ", ", c->label);
    if (c->value == 10) ten = here;
    if (here < best || std::isnan(best)) best = here, at = c->value;
  }
  if (std::isnan(best)) return finding;
  finding.figures = fmt::format("fastest at {}: {} s; at 10: {} s", at, figure(best), figure(ten));
  finding.why = absent.empty() ? "" : absent + " not measured";
  if (absent.empty()) finding.holds = (at == 48 || at == 64) && ten > 1.2 * best;
  return finding;
}

void add_findings(const Timings& timings, Report& report) {
  report.notes.push_back(
      "The iterative product has no threshold: it is measured once and stands in every row, as a loop over "
      "rows that run side by side. The slide's printed speed-ups of it are below 1 and do not agree with its "
      "times in the first row (1.273 / 1.165 is 1.09, not 0.721).");

  report.findings = {finds_threshold(timings),
                     finds_efficient(timings, "the recursive product scales: an efficiency of 0.95 and more",
                                     "recursive", 0.95, 0)};
}

}  // namespace

const Table table =
    timed("matmul-threshold",
          "687 x 837 times 837 x 1107, double: parallel loop and recursion, its threshold swept", timed_table,
          add_findings);

}  // namespace tallcache::slide_tables::matmul_threshold
