// The two tables of transpositions on the GPU, as effective bandwidth: twice the matrix over the time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/tables/list.hpp"
#include "common/catalogue.hpp"
#include "common/ops/copy.hpp"
#include "common/ops/grained_transpose.hpp"
#include "common/ops/transpose.hpp"

namespace tallcache::slide_tables::transpose_gpu {
namespace {

/// A line of a table: a kernel with its parameters, on one element type.
struct Kernel {
  std::string_view label, slide;  ///< slide: its name there; empty when the slide has none
  const Operation* operation;
  std::string_view variant;
  Params params{};

  /// The catalogue's variant, or null in a build without CUDA.
  const Variant* found() const {
    for (const Variant* found : variants_of(*operation))
      if (found->backend == "gpu" && found->name == variant) return found;
    return nullptr;
  }
};

std::vector<Index> sizes_at(Scale scale) {
  // The slides' size, which fits into the second-level cache of a large GPU, and one that does not.
  if (scale == Scale::smoke) return {64};
  return {2048, 8192};
}

/// One row for each size and operation, so that its kernels run interleaved.
std::vector<Row> rows_of(std::span<const Kernel> kernels, Scale scale, std::uint64_t seed) {
  const Protocol smoke{.min_rounds = 3, .max_rounds = 3, .seconds = 0.01};
  const Protocol usual{.min_rounds = 5, .max_rounds = 15, .seconds = scale == Scale::full ? 1.0 : 0.2};
  std::vector<Row> rows;
  for (Index n : sizes_at(scale)) {
    std::map<const Operation*, Timed> by_operation;
    std::vector<const Operation*> order;
    for (const Kernel& kernel : kernels) {
      const Variant* variant = kernel.found();
      if (!variant) continue;
      const auto [timed, fresh] = by_operation.try_emplace(
          kernel.operation, Timed{{kernel.operation, complete_shape(*kernel.operation, {{"m", n}}), {}, seed},
                                  {},
                                  scale == Scale::smoke ? smoke : usual});
      if (fresh) order.push_back(kernel.operation);
      timed->second.candidates.push_back({.variant = variant, .params = kernel.params});
    }
    for (const Operation* operation : order)
      rows.push_back({fmt::format("{}, n = {}", operation->name, n), std::move(by_operation.at(operation))});
  }
  return rows;
}

const Record* record_of(const Inputs& inputs, const Kernel& kernel, Index n) {
  return find_run(inputs.document, {.operation = kernel.operation,
                                    .shape = {{"m", n}},
                                    .variant = kernel.variant,
                                    .backend = "gpu",
                                    .params = kernel.params});
}

/// GB/s. A kernel that repeats its work moved the matrix as often.
double bandwidth(const Inputs& inputs, const Kernel& kernel, Index n) {
  const Record* record = record_of(inputs, kernel, n);
  if (!record || !record->outcome.measured()) return no_value;
  const auto* repeats = kernel.params.find("repeats");
  return record->rate() * static_cast<double>(repeats ? repeats->value : 1);
}

/// The reason why there is none. `kernels`: those that are measured with it.
std::string why_absent(const Inputs& inputs, std::span<const Kernel> kernels, const Kernel& kernel, Index n) {
  if (const Record* record = record_of(inputs, kernel, n))
    return record->outcome.reason.empty() ? "not measured" : record->outcome.reason;
  const bool others = std::ranges::any_of(kernels, [&](const Kernel& k) { return record_of(inputs, k, n); });
  return others ? "not measured" : "needs a GPU build";
}

double slide_figure(const Inputs& inputs, std::string_view row_name, std::string_view column_name) {
  const Json& columns = inputs.slide.at("columns");
  for (const Json& row : inputs.slide.at("rows"))
    for (std::size_t c = 1; c < columns.size(); ++c)
      if (row[0] == row_name && columns[c] == column_name && row[c].is_number()) return row[c];
  return no_value;
}

/// A column of a table: the slide's figures and the kernels beside them.
struct Compared {
  std::string_view title, slide;
  std::span<const Kernel> kernels;
};

/// Both kernel lists have the same labels, line by line.
void add_grids(Report& report, const Inputs& inputs, std::span<const Compared> columns) {
  for (Index n : sizes_at(inputs.scale)) {
    Grid& grid = report.grids.emplace_back();
    grid.caption = fmt::format("n = {}, GB/s", n);
    grid.columns = {{"kernel", true}};
    for (const Compared& column : columns) {
      grid.columns.push_back({fmt::format("slide {}", column.title)});
      grid.columns.push_back({fmt::format("here {}", column.title)});
    }
    for (std::size_t k = 0; k < columns[0].kernels.size(); ++k) {
      std::vector<std::string> cells{std::string(columns[0].kernels[k].label)};
      for (const Compared& column : columns) {
        const Kernel& kernel = column.kernels[k];
        const double here = bandwidth(inputs, kernel, n);
        cells.push_back(figure(slide_figure(inputs, kernel.slide, column.slide)));
        cells.push_back(std::isnan(here) ? why_absent(inputs, column.kernels, kernel, n) : figure(here));
      }
      grid.rows.push_back(std::move(cells));
    }
  }
}

/// "a is at least (or at most) `bound` times b", at the largest size, with the slide's ratio beside it.
void add_finding(Report& report, const Inputs& inputs, const Compared& column, std::string text,
                 std::string_view a, std::string_view b, bool at_least, double bound) {
  const auto kernel = [&](std::string_view label) -> const Kernel& {
    return *std::ranges::find(column.kernels, label, &Kernel::label);
  };
  const Index n = sizes_at(inputs.scale).back();
  const double here = bandwidth(inputs, kernel(a), n) / bandwidth(inputs, kernel(b), n);
  const double slide = slide_figure(inputs, kernel(a).slide, column.slide) /
                       slide_figure(inputs, kernel(b).slide, column.slide);
  Finding finding{std::move(text), {}, "", "it was not measured"};
  if (!std::isnan(here)) {
    finding.holds = at_least ? here >= bound : here <= bound;
    finding.figures =
        fmt::format("{} over {}, {}: slide {}, here {}", a, b, column.title, times(slide), times(here));
    finding.why = "";
    report.ratios.push_back(
        {fmt::format("n = {}, {}", n, column.title), fmt::format("{} over {}", a, b), slide, here});
  }
  report.findings.push_back(std::move(finding));
}

// -------------------------------------------------------------------------------------- GTX 280

std::vector<Kernel> gtx280_kernels(Scale scale, bool in_kernel) {
  const Operation *copy = &operation_of<Copy<float>>, *transpose = &operation_of<Transpose<float>>;
  std::vector<Kernel> kernels{
      {"simple copy", "simple_copy", copy, "simple"},
      {"copy through shared memory", "shared_memory_copy", copy, "through_shared_memory"},
      {"naive", "naive", transpose, "naive"},
      {"coalesced", "coalesced", transpose, "coalesced"},
      {"bank-conflict-free", "bank_conflict_free", transpose, "bank_conflict_free"},
      {"fine-grained", "fine_grained", &operation_of<FineGrained<float>>, "within_tiles"},
      {"coarse-grained", "coarse_grained", &operation_of<CoarseGrained<float>>, "between_tiles"},
      {"diagonal", "diagonal", transpose, "diagonal"},
      {"device memcpy", "", copy, "device_memcpy"},
      {"cuBLAS geam", "", transpose, "cublas_geam"},
  };
  const Index repeats = !in_kernel ? 1 : scale == Scale::smoke ? 2 : 50;
  for (Kernel& kernel : kernels)
    if (!kernel.slide.empty()) kernel.params = {{"repeats", repeats}};
  return kernels;
}

std::vector<Row> gtx280_rows(Scale scale, std::uint64_t seed) {
  std::vector<Kernel> kernels = gtx280_kernels(scale, false);
  for (const Kernel& kernel : gtx280_kernels(scale, true))
    if (!kernel.params.empty()) kernels.push_back(kernel);
  return rows_of(kernels, scale, seed);
}

Report gtx280_report(const Inputs& inputs) {
  const auto over = gtx280_kernels(inputs.scale, false), in = gtx280_kernels(inputs.scale, true);
  const Compared columns[] = {{"loop over kernel", "loop_over_kernel", over},
                              {"loop in kernel", "loop_in_kernel", in}};
  Report report;
  add_grids(report, inputs, columns);
  report.notes.push_back(
      "Twice the matrix over the time. A loop over the kernel has its launches in it, a loop in the kernel "
      "has not.");
  add_finding(report, inputs, columns[0],
              "the naive transposition has less than half of the copy's bandwidth", "naive", "simple copy",
              false, 0.5);
  add_finding(report, inputs, columns[1], "shared memory and a barrier cost the copy next to nothing",
              "copy through shared memory", "simple copy", true, 0.9);
  add_finding(report, inputs, columns[0], "removing the bank conflicts has little effect",
              "bank-conflict-free", "coalesced", false, 1.1);
  add_finding(
      report, inputs, columns[0],
      "moving tiles to their transposed place has less than half of the bandwidth of transposing within them",
      "coarse-grained", "fine-grained", false, 0.5);
  add_finding(report, inputs, columns[0], "blocks along the diagonal are four times as fast", "diagonal",
              "bank-conflict-free", true, 3);
  return report;
}

// -------------------------------------------------------------------------------------- K40

template <class T>
const std::vector<Kernel>& k40_kernels() {
  static const std::vector<Kernel> kernels = [] {
    const Operation* transpose = &operation_of<Transpose<T>>;
    std::vector<Kernel> list{
        {"transpose1", "transpose1 (1D grid, one thread a row)", transpose, "thread_per_row"},
        {"transpose2", "transpose2 (2D grid)", transpose, "thread_per_element"},
        {"transpose3", "transpose3 (coalesced through shared memory)", transpose, "shared_memory_tiled"},
        {"transpose4", "transpose4 (no bank conflicts)", transpose, "shared_memory_padded"},
        {"transpose5, 2 elements",
         "transpose5, 2 elements a thread",
         transpose,
         "coarsened",
         {{"elements", 2}}},
        {"transpose5, 4 elements",
         "transpose5, 4 elements a thread",
         transpose,
         "coarsened",
         {{"elements", 4}}},
        {"transpose5, 8 elements",
         "transpose5, 8 elements a thread",
         transpose,
         "coarsened",
         {{"elements", 8}}},
        {"transpose5, 16 elements",
         "transpose5, 16 elements a thread",
         transpose,
         "coarsened",
         {{"elements", 16}}},
        {"cuBLAS geam", "", transpose, "cublas_geam"},
        {"device memcpy", "", &operation_of<Copy<T>>, "device_memcpy"},
    };
    return list;
  }();
  return kernels;
}

std::vector<Row> k40_rows(Scale scale, std::uint64_t seed) {
  auto rows = rows_of(k40_kernels<float>(), scale, seed);
  for (Row& row : rows_of(k40_kernels<double>(), scale, seed)) rows.push_back(std::move(row));
  return rows;
}

Report k40_report(const Inputs& inputs) {
  const Compared columns[] = {{"float", "float", k40_kernels<float>()},
                              {"double", "double", k40_kernels<double>()}};
  Report report;
  add_grids(report, inputs, columns);
  report.notes.push_back("Twice the matrix over the time; the slides do not print their n.");
  add_finding(report, inputs, columns[0], "one thread an element is several times one thread a row",
              "transpose2", "transpose1", true, 2);
  add_finding(report, inputs, columns[0], "coalescing the stores through shared memory helps float",
              "transpose3", "transpose2", true, 1);
  add_finding(report, inputs, columns[1], "but not double", "transpose3", "transpose2", false, 1);
  add_finding(report, inputs, columns[0], "without bank conflicts it is faster again", "transpose4",
              "transpose3", true, 1);
  add_finding(report, inputs, columns[0], "several elements a thread are faster again",
              "transpose5, 8 elements", "transpose4", true, 1);
  add_finding(report, inputs, columns[0], "16 elements a thread are slower than 8", "transpose5, 16 elements",
              "transpose5, 8 elements", false, 1);
  return report;
}

}  // namespace

}  // namespace tallcache::slide_tables::transpose_gpu

namespace tallcache::slide_tables {

const Table transpose_gpu_gtx280::table{"transpose-gpu-gtx280",
                                        "transposition on the GPU, loop over and in the kernel, n = 2048",
                                        transpose_gpu::gtx280_rows, transpose_gpu::gtx280_report};
const Table transpose_gpu_k40::table{"transpose-gpu-k40",
                                     "transposition on the GPU, transpose1 to transpose5",
                                     transpose_gpu::k40_rows, transpose_gpu::k40_report};

}  // namespace tallcache::slide_tables
