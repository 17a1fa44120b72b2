#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/show/charts.hpp"
#include "bench/tables/complexity.hpp"
#include "bench/tables/list.hpp"

namespace tallcache::slide_tables::cache_complexity {
namespace {

constexpr double tolerance = 0.1;  // of an exponent, and of measured / formula

std::string range(std::span<const double> values) {
  const auto [min, max] = std::ranges::minmax(values);
  return fmt::format("{:g} to {:g}", min, max);
}

std::string exponent(double value) {
  // A value that rounds to zero has no sign.
  return fmt::format("{:.2f}", std::abs(value) < 0.005 ? 0 : value);
}

std::string three(const Setting& e) {
  return fmt::format("{}, {}, {}", exponent(e.n), exponent(e.z), exponent(e.l));
}

std::string from_to(const Spread& spread) {
  return fmt::format("{} to {}", figure(spread.min), figure(spread.max));
}

// The reason why the count differs from the slides' formula, where another formula gives the count.
std::string explain(const Claim& claim, const Experiment& experiment) {
  const auto near = [](double a, double b) { return std::abs(a / b - 1) <= tolerance; };
  if (claim.row == find_claim("bucketed counting sort, all of it").row) {
    const Misses& m = experiment.n.back();
    constexpr double buckets = traced_buckets;
    const double fits = 5 * m.at.n / m.at.l + 3 * buckets / m.at.l + buckets;
    if (!near(m.lru, fits) || near(m.ratio(), 1)) return {};
    return fmt::format(
        "5n/L + 3m/L + m = {} at n = {:g}, {} counted: that of a bucket which fits in the cache, and is read "
        "once and written once (2n/L after the pass's 3n/L), with one array of counts for all buckets. The "
        "slides charge its sort as if it lay outside",
        figure(fits), m.at.n, figure(m.lru));
  }
  if (claim.row == find_claim("tiled product, tile b, 3b^2 < Z, square n").row) {
    const Spread ratio = spread_of_ratios(experiment);
    if (experiment.others.empty() || !near(ratio.min, 2.0 / 3) || !near(ratio.max, 2.0 / 3)) return {};
    const Misses& edge = experiment.others.front();
    return fmt::format(
        "2 n^3/(b L), two thirds of it, are the factors' misses alone: the tile of C stays in the cache "
        "along k0, as i0-j0-k0 are outside. At Z = {:g} measured / formula is {}",
        edge.at.z, figure(edge.ratio()));
  }
  return {};
}

Finding finds_count(const Claim& claim, const Experiment& experiment, const std::string& formula) {
  const Spread ratio = spread_of_ratios(experiment);
  Finding finding{fmt::format("{}: {} misses", claim.row, formula), {}, {}, explain(claim, experiment)};
  finding.figures = "measured / formula " + from_to(ratio);
  finding.holds = claim.kind == ClaimKind::upper_bound
                      ? ratio.max <= 1
                      : ratio.min >= 1 - tolerance && ratio.max <= 1 + tolerance;
  return finding;
}

// One constant for every n, Z and L: within a quarter.
Finding finds_constant(const Claim& claim, const Experiment& experiment) {
  const Spread constant = spread_of_constants(experiment, claim.exponents);
  return {fmt::format("{}: one constant at every n, Z and L", claim.row),
          constant.max <= 1.25 * constant.min,
          fmt::format("the leading term's is {}, {} apart", from_to(constant),
                      times(constant.max / constant.min)),
          {}};
}

Finding finds_exponents(const Claim& claim, const Setting& here) {
  const Setting& claimed = claim.exponents;
  return {fmt::format("{}: exponents {} in n, Z, L", claim.row, three(claimed)),
          std::abs(here.n - claimed.n) <= tolerance && std::abs(here.z - claimed.z) <= tolerance &&
              std::abs(here.l - claimed.l) <= tolerance,
          three(here) + " fitted",
          {}};
}

void add_exponents(Grid& grid, const Claim& claim, const Setting& here, const Experiment& experiment) {
  const Setting& claimed = claim.exponents;
  grid.rows.push_back({std::string(claim.row), exponent(claimed.n), exponent(here.n), range(claim.n),
                       exponent(claimed.z), exponent(here.z), range(claim.z), exponent(claimed.l),
                       exponent(here.l), range(claim.l), from_to(spread_of_ratios(experiment)),
                       from_to(spread_of_constants(experiment, claimed))});
}

// Effects that the chosen sizes hide, and the naive product's counterpart to REC-MULT's constant.
void compare_products(const Claim& rec_mult, std::span<const Misses> straddling, const Experiment& naive,
                      Report& report) {
  const Spread naive_constant = spread_of_constants(naive, rec_mult.exponents);
  report.findings.push_back(
      {"the naive product has no such constant: against n^3/(L sqrt Z) it grows",
       naive_constant.max > 2 * naive_constant.min,
       fmt::format("{}, {} apart", from_to(naive_constant), times(naive_constant.max / naive_constant.min)),
       {}});
  if (straddling.empty()) return;
  const auto [min, max] = std::ranges::minmax(straddling, {}, &Misses::ratio);
  report.notes.push_back(fmt::format(
      "REC-MULT's n are powers of two, whose blocks begin where lines begin. At n = 144 blocks "
      "straddle lines: measured / formula is largest, {}, at Z = {:g} and least, {}, at Z = {:g}, L = {:g}.",
      figure(max.ratio()), max.at.z, figure(min.ratio()), min.at.z, min.at.l));
}

constexpr std::string_view id = "cache-complexity";

std::vector<Row> rows(Scale scale, std::uint64_t) {
  const bool first_only = scale == Scale::smoke;
  std::vector<Row> rows;
  for (const Claim& claim : claims())
    rows.push_back(
        {std::string(claim.row), [&claim, first_only] { return count_misses(claim, first_only); }});
  return rows;
}

Grid empty_counts() {
  return {.caption = "Misses of one run, counted",
          .columns = {{"algorithm", true},
                      {"slide's formula", true},
                      {"n"},
                      {"Z"},
                      {"L"},
                      {"formula"},
                      {"LRU here"},
                      {"here / formula"},
                      {"OPT here"}}};
}

Grid empty_exponents() {
  return {.caption = "Exponents fitted, one of n, Z and L varied at a time",
          .columns = {{"algorithm", true},
                      {"in n: claimed"},
                      {"here"},
                      {"n"},
                      {"in Z: claimed"},
                      {"here"},
                      {"Z"},
                      {"in L: claimed"},
                      {"here"},
                      {"L"},
                      {"here / formula"},
                      {"leading constant"}}};
}

void add_counts(const Inputs& inputs, const Claim& claim, const std::string& formula,
                const Experiment& experiment, Grid& grid) {
  std::string row(claim.row), text = formula;
  if (experiment.n.empty())
    grid.rows.push_back({row, text, "", "", "", "", why_absent(inputs.document, id, claim.row), "", ""});
  for (const Misses& m : experiment.n)
    grid.rows.push_back({std::exchange(row, ""), std::exchange(text, ""), fmt::format("{:g}", m.at.n),
                         fmt::format("{:g}", m.at.z), fmt::format("{:g}", m.at.l),
                         fmt::format("{:.0f}", m.formula), fmt::format("{:.0f}", m.lru), figure(m.ratio()),
                         fmt::format("{:.0f}", m.opt)});
}

// The counts over n, with the slide's formula beside.
void draw_counts(const Claim& claim, const Experiment& experiment, Chart& chart) {
  if (experiment.n.empty()) return;
  std::string name(claim.row);
  Series counted{.name = name, .family = Family::textbook, .stressed = claim.variant == cache_oblivious};
  Series formula{.name = name + ", formula", .family = Family::theory, .companion = true};
  for (const Misses& m : experiment.n) {
    counted.points.push_back({m.at.n, m.lru});
    formula.points.push_back({m.at.n, m.formula});
  }
  chart.series.push_back(std::move(counted));
  chart.series.push_back(std::move(formula));
}

// The exponents need all ranges.
bool complete(const Claim& claim, const Experiment& experiment) {
  return experiment.n.size() == claim.n.size() && experiment.z.size() == claim.z.size() &&
         experiment.l.size() == claim.l.size();
}

void add_findings(const Claim& claim, const Experiment& experiment, const std::string& formula,
                  Report& report) {
  const Setting here = fit_exponents(experiment, [](const Misses& m) { return m.lru; });
  add_exponents(report.grids[1], claim, here, experiment);
  report.findings.push_back(finds_exponents(claim, here));
  report.findings.push_back(claim.kind == ClaimKind::growth ? finds_constant(claim, experiment)
                                                            : finds_count(claim, experiment, formula));
}

const char* const counted_note =
    "Counted, not timed: the algorithms' own texts, traced into ideal caches (fully associative) "
    "of Z words in lines of L words; a word is an element (8 bytes, keys 4). Products and "
    "transpositions of n x n, tile b = 8, recursion down to 1; n keys in [0, n), m = 128 buckets.";
const char* const formula_note =
    "Formulas of a Theta are evaluated with 1 for every constant. Sizes are such that the slides' "
    "assumptions hold: rows, columns and tiles that do not fit, a tall cache, a line of cache for each "
    "bucket.";
const char* const tolerance_note =
    "An exponent or a count holds when it is within 0.1, or 10 %, of the slide's leading term or "
    "formula; one constant when it is within a quarter.";

Report report(const Inputs& inputs) {
  const bool smoke = inputs.scale == Scale::smoke;
  const Claim &rec_mult = find_claim("REC-MULT, m x n times n x p"),
              &naive = find_claim("naive product, (m,n)=(m,p)(p,n)");
  Report report;
  report.grids = {empty_counts()};
  if (!smoke) report.grids.push_back(empty_exponents());
  Chart chart{.title = "",
              .x = "n",
              .y = "misses, LRU",
              .companions = "crosses, dotted: the slide's formula, in the colour of its algorithm"};
  report.notes = {counted_note, formula_note, tolerance_note};
  Experiment of_naive;
  for (const Claim& claim : claims()) {
    const Experiment experiment = experiment_from(claim, records_of(inputs.document, id, claim.row));
    const auto& rows = inputs.slide.at("rows");
    const auto row = std::ranges::find_if(rows, [&](const Json& row) { return row[0] == claim.row; });
    if (row == rows.end()) throw Error(fmt::format("the slide has no row '{}'", claim.row));
    const std::string formula = (*row)[1];
    add_counts(inputs, claim, formula, experiment, report.grids[0]);
    draw_counts(claim, experiment, chart);
    if (smoke || !complete(claim, experiment)) continue;
    add_findings(claim, experiment, formula, report);
    if (&claim == &naive) of_naive = experiment;
    if (&claim == &rec_mult && !of_naive.n.empty())
      compare_products(claim, experiment.others, of_naive, report);
  }
  if (!chart.series.empty()) report.charts.push_back(std::move(chart));
  if (smoke) report.notes.push_back("Exponents are fitted in quick and full mode.");
  return report;
}

}  // namespace

const Table table{id, "misses in the ideal-cache model, formula beside count", rows, report};

}  // namespace tallcache::slide_tables::cache_complexity
