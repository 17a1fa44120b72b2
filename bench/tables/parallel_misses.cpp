// The table of misses in P private caches under work stealing: the algorithms' own texts, beside both bounds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "bench/results/names.hpp"
#include "bench/show/charts.hpp"
#include "bench/tables/counted_records.hpp"
#include "bench/tables/list.hpp"
#include "common/cache/parallel_misses.hpp"
#include "common/cache/private_caches.hpp"
#include "common/catalogue.hpp"

namespace tallcache::slide_tables::parallel_misses {
namespace {

constexpr std::string_view id = "parallel-misses";
constexpr std::array processors{1, 2, 4, 8, 16};
constexpr std::size_t line_bytes = 64;
constexpr std::array<std::size_t, 2> cache_bytes{8 << 10, 64 << 10};

/// An algorithm, and the parameters whose least values make a leaf a strand of few steps: recursions go down
/// to the end.
struct Algorithm {
  std::string_view name, operation, element, variant;
  const char *shape, *smoke_shape;
  std::vector<std::string_view> of_leaf = {"base"};
};

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> list{
      {"REC-MULT", "matmul", "double", "recursive", "m=96", "m=24"},
      {"REC-TRANSPOSE", "transpose", "double", "recursive", "m=512", "m=64"},
      {"counting sort, bucketed", "counting_sort", "uint32", "bucketed", "n=100000", "n=100000", {}},
      {"merge sort", "sort", "uint32", "merge_sort", "n=50000", "n=2000"},
      {"FFT, recursive", "fft", "", "fft_recursive", "n=16384", "n=1024"},
      {"stencil, trapezoids",
       "stencil",
       "double",
       "trapezoids",
       "cols=96,rows=96,steps=24",
       "cols=24,rows=24,steps=6",
       {"height", "row_bytes", "rows"}},
  };
  return list;
}

const Variant* variant_of(const Algorithm& algorithm) {
  for (const Operation* operation : operations())
    if (operation->name == algorithm.operation &&
        (algorithm.element.empty() || operation->element == algorithm.element))
      for (const Variant* variant : variants_of(*operation))
        if (variant->name == algorithm.variant && variant->trace) return variant;
  return nullptr;
}

Params least_leaf(const Algorithm& algorithm, const Variant& variant) {
  Params params;
  for (const std::string_view name : algorithm.of_leaf) {
    const auto spec = std::ranges::find(variant.params, name, &ParamSpec::name);
    params.set(name, spec == variant.params.end() ? 1 : spec->min);
  }
  return complete_params(variant, params);  // which refuses a name that the variant has not
}

// Frigo and Strumpen's order of `segments`; none where the text has no formula.
std::optional<double> order_of_segments(const Algorithm& algorithm, const Record& record,
                                        cache::IdealCache ideal, double segments) {
  Shape shape;
  for (const auto& [name, size] : record.shape.items()) shape.set(name, size.get<Index>());
  const auto theory =
      cache::misses_of_segments(algorithm.operation, algorithm.variant, shape, ideal, segments);
  return theory ? std::optional(theory->misses) : std::nullopt;
}

double word_bytes(const Record& record) {
  return static_cast<double>(find_element(record.element).word_bytes);
}

Json at_cache(int p, std::size_t bytes) { return {{"caches", p}, {"cache", bytes}}; }

void count_on(Record& record, const cache::Strands& strands, int p, std::uint64_t seed) {
  const char* const model = "private ideal caches, LRU, work stealing";
  const auto put = [&](const char* name, double value, Json at) {
    add_count(record, name, value, Origin::model, model, std::move(at));
  };
  std::vector<std::size_t> lines;
  for (const std::size_t bytes : cache_bytes) lines.push_back(bytes / line_bytes);
  cache::PrivateCaches serial(strands, 1, lines), parallel(strands, p, lines);
  schedule(strands, cache::Scheduler::work_stealing, 1, seed, serial);
  const auto counts = schedule(strands, cache::Scheduler::work_stealing, p, seed, parallel);
  put("strands", static_cast<double>(strands.size()), {{"caches", p}});
  put("total steps", static_cast<double>(strands.work()), {{"caches", p}});
  put("span", static_cast<double>(strands.span()), {{"caches", p}});
  put("steps", static_cast<double>(counts.steps), {{"caches", p}});
  put("steals", static_cast<double>(counts.steals), {{"caches", p}});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    put("serial misses", static_cast<double>(serial.misses(i)), at_cache(p, cache_bytes[i]));
    put("misses", static_cast<double>(parallel.misses(i)), at_cache(p, cache_bytes[i]));
  }
}

std::vector<Record> count(const Algorithm& algorithm, bool smoke, std::uint64_t seed) {
  const Variant* variant = variant_of(algorithm);
  if (!variant) throw Error("not in this build", Status::unavailable);
  const Operation& operation = *variant->operation;
  const Shape shape = parse_shape(operation, smoke ? algorithm.smoke_shape : algorithm.shape);
  const Params params = least_leaf(algorithm, *variant);
  Record record = measured_record(std::string(operation.name), std::string(variant->name),
                                  std::string(operation.element), to_json(shape));
  record.params = to_json(params);
  for (const int p : processors)
    count_on(record,
             cache::record_strands(*variant, shape, params, p, line_bytes, operation.inputs.front(), seed), p,
             seed);
  return {std::move(record)};
}

std::vector<Row> rows(Scale scale, std::uint64_t seed) {
  std::vector<Row> rows;
  for (const Algorithm& algorithm : algorithms())
    rows.push_back({std::string(algorithm.name), [&algorithm, smoke = scale == Scale::smoke, seed] {
                      return count(algorithm, smoke, seed);
                    }});
  return rows;
}

/// One algorithm on P caches of one size.
struct Point {
  int p;
  std::size_t bytes;
  double serial, misses, steals, span, work, steps;
  cache::IdealCache ideal;

  double extra() const { return misses - serial; }
  double bound_of_steals() const { return cache::misses_of_steals(ideal, steals).misses; }
  /// One processor steals nothing, and its plan does not fork.
  double order() const { return p > 1 ? cache::stolen_misses(ideal, p, span).misses : no_value; }
  /// Work between steals: each makes two segments more.
  double segments() const { return 2 * steals + 1; }
};

std::vector<Point> points_of(const Record& record) {
  std::vector<Point> points;
  for (const std::size_t bytes : cache_bytes)
    for (const int p : processors) {
      const Json plan{{"caches", p}}, at = at_cache(p, bytes);
      points.push_back({p,
                        bytes,
                        record.value("serial misses", at),
                        record.value("misses", at),
                        record.value("steals", plan),
                        record.value("span", plan),
                        record.value("total steps", plan),
                        record.value("steps", plan),
                        {static_cast<double>(bytes) / word_bytes(record),
                         static_cast<double>(line_bytes) / word_bytes(record)}});
    }
  return points;
}

Grid empty_grid() {
  return {.caption = "Misses in P private caches under work stealing",
          .columns = {{"algorithm", true},
                      {"Z"},
                      {"P"},
                      {"T_1/T_P"},
                      {"Q_1"},
                      {"Q_P - Q_1"},
                      {"steals"},
                      {"a steal"},
                      {"2 (Z/L) steals"},
                      {"(Z/L) P T_inf"},
                      {"S f(T_1/S)"},
                      {"Q_P over it"}}};
}

void add_rows(const Algorithm& algorithm, const Record& record, Grid& grid) {
  std::string name(algorithm.name);
  for (const Point& at : points_of(record)) {
    const double segments = order_of_segments(algorithm, record, at.ideal, at.segments()).value_or(no_value);
    grid.rows.push_back({std::exchange(name, ""), fmt::format("{}K", at.bytes >> 10), fmt::format("{}", at.p),
                         times(at.work / at.steps), fmt::format("{:.0f}", at.serial),
                         fmt::format("{:.0f}", at.extra()), fmt::format("{:.0f}", at.steals),
                         at.steals > 0 ? figure(at.extra() / at.steals) : "-",
                         fmt::format("{:.0f}", at.bound_of_steals()), figure(at.order()), figure(segments),
                         figure(at.misses / segments)});
  }
}

// Of every P above 1 and every Z.
Finding finds_bounds(const Algorithm& algorithm, const Record& record) {
  double of_steals = 0, of_order = 0;
  for (const Point& at : points_of(record)) {
    if (at.p == 1) continue;
    if (at.steals > 0) of_steals = std::max(of_steals, at.extra() / at.bound_of_steals());
    of_order = std::max(of_order, at.extra() / at.order());
  }
  return {fmt::format("{}: Q_P - Q_1 is at most 2 (Z/L) of each steal", algorithm.name),
          of_steals <= 1,
          fmt::format("at most {} of it, and {} of (Z/L) P T_inf", figure(of_steals), figure(of_order)),
          {}};
}

// The growth from one cache to many is the formula's or less, within a quarter.
std::optional<Finding> finds_segments(const Algorithm& algorithm, const Record& record) {
  Finding finding{
      fmt::format("{}: Q_P grows as Frigo and Strumpen's order of its segments, or less", algorithm.name),
      true,
      {},
      {}};
  std::string figures;
  double alone = no_value;
  for (const Point& at : points_of(record)) {
    const auto order = order_of_segments(algorithm, record, at.ideal, at.segments());
    if (!order) return {};
    const double ratio = at.misses / *order;
    if (at.p == 1) alone = ratio;
    if (at.p == processors.back()) {
      figures += fmt::format("{}Z = {}K: Q_1 is {} of it, Q_{} {}", figures.empty() ? "" : "; ",
                             at.bytes >> 10, figure(alone), at.p, figure(ratio));
    }
    finding.holds = *finding.holds && ratio <= 1.25 * alone;
  }
  finding.figures = figures;
  return finding;
}

Chart chart_of() { return {.title = "", .x = "P, caches", .y = "Q_P / Q_1"}; }

void draw(const Algorithm& algorithm, const Record& record, Chart& chart) {
  Series series{.name = std::string(algorithm.name),
                .family = Family::ours,
                .stressed = algorithm.variant == cache_oblivious && algorithm.operation == "matmul"};
  for (const Point& at : points_of(record))
    if (at.bytes == cache_bytes.front())
      series.points.push_back({static_cast<double>(at.p), at.misses / at.serial});
  chart.series.push_back(std::move(series));
}

Report report(const Inputs& inputs) {
  Report report;
  report.grids = {empty_grid()};
  Chart chart = chart_of();
  for (const Algorithm& algorithm : algorithms()) {
    const auto records = records_of(inputs.document, id, algorithm.name);
    if (records.empty()) {
      std::vector<std::string> cells(report.grids[0].columns.size());
      cells[0] = algorithm.name;
      cells[1] = why_absent(inputs.document, id, algorithm.name);
      report.grids[0].rows.push_back(std::move(cells));
      continue;
    }
    add_rows(algorithm, *records.front(), report.grids[0]);
    report.findings.push_back(finds_bounds(algorithm, *records.front()));
    if (auto finding = finds_segments(algorithm, *records.front()))
      report.findings.push_back(std::move(*finding));
    draw(algorithm, *records.front(), chart);
  }
  if (!chart.series.empty()) report.charts.push_back(std::move(chart));
  report.notes = {
      fmt::format(
          "Counted on the algorithms' own texts, whose strands are recorded in one serial run of the "
          "plan of P threads and scheduled by randomised work stealing onto P ideal caches of Z bytes "
          "in lines of {}. An access, a fork or join and an attempt to steal take a step each.",
          line_bytes),
      "Q_1: the same plan on one cache. A steal costs at most 2 (Z/L) misses; (Z/L) P T_inf (Acar, Blelloch, "
      "Blumofe 2000), of Q_P - Q_1, and S f(T_1/S) (Frigo, Strumpen 2006), of Q_P, are orders with a "
      "constant of 1; S = 2 steals + 1 segments of this run. The chart is of the smaller caches."};
  return report;
}

}  // namespace

const Table table{.id = id,
                  .title = "misses in P private caches under work stealing, beside both bounds",
                  .rows = rows,
                  .report = report,
                  .printed = false};

}  // namespace tallcache::slide_tables::parallel_misses
