#include "bench/tables/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/catalogue.hpp"

namespace tallcache {
namespace {

const Variant* variant_of(const Ladder& ladder, const Line& line) {
  for (const Variant* variant : variants_of(*ladder.operation))
    if (variant->name == line.variant && variant->backend == line.backend) return variant;
  return nullptr;
}

bool measured_at(const Case& c, Scale scale) {
  return (scale == Scale::smoke) == (c.from == Scale::smoke) && c.from <= scale;
}

Problem problem_of(const Ladder& ladder, const Case& c, std::uint64_t seed) {
  return {ladder.operation, complete_shape(*ladder.operation, c.shape), {}, seed};
}

// Quick: a median of three or more; of two where a run takes a second on a slow machine. Full: of two at the
// sizes that quick leaves out, where a run takes minutes. Both of two runs are verified.
Protocol protocol_of(Scale scale, const Ladder& ladder, const Case& c) {
  if (scale == Scale::smoke) return {.least_rounds = 3, .most_rounds = 3, .seconds = 0.01};
  if (scale == Scale::full)
    return {.least_rounds = c.from == Scale::full ? 2 : 5, .most_rounds = 15, .seconds = 1};
  const Cost cost = ladder.operation->cost(complete_shape(*ladder.operation, c.shape));
  const bool long_run = cost.flops > 1e9 || cost.bytes > 5e8;
  return {.least_rounds = long_run ? 2 : 3, .most_rounds = 9, .seconds = 0.25};
}

// A column of dashes says nothing: the slide's figures in a table that has none.
void drop_empty_columns(Grid& grid) {
  for (std::size_t c = grid.columns.size(); c-- > 0;) {
    if (!std::ranges::all_of(grid.rows, [c](const auto& row) { return row[c].empty() || row[c] == "-"; }))
      continue;
    grid.columns.erase(grid.columns.begin() + c);
    for (auto& row : grid.rows) row.erase(row.begin() + c);
  }
}

// The slide's figure with all its digits.
std::string printed(double value) { return std::isnan(value) ? "-" : fmt::format("{:.10g}", value); }

}  // namespace

Shape cube(Index n) { return {{"m", n}, {"n", n}, {"k", n}}; }
Shape square(Index n) { return {{"m", n}, {"n", n}}; }

std::vector<Row> ladder_rows(const Ladder& ladder, Scale scale, std::uint64_t seed) {
  std::vector<Row> rows;
  for (const Case& c : ladder.cases) {
    if (!measured_at(c, scale)) continue;
    Row& row =
        rows.emplace_back(Row{c.label, problem_of(ladder, c, seed), {}, protocol_of(scale, ladder, c)});
    for (const Line& line : ladder.lines)
      if (const Variant* variant = line.phase.empty() ? variant_of(ladder, line) : nullptr)
        row.candidates.push_back({.variant = variant});
    if (const Variant* variant = variant_of(ladder, ladder.today))
      row.candidates.push_back({.variant = variant});
  }
  return rows;
}

std::vector<const Case*> Climbed::cases() const {
  std::vector<const Case*> result;
  for (const Case& c : ladder_.cases)
    if (c.from != Scale::smoke || inputs_.scale == Scale::smoke) result.push_back(&c);
  return result;
}

const Line& Climbed::line(std::string_view label) const {
  for (const Line& line : ladder_.lines)
    if (line.label == label) return line;
  throw Error(fmt::format("{} has no line '{}'", ladder_.id, label));
}

double Climbed::slide(const Case& c, const Line& line) const {
  const Json &columns = inputs_.slide.at("columns"), &rows = inputs_.slide.at("rows");
  if (line.slide.empty() || c.slide_n == 0) return absent;
  for (const Json& row : rows) {
    if (row[0] == line.slide) return row[1].get<double>() / ladder_.per_second;
    if (row[0] != c.slide_n) continue;
    for (std::size_t column = 1; column < columns.size(); ++column)
      if (columns[column] == line.slide && row[column].is_number())
        return row[column].get<double>() / ladder_.per_second;
  }
  return absent;
}

const Json* Climbed::record(const Case& c, const Line& line) const {
  const Variant* variant = variant_of(ladder_, line);
  if (!variant || !measured_at(c, inputs_.scale)) return nullptr;
  return inputs_.results.find(problem_of(ladder_, c, inputs_.seed), {.variant = variant});
}

double Climbed::here(const Case& c, const Line& line) const {
  const Json* measured = record(c, line);
  if (!measured || !measured->contains("median_s")) return absent;
  if (line.phase.empty()) return measured->at("median_s");
  const auto phases = measured->find("phases");
  const std::string phase(line.phase);
  return phases != measured->end() && phases->contains(phase) ? phases->at(phase).get<double>() : absent;
}

double Climbed::spread(const Case& c, const Line& line) const {
  const Json* measured = line.phase.empty() ? record(c, line) : nullptr;
  return measured && measured->contains("mad_s") ? measured->at("mad_s").get<double>() : absent;
}

std::string Climbed::why_absent(const Case& c, const Line& line) const {
  if (!variant_of(ladder_, line))
    return line.backend == Backend::gpu ? "needs a GPU build" : "not in this build";
  if (!measured_at(c, inputs_.scale)) return "--full";
  if (const Json* measured = record(c, line); measured && measured->contains("problem"))
    return measured->at("problem");
  return "not measured";
}

std::optional<bool> Climbed::faster(const Case& c, const Line& a, const Line& b) const {
  const double difference = here(c, b) - here(c, a);
  if (std::isnan(difference)) return {};
  const double noise =
      (std::isnan(spread(c, a)) ? 0 : spread(c, a)) + (std::isnan(spread(c, b)) ? 0 : spread(c, b));
  if (std::abs(difference) <= noise) return {};
  return difference > 0;
}

Report ladder_report(const Climbed& climbed) {
  const Ladder& ladder = climbed.ladder();
  const std::string unit(ladder.unit), base(ladder.lines.front().label);
  const std::string rate = std::string(unit_of(ladder.operation->rate)) + " here";
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"size", true},   {"variant", true},  {"slide " + unit}, {"here " + unit},
                  {"+- MAD"},       {"speed-up slide"}, {"speed-up here"}, {rate},
                  {"today " + unit}};
  std::string left_out;
  const Case* largest = nullptr;
  std::vector<Index> printed_rows;
  for (const Case* c : climbed.cases()) {
    bool first = true, measured = false;
    // The slide's row stands there once, however many cases are held against it.
    const bool again = std::ranges::find(printed_rows, c->slide_n) != printed_rows.end();
    printed_rows.push_back(c->slide_n);
    for (const Line& line : ladder.lines) {
      const bool in_catalogue = variant_of(ladder, line);
      if (!in_catalogue && line.slide.empty()) continue;
      const double slide = climbed.slide(*c, line), here = climbed.here(*c, line);
      measured |= !std::isnan(here);
      if (std::isnan(here) && (std::isnan(slide) || again) && climbed.why_absent(*c, line) == "--full")
        continue;
      const bool ratio = line.phase.empty();
      // Once a case, on its first row.
      const double today = first ? climbed.here(*c, ladder.today) : absent;
      const double speed =
          std::isnan(here) || !ratio
              ? absent
              : per_second(ladder.operation->rate,
                           ladder.operation->cost(complete_shape(*ladder.operation, c->shape)), here);
      grid.rows.push_back(
          {first ? c->label : "", std::string(line.label), printed(slide * ladder.per_second),
           std::isnan(here) ? climbed.why_absent(*c, line) : figure(here * ladder.per_second),
           std::isnan(here) || !ratio ? "" : figure(climbed.spread(*c, line) * ladder.per_second),
           ratio ? times(climbed.slide_speedup(*c, line)) : "", ratio ? times(climbed.speedup(*c, line)) : "",
           ratio ? figure(speed) : "", std::isnan(today) ? "" : figure(today * ladder.per_second)});
      first = false;
    }
    if (measured && c->slide_n) largest = c;
    if (!measured && climbed.why_absent(*c, ladder.lines.front()) == "--full")
      left_out += (left_out.empty() ? "" : ", ") + c->label;
  }
  drop_empty_columns(grid);
  report.notes.push_back(
      fmt::format("Times are medians, +- their median absolute deviation; speed-ups are over {}.", base));
  if (variant_of(ladder, ladder.today))
    report.notes.push_back(
        fmt::format("Today: what the same idea reaches now, {} on one core.", ladder.today.variant));
  if (!left_out.empty()) report.notes.push_back(fmt::format("Sizes reduced: {} only with --full.", left_out));
  if (largest)
    for (const Line& line : ladder.lines) {
      const double slide = climbed.slide_speedup(*largest, line), here = climbed.speedup(*largest, line);
      if (line.label != base && line.phase.empty() && !std::isnan(slide) && !std::isnan(here))
        report.ratios.push_back({largest->label, fmt::format("{} over {}", line.label, base), slide, here});
    }
  return report;
}

Finding finds_faster(const Climbed& climbed, std::string text, std::string_view a, std::string_view b,
                     Index least, std::string why_holds, std::string why_fails) {
  Finding finding{std::move(text), {}, "", ""};
  const Line &fast = climbed.line(a), &slow = climbed.line(b);
  bool decided = true, holds = true;
  for (const Case* c : climbed.cases()) {
    const double here = climbed.here(*c, slow) / climbed.here(*c, fast);
    if (c->slide_n < least || std::isnan(here)) continue;
    const double slide = climbed.slide(*c, slow) / climbed.slide(*c, fast);
    const auto faster = climbed.faster(*c, fast, slow);
    finding.figures += fmt::format("{}{}: {}{}{}", finding.figures.empty() ? "" : "; ", c->label, times(here),
                                   faster ? "" : " (within the spread)",
                                   std::isnan(slide) ? "" : " (slide " + times(slide) + ")");
    decided = decided && faster;
    holds = holds && faster.value_or(true);
  }
  if (finding.figures.empty()) {
    finding.why = "Nothing was measured at these sizes";
  } else if (decided || !holds) {
    finding.holds = holds;
    finding.why = std::move(holds ? why_holds : why_fails);
  } else {
    finding.why = "The difference is within the spread of the measurements";
  }
  return finding;
}

Finding finds_growing(const Climbed& climbed, std::string text, std::string_view a, Index least,
                      std::string why_holds, std::string why_fails) {
  Finding finding{std::move(text), {}, "", "Fewer than two of these sizes were measured"};
  const Line& line = climbed.line(a);
  std::vector<const Case*> seen;
  for (const Case* c : climbed.cases())
    if (c->slide_n >= least && !std::isnan(climbed.speedup(*c, line))) seen.push_back(c);
  if (seen.size() < 2) return finding;
  const Case &first = *seen.front(), &last = *seen.back();
  finding.figures =
      fmt::format("{}: {} (slide {}); {}: {} (slide {})", first.label, times(climbed.speedup(first, line)),
                  times(climbed.slide_speedup(first, line)), last.label, times(climbed.speedup(last, line)),
                  times(climbed.slide_speedup(last, line)));
  finding.holds = climbed.speedup(last, line) > climbed.speedup(first, line);
  finding.why = std::move(*finding.holds ? why_holds : why_fails);
  return finding;
}

}  // namespace tallcache
