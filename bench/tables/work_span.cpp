#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "bench/results/profile.hpp"
#include "bench/tables/counted_records.hpp"
#include "bench/tables/growth.hpp"
#include "bench/tables/list.hpp"
#include "bench/tables/power_law.hpp"
#include "bench/tables/work_span_lines.hpp"
#include "bench/tables/work_span_sides.hpp"
#include "common/cache/run_traced.hpp"
#include "common/catalogue.hpp"

namespace tallcache::slide_tables::work_span {
namespace {

constexpr std::string_view id = "work-span";
constexpr double exponent_tolerance = 0.1, power_tolerance = 0.25;

// The leaves are as small as the variant allows: the analysis is that of a recursion down to 1.
Params smallest_leaves(const Variant& variant, const Params& given) {
  Params params;
  for (const ParamSpec& spec : variant.params) {
    const bool leaf = std::ranges::any_of(
        std::initializer_list<std::string_view>{"base", "grain", "cut", "leaf", "threshold", "block"},
        [&](std::string_view part) { return spec.name.find(part) != std::string_view::npos; });
    if (leaf) params.set(spec.name, spec.min);
    if (const Params::Item* item = given.find(spec.name)) params.set(spec.name, item->value);
  }
  return complete_params(variant, params);
}

const Variant* variant_of(const WorkSpanLine& line) {
  for (const Operation* operation : operations()) {
    if (operation->name != line.operation || (!line.element.empty() && operation->element != line.element))
      continue;
    for (std::string_view name : line.variants)
      for (const Variant* variant : variants_of(*operation))
        if (variant->name == name && variant->profile) return variant;
    if (!line.element.empty()) break;
  }
  return nullptr;
}

std::string label_of(const WorkSpanLine& line) {
  return fmt::format("{}, {}", line.row, line.variants.front());
}

// One run. Its result is checked.
Record profile_at(const WorkSpanLine& line, const Variant& variant, Index n, std::uint64_t seed) {
  const Operation& operation = *variant.operation;
  const Shape shape = parse_shape(
      operation, line.shape ? line.shape(n) : fmt::format("{}={}", operation.dims.front().name, n));
  const Params params = smallest_leaves(variant, line.params);
  const std::string_view input = line.input.empty() ? operation.inputs.front() : line.input;
  const cache::TracedProblem problem(operation, shape, variant.scratch(shape, params), input, seed);
  const Profile profile =
      variant.profile(problem.args(), params, CostUnit::accesses, {.burden = cilkview_burden});
  if (const Check check = operation.check(shape, input, seed, problem.args(), variant.error_class); !check)
    throw Error(fmt::format("wrong result: {}", check.message()), Status::wrong);
  Record record = measured_record(std::string(operation.name), std::string(variant.name),
                                  std::string(operation.element), to_json(shape));
  record.params = to_json(params);
  record.input = input;
  put_profile(record, profile, "1", Origin::model, "one a strand, one an access of an element");
  return record;
}

std::vector<Record> count(const WorkSpanLine& line, std::size_t sizes, std::uint64_t seed) {
  const Variant* variant = variant_of(line);
  if (!variant) throw Error("not in this build", Status::unavailable);
  std::vector<Record> records;
  for (Index n : std::span(line.n).first(sizes)) records.push_back(profile_at(line, *variant, n, seed));
  return records;
}

std::vector<Row> rows(Scale scale, std::uint64_t seed) {
  std::vector<Row> rows;
  for (const WorkSpanLine& line : work_span_lines()) {
    const std::size_t left_out = scale == Scale::full ? 0 : 1;
    const std::size_t sizes =
        scale == Scale::smoke ? std::size_t{4} + line.of_differences : line.n.size() - left_out;
    rows.push_back({label_of(line), [&line, sizes, seed] { return count(line, sizes, seed); }});
  }
  for (Row& row : work_span_side_rows(scale, seed)) rows.push_back(std::move(row));
  return rows;
}

/// A variant's counts at a series of sizes, or the reason why there are none.
struct Counts {
  const WorkSpanLine* line;
  std::string variant, reason{};
  std::vector<double> n{}, work_in{}, span_in{}, work{}, span{};
  std::vector<Profile> profiles{};
};

Counts counts_of(const Inputs& inputs, const WorkSpanLine& line) {
  Counts counts{.line = &line, .variant = std::string(line.variants.front())};
  const auto records = records_of(inputs.document, id, label_of(line));
  if (records.empty()) counts.reason = why_absent(inputs.document, id, label_of(line));
  for (const Record* record : records) {
    // The operation's first size; the others follow it.
    const double n = record->shape.front().get<double>();
    const Profile& profile = counts.profiles.emplace_back(profile_of(*record));
    counts.variant = record->variant;
    counts.n.push_back(n);
    counts.work_in.push_back(line.work_in ? line.work_in(n) : n);
    counts.span_in.push_back(line.span_in ? line.span_in(n) : n);
    counts.work.push_back(profile.work);
    counts.span.push_back(profile.span);
  }
  return counts;
}

// Fits the larger sizes, as the smallest do not help an asymptotic law. A law that is not a power of n has
// lower terms that no shift represents, and is fitted without one.
Growth fitted(const Counts& counts, bool span) {
  const auto &x = span ? counts.span_in : counts.work_in, &y = span ? counts.span : counts.work;
  if (span ? counts.line->span_in : counts.line->work_in) return {fit_power_law(x, y).exponent, 0};
  if (span && counts.line->of_differences) {
    std::vector<double> difference;
    for (std::size_t i = 0; i + 1 < y.size(); ++i) difference.push_back(y[i + 1] - y[i]);
    Growth form = counts.line->span;
    form.power -= 1;
    Growth growth = fit_growth(std::span(x).first(difference.size()), difference, form);
    growth.power += 1;
    return growth;
  }
  const std::size_t from = x.size() > 5 ? (x.size() - 5 + 1) / 2 : 0;
  return fit_growth(std::span(x).subspan(from), std::span(y).subspan(from),
                    span ? counts.line->span : counts.line->work);
}

// In n, or in the variable of the slide's formula.
std::string printed(const WorkSpanLine& line, const Growth& growth, bool span) {
  const auto in = span ? line.span_in : line.work_in;
  if (!in) return to_string(growth);
  const std::string base = in == grid_edges ? "E" : growth.exponent == 1 ? "d lg V" : "(d lg V)";
  return growth.exponent == 1 ? base : fmt::format("{}^{:.3g}", base, growth.exponent);
}

bool agrees(const Growth& here, const Growth& form) {
  return std::abs(here.exponent - form.exponent) <= exponent_tolerance &&
         std::abs(here.power - form.power) <= power_tolerance;
}

Finding finding(const std::string& claimed, const Counts& counts, bool span) {
  const WorkSpanLine& line = *counts.line;
  const Growth& form = span ? line.span : line.work;
  Finding result{fmt::format("{}, {}: {} {}", line.row, counts.variant, span ? "span" : "work", claimed),
                 {},
                 counts.reason,
                 {}};
  if (!counts.reason.empty()) return result;
  const Growth here = fitted(counts, span);
  result.figures = printed(line, here, span) + " fitted";
  const bool as_expected = agrees(here, form);
  const bool same = !span || line.why.empty();
  result.holds = same && as_expected;
  if (!same)
    result.why = fmt::format("{}: the variant's is {}{}", line.why, printed(line, form, span),
                             as_expected ? "" : "; the fit differs");
  return result;
}

Grid empty_growth() {
  return {.caption = "Growth, claimed and fitted",
          .columns = {{"algorithm", true},
                      {"variant", true},
                      {"work slide", true},
                      {"here", true},
                      {"span slide", true},
                      {"variant's span", true},
                      {"here", true},
                      {"n"},
                      {"parallelism"}}};
}

Grid empty_counts() {
  return {.caption = "Counted: one a strand, one an access of an element",
          .columns = {{"variant", true},
                      {"n"},
                      {"work"},
                      {"span"},
                      {"parallelism"},
                      {"spawns"},
                      {"strands along the span"}}};
}

std::vector<std::string> growth_cells(const Counts& counts, const std::string& work_text,
                                      const std::string& span_text) {
  const WorkSpanLine& line = *counts.line;
  std::vector<std::string> cells{std::string(line.row), counts.variant, work_text};
  if (!counts.reason.empty())
    cells.insert(cells.end(), {counts.reason, span_text, printed(line, line.span, true), "", "", ""});
  else
    cells.insert(cells.end(), {printed(line, fitted(counts, false), false), span_text, to_string(line.span),
                               printed(line, fitted(counts, true), true),
                               fmt::format("{:.0f} to {:.0f}", counts.n.front(), counts.n.back()),
                               figure(counts.profiles.back().parallelism())});
  return cells;
}

void add_counts(const Counts& counts, Grid& grid) {
  for (std::size_t i = 0; i < counts.n.size(); ++i) {
    const Profile& p = counts.profiles[i];
    grid.rows.push_back({i ? "" : counts.variant, figure(counts.n[i]), fmt::format("{:.0f}", p.work),
                         fmt::format("{:.0f}", p.span), figure(p.parallelism()), fmt::format("{}", p.spawns),
                         fmt::format("{}", p.strands_on_span)});
  }
}

Report report(const Inputs& inputs) {
  Report report;
  report.grids = {empty_growth(), empty_counts()};
  Chart chart{.title = "", .x = "n", .y = "parallelism, counted"};
  std::vector<SideCounts> sides;
  for (const WorkSpanLine& line : work_span_lines()) {
    const auto& rows = inputs.slide.at("rows");
    const auto row = std::ranges::find_if(rows, [&](const Json& row) { return row[0] == line.row; });
    if (row == rows.end()) throw Error(fmt::format("the slide has no row '{}'", line.row));
    const std::string work_text = (*row)[1], span_text = (*row)[2];
    const Counts counts = counts_of(inputs, line);
    report.grids[0].rows.push_back(growth_cells(counts, work_text, span_text));
    add_counts(counts, report.grids[1]);
    if (!counts.profiles.empty())
      sides.push_back({line.row, counts.variant, counts.n.back(), counts.work.back(), counts.span.back()});
    Series series{.name = std::string(counts.variant), .family = Family::textbook};
    for (std::size_t i = 0; i < counts.n.size(); ++i)
      series.points.push_back({counts.n[i], counts.profiles[i].parallelism()});
    if (!series.points.empty()) chart.series.push_back(std::move(series));
    report.findings.push_back(finding(work_text, counts, false));
    report.findings.push_back(finding(span_text, counts, true));
  }
  for (Grid& grid : work_span_sides(inputs, id, sides)) report.grids.push_back(std::move(grid));
  if (!chart.series.empty()) report.charts.push_back(std::move(chart));
  report.notes = {
      "Growth is counted, not timed, on the algorithms' own texts with the smallest leaves: the same in "
      "every run. Every result is checked.",
      "Of a GPU's text the model counts: between two barriers the longest lane, and launches one after the "
      "other, are the span.",
      fmt::format(
          "Fits are of the larger sizes, with the next lower term left free; an exponent holds within "
          "{:g}, a power of lg n within {:g}.",
          exponent_tolerance, power_tolerance)};
  if (inputs.scale != Scale::full) {
    report.left_out = "the largest size of each";
    report.notes.push_back("The largest size of each only with --full.");
  }
  return report;
}

}  // namespace

const Table table{id, "work and span of seven algorithms, claimed and counted", rows, report};

}  // namespace tallcache::slide_tables::work_span
