#include "bench/studies/misses/misses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/results/names.hpp"
#include "bench/show/charts.hpp"
#include "bench/show/gnuplot.hpp"
#include "bench/show/kind.hpp"
#include "bench/studies/misses/cliffs_report.hpp"
#include "bench/studies/misses/requests_report.hpp"

namespace tallcache {
namespace {

std::string heading(const MissesPart& part, Style style) {
  const auto& caches = part.caches.value();
  std::string text =
      fmt::format("{}, lines of {} bytes, source {}\n", part.title(), caches.at(0).line, part.reason.value());
  if (style == Style::markdown) text += "\n";
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
  row.push_back(theory ? theory->detail : "no formula");
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
  Grid grid{.caption = fmt::format("{}: {} loads, {} stores", name, count(record.find("loads")),
                                   count(record.find("stores"))),
            .columns = {{"", true}, {"accesses"}, {"misses"}, {"cold"}, {"capacity"}, {"conflict"}}};
  grid.columns.push_back({fmt::format("/ {}", work ? work->unit : "work")});
  grid.columns.push_back({"predicted"});
  grid.columns.push_back({"ratio"});
  if (both) grid.columns.push_back({"over the model"});
  grid.columns.push_back({"theory", true});
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

std::string axes(const MissesPart& part, const std::vector<double>& sizes) {
  const double first = sizes.front(), last = sizes.back();
  const auto& caches = part.caches.value();
  std::string text(logarithmic_axes);
  text += fmt::format("set title {} offset 0,1\n", quoted(title_of(part)));
  text += "set xlabel 'Z, bytes of cache'\nset ylabel 'Q(Z), misses of an ideal cache (LRU)'\n";
  text += fmt::format("set xrange [{}:{}]\nset xtics (", first, last);
  for (double bytes = first; bytes <= last; bytes *= 4)
    text += fmt::format("{}'{}' {}", bytes == first ? "" : ", ", short_bytes(bytes), bytes);
  text += ")\n";
  for (std::size_t i = 0; i < caches.size(); ++i)
    text += fmt::format(
        "set arrow from {0},graph 0 to {0},graph 1 nohead dt 2 lw 1 lc rgb '#707070'\n"
        "set label 'L{1} {2}' at {0},graph 1.03 center tc rgb '#404040'\n",
        caches[i].bytes, i + 1, short_bytes(static_cast<double>(caches[i].bytes)));
  return text;
}

std::string block(const std::string& name, const Quantity& curve) {
  std::string text = fmt::format("${} << E\n", name);
  for (std::size_t i = 0; i < curve.values.size(); ++i)
    text += fmt::format("{} {}\n", curve.over.points[i], curve.values[i]);
  return text + "E\n";
}

std::string script(const MissesPart& part, std::span<const Record* const> curves) {
  std::string text = axes(part, curves.front()->find("misses")->over.points), plots;
  bool bounds = false;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const char* colour = plot_colours[i % plot_colours.size()];
    text += block(fmt::format("m{}", i), *curves[i]->find("misses"));
    // Thinner curves are drawn on top, so that coinciding curves are all visible.
    const double width = 5.5 - 4.0 * static_cast<double>(i) / static_cast<double>(curves.size());
    plots += fmt::format("{}$m{} with lines lw {:.2g} lc rgb '{}' title {}", i ? ", " : "", i, width, colour,
                         quoted(curves[i]->variant + params_text(*curves[i])));
    const Quantity* theory = prediction(*curves[i], Json::object());
    if (!theory || theory->values.empty()) continue;
    bounds = true;
    text += block(fmt::format("b{}", i), *theory);
    plots += fmt::format(", $b{} with lines lw 1.5 dt 3 lc rgb '{}' notitle", i, colour);
  }
  if (bounds) plots += ", NaN with lines lw 1.5 dt 3 lc rgb '#606060' title 'theory'";
  return text + "plot " + plots + "\n";
}

std::string full(const Document& document) { return misses_text(document, Style::markdown); }

Series curve(const Record& record, const Quantity& misses, Drawn drawn) {
  Series series{.name = record.variant + params_text(record) + (drawn == Drawn::bound ? ", theory" : ""),
                .family = drawn == Drawn::bound ? Family::theory : family_of(record),
                .drawn = drawn,
                .companion = drawn == Drawn::bound};
  for (std::size_t i = 0; i < misses.values.size(); ++i)
    if (misses.values[i] > 0) series.points.push_back({misses.over.points[i], misses.values[i]});
  return series;
}

std::vector<Chart> charts_of(const MissesPart& part, std::span<const Record* const> curves) {
  Chart empty{.title = "Misses of an ideal cache (LRU) of each size: " + title_of(part),
              .x = "Z, bytes of cache",
              .y = "Q(Z), misses"};
  for (std::size_t i = 0; const cache::CacheLevel& level : part.caches.value()) {
    const auto bytes = static_cast<double>(level.bytes);
    empty.marks.push_back({fmt::format("L{} {}", ++i, short_bytes(bytes)), bytes});
  }
  std::vector<std::vector<Series>> groups;
  for (const Record* record : curves) {
    auto& group = groups.emplace_back();
    group.push_back(curve(*record, *record->find("misses"), Drawn::line));
    if (const Quantity* theory = prediction(*record, Json::object()); theory && !theory->values.empty())
      group.push_back(curve(*record, *theory, Drawn::bound));
  }
  return in_charts(empty, groups);
}

Blocks page(const Document& document) {
  Blocks blocks;
  for (const MissesPart& part : parts_of<MissesPart>(document)) {
    if (part.machine) {
      for (Block& block : requests_page(records_of(document, part), part)) blocks.push_back(std::move(block));
      continue;
    }
    blocks.emplace_back(Heading{title_of(part)});
    blocks.emplace_back(Paragraph{heading(part, Style::terminal)});
    if (const auto curves = curves_of(document, part); !curves.empty())
      for (Chart& chart : charts_of(part, curves)) blocks.emplace_back(std::move(chart));
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

void plot(const Document& document, const std::string& prefix) {
  plot_misses(document, fmt::format("{}-{}.svg", prefix, parts_of<MissesPart>(document).at(0).operation));
}

}  // namespace

std::string misses_text(const Document& document, Style style) {
  std::string text;
  for (const MissesPart& part : parts_of<MissesPart>(document)) {
    if (part.machine) {
      text += requests_text(records_of(document, part), part, style);
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

void plot_misses(const Document& document, const std::string& file) {
  const MissesPart part = parts_of<MissesPart>(document).at(0);
  if (part.machine) throw Error("a GPU's requests are no misses by cache size: there is no plot");
  const auto curves = curves_of(document, part);
  if (curves.empty())
    throw Error("there are no misses by cache size to plot: tallcache misses --curve makes them");
  draw(file, script(part, curves));
}

extern const ReportKind misses_report{
    .kind = "misses", .title = "Cache misses", .full = full, .plot = plot, .page = page};

}  // namespace tallcache
