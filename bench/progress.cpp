#include "bench/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace tallcache {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What its rate counts, in units: flops, bytes, keys, ...
double work(const Problem& problem) {
  const Rate rate = problem.operation->rate;
  const Cost cost = problem.operation->cost(problem.shape);
  return rate == Rate::gflop_per_s ? cost.flops : rate == Rate::gb_per_s ? cost.bytes : cost.keys;
}

std::string key(const Problem& problem, std::string_view variant) {
  return fmt::format("{}/{}/{}", problem.operation->name, problem.operation->element, variant);
}

// Until a variant is measured: a scalar product or a strided copy, and else a scattered key.
double typical_rate(Rate rate) { return rate == Rate::gflop_per_s || rate == Rate::gb_per_s ? 1e9 : 3e7; }

}  // namespace

Progress::Progress(std::vector<const Row*> rows, const Results& results)
    : shown_(isatty(STDERR_FILENO)), left_(std::move(rows)) {
  for (const Row* row : left_)
    for (const Candidate& candidate : row->candidates)
      if (const Json* record = results.find(row->problem, candidate); record && record->contains("median_s"))
        seconds_per_unit_[key(row->problem, candidate.variant->name)] =
            record->at("median_s").get<double>() / work(row->problem);
}

double Progress::estimate(const Row& row) const {
  double total = 0;
  for (const Candidate& candidate : row.candidates) {
    const auto known = seconds_per_unit_.find(key(row.problem, candidate.variant->name));
    const double unit =
        known != seconds_per_unit_.end() ? known->second : 1 / typical_rate(row.problem.operation->rate);
    const double run = unit * work(row.problem);
    const int least = row.protocol.least_rounds, most = row.protocol.most_rounds;
    // As measure() does: a slow variant's two verified runs count.
    total += run > row.protocol.seconds ? std::max(least, 2) * run
                                        : 2 * run + std::clamp(row.protocol.seconds, least * run,
                                                               std::max(least, most) * std::max(run, 1e-3));
  }
  return total;
}

void Progress::start(std::string_view table, const Row& row) {
  current_ = fmt::format("{}, {}", table, row.label);
  row_ = &row;
  started_ = now();
  print(0);
}

void Progress::round(std::span<const Measurement> measurements) {
  int repetitions = 0;
  for (const Measurement& m : measurements) {
    repetitions = std::max(repetitions, static_cast<int>(m.samples_s.size()));
    if (m.timed())
      seconds_per_unit_[key(row_->problem, m.candidate.variant->name)] = m.median_s() / work(row_->problem);
  }
  print(repetitions);
}

void Progress::done() {
  std::erase(left_, row_);
  row_ = nullptr;
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::print(int repetitions) {
  if (!shown_) return;
  double seconds = -std::min(now() - started_, estimate(*row_));
  for (const Row* row : left_) seconds += estimate(*row);
  const std::string rest = seconds < 90     ? fmt::format("{:.0f} s", seconds)
                           : seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60)
                                            : fmt::format("{:.1f} h", seconds / 3600);
  fmt::print(stderr, "\r\033[K{}, repetition {}, about {} left", current_, repetitions + 1, rest);
  std::fflush(stderr);
}

}  // namespace tallcache
