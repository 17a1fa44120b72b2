// Bank conflicts and padding, by the request model: the transpositions' own text on the machines of
// the texts.
#include <fmt/format.h>

#include <numeric>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "bench/tables/list.hpp"
#include "common/ops/transpose.hpp"
#include "gpu/kernel_text.hpp"

namespace tallcache::slide_tables::bank_conflicts {
namespace {

using cache::AccessKind;
using cache::RequestCounts;
using cache::Space;

constexpr std::string_view id = "bank-conflicts", strides_label = "strides";
constexpr int largest_stride = 32;
constexpr std::string_view stride_machines[] = {"gt200", "k40", "h200"};

constexpr std::string_view measurable[] = {
    "tile[32][32], a half-warp loads a column", "tile[32][33], a half-warp loads a column",
    "tile[32][33], a half-warp stores a row",   "transpose3, the load of a column of tile[32][32]",
    "transpose2, the store of a column",        "transpose2, the store of a column, all of them"};

constexpr Remark remarks[] = {
    {"tile[32][32], a half-warp loads a column", "",
     "Rows of 32 words: all of a column lies in one of 16 banks"},
    {"tile[32][33], a half-warp loads a column", "", "33 words further is the next bank"},
    {"transpose3, the load of a column of tile[32][32]", "",
     "Banks of 8 bytes: two rows' words in a bank are 16 banks apart"},
    {"transpose2, the store of a column", "", "Neighbouring lanes write a row of the matrix apart"},
};

// What the text of a transposition of m x m floats asks of a machine.
RequestCounts counts_of(std::string_view machine, std::string_view variant, Index m, Space space,
                        AccessKind kind) {
  warp::HostDevice device(cache::warp_machine(machine));
  const Operation& transpose = operation_of<Transpose<float>>;
  const Check check =
      gpu::run_kernel_text(device, gpu::find_kernel_text(transpose, variant), Shape{{"m", m}, {"n", m}});
  if (!check) throw Error(fmt::format("the text of {}: {}", variant, check.message()));
  return device.total(space, kind);
}

// The passes of one load of tile[rows][pitch] by the lanes of one warp of the machine, along a row or
// a column.
double tile_passes(std::string_view name, std::uint64_t pitch, bool along_row) {
  const cache::WarpMachine& machine = cache::warp_machine(name);
  cache::WarpRequest request{.mask = machine.lanes == 32 ? ~0u : (1u << machine.lanes) - 1,
                             .space = Space::shared};
  for (std::uint64_t lane = 0; lane < static_cast<std::uint64_t>(machine.lanes); ++lane)
    request.address[lane] = sizeof(float) * (along_row ? lane : lane * pitch);
  const RequestCounts counts = cache::count_requests(machine, request);
  return static_cast<double>(counts.wavefronts) / static_cast<double>(counts.requests);
}

double per_request(std::uint64_t number, const RequestCounts& counts) {
  return static_cast<double>(number) / static_cast<double>(counts.requests);
}

std::vector<Record> answer() {
  Answers answers(id);
  const auto put = [&](std::string_view exercise, double value, std::string_view model) {
    answers.put(exercise, value, Origin::model, model);
  };
  const auto shared = [](std::string_view machine, std::string_view variant, AccessKind kind) {
    return counts_of(machine, variant, 128, Space::shared, kind);
  };
  const RequestCounts column = shared("gt200", "coalesced", AccessKind::load),
                      padded = shared("gt200", "bank_conflict_free", AccessKind::load),
                      row = shared("gt200", "bank_conflict_free", AccessKind::store);
  put("tile[32][32], a half-warp loads a column", per_request(column.wavefronts, column), "gt200");
  put("tile[32][33], a half-warp loads a column", per_request(padded.wavefronts, padded), "gt200");
  put("tile[32][33], a half-warp stores a row", per_request(row.wavefronts, row), "gt200");
  put("tile[4][4], 4 banks: a row", tile_passes("four_banks", 4, true), "four_banks");
  put("tile[4][4], 4 banks: a column", tile_passes("four_banks", 4, false), "four_banks");
  put("tile[4][5], 4 banks: a row", tile_passes("four_banks", 5, true), "four_banks");
  put("tile[4][5], 4 banks: a column", tile_passes("four_banks", 5, false), "four_banks");

  const RequestCounts turned = shared("k40", "shared_memory_tiled", AccessKind::load);
  put("transpose3, the load of a column of tile[32][32]", per_request(turned.wavefronts, turned), "k40");
  put("transpose3, the same, ideal", per_request(turned.ideal_wavefronts, turned), "k40");
  const RequestCounts store = counts_of("k40", "thread_per_element", 2048, Space::global, AccessKind::store);
  put("transpose2, the store of a column", per_request(store.sectors, store), "k40");
  put("transpose2, the same, ideal", per_request(store.ideal_sectors, store), "k40");
  put("transpose2, the store of a column, all of them", static_cast<double>(store.sectors), "k40");
  put("transpose2, executions of the store", static_cast<double>(store.requests), "k40");
  return {answers.record()};
}

// The passes of a warp's loads whose lanes are 1 to 32 words apart.
std::vector<Record> count_strides() {
  Record record = measured_record("shared_load", "strided", "float", {{"lanes", 32}});
  for (const std::string_view machine : stride_machines) {
    Quantity passes{.name = "passes a request",
                    .unit = "1",
                    .origin = Origin::model,
                    .detail = std::string(machine),
                    .at = {{"machine", machine}},
                    .over = {"stride", "words", {}}};
    for (int stride = 1; stride <= largest_stride; ++stride) {
      passes.over.points.push_back(stride);
      passes.values.push_back(tile_passes(machine, static_cast<std::uint64_t>(stride), false));
    }
    record.quantities.push_back(std::move(passes));
  }
  return {record};
}

std::vector<Row> rows(Scale, std::uint64_t) {
  return {exercises_row(answer), {std::string(strides_label), count_strides}};
}

// Bank = (address / 4) % 32: a column of stride s goes to 32 / gcd(s, 32) banks.
Finding finds_strides(const Quantity* best_known) {
  Finding finding{"S5, bank = (address / 4) % 32: a stride of s words takes gcd(s, 32) passes", {}, {}, {}};
  if (!best_known) return finding;
  finding.holds = true;
  for (std::size_t i = 0; i < best_known->values.size(); ++i) {
    const auto stride = static_cast<int>(best_known->over.points[i]);
    if (best_known->values[i] == std::gcd(stride, 32)) continue;
    finding.holds = false;
    finding.figures = fmt::format("stride {}: {} passes", stride, digits(best_known->values[i]));
  }
  finding.why =
      *finding.holds ? "Odd strides, of which a padded tile's 33 is one, are free of conflicts" : "";
  return finding;
}

void add_strides(const Inputs& inputs, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.caption = "Passes of one request whose lanes are so many words of 4 bytes apart, by the model";
  grid.columns = {{"stride"}};
  for (const std::string_view machine : stride_machines) grid.columns.push_back({std::string(machine)});
  const auto records = records_of(inputs.document, id, strides_label);
  const auto curve = [&](std::string_view machine) -> const Quantity* {
    return records.empty() ? nullptr : records[0]->find("passes a request", {{"machine", machine}});
  };
  for (std::size_t i = 0; !records.empty() && i < largest_stride; ++i) {
    auto& row = grid.rows.emplace_back(std::vector<std::string>{std::to_string(i + 1)});
    for (const std::string_view machine : stride_machines) {
      const Quantity* passes = curve(machine);
      row.push_back(passes && i < passes->values.size() ? digits(passes->values[i]) : "-");
    }
  }
  Chart chart{
      .title = "Passes of a request by its stride", .x = "stride, words", .y = "passes a request, model"};
  for (const std::string_view machine : stride_machines)
    if (const Quantity* passes = curve(machine)) {
      Series& series = chart.series.emplace_back(
          Series{.name = std::string(machine), .family = Family::ours, .drawn = Drawn::points});
      for (std::size_t i = 0; i < passes->values.size() && i < largest_stride; ++i)
        series.points.push_back({static_cast<double>(i + 1), passes->values[i]});
    }
  if (!chart.series.empty()) report.charts.push_back(std::move(chart));
  report.findings.push_back(finds_strides(curve("h200")));
}

Report report(const Inputs& inputs) {
  Report report;
  add_exercises(inputs, id, remarks, {measurable, "needs a GPU"}, report);
  report.notes.push_back(
      "gt200: half-warps and 16 banks; k40: 32 banks in their mode of 8 bytes; h200: 32 banks of 4 bytes. A "
      "pass takes one word of each bank. The transpositions' own text runs on the model, lane by lane.");
  report.notes.push_back("The cycles that a pass takes are not measured here: that needs a GPU.");
  add_strides(inputs, report);
  return report;
}

}  // namespace

const Table table{id, "bank conflicts of a tile's columns, padding, and strides, by a model of shared memory",
                  rows, report};

}  // namespace tallcache::slide_tables::bank_conflicts
