// Operations for each byte, or each load, of global memory, from what the kernels' texts read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/tables/list.hpp"
#include "gpu/matmul/traffic.hpp"

namespace tallcache {
namespace {

struct Kernel {
  std::string_view slide;  ///< its name in the slides
  gpu::matmul::Traffic traffic;
};

constexpr Kernel kernels[] = {
    {"naive", gpu::matmul::one_thread_an_element()},
    {"shared_memory_tiled, 16", gpu::matmul::shared_tiles(16, 1)},
    {"shared_memory_tiled, 32", gpu::matmul::shared_tiles(32, 1)},
    {"coarsened, tile 16, factor 4", gpu::matmul::shared_tiles(16, 4)},
    {"coarsened, tile 32, factor 4", gpu::matmul::shared_tiles(32, 4)},
};

double slide_figure(const Json& slide, std::string_view kernel, std::string_view unit) {
  for (const Json& row : slide.at("rows"))
    if (row[0] == kernel && row[2] == unit) return row[1];
  return absent;
}

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"kernel, float", true}, {"slide op/B"}, {"op/B"}, {"slide op/load"}, {"op/load"}};
  bool same = true;
  for (const Kernel& kernel : kernels) {
    const double per_byte = kernel.traffic.operations_per_byte(sizeof(float));
    const double per_load = kernel.traffic.operations_per_load();
    const double slide_byte = slide_figure(inputs.slide, kernel.slide, "op/B");
    const double slide_load = slide_figure(inputs.slide, kernel.slide, "op/load");
    same = same && (std::isnan(slide_byte) || std::abs(slide_byte - per_byte) < 1e-9) &&
           (std::isnan(slide_load) || std::abs(slide_load - per_load) < 1e-9);
    grid.rows.push_back({std::string(kernel.slide), figure(slide_byte), figure(per_byte), figure(slide_load),
                         figure(per_load)});
  }
  report.notes.push_back(
      "Counted from the kernels' texts, of the loads that they issue: caches may serve them.");
  report.findings.push_back(
      {"the slides' intensities are those of these kernels", same,
       fmt::format("{} kernels counted", std::size(kernels)),
       same ? "The same loads for the same operations" : "These kernels read something else"});
  // The slides' bound: a GTX 260 with 112 GB/s.
  report.findings.push_back(
      {"112 GB/s bound the naive kernel at 28 GFLOP/s",
       std::abs(112 * kernels[0].traffic.operations_per_byte(sizeof(float)) - 28) < 0.5,
       fmt::format("112 GB/s x {} op/B = {} GFLOP/s", kernels[0].traffic.operations_per_byte(sizeof(float)),
                   112 * kernels[0].traffic.operations_per_byte(sizeof(float))),
       "Two operations for eight bytes"});
  return report;
}

}  // namespace

const Table matmul_gpu_intensity_table{"matmul-gpu-intensity",
                                       "operations a byte and a load of the GPU's products",
                                       [](Scale, std::uint64_t) { return std::vector<Row>{}; }, report};

}  // namespace tallcache
