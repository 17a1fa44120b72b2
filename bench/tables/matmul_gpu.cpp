#include <fmt/format.h>

#include <cmath>

#include "bench/tables/ladder.hpp"
#include "bench/tables/list.hpp"
#include "common/ops/matmul.hpp"

namespace tallcache {
namespace {

const Ladder& ladder() {
  static const Ladder ladder{
      .id = "matmul-gpu",
      .operation = &operation_of<Matmul<float>>,
      .unit = "s",
      .per_second = 1,
      .lines = {{"CPU, naive", "naive", "cpu"},
                {"CPU, OpenBLAS", "openblas_best"},
                {"GPU, grid-tiled", "grid_tiled", "grid_tiled", "", Backend::gpu},
                {"GPU, shared-memory tiled", "shared_memory_tiled", "shared_memory_tiled", "", Backend::gpu},
                {"GPU, coalesced", "coalesced", "", "", Backend::gpu},
                {"GPU, coarsened", "coarsened", "", "", Backend::gpu},
                {"GPU, cuBLAS", "cublas", "", "", Backend::gpu}},
      .cases = {{"n = 40", 0, cube(40), Scale::smoke}, {"n = 1024", 1024, cube(1024), Scale::quick}}};
  return ladder;
}

Report report(const Inputs& inputs) {
  const Climbed climbed(ladder(), inputs);
  Report report = ladder_report(climbed);
  report.notes.push_back("The GPU's times are those of the kernel alone, without transfers.");
  const Case& printed = ladder().cases.back();
  const Line &cpu = climbed.line("CPU, naive"), &gpu = climbed.line("GPU, shared-memory tiled");
  const double here = climbed.here(printed, cpu), slide_gpu = climbed.slide(printed, gpu);
  Finding finding{
      "the slide's GPU stays ahead of this processor's naive product", {}, "", "n = 1024 was not measured"};
  if (!std::isnan(here)) {
    finding.holds = slide_gpu < here;
    finding.figures = fmt::format("naive here {} s, the slide's shared-memory kernel {} s: {}", figure(here),
                                  figure(slide_gpu), times(here / slide_gpu));
    finding.why = *finding.holds
                      ? "A GPU of the slide's time does a naive product faster than one core does now"
                      : "One core does now what took a GPU then";
  }
  report.findings.push_back(std::move(finding));
  report.findings.push_back(finds_faster(
      climbed, "tiles in shared memory beat the same grid without", "GPU, shared-memory tiled",
      "GPU, grid-tiled", 1024, "Each element that a block reads from global memory is used 32 times",
      "The first-level cache serves the repeated reads of a block as shared memory does"));
  return report;
}

}  // namespace

const Table matmul_gpu_table{
    "matmul-gpu", "float 1024 x 1024 product, CPU and GPU",
    [](Scale scale, std::uint64_t seed) { return ladder_rows(ladder(), scale, seed); }, report};

}  // namespace tallcache
