#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/catalogue.hpp"

#include <fmt/format.h>

namespace tallcache::slide_tables::quicksort {
namespace {

TimedTable timed_table() {
  TimedTable table{.id = "quicksort",
                   .operation = &find_operation("sort", "uint32"),
                   .unit = "s",
                   .cases = {{"n = 2e4", 0, {{"n", 20000}}, Scale::smoke},
                             {"n = 1e7", 10000000, {{"n", 10000000}}, Scale::quick},
                             {"n = 5e7", 50000000, {{"n", 50000000}}, Scale::full},
                             {"n = 1e8", 100000000, {{"n", 100000000}}, Scale::full},
                             {"n = 5e8", 500000000, {{"n", 500000000}}, Scale::full}}};
  add_on_cores(table.lines, {"quicksort", "quicksort"}, {{1, "t1"}, {2, "t2"}, {4, "t4"}});
  add_on_cores(table.lines, {"parallel partition", "quicksort_blocks"}, {{1, ""}, {2, ""}, {4, ""}});
  add_on_cores(table.lines, {"merge sort", "merge_sort"}, {{1, ""}, {2, ""}, {4, ""}});
  add_on_cores(table.lines, {"tbb::parallel_sort", "tbb_parallel_sort"}, {{1, ""}, {2, ""}, {4, ""}});
  return table;
}

// Where quicksort loses: the efficiency of the same sort with a parallel partition, at the same case and
// cores.
std::string beside_a_parallel_partition(const Timings& timings) {
  const Efficiency serial = efficiency_of(timings, "quicksort", 2),
                   parallel = efficiency_of(timings, "parallel partition", 2);
  if (!serial.at || serial.at != parallel.at || !(parallel.value > serial.value)) return "";
  return fmt::format("With a parallel partition, in place of one on one core, the efficiency is {:.3f}",
                     parallel.value);
}

void add_findings(const Timings& timings, Report& report) {
  report.findings = {finds_efficient(timings, "quicksort scales: a speed-up of 1.9 and more on two cores",
                                     "quicksort", 0.95, 2),
                     finds_efficient(timings, "with a parallel partition the first level scales too",
                                     "parallel partition", 0.95, 2)};
  if (report.findings[0].holds == false) report.findings[0].why = beside_a_parallel_partition(timings);
}

}  // namespace

const Table table = timed("quicksort", "uniform uint32 keys, quicksort as in the slides beside its rivals",
                          timed_table, add_findings);

}  // namespace tallcache::slide_tables::quicksort
