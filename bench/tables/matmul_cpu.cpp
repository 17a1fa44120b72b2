#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/ops/matmul.hpp"

namespace tallcache::slide_tables::matmul_cpu {
namespace {

const TimedTable& timed_table() {
  static const TimedTable table{.id = "matmul-cpu",
                                .operation = &operation_of<Matmul<double>>,
                                .unit = "ms",
                                .per_second = 1e3,
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
  return table;
}

Report report(const Inputs& inputs) {
  const Timings timings(timed_table(), inputs);
  Report report = report_of(timings);
  report.findings = {
      finds_faster(timings, "transposed beats naive from n = 512", "transposed", "naive", 512,
                   "The inner loop of transposed walks both factors along rows, that of naive jumps a row of "
                   "the second factor at every step",
                   "One product an iteration costs no less along a row than down a column at these sizes"),
      finds_faster(timings, "tiled beats naive from n = 1024", "tiled", "naive", 1024,
                   "A tile of the second factor is used again before it is evicted",
                   "Tiles do not pay for their shorter loops at these sizes"),
      finds_faster(
          timings, "transposed and tiled is the fastest: it beats transposed from n = 512",
          "transposed and tiled", "transposed", 512,
          "Tiles keep what the transposed factor streams through the caches",
          "Both walk memory along rows, and here streaming the rows costs no more than the tiles' shorter "
          "loops: the caches are larger than the slide's 3 MB, or fetched ahead of the loop"),
      finds_faster(timings, "transposed beats tiled: the order of access matters more than the tiles",
                   "transposed", "tiled", 512, "Inside a tile the inner loop still goes down a column",
                   "Inside a tile a column is found in the cache, and here that is as good as a row"),
      finds_growing(timings, "the speed-up of transposed and tiled grows with n", "transposed and tiled", 512,
                    "The larger the factors, the more of naive's accesses miss",
                    "naive does not fall further behind between these sizes"),
      finds_faster(timings,
                   "the cache-oblivious product, which knows no cache size, beats naive from n = 512",
                   "recursive", "naive", 512, "Halving reaches blocks that fit into every level",
                   "The recursion costs more than the misses that it saves"),
  };
  return report;
}

}  // namespace

const Table table{"matmul-cpu", "double n x n products on one core, textbook code",
                  [](Scale scale, std::uint64_t seed) { return rows_of(timed_table(), scale, seed); },
                  report};

}  // namespace tallcache::slide_tables::matmul_cpu
