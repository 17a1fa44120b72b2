// Operations per byte, or per load, of global memory, derived from the kernels' texts.
#include <fmt/format.h>

#include <cmath>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "bench/tables/list.hpp"
#include "common/ops/matmul.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/matmul/traffic.hpp"

namespace tallcache::slide_tables::matmul_gpu_intensity {
namespace {

struct Kernel {
  std::string_view slide;  ///< its name in the slides
  gpu::matmul::Traffic traffic;
};

constexpr Kernel kernels[] = {
    {"naive", gpu::matmul::thread_per_element()},
    {"shared_memory_tiled, 16", gpu::matmul::shared_tiles(16, 1)},
    {"shared_memory_tiled, 32", gpu::matmul::shared_tiles(32, 1)},
    {"coarsened, tile 16, factor 4", gpu::matmul::shared_tiles(16, 4)},
    {"coarsened, tile 32, factor 4", gpu::matmul::shared_tiles(32, 4)},
};

double slide_figure(const Json& slide, std::string_view kernel, std::string_view unit) {
  for (const Json& row : slide.at("rows"))
    if (row[0] == kernel && row[2] == unit) return row[1];
  return no_value;
}

constexpr std::string_view id = "matmul-gpu-intensity";

std::vector<Record> count(const Kernel& kernel) {
  Record record = measured_record("matmul", std::string(kernel.slide), "float", Json::object());
  record.backend = "gpu";
  const char* const source = "the kernel's text: a block in one step along the inner dimension";
  add_count(record, "loads", kernel.traffic.loads, Origin::formula, source);
  add_count(record, "operations", kernel.traffic.operations, Origin::formula, source);
  return {record};
}

// The elements that the threads of a variant load from global memory, by its text on the model, for a product
// of n x n matrices.
double elements_loaded(std::string_view variant, Index n, const Params& params = {}) {
  warp::HostDevice device(cache::warp_machine("h200"));
  const gpu::KernelText& text = gpu::find_kernel_text(operation_of<Matmul<float>>, variant);
  const Check check = gpu::run_kernel_text(device, text, Shape{{"m", n}}, params);
  if (!check) throw Error(fmt::format("the text of {}: {}", variant, check.message()));
  return static_cast<double>(device.total(cache::Space::global, cache::AccessKind::load).lanes);
}

std::vector<Record> answer() {
  Answers answers(id);
  const auto put = [&](std::string_view exercise, double value, std::string_view model) {
    answers.put(exercise, value, Origin::model, model);
  };
  constexpr Index n = 128;
  constexpr double operations = 2.0 * n * n * n, element = sizeof(float);
  const auto per_byte = [&](std::string_view variant, const Params& params = {}) {
    return operations / (element * elements_loaded(variant, n, params));
  };
  const double simple = per_byte("coalesced");
  put("simple kernel", simple, "coalesced");
  put("tiles of 32 x 32", per_byte("shared_memory_tiled", {{"tile", 32}}), "shared_memory_tiled");
  put("tiles of 32 x 32, coarsened by 4", per_byte("coarsened", {{"factor", 4}}), "coarsened");
  // A product of one tile is one block in one phase.
  for (const Index tile : {16, 32}) {
    const auto name = [&](const char* what) { return fmt::format("tile {}: {}", tile, what); };
    const double side = static_cast<double>(tile);
    put(name("threads of a block"), side * side, "a thread an element");
    put(name("loads of a block in a phase"), elements_loaded("shared_memory_tiled", tile, {{"tile", tile}}),
        "shared_memory_tiled");
    put(name("operations of a block in a phase"), 2 * side * side * side, "two an element and step");
  }
  put("naive kernel: bytes an operation", 1 / simple, "coalesced");
  put("naive kernel at 805 GFLOP/s: bandwidth", 805e9 / simple / 1e12, "coalesced");
  put("naive kernel at 112 GB/s: speed", 112 * simple, "coalesced");
  return {answers.record()};
}

std::vector<Row> rows(Scale, std::uint64_t) {
  std::vector<Row> rows;
  for (const Kernel& kernel : kernels)
    rows.push_back({std::string(kernel.slide), [&kernel] { return count(kernel); }});
  rows.push_back(exercises_row(answer));
  return rows;
}

// NaN where it was not counted.
gpu::matmul::Traffic traffic_of(const Inputs& inputs, const Kernel& kernel) {
  const auto records = records_of(inputs.document, id, kernel.slide);
  if (records.empty()) return {no_value, no_value};
  return {.loads = records[0]->value("loads"), .operations = records[0]->value("operations")};
}

// The slides' bound: a GTX 260 with 112 GB/s.
Finding finds_bound(double per_byte) {
  Finding finding{"112 GB/s bound the naive kernel at 28 GFLOP/s", {}, "", "Not counted"};
  if (std::isnan(per_byte)) return finding;
  finding.holds = std::abs(112 * per_byte - 28) < 0.5;
  finding.figures = fmt::format("112 GB/s x {} op/B = {} GFLOP/s", per_byte, 112 * per_byte);
  finding.why = "";
  return finding;
}

Report report(const Inputs& inputs) {
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"kernel, float", true}, {"slide op/B"}, {"op/B"}, {"slide op/load"}, {"op/load"}};
  Ranking ranking{.title = "", .x = "operations a byte", .value_name = "counted", .other_name = "slide"};
  bool same = true;
  int counted = 0;
  double naive = no_value;
  for (const Kernel& kernel : kernels) {
    const gpu::matmul::Traffic traffic = traffic_of(inputs, kernel);
    const double per_byte = traffic.operations_per_byte(sizeof(float)),
                 per_load = traffic.operations_per_load();
    const double slide_byte = slide_figure(inputs.slide, kernel.slide, "op/B"),
                 slide_load = slide_figure(inputs.slide, kernel.slide, "op/load");
    if (&kernel == kernels) naive = per_byte;
    if (!std::isnan(per_byte)) {
      ranking.items.push_back({.name = std::string(kernel.slide),
                               .family = Family::textbook,
                               .value = per_byte,
                               .other = slide_byte});
      ++counted;
      same = same && (std::isnan(slide_byte) || std::abs(slide_byte - per_byte) < 1e-9) &&
             (std::isnan(slide_load) || std::abs(slide_load - per_load) < 1e-9);
    }
    grid.rows.push_back({std::string(kernel.slide), figure(slide_byte), figure(per_byte), figure(slide_load),
                         figure(per_load)});
  }
  if (!ranking.items.empty()) report.rankings.push_back(std::move(ranking));
  report.notes.push_back(
      "Counted from the kernels' texts, of the loads that they issue: caches may serve them.");
  Finding intensities{"the slides' intensities are those of these kernels", {}, "", "Not counted"};
  if (counted) intensities = {intensities.text, same, fmt::format("{} kernels counted", counted), ""};
  report.findings = {std::move(intensities), finds_bound(naive)};
  add_exercises(inputs, id, {}, {}, report);
  return report;
}

}  // namespace

const Table table{id, "operations a byte and a load of the GPU's products", rows, report};

}  // namespace tallcache::slide_tables::matmul_gpu_intensity
