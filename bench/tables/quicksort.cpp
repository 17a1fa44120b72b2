#include "bench/tables/list.hpp"
#include "bench/tables/speedup.hpp"

#include <fmt/format.h>

namespace tallcache {
namespace {

double slide(const Json& slide, const SpeedupCase& c, const SpeedupLine& line, int cores) {
  return line.label == "quicksort" ? slide_timing(slide, c, cores) : absent;
}

const SpeedupTable& table() {
  static const SpeedupTable table{.id = "quicksort",
                                  .operation = "sort",
                                  .element = "uint32",
                                  .lines = {{"quicksort", "quicksort"},
                                            {"parallel partition", "quicksort_blocks"},
                                            {"merge sort", "merge_sort"},
                                            {"tbb::parallel_sort", "tbb_parallel_sort"}},
                                  .cases = {{"n = 2e4", {{"n", 20000}}, Scale::smoke, 0},
                                            {"n = 1e7", {{"n", 10000000}}, Scale::quick, 10000000},
                                            {"n = 5e7", {{"n", 50000000}}, Scale::full, 50000000},
                                            {"n = 1e8", {{"n", 100000000}}, Scale::full, 100000000},
                                            {"n = 5e8", {{"n", 500000000}}, Scale::full, 500000000}},
                                  .cores = {2, 4},
                                  .slide = slide};
  return table;
}

Report report(const Inputs& inputs) {
  const Speedups speedups(table(), inputs);
  Report report = speedup_report(speedups);
  report.findings = {
      finds_efficient(speedups, "quicksort scales: a speed-up of 1.9 and more on two cores", "quicksort",
                      0.95, 2, "Beyond the first partitions both halves keep every core busy",
                      "The first partition runs on one core: lg n levels of them, of which one is serial, "
                      "two run on two cores, ..."),
      finds_efficient(
          speedups, "with a parallel partition the first level scales too", "parallel partition", 0.95, 2,
          "Blocks are counted and moved side by side",
          "A partition through blocks moves every key twice, and the cores share the memory's bandwidth")};
  return report;
}

}  // namespace

const Table quicksort_table{
    "quicksort", "uniform uint32 keys, quicksort as in the slides beside its rivals",
    [](Scale scale, std::uint64_t seed) { return speedup_rows(table(), scale, seed); }, report};

}  // namespace tallcache
