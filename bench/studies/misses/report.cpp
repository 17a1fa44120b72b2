#include "bench/studies/misses/misses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/results/names.hpp"
#include "bench/show/charts.hpp"
#include "bench/show/fit.hpp"
#include "bench/show/kind.hpp"
#include "bench/studies/misses/cliffs_report.hpp"
#include "bench/studies/misses/requests_report.hpp"
#include "bench/studies/misses/scheduled_report.hpp"

namespace tallcache {
namespace {

std::string heading(const MissesPart& part, Style style) {
  const auto& caches = part.caches.value();
  std::string text =
      fmt::format("{}, lines of {} bytes, source {}", part.title(), caches.at(0).line, part.reason.value());
  text = style == Style::markdown ? text + "\n\n" : wrapped(text, line_width()) + "\n";
  for (std::size_t i = 0; i < caches.size(); ++i)
    text += fmt::format("{} L{} {}\n", style == Style::markdown ? "-" : " ", i + 1, cache_text(caches[i]));
  return text;
}

bool is_of_level(const Quantity& quantity) {
  return quantity.name == "misses" && quantity.at.size() == 1 && quantity.at.contains("level");
}

// The prediction of theory for the part `at`: the misses, or their order with a constant of 1.
const Quantity* prediction(const Record& record, const Json& at) {
  const Quantity* exact = record.find("predicted misses", at);
  return exact ? exact : record.find("order of misses", at);
}

std::string count(double value) { return std::isnan(value) ? "-" : fmt::format("{:.0f}", value); }
std::string count(const Quantity* quantity) { return quantity ? count(quantity->value) : "-"; }

// The misses of a counter over those of the model at the same level.
double over_model(const Record& record, const Quantity& misses) {
  const Quantity* model = record.find("misses", misses.at, Origin::model);
  return misses.origin == Origin::event && model ? misses.value / model->value : no_value;
}

std::vector<std::string> level_row(const Record& record, const Quantity& misses, bool both) {
  const auto same = [&](const char* name) { return count(record.find(name, misses.at, misses.origin)); };
  const Quantity* theory = prediction(record, misses.at);
  std::vector<std::string> row{"L" + misses.at["level"].dump(),
                               same("accesses"),
                               same("misses"),
                               same("cold"),
                               same("capacity"),
                               same("conflict"),
                               figure(misses.value / record.value("work"))};
  row.push_back(count(theory));
  row.push_back(theory && !std::isnan(misses.value) ? fmt::format("{:.2f}", misses.value / theory->value)
                                                    : "-");
  if (both) row.push_back(figure(over_model(record, misses)));
  row.push_back(std::isnan(misses.value) ? misses.reason : misses.detail);
  return row;
}

// Empty when it was counted.
std::string why_absent(const Record& record) {
  if (record.outcome.measured() || std::ranges::any_of(record.quantities, is_of_level)) return {};
  return fmt::format("{}{}: {}: {}", record.variant, params_text(record), to_string(record.outcome.status),
                     record.outcome.reason);
}

Grid variant_grid(const Record& record) {
  const std::string name = record.variant + params_text(record);
  const bool both = std::ranges::any_of(record.quantities, [&](const Quantity& q) {
    return is_of_level(q) && !std::isnan(over_model(record, q));
  });
  const Quantity* work = record.find("work");
  std::set<std::string> formulas;
  for (const Quantity& quantity : record.quantities)
    if (const Quantity* theory = is_of_level(quantity) ? prediction(record, quantity.at) : nullptr)
      formulas.insert(theory->detail);
  Grid grid{
      .caption = fmt::format("{}: {} loads, {} stores; {}", name, count(record.find("loads")),
                             count(record.find("stores")),
                             formulas.empty() ? "no formula predicts the misses"
                                              : fmt::format("predicted: {}", fmt::join(formulas, "; "))),
      .columns = {{"", true}, {"accesses"}, {"misses"}, {"cold"}, {"capacity"}, {"conflict"}}};
  grid.columns.push_back({fmt::format("/ {}", work ? work->unit : "work")});
  grid.columns.push_back({"predicted"});
  grid.columns.push_back({"ratio"});
  if (both) grid.columns.push_back({"over the model"});
  grid.columns.push_back({"counted by", true});
  for (const Quantity& quantity : record.quantities)
    if (is_of_level(quantity)) grid.rows.push_back(level_row(record, quantity, both));
  return grid;
}

// The events that were asked for by name, a line each.
std::string events_text(const Record& record) {
  std::string text;
  for (const Quantity& count : record.quantities)
    if (count.at.contains("by"))
      text += fmt::format("{}: {}\n", count.name,
                          std::isnan(count.value) ? count.reason : fmt::format("{:.0f}", count.value));
  return text.empty() ? text : "\n" + text;
}

std::string variant_text(const Record& record, Style style) {
  const std::string absent = why_absent(record), events = events_text(record);
  return "\n" + (absent.empty() ? render(variant_grid(record), style) : absent + "\n") + events;
}

std::string short_bytes(double bytes) {
  const auto whole = static_cast<std::size_t>(bytes);
  return whole >= 1 << 30   ? fmt::format("{}G", whole >> 30)
         : whole >= 1 << 20 ? fmt::format("{}M", whole >> 20)
         : whole >= 1 << 10 ? fmt::format("{}K", whole >> 10)
                            : fmt::format("{}", whole);
}

// The records with Q(Z), which all have the same cache sizes.
std::vector<const Record*> curves_of(const Document& document, const MissesPart& part) {
  std::vector<const Record*> curves = records_of(document, part);
  std::erase_if(curves, [](const Record* record) {
    const Quantity* misses = record->find("misses");
    return !misses || misses->values.empty();
  });
  for (const Record* record : curves)
    if (record->find("misses")->over.points != curves.front()->find("misses")->over.points)
      throw Error("the curves of a misses document have unlike points");
  return curves;
}

std::string curves_text(std::span<const Record* const> curves, Style style) {
  Grid grid{.caption = "Misses of an ideal cache (LRU) of each size:", .columns = {{"cache", true}}};
  const std::vector<double>& sizes = curves.front()->find("misses")->over.points;
  for (const Record* record : curves) grid.columns.push_back({record->variant + params_text(*record)});
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::vector<std::string>& row = grid.rows.emplace_back();
    row.push_back(fmt::format("{:.0f} B", sizes[i]));
    for (const Record* record : curves) row.push_back(count(record->find("misses")->values[i]));
  }
  return "\n" + render(grid, style);
}

std::string title_of(const MissesPart& part) {
  return fmt::format("{}, lines of {} B", part.title(), part.caches.value().at(0).line);
}

std::string full(const Document& document) { return misses_text(document, Style::markdown); }

Series curve(const Record& record, const Quantity& misses, Drawn drawn) {
  const bool bound = drawn == Drawn::bound;
  Series series{.name = record.variant + params_text(record) + (bound ? ", theory" : ""),
                .family = bound ? Family::theory : family_of(record),
                .drawn = drawn,
                .companion = bound,
                .stressed = !bound && record.variant == cache_oblivious};
  for (std::size_t i = 0; i < misses.values.size(); ++i)
    if (misses.values[i] > 0) series.points.push_back({misses.over.points[i], misses.values[i]});
  return series;
}

Chart chart_of(const MissesPart& part, std::span<const Record* const> curves) {
  Chart chart{.title = "Misses of an ideal cache (LRU) of each size: " + title_of(part),
              .x = "Z, bytes of cache",
              .y = "Q(Z), misses",
              .wide = curves.size() > 4,
              .file = part.operation};
  for (std::size_t i = 0; const cache::CacheLevel& level : part.caches.value()) {
    const auto bytes = static_cast<double>(level.bytes);
    chart.marks.push_back({fmt::format("L{} {}", ++i, short_bytes(bytes)), bytes});
  }
  for (const Record* record : curves) {
    chart.series.push_back(curve(*record, *record->find("misses"), Drawn::line));
    const Quantity* theory = prediction(*record, Json::object());
    if (!theory || theory->values.empty()) continue;
    chart.series.push_back(curve(*record, *theory, Drawn::bound));
    chart.companions = "dotted: theory, in the colour of its variant";
  }
  return chart;
}

Blocks page(const Document& document) {
  Blocks blocks;
  for (const MissesPart& part : parts_of<MissesPart>(document)) {
    if (part.machine) {
      for (Block& block : requests_page(records_of(document, part), part)) blocks.push_back(std::move(block));
      continue;
    }
    if (part.scheduled) {
      for (Block& block : scheduled_page(records_of(document, part), part))
        blocks.push_back(std::move(block));
      continue;
    }
    blocks.emplace_back(Heading{title_of(part)});
    std::string caches = "source " + part.reason.value();
    for (std::size_t i = 0; i < part.caches.value().size(); ++i)
      caches += fmt::format("; L{} {}", i + 1, cache_text(part.caches.value()[i]));
    blocks.emplace_back(Paragraph{std::move(caches)});
    if (const auto curves = curves_of(document, part); !curves.empty())
      blocks.emplace_back(chart_of(part, curves));
    for (const Record* record : records_of(document, part)) {
      if (const std::string absent = why_absent(*record); !absent.empty())
        blocks.emplace_back(Paragraph{absent});
      else
        blocks.emplace_back(variant_grid(*record));
    }
    if (part.falls) blocks.emplace_back(cliffs_grid(document, part));
  }
  return blocks;
}

std::vector<Chart> charts(const Document& document) {
  const MissesPart part = parts_of<MissesPart>(document).at(0);
  if (part.scheduled) return scheduled_charts(records_of(document, part), part);
  return {misses_chart(document)};
}

}  // namespace

std::string misses_text(const Document& document, Style style) {
  std::string text;
  for (const MissesPart& part : parts_of<MissesPart>(document)) {
    if (!text.empty()) text += "\n";
    if (part.machine) {
      text += requests_text(records_of(document, part), part, style);
      continue;
    }
    if (part.scheduled) {
      text += scheduled_text(records_of(document, part), part, style);
      continue;
    }
    text += heading(part, style);
    for (const Record* record : records_of(document, part)) text += variant_text(*record, style);
    if (const auto curves = curves_of(document, part); style == Style::markdown && !curves.empty())
      text += curves_text(curves, style);
    if (part.falls) text += cliffs_text(document, part, style);
  }
  return text;
}

Chart misses_chart(const Document& document) {
  const MissesPart part = parts_of<MissesPart>(document).at(0);
  if (part.machine) throw Error("a GPU's requests are no misses by cache size: there is no plot");
  if (part.scheduled) {
    const auto scheduled = scheduled_charts(records_of(document, part), part);
    if (scheduled.empty()) throw Error("no variant was scheduled: there is no plot");
    return scheduled.front();
  }
  const auto curves = curves_of(document, part);
  if (curves.empty())
    throw Error("there are no misses by cache size to plot: tallcache misses --curve makes them");
  return chart_of(part, curves);
}

extern const ReportKind misses_report{
    .kind = "misses", .title = "Cache misses", .full = full, .charts = charts, .page = page};

}  // namespace tallcache
