#include "bench/studies/reproduce/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/show/fit.hpp"
#include "bench/show/streams.hpp"

namespace tallcache {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string key(std::string_view operation, std::string_view element, std::string_view variant) {
  return fmt::format("{}/{}/{}", operation, element, variant);
}

std::string key(const Problem& problem, const Candidate& candidate) {
  return key(problem.operation->name, problem.operation->element, candidate.variant->name);
}

// Until a variant is measured: a scalar product or a strided copy, and else a scattered key.
double typical_rate(Rate rate) { return rate == Rate::gflop_per_s || rate == Rate::gb_per_s ? 1e9 : 3e7; }

}  // namespace

Progress::Progress(std::vector<const Row*> rows, const Document& document)
    : shown_(isatty(STDERR_FILENO)), rows_(rows.size()), left_(std::move(rows)) {
  for (const Record& record : document.measurements)
    if (const double seconds = record.seconds() / record.value("work"); !std::isnan(seconds))
      seconds_per_unit_[key(record.operation, record.element, record.variant)] = seconds;
}

// Seconds. The time of a table's own measurement is unknown; most count, in less than a second.
double Progress::estimate(const Row& row) const {
  const Timed* timed = std::get_if<Timed>(&row.what);
  if (!timed) return 0.5;
  double total = 0;
  for (const Candidate& candidate : timed->candidates) {
    const auto known = seconds_per_unit_.find(key(timed->problem, candidate));
    const double unit =
        known != seconds_per_unit_.end() ? known->second : 1 / typical_rate(timed->problem.operation->rate);
    const double run = unit * rated_work(*timed->problem.operation, timed->problem.shape);
    const Protocol& protocol = timed->protocol;
    // As measure() does: a slow variant's two verified runs count.
    total +=
        run > protocol.seconds
            ? std::max(protocol.min_rounds, 2) * run
            : 2 * run + std::clamp(protocol.seconds, protocol.min_rounds * run,
                                   std::max(protocol.min_rounds, protocol.max_rounds) * std::max(run, 1e-3));
  }
  return total;
}

void Progress::start(std::string_view table, const Row& row) {
  current_ = fmt::format("{} of {}: {}, {}", rows_ - left_.size() + 1, rows_, table, row.label);
  row_ = &row;
  started_ = now();
  print(0);
}

void Progress::round(std::span<const Measurement> measurements) {
  const Problem& problem = std::get<Timed>(row_->what).problem;
  int repetitions = 0;
  for (const Measurement& m : measurements) {
    repetitions = std::max(repetitions, static_cast<int>(m.samples_s.size()));
    if (m.timed())
      seconds_per_unit_[key(problem, m.candidate)] =
          m.median_s() / rated_work(*problem.operation, problem.shape);
  }
  print(repetitions);
}

void Progress::done() {
  std::erase(left_, row_);
  row_ = nullptr;
  if (shown_) tallcache::print(Stream::progress, "\r\033[K");
}

void Progress::print(int repetitions) {
  if (!shown_) return;
  double seconds = -std::min(now() - started_, estimate(*row_));
  for (const Row* row : left_) seconds += estimate(*row);
  const std::string rest = seconds < 90     ? fmt::format("{:.0f} s", seconds)
                           : seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60)
                                            : fmt::format("{:.1f} h", seconds / 3600);
  const std::string repetition = repetitions ? fmt::format(", repetition {}", repetitions + 1) : "";
  const std::string line = fmt::format("{}{}, about {} left", current_, repetition, rest);
  tallcache::print(Stream::progress, "\r\033[K{}", clipped(line, line_width() - 1));
}

}  // namespace tallcache
