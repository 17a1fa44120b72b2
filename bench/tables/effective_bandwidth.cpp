// Effective bandwidth: from the bytes that an algorithm needs, and from those that move.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/tables/counted_records.hpp"
#include "bench/tables/exercises.hpp"
#include "bench/tables/list.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"
#include "common/ops/transpose.hpp"
#include "gpu/kernel_text.hpp"

namespace tallcache::slide_tables::effective_bandwidth {
namespace {

using cache::AccessKind;
using cache::Space;

constexpr std::string_view id = "effective-bandwidth", ladder_label = "bytes moved",
                           counted_label = "bytes counted", machine = "k40";
constexpr Index size = 1024;

constexpr Remark remarks[] = {
    {"80.613 GB/s / 4400 bytes", "Misprinted: two digits are exchanged"},
    {"overestimate of the operations", "", "As much as the counter's bytes exceed the algorithm's"},
};

std::vector<Record> answer() {
  constexpr double bytes = 4400, operations = 12140242, counter = 80.613e9;
  Answers answers(id);
  const auto put = [&](std::string_view exercise, double value, std::string_view formula) {
    answers.put(exercise, value, Origin::formula, formula);
  };
  put("4400 bytes/op x 12,140,242 op/s", bytes * operations, "bytes x rate");
  put("memory efficiency, of the counter's 80.613 GB/s", 100 * bytes * operations / counter,
      "algorithm's bytes / counter's");
  put("80.613 GB/s / 4400 bytes", counter / bytes, "counter / bytes");
  put("overestimate of the operations", counter / bytes / operations, "by the counter / counted");
  return {answers.record()};
}

// The transpositions as the slides number them; the last with its elements a thread.
struct Step {
  std::string_view slide, variant;
  Index elements = 0;
};
constexpr Step ladder[] = {
    {"transpose1 (1D grid, one thread a row)", "thread_per_row"},
    {"transpose2 (2D grid)", "thread_per_element"},
    {"transpose3 (coalesced through shared memory)", "shared_memory_tiled"},
    {"transpose4 (no bank conflicts)", "shared_memory_padded"},
    {"transpose5, 2 elements a thread", "coarsened", 2},
    {"transpose5, 8 elements a thread", "coarsened", 8},
};

Record count(const Step& step) {
  warp::HostDevice device(cache::warp_machine(machine));
  Params params;
  if (step.elements) params.set("elements", step.elements);
  const Check check =
      gpu::run_kernel_text(device, gpu::find_kernel_text(operation_of<Transpose<float>>, step.variant),
                           Shape{{"m", size}, {"n", size}}, params);
  if (!check) throw Error(fmt::format("the text of {}: {}", step.variant, check.message()));
  Record record =
      measured_record("transpose", std::string(step.variant), "float", {{"m", size}, {"n", size}});
  if (step.elements) record.params["elements"] = step.elements;
  const auto put = [&](const char* name, double value, Origin origin, std::string_view from) {
    record.quantities.push_back(
        {.name = name, .unit = "B", .value = value, .origin = origin, .detail = std::string(from)});
  };
  put("algorithm's bytes", 2.0 * size * size * sizeof(float), Origin::formula,
      "each element once in and out");
  put("bytes loaded", static_cast<double>(device.total(Space::global, AccessKind::load).bytes_moved),
      Origin::model, machine);
  put("bytes stored", static_cast<double>(device.total(Space::global, AccessKind::store).bytes_moved),
      Origin::model, machine);
  return record;
}

std::vector<Record> count_ladder() {
  std::vector<Record> records;
  for (const Step& step : ladder) records.push_back(count(step));
  return records;
}

constexpr std::array<std::string_view, 2> counted{"global load sectors", "global store sectors"};

Candidate candidate_of(const Step& step) {
  Candidate candidate{&find_variant(operation_of<Transpose<float>>, step.variant, "gpu")};
  if (step.elements) candidate.params.set("elements", step.elements);
  return candidate;
}

// The same transpositions by the counters of this machine's GPU.
std::vector<Record> count_on_gpu() {
  const Backend& backend = find_backend("gpu");
  if (const std::string absent = candidate_of(ladder[0]).variant->unavailable(); !absent.empty())
    throw Error(absent, Status::unavailable);
  const auto executor = backend.make_executor(0);
  const Problem problem{&operation_of<Transpose<float>>, {{"m", size}, {"n", size}}, {}};
  Workspace workspace(problem, *executor);
  std::vector<Record> records;
  for (const Step& step : ladder) {
    const Candidate candidate = candidate_of(step);
    Record record = to_record(problem, candidate);
    if (const Check check = workspace.verify(candidate); !check) throw Error(check.message(), Status::wrong);
    record.outcome.status = Status::measured;
    for (const DeviceCount& count : backend.count(0, {[&] { workspace.run(candidate); }}, counted)) {
      if (std::ranges::find(counted, count.quantity) == counted.end()) continue;
      record.quantities.push_back({.name = std::string(count.quantity),
                                   .unit = std::string(count.unit),
                                   .value = count.value ? *count.value : no_value,
                                   .origin = Origin::event,
                                   .detail = std::string(count.event),
                                   .reason = count.value.absent});
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<Row> rows(Scale, std::uint64_t) {
  return {exercises_row(answer),
          {std::string(ladder_label), count_ladder},
          {std::string(counted_label), count_on_gpu}};
}

const Record* find_step(const std::vector<const Record*>& records, const Step& step) {
  for (const Record* record : records)
    if (record->variant == step.variant && record->params.value("elements", Index{0}) == step.elements)
      return record;
  return nullptr;
}

double printed(const Step& step) {
  for (const Json& row : slide_table("transpose-gpu-k40").at("rows"))
    if (row[0] == step.slide) return row[1];
  return no_value;
}

// The bytes that the loads and stores of a counted run move, for each that the algorithm needs.
std::string counted_cell(const Record* record) {
  if (!record) return "-";
  double sectors = 0;
  for (const std::string_view name : counted) {
    const Quantity* quantity = record->find(name);
    if (!quantity) return "-";
    if (std::isnan(quantity->value)) return quantity->reason;
    sectors += quantity->value;
  }
  return figure(sectors * 32 / (2.0 * size * size * sizeof(float)));
}

// Bytes that move for each that the algorithm needs, by the slide.
void add_ladder(const Inputs& inputs, Report& report) {
  Grid& grid = report.grids.emplace_back();
  grid.caption = "Transpositions of floats on a K40: bytes between L2 and the multiprocessors, by the model";
  grid.columns = {{"kernel", true},
                  {"text's GB/s, algorithm's bytes"},
                  {"loaded over needed"},
                  {"stored over needed"},
                  {"moved over needed"},
                  {"GB/s a counter would read"},
                  {"counted here, over needed"}};
  const auto records = records_of(inputs.document, id, ladder_label),
             counted_here = records_of(inputs.document, id, counted_label);
  std::vector<std::string> more;
  Ranking ranking{.title = "", .x = "bytes moved over needed, model", .value_name = "moved"};
  for (const Step& step : ladder) {
    std::vector<std::string> row{std::string(step.slide), figure(printed(step))};
    if (const Record* record = find_step(records, step)) {
      const double needed = record->value("algorithm's bytes"), loaded = record->value("bytes loaded"),
                   stored = record->value("bytes stored"), moved = (loaded + stored) / needed;
      ranking.items.push_back({.name = std::string(step.slide), .family = Family::textbook, .value = moved});
      for (const double value : {2 * loaded / needed, 2 * stored / needed, moved, printed(step) * moved})
        row.push_back(figure(value));
      if (moved > 1)
        more.push_back(fmt::format("{} moves {}: its loads {} of what they need, its stores {}", step.variant,
                                   times(moved), times(2 * loaded / needed), times(2 * stored / needed)));
    }
    row.resize(grid.columns.size() - 1, "-");
    row.push_back(counted_cell(find_step(counted_here, step)));
    grid.rows.push_back(std::move(row));
  }
  Finding finding{"S6, hardware counters include bytes that the algorithm does not use", {}, {}, {}};
  if (!records.empty()) {
    finding.holds = !more.empty();
    for (const std::string& kernel : more) finding.figures += (finding.figures.empty() ? "" : "; ") + kernel;
  }
  report.findings.push_back(std::move(finding));
  if (counted_here.empty())
    report.notes.push_back(fmt::format("counted here: {}", why_absent(inputs.document, id, counted_label)));
  if (!ranking.items.empty()) report.rankings.push_back(std::move(ranking));
}

Report report(const Inputs& inputs) {
  Report report;
  add_exercises(inputs, id, remarks, {}, report);
  add_ladder(inputs, report);
  return report;
}

}  // namespace

const Table table{id, "bandwidth from the algorithm's bytes, and from those that move", rows, report};

}  // namespace tallcache::slide_tables::effective_bandwidth
