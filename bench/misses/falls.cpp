#include "bench/misses/falls.hpp"

#include <cmath>

#include "bench/misses/curve.hpp"
#include "bench/misses/records.hpp"

namespace tallcache {
namespace {

constexpr int rungs = 16;

void put_misses(Record& record, const Curve& curve, std::span<const cache::CacheLevel> levels) {
  for (const cache::CacheLevel& level : levels) {
    Quantity& misses = record.quantities.emplace_back(ideal_misses(curve.line_bytes));
    misses.at = {{"cache", level.bytes}};
    misses.value = static_cast<double>(curve.at(level.bytes / curve.line_bytes));
  }
  put_distinct_lines(record, curve);
}

}  // namespace

std::vector<Shape> falls_ladder(const Problem& problem) {
  std::vector<Shape> ladder;
  for (int i = rungs; i >= 0; --i) {
    const Shape shape = scaled(*problem.operation, problem.shape, std::exp2(-i / 4.0));
    if (ladder.empty() || !(ladder.back() == shape)) ladder.push_back(shape);
  }
  if (ladder.size() < 5) throw Error("--falls needs larger sizes: its ladder begins at 1/16 of them");
  return ladder;
}

void measure_falls(const Problem& problem, std::span<const Candidate> candidates,
                   std::span<const cache::CacheLevel> levels, std::span<const Shape> ladder,
                   Document& document) {
  const auto executor = make_executor("cpu");
  for (const Shape& shape : ladder) {
    Problem rung = problem;
    rung.shape = shape;
    Workspace workspace(rung, *executor);
    for (const Measurement& m : measure(workspace, candidates, {.least_rounds = 3, .seconds = 0.05})) {
      Record record = to_record(rung, m);
      put_work(record, rung);
      put_misses(record, trace_curve(rung, m.candidate, levels.front().line), levels);
      merge(document, std::move(record));
    }
  }
}

}  // namespace tallcache
