#include <fmt/format.h>

#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/ops/transpose.hpp"

namespace tallcache::slide_tables::transpose_cpu {
namespace {

TimedTable timed_table() {
  return {.id = "transpose-cpu",
          .operation = &operation_of<Transpose<float>>,
          .unit = "ms",
          .lines = {{"naive", "naive", "naive"},
                    {"recursive", "recursive", "cache_oblivious"},
                    {"tiled", "tiled"},
                    {"OpenBLAS", "omatcopy"}},
          .cases = {{"n = 65", 0, square(65), Scale::smoke},
                    {"n = 100", 0, square(100), Scale::smoke},
                    {"n = 5000", 5000, square(5000), Scale::quick},
                    {"n = 10000", 10000, square(10000), Scale::quick},
                    {"n = 20000", 20000, square(20000), Scale::full},
                    {"n = 30000", 30000, square(30000), Scale::full},
                    {"n = 40000", 40000, square(40000), Scale::full}},
          .best_known = {"today", "recursive_streaming"}};
}

void add_findings(const Timings& timings, Report& report) {
  report.notes.push_back(
      "The slide does not name its element type; here it is float: 40000^2 of them, twice, are 12.8 GB.");
  report.findings = {
      finds_faster(timings, "the cache-oblivious transpose beats naive at every n", "recursive", "naive",
                   5000),
      finds_growing(timings, "the ratio grows with n", "recursive", 5000),
  };
}

}  // namespace

const Table table =
    timed("transpose-cpu", "float n x n transposes on one core, textbook code", timed_table, add_findings);

}  // namespace tallcache::slide_tables::transpose_cpu
