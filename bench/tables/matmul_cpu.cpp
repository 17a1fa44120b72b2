#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/ops/matmul.hpp"

namespace tallcache::slide_tables::matmul_cpu {
namespace {

TimedTable timed_table() {
  return {.id = "matmul-cpu",
          .operation = &operation_of<Matmul<double>>,
          .unit = "ms",
          .lines = {{"naive", "naive", "naive"},
                    {"transposed", "transposed", "transposed"},
                    {"tiled", "tiled", "tiled_64x64"},
                    {"transposed and tiled", "transposed_tiled", "transposed_tiled"},
                    {"recursive", "recursive", "cache_oblivious"},
                    {"OpenBLAS", "openblas_best"},
                    {"BLIS", "blis_best"}},
          .cases = {{"n = 33", 0, cube(33), Scale::smoke},
                    {"n = 48", 0, cube(48), Scale::smoke},
                    {"n = 128", 128, cube(128), Scale::quick},
                    {"n = 256", 256, cube(256), Scale::quick},
                    {"n = 512", 512, cube(512), Scale::quick},
                    {"n = 1024", 1024, cube(1024), Scale::quick},
                    {"n = 2048", 2048, cube(2048), Scale::full},
                    {"n = 4096", 4096, cube(4096), Scale::full}},
          .best_known = {"today", "recursive_packed"}};
}

void add_findings(const Timings& timings, Report& report) {
  report.findings = {
      finds_faster(timings, "transposed beats naive from n = 512", "transposed", "naive", 512),
      finds_faster(timings, "tiled beats naive from n = 1024", "tiled", "naive", 1024),
      finds_faster(timings, "transposed and tiled is the fastest: it beats transposed from n = 512",
                   "transposed and tiled", "transposed", 512),
      finds_faster(timings, "transposed beats tiled from n = 512", "transposed", "tiled", 512),
      finds_growing(timings, "the speed-up of transposed and tiled grows with n", "transposed and tiled",
                    512),
      finds_faster(timings,
                   "the cache-oblivious product, which knows no cache size, beats naive from n = 512",
                   "recursive", "naive", 512),
  };
}

}  // namespace

const Table table =
    timed("matmul-cpu", "double n x n products on one core, textbook code", timed_table, add_findings);

}  // namespace tallcache::slide_tables::matmul_cpu
