#include <fmt/format.h>

#include <cmath>

#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/ops/matmul.hpp"

namespace tallcache::slide_tables::matmul_gpu {
namespace {

const TimedTable& timed_table() {
  static const TimedTable table{
      .id = "matmul-gpu",
      .operation = &operation_of<Matmul<float>>,
      .unit = "s",
      .per_second = 1,
      .lines = {{"CPU, naive", "naive", "cpu"},
                {"CPU, OpenBLAS", "openblas_best"},
                {"GPU, grid-tiled", "grid_tiled", "grid_tiled", "", "gpu"},
                {"GPU, shared-memory tiled", "shared_memory_tiled", "shared_memory_tiled", "", "gpu"},
                {"GPU, coalesced", "coalesced", "", "", "gpu"},
                {"GPU, coarsened", "coarsened", "", "", "gpu"},
                {"GPU, cuBLAS", "cublas", "", "", "gpu"}},
      .cases = {{"n = 40", 0, cube(40), Scale::smoke}, {"n = 1024", 1024, cube(1024), Scale::quick}}};
  return table;
}

Report report(const Inputs& inputs) {
  const Timings timings(timed_table(), inputs);
  Report report = report_of(timings);
  report.notes.push_back("The GPU's times are those of the kernel alone, without transfers.");
  const Case& printed = timed_table().cases.back();
  const Line &cpu = timings.line("CPU, naive"), &gpu = timings.line("GPU, shared-memory tiled");
  const double here = timings.here(printed, cpu), slide_gpu = timings.slide(printed, gpu);
  Finding finding{
      "the slide's GPU stays ahead of this processor's naive product", {}, "", "n = 1024 was not measured"};
  if (!std::isnan(here)) {
    finding.holds = slide_gpu < here;
    finding.figures = fmt::format("naive here {} s, the slide's shared-memory kernel {} s: {}", figure(here),
                                  figure(slide_gpu), times(here / slide_gpu));
    finding.why = "";
  }
  report.findings.push_back(std::move(finding));
  report.findings.push_back(finds_faster(timings, "tiles in shared memory beat the same grid without",
                                         "GPU, shared-memory tiled", "GPU, grid-tiled", 1024));
  return report;
}

}  // namespace

const Table table{"matmul-gpu", "float 1024 x 1024 product, CPU and GPU",
                  [](Scale scale, std::uint64_t seed) { return rows_of(timed_table(), scale, seed); },
                  report};

}  // namespace tallcache::slide_tables::matmul_gpu
