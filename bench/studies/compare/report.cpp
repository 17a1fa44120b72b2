#include "bench/studies/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bench/results/limits.hpp"
#include "bench/show/charts.hpp"
#include "bench/show/drawing.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

using Records = std::vector<const Record*>;

std::string label(const Sweep& sweep, Index n) { return fmt::format("{} = {}", sweep.size, n); }

std::string title(const Sweep& sweep) { return fmt::format("{} {}", sweep.operation, sweep.element); }

bool on_cpu(const Record& record) { return record.backend == "cpu"; }
bool as_graph(const Record& record) { return record.launch() == LaunchMode::graph; }

Index size_of(const Sweep& sweep, const Record& record) { return record.shape.at(sweep.size); }

// The records of a sweep in the order in which they were measured.
Records records_of(const Document& document, const Sweep& sweep) {
  Records list;
  for (const Record& record : document.measurements)
    if (sweep.operation == record.operation && sweep.element == record.element) list.push_back(&record);
  return list;
}

Records records_at(const Document& document, const Sweep& sweep, Index n) {
  Records list = records_of(document, sweep);
  std::erase_if(list, [&](const Record* record) { return size_of(sweep, *record) != n; });
  return list;
}

// The speed-up of a record over the same variant on one thread.
double speed_up(const Records& records, const Record& record) {
  if (record.threads == 1) return no_value;
  for (const Record* one : records)
    if (one->threads == 1 && one->variant == record.variant && one->backend == record.backend &&
        one->launch() == record.launch())
      return measured_seconds(one) / measured_seconds(&record);
  return no_value;
}

template <class IsEligible>
const Record* fastest(const Records& records, TransferMode mode, IsEligible&& is_eligible) {
  const Record* best = nullptr;
  for (const Record* record : records)
    if (is_eligible(*record) && !std::isnan(rate_with(*record, mode)) &&
        (!best || rate_with(*record, mode) > rate_with(*best, mode)))
      best = record;
  return best;
}

// The devices beside the CPU, in the order of their records; of the GPU it is said, too, that it was not
// measured.
std::vector<std::string> devices_of(const Records& records) {
  std::vector<std::string> devices{"gpu"};
  for (const Record* record : records)
    if (!on_cpu(*record) && std::ranges::find(devices, record->backend) == devices.end())
      devices.push_back(record->backend);
  return devices;
}

// What is compared: the best record of each side at each size.
struct Side {
  std::string column, line;  ///< in the summary's grid, and in the chart
  Family family;
  std::string backend;
  bool (*of_side)(const Record&);
  TransferMode mode = TransferMode::none;
  bool graph = false, in_summary = true;
  ErrorClass error_class = ErrorClass::standard;

  bool includes(const Record& record) const {
    return record.backend == backend && record.error_class == error_class && as_graph(record) == graph &&
           of_side(record);
  }
};

bool any(const Record&) { return true; }
bool own(const Record& record) { return !record.peer; }
bool library(const Record& record) { return record.peer; }
bool textbook(const Record& record) { return family_of(record) == Family::textbook; }
bool textbook_on_one_core(const Record& record) { return record.threads == 1 && textbook(record); }
bool on_one_core(const Record& record) { return own(record) && record.threads == 1; }
bool on_all_cores(const Record& record) { return own(record) && record.threads > 1; }

std::vector<Side> standard_sides(const Records& records) {
  std::vector<Side> sides{
      {.line = "CPU textbook, one core",
       .family = Family::textbook,
       .backend = "cpu",
       .of_side = textbook_on_one_core,
       .in_summary = false},
      {"CPU, one core", "CPU, one core", Family::ours, "cpu", on_one_core},
      {"all cores", "CPU, all cores", Family::ours, "cpu", on_all_cores},
      {"library, all cores", "CPU library", Family::library, "cpu", library},
  };
  for (const std::string& device : devices_of(records)) {
    const std::string name = backend_title(device);
    sides.push_back({.line = name + " textbook",
                     .family = Family::textbook,
                     .backend = device,
                     .of_side = textbook,
                     .in_summary = false});
    sides.push_back({name, name, Family::ours, device, own});
    sides.push_back({"library, " + name, name + " library", Family::library, device, library});
    sides.push_back({name + " with pinned transfers", name + "'s best, with transfers", Family::ours, device,
                     any, TransferMode::pinned});
    sides.push_back({name + ", graph", "", Family::ours, device, own, TransferMode::none, true});
    sides.push_back(
        {"library, " + name + ", graph", "", Family::library, device, library, TransferMode::none, true});
  }
  return sides;
}

// Those of the standard class, and one for each weaker class that a variant has on a backend.
std::vector<Side> sides_of(const Records& records) {
  std::vector<Side> sides = standard_sides(records);
  std::vector<std::string> backends = devices_of(records);
  backends.insert(backends.begin(), "cpu");
  for (const ErrorClass error_class : error_classes) {
    if (error_class == ErrorClass::standard) continue;
    for (const std::string& backend : backends) {
      const std::string name = fmt::format("{}, {}", backend_title(backend), name_of(error_class));
      const Side side{.column = name,
                      .line = name,
                      .family = Family::ours,
                      .backend = backend,
                      .of_side = any,
                      .error_class = error_class};
      if (std::ranges::any_of(records, [&](const Record* record) { return side.includes(*record); }))
        sides.push_back(side);
    }
  }
  return sides;
}

template <Grid (*grid)(const Document&, const Sweep&)>
std::string text(const Document& document, const Sweep& sweep, Style style) {
  return render(grid(document, sweep), style) + "\n" + comparison_sentences(document, sweep) + "\n";
}

std::string full(const Document& document) { return join_parts(document, text<comparison_grid>); }
std::string summary(const Document& document) { return join_parts(document, text<comparison_summary>); }

constexpr std::array transfers{TransferMode::none, TransferMode::pinned, TransferMode::pageable};

std::string text_of(const Crossover& crossover, const Sweep& sweep) {
  if (crossover.compared == 0) return "not measured";
  if (crossover.ahead == crossover.compared) return "at every size measured";
  if (crossover.ahead == 0) return "at no size measured";
  if (crossover.from) return fmt::format("from {} on", label(sweep, *crossover.from));
  return fmt::format("not at {}, the largest size measured", label(sweep, crossover.largest));
}

// Where each device is ahead of the CPU, a row for each sweep.
Grid crossovers(const Document& document) {
  Grid grid{.caption = "Ahead of the CPU:",
            .columns = {{"operation", true},
                        {"device", true},
                        {"kernel alone", true},
                        {"with pinned transfers", true},
                        {"pageable", true}},
            .unfolded = true};
  for (const Sweep& sweep : parts_of<Sweep>(document))
    for (const std::string& backend : devices_of(records_of(document, sweep))) {
      auto& row = grid.rows.emplace_back(std::vector{title(sweep), std::string(backend_title(backend))});
      for (const TransferMode mode : transfers)
        row.push_back(text_of(crossover(document, sweep, mode, backend), sweep));
    }
  return grid;
}

// All charts, where each device is ahead, and the figures of each sweep behind its title.
Blocks page(const Document& document) {
  Blocks blocks;
  for (const Sweep& sweep : parts_of<Sweep>(document))
    if (Chart chart = comparison_chart(document, sweep); has_points(chart))  // else it was not reached
      blocks.emplace_back(std::move(chart));
  blocks.emplace_back(crossovers(document));
  for (const Sweep& sweep : parts_of<Sweep>(document)) {
    Fold fold{.title = title(sweep)};
    if (std::string notes = class_notes(records_of(document, sweep)); !notes.empty())
      fold.blocks.emplace_back(Paragraph{std::move(notes)});
    fold.blocks.emplace_back(comparison_summary(document, sweep));
    fold.blocks.emplace_back(comparison_grid(document, sweep));
    blocks.emplace_back(std::move(fold));
  }
  return blocks;
}

std::vector<Chart> charts(const Document& document) {
  std::vector<Chart> list;
  for (const Sweep& sweep : parts_of<Sweep>(document)) list.push_back(comparison_chart(document, sweep));
  return list;
}

}  // namespace

Json transfer_part(TransferMode mode) {
  return {{"pages", mode == TransferMode::pinned ? "pinned" : "pageable"}};
}

double rate_with(const Record& record, TransferMode mode) {
  const double seconds = measured_seconds(&record);
  return record.rate(mode == TransferMode::none ? seconds
                                                : seconds + record.value(transfer_time, transfer_part(mode)));
}

Grid comparison_grid(const Document& document, const Sweep& sweep) {
  const Records all = records_of(document, sweep);
  const std::string unit = rate_title(all);
  // Without a device nothing is transferred.
  const bool transferred = std::ranges::any_of(all, [](const Record* record) {
    return std::ranges::find(record->quantities, transfer_time, &Quantity::name) != record->quantities.end();
  });
  const Roofline roofline(document.limits);
  Grid grid{.caption = fmt::format("{}, {}", title(sweep), unit),
            .columns = {{"size", true},
                        {"variant", true},
                        {"median"},
                        {"+-"},
                        {unit},
                        {"of the limit"},
                        {"over one thread"}}};
  if (transferred) grid.columns.insert(grid.columns.end(), {{"with pinned transfers"}, {"pageable"}});
  for (const Index n : sweep.sizes) {
    std::string size = label(sweep, n);
    const Records records = records_at(document, sweep, n);
    for (const Record* record : records) {
      const double seconds = measured_seconds(record);
      std::vector<std::string> row{std::exchange(size, ""), name_of(*record)};
      if (seconds > 0)
        row.insert(row.end(), {duration(seconds), duration(record->seconds_spread()), figure(record->rate()),
                               percent(roofline.share(*record), 1), times(speed_up(records, *record))});
      else
        row.push_back(reason_of(record));
      if (seconds > 0 && transferred)
        for (const TransferMode mode : {TransferMode::pinned, TransferMode::pageable})
          row.push_back(figure(rate_with(*record, mode)));
      row.resize(grid.columns.size());
      grid.rows.push_back(std::move(row));
    }
  }
  return grid;
}

Crossover crossover(const Document& document, const Sweep& sweep, TransferMode mode,
                    std::string_view backend) {
  const auto standard = [](const Record& record) { return record.error_class == ErrorClass::standard; };
  Crossover result;
  for (const Index n : sweep.sizes) {
    const Records records = records_at(document, sweep, n);
    const Record* cpu = fastest(records, TransferMode::none,
                                [&](const Record& record) { return on_cpu(record) && standard(record); });
    const Record* device = fastest(records, mode, [&](const Record& record) {
      return record.backend == backend && !as_graph(record) && standard(record);
    });
    if (!cpu || !device) continue;  // says nothing of either
    ++result.compared;
    result.largest = n;
    if (rate_with(*device, mode) > rate_with(*cpu, TransferMode::none)) {
      ++result.ahead;
      if (!result.from) result.from = n;
    } else {
      result.from.reset();
    }
  }
  return result;
}

std::string crossover_sentence(const Document& document, const Sweep& sweep) {
  std::string sentences;
  for (const std::string& backend : devices_of(records_of(document, sweep))) {
    const auto where = [&](TransferMode mode) {
      return text_of(crossover(document, sweep, mode, backend), sweep);
    };
    sentences +=
        fmt::format("{}The {} is ahead of the CPU: kernel alone {}; with pinned transfers {}; pageable {}.",
                    sentences.empty() ? "" : " ", backend_title(backend), where(TransferMode::none),
                    where(TransferMode::pinned), where(TransferMode::pageable));
  }
  return sentences;
}

std::string comparison_sentences(const Document& document, const Sweep& sweep) {
  const std::string notes = class_notes(records_of(document, sweep));
  return crossover_sentence(document, sweep) + (notes.empty() ? "" : " " + notes);
}

Grid comparison_summary(const Document& document, const Sweep& sweep) {
  Grid grid{.caption = fmt::format("{}, {}:", title(sweep), rate_title(records_of(document, sweep))),
            .columns = {{"size", true}}};
  const Records all = records_of(document, sweep);
  const std::vector<Side> sides = sides_of(all);
  const auto shown = [&](const Side& side) {
    const auto of_backend = [&](const Record* r) { return r->backend == side.backend && as_graph(*r); };
    return side.in_summary && (!side.graph || std::ranges::any_of(all, of_backend));
  };
  for (const Side& side : sides)
    if (shown(side)) grid.columns.push_back({side.column});
  for (const Index n : sweep.sizes) {
    const Records records = records_at(document, sweep, n);
    auto& row = grid.rows.emplace_back(std::vector<std::string>{label(sweep, n)});
    for (const Side& side : sides) {
      if (!shown(side)) continue;
      const Record* record = fastest(records, side.mode, [&](const Record& r) { return side.includes(r); });
      row.push_back(record ? fmt::format("{} ({})", figure(rate_with(*record, side.mode)), record->variant)
                           : std::string("-"));
    }
  }
  return grid;
}

Chart comparison_chart(const Document& document, const Sweep& sweep) {
  const Records all = records_of(document, sweep);
  Chart chart{.title = title(sweep), .x = sweep.size, .y = rate_title(all), .file = sweep.operation};
  for (const Side& side : standard_sides(all)) {
    if (side.graph) continue;
    Series series{.name = side.line, .family = side.family};
    for (const Index n : sweep.sizes) {
      const Record* record = fastest(records_at(document, sweep, n), side.mode,
                                     [&](const Record& r) { return side.includes(r); });
      if (!record) continue;
      ChartPoint& point = series.points.emplace_back(rate_point(*record, static_cast<double>(n)));
      point.name = name_of(*record);
      // The transfers were timed apart, and have no spread.
      if (side.mode != TransferMode::none)
        point = {point.x, rate_with(*record, side.mode), no_value, no_value, std::move(point.name)};
    }
    chart.series.push_back(
        std::move(series));  // even without points, so that a side's colour is everywhere the same
  }
  return chart;
}

extern const ReportKind compare_report{.kind = "compare",
                                       .title = "CPU against GPU",
                                       .full = full,
                                       .summary = summary,
                                       .charts = charts,
                                       .page = page};

}  // namespace tallcache
