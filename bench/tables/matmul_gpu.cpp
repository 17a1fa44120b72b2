#include <fmt/format.h>

#include <cmath>

#include "bench/tables/list.hpp"
#include "bench/tables/timings.hpp"
#include "common/ops/matmul.hpp"

namespace tallcache::slide_tables::matmul_gpu {
namespace {

TimedTable timed_table() {
  return {.id = "matmul-gpu",
          .operation = &operation_of<Matmul<float>>,
          .unit = "s",
          .lines = {{"CPU, naive", "naive", "cpu"},
                    {"CPU, OpenBLAS", "openblas_best"},
                    {"GPU, grid-tiled", "grid_tiled", "grid_tiled", "", "gpu"},
                    {"GPU, shared-memory tiled", "shared_memory_tiled", "shared_memory_tiled", "", "gpu"},
                    {"GPU, coalesced", "coalesced", "", "", "gpu"},
                    {"GPU, coarsened", "coarsened", "", "", "gpu"},
                    {"GPU, cuBLAS", "cublas", "", "", "gpu"}},
          .cases = {{"n = 40", 0, cube(40), Scale::smoke}, {"n = 1024", 1024, cube(1024), Scale::quick}}};
}

void add_findings(const Timings& timings, Report& report) {
  report.notes.push_back("The GPU's times are those of the kernel alone, without transfers.");
  const Case& printed = timings.table().cases.back();
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
}

}  // namespace

const Table table = timed("matmul-gpu", "float 1024 x 1024 product, CPU and GPU", timed_table, add_findings);

}  // namespace tallcache::slide_tables::matmul_gpu
