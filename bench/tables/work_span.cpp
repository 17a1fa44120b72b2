#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bench/tables/growth.hpp"
#include "bench/tables/list.hpp"
#include "common/cache/run_traced.hpp"
#include "common/catalogue.hpp"

namespace tallcache {
namespace {

constexpr double tolerance = 0.1;  // of an exponent; of a power of lg n twice as much

/// A variant held against a row of the slide.
struct Line {
  std::string_view row;                       ///< as the slide names the algorithm
  std::string_view operation, element;        ///< element empty: the operation's first
  std::vector<std::string_view> variants;     ///< the first one that the catalogue has
  std::vector<Index> n;                       ///< the last one with --full only
  Growth work, span;                          ///< of the variant
  std::string_view why{};                     ///< why its span is not the slide's, where it is not
  std::string_view shape_note{};              ///< what n is
  std::function<std::string(Index)> shape{};  ///< empty: the first size is n, the others as left out
  std::string_view input{};                   ///< empty: the operation's first
  Params params{};                            ///< beside the smallest leaves
  Index width = 1;                            ///< blocks, for what cuts its input by number
};

std::vector<Index> doubling(Index from, Index to) {
  std::vector<Index> list;
  for (; from <= to; from *= 2) list.push_back(from);
  return list;
}

const double lg3 = std::log2(3.0), lg7 = std::log2(7.0);

/// What the slide claims, for what n is here.
struct Claim {
  std::string_view row;
  Growth work, span;
};

const std::vector<Claim>& claims() {
  static const std::vector<Claim> list{{"merge sort", {1, 1}, {0, 3}},
                                       {"matrix multiplication", {3, 0}, {0, 1}},
                                       {"Strassen", {lg7, 0}, {0, 2}},
                                       {"LU decomposition", {3, 0}, {1, 1}},
                                       {"tableau construction", {2, 0}, {lg3, 0}},
                                       {"FFT", {1, 1}, {0, 2}},
                                       // n vertices in a square grid: d = 2 sqrt n, E = 4 n.
                                       {"breadth-first search", {1, 0}, {0.5, 1}}};
  return list;
}

const std::vector<Line>& lines() {
  static const std::vector<Line> list{
      {.row = "merge sort",
       .operation = "sort",
       .variants = {"merge_sort"},
       .n = doubling(64, 1 << 16),
       .work = {1, 1},
       .span = {0, 3}},
      {.row = "matrix multiplication",
       .operation = "matmul",
       .element = "double",
       .variants = {"recursive_temporary"},
       .n = doubling(4, 256),
       .work = {3, 0},
       .span = {0, 2},
       .why =
           "Each of the lg n halvings of the inner dimension ends with an addition, whose forks are a tree "
           "of lg n levels. The slide's lg n adds up each coefficient's n products in one tree, all n^2 at "
           "once",
       // Every halving of the inner dimension gets a temporary.
       .params = {{"splits", 40}}},
      {.row = "matrix multiplication",
       .operation = "matmul",
       .element = "double",
       .variants = {"recursive"},
       .n = doubling(4, 256),
       .work = {3, 0},
       .span = {1, 0},
       .why =
           "Without temporaries the halves of the inner dimension go one after the other: S(n) = 2 S(n/2) + "
           "O(1)"},
      {.row = "Strassen",
       .operation = "matmul",
       .element = "double",
       .variants = {"strassen"},
       .n = doubling(4, 256),
       .work = {lg7, 0},
       .span = {0, 2}},
      {.row = "LU decomposition",
       .operation = "lu",
       .variants = {"lu_recursive", "recursive"},
       .n = doubling(4, 256),
       .work = {3, 0},
       .span = {1, 1}},
      {.row = "tableau construction",
       .operation = "edit_distance",
       .variants = {"tableau_recursive", "recursive"},
       .n = doubling(8, 1024),
       .work = {2, 0},
       .span = {lg3, 0}},
      {.row = "FFT",
       .operation = "fft",
       .variants = {"fft_recursive", "recursive"},
       .n = doubling(64, 1 << 16),
       .work = {1, 1},
       .span = {0, 2}},
      {.row = "FFT",
       .operation = "fft",
       .variants = {"fft_six_step", "six_step"},
       .n = doubling(64, 1 << 16),
       .work = {1, 1},
       .span = {0, 2}},
      {.row = "breadth-first search",
       .operation = "bfs",
       .variants = {"bfs_frontier", "frontier"},
       .n = {256, 1024, 4096, 16384, 65536, 262144},
       .work = {1, 0},
       .span = {0.5, 1},
       .shape_note = "n = V in a square grid: E = 4V, d = 2 sqrt V",
       .input = "grid"},
  };
  return list;
}

/// A variant's counts at a series of sizes, or why there are none.
struct Counts {
  const Line* line;
  std::string variant, problem;
  std::vector<double> n, work, span;
  std::vector<Profile> profiles;
};

// The leaves as small as the variant allows: the analysis is that of the recursion down to 1.
Params smallest_leaves(const Variant& variant, const Params& given) {
  Params params;
  for (const ParamSpec& spec : variant.params) {
    const bool leaf = std::ranges::any_of(
        std::initializer_list<std::string_view>{"base", "grain", "cut", "leaf", "threshold"},
        [&](std::string_view part) { return spec.name.find(part) != std::string_view::npos; });
    if (leaf) params.set(spec.name, spec.least);
    if (const Params::Item* item = given.find(spec.name)) params.set(spec.name, item->value);
  }
  return complete_params(variant, params);
}

const Variant* variant_of(const Line& line) {
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

Profile profile_at(const Line& line, const Variant& variant, Index n, std::uint64_t seed) {
  const Operation& operation = *variant.operation;
  const Shape shape = parse_shape(
      operation, line.shape ? line.shape(n) : fmt::format("{}={}", operation.dims.front().name, n));
  const Params params = smallest_leaves(variant, line.params);
  const auto width = static_cast<int>(line.width);
  const cache::TracedProblem problem(operation, shape, variant.scratch(shape, params, width), line.input,
                                     seed);
  const Profile profile = variant.profile(problem.args(), params, CostUnit::accesses,
                                          {.burden = cilkview_burden, .width = line.width});
  if (const Check check = operation.check(shape, line.input.empty() ? operation.inputs.front() : line.input,
                                          seed, problem.args());
      !check)
    throw Error(fmt::format("wrong result: {}", check.message()));
  return profile;
}

Counts count(const Line& line, const Inputs& inputs) {
  Counts counts{.line = &line, .variant = std::string(line.variants.front()), .problem = {}};
  const Variant* variant = variant_of(line);
  if (!variant) {
    counts.problem = "not in this build";
    return counts;
  }
  counts.variant = variant->name;
  const std::size_t left_out = inputs.scale == Scale::full ? 0 : 1;
  const std::size_t sizes = inputs.scale == Scale::smoke ? 4 : line.n.size() - left_out;
  try {
    for (std::size_t i = 0; i < sizes; ++i) {
      const Profile profile = profile_at(line, *variant, line.n[i], inputs.seed);
      counts.n.push_back(static_cast<double>(line.n[i]));
      counts.work.push_back(profile.work);
      counts.span.push_back(profile.span);
      counts.profiles.push_back(profile);
    }
  } catch (const Error& error) {
    counts.problem = error.what();
  }
  return counts;
}

// Of the larger sizes: the smallest are no help to an asymptotic law.
Growth fitted(const Counts& counts, const std::vector<double>& y, const Growth& form) {
  const std::size_t from = counts.n.size() > 5 ? (counts.n.size() - 5 + 1) / 2 : 0;
  return fit_growth(std::span(counts.n).subspan(from), std::span(y).subspan(from), form);
}

bool agrees(const Growth& here, const Growth& claimed) {
  return std::abs(here.exponent - claimed.exponent) <= tolerance &&
         std::abs(here.power - claimed.power) <= 2 * tolerance;
}

Finding finding(const Claim& claim, const std::string& claimed_text, const Counts& counts, bool span) {
  const Line& line = *counts.line;
  const Growth &claimed = span ? claim.span : claim.work, &form = span ? line.span : line.work;
  Finding result{fmt::format("{}, {}: {} {}", line.row, counts.variant, span ? "span" : "work", claimed_text),
                 {},
                 counts.problem,
                 {}};
  if (!counts.problem.empty()) return result;
  const Growth here = fitted(counts, span ? counts.span : counts.work, form);
  result.figures = to_string(here) + " fitted";
  const bool as_expected = agrees(here, form);
  const bool same = form.exponent == claimed.exponent && form.power == claimed.power;
  result.holds = same && as_expected;
  if (!same)
    result.why = fmt::format("{}: the variant's is {}{}", line.why, to_string(form),
                             as_expected ? "" : ", and the fit is not that either");
  return result;
}

Report report(const Inputs& inputs) {
  Report report;
  report.grids.resize(2);
  Grid &growth = report.grids[0], &measured = report.grids[1];
  growth.caption = "Growth, claimed and fitted";
  growth.columns = {{"algorithm", true},  {"variant", true},        {"work slide", true}, {"here", true},
                    {"span slide", true}, {"variant's span", true}, {"here", true},       {"n"},
                    {"parallelism"}};
  measured.caption = "Counted: one a strand, one an access of an element";
  measured.columns = {{"variant", true},         {"n"}, {"work"}, {"span"}, {"parallelism"}, {"spawns"},
                      {"strands along the span"}};
  for (const Line& line : lines()) {
    const auto& rows = inputs.slide.at("rows");
    const auto row = std::ranges::find_if(rows, [&](const Json& row) { return row[0] == line.row; });
    if (row == rows.end()) throw Error(fmt::format("the slide has no row '{}'", line.row));
    const std::string work_text = (*row)[1], span_text = (*row)[2];
    const Claim& claim = *std::ranges::find(claims(), line.row, &Claim::row);
    const Counts counts = count(line, inputs);
    auto& cells =
        growth.rows.emplace_back(std::vector<std::string>{std::string(line.row), counts.variant, work_text});
    if (!counts.problem.empty()) {
      cells.insert(cells.end(), {counts.problem, span_text, to_string(line.span), "", "", ""});
    } else {
      cells.insert(cells.end(), {to_string(fitted(counts, counts.work, line.work)), span_text,
                                 to_string(line.span), to_string(fitted(counts, counts.span, line.span)),
                                 fmt::format("{:.0f} to {:.0f}", counts.n.front(), counts.n.back()),
                                 figure(counts.profiles.back().parallelism())});
      for (std::size_t i = 0; i < counts.n.size(); ++i) {
        const Profile& p = counts.profiles[i];
        measured.rows.push_back({i ? "" : counts.variant, figure(counts.n[i]), fmt::format("{:.0f}", p.work),
                                 fmt::format("{:.0f}", p.span), figure(p.parallelism()),
                                 fmt::format("{}", p.spawns), fmt::format("{}", p.strands_on_span)});
      }
    }
    if (!line.shape_note.empty()) report.notes.push_back(fmt::format("{}: {}.", line.row, line.shape_note));
    report.findings.push_back(finding(claim, work_text, counts, false));
    report.findings.push_back(finding(claim, span_text, counts, true));
  }
  report.notes.insert(
      report.notes.begin(),
      {"Counted, not timed, on the algorithms' own texts with the smallest leaves: the same in every run. "
       "Every "
       "result is checked.",
       fmt::format(
           "Fits are of the larger sizes, with the next lower term left free; an exponent holds within "
           "{:g}, a power of lg n within {:g}.",
           tolerance, 2 * tolerance)});
  if (inputs.scale != Scale::full) report.notes.push_back("The largest size of each only with --full.");
  return report;
}

}  // namespace

const Table work_span_table{"work-span", "work and span of seven algorithms, claimed and counted",
                            [](Scale, std::uint64_t) { return std::vector<Row>{}; }, report};

}  // namespace tallcache
