#include "bench/studies/misses/capacity_cliffs.hpp"

#include <cmath>

#include "bench/studies/misses/curve.hpp"
#include "bench/studies/misses/records.hpp"

namespace tallcache {
namespace {

constexpr int intervals = 16;

void put_misses(Record& record, const Curve& curve, std::span<const cache::CacheLevel> levels) {
  for (const cache::CacheLevel& level : levels) {
    Quantity& misses = record.quantities.emplace_back(ideal_misses(curve.line_bytes));
    misses.at = {{"cache", level.bytes}};
    misses.value = static_cast<double>(curve.at(level.bytes / curve.line_bytes));
  }
  put_distinct_lines(record, curve);
}

}  // namespace

std::vector<Shape> cliff_sweep(const Problem& problem) {
  std::vector<Shape> sweep;
  for (int i = intervals; i >= 0; --i) {
    const Shape shape = scaled(*problem.operation, problem.shape, std::exp2(-i / 4.0));
    if (sweep.empty() || !(sweep.back() == shape)) sweep.push_back(shape);
  }
  if (sweep.size() < 5) throw Error("--falls needs larger sizes: its sweep begins at 1/16 of them");
  return sweep;
}

void measure_cliffs(const Problem& problem, std::span<const Candidate> candidates,
                    std::span<const cache::CacheLevel> levels, std::span<const Shape> sweep,
                    Document& document) {
  const auto executor = make_executor("cpu");
  for (const Shape& shape : sweep) {
    Problem point = problem;
    point.shape = shape;
    Workspace workspace(point, *executor);
    for (const Measurement& m : measure(workspace, candidates, {.min_rounds = 3, .seconds = 0.05})) {
      Record record = to_record(point, m);
      put_work(record, point);
      put_misses(record, trace_curve(point, m.candidate, levels.front().line), levels);
      merge(document, std::move(record));
    }
  }
}

}  // namespace tallcache
