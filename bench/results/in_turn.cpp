// Runs of two programs in turn: pairs of processes.
#include <algorithm>
#include <cmath>

#include "bench/results/against.hpp"
#include "bench/results/names.hpp"
#include "common/measure/median_interval.hpp"
#include "common/measure/statistics.hpp"

namespace tallcache {
namespace {

// Two builds differ by where their code lies, which no number of runs shows (against.hpp).
constexpr double placement = 0.03;

// A record of several documents, and the time of each process.
struct Runs {
  const Record* first;
  std::vector<double> seconds;
};

double fastest(const Record& record) {
  const std::vector<double>& samples = record.find("time")->samples;
  return samples.empty() ? record.seconds() : *std::ranges::min_element(samples);
}

std::vector<Runs> collect(const std::vector<Document>& documents, std::size_t& untimed) {
  std::vector<Runs> all;
  std::size_t next = 0;  // documents have their records in one order
  for (const Document& document : documents)
    for (const Record& record : document.measurements) {
      if (!(measured_seconds(&record) > 0)) {
        untimed += !record.find("time") && record.outcome.measured();
        continue;
      }
      const auto same = [&](const Runs& runs) { return runs.first->same_run(record); };
      auto found = next < all.size() && same(all[next]) ? all.begin() + static_cast<std::ptrdiff_t>(next)
                                                        : std::ranges::find_if(all, same);
      if (found == all.end()) found = all.insert(all.end(), {&record, {}});
      found->seconds.push_back(fastest(record));
      next = static_cast<std::size_t>(found - all.begin()) + 1;
    }
  return all;
}

RecordChange change_of(const Runs& now, const Runs& before) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(now.seconds.size(), before.seconds.size()); ++i)
    differences.push_back(std::log(now.seconds[i] / before.seconds[i]));
  require_same_work(*now.first, *before.first);
  const double estimate = median(differences);
  const Interval interval = median_interval(differences, against_level);
  if (std::isinf(interval.low))
    throw Error(run_name(*now.first) + ": " + std::to_string(differences.size()) +
                " pairs of runs in turn are too few; an interval of 99 per cent needs 8");
  const double now_s = median(now.seconds), before_s = median(before.seconds);
  return {.now = now.first,
          .before = before.first,
          .now_s = now_s,
          .before_s = before_s,
          .raw = now_s / before_s,
          .ratio = std::exp(estimate),
          .low = std::exp(estimate - std::hypot(estimate - interval.low, placement)),
          .high = std::exp(estimate + std::hypot(interval.high - estimate, placement))};
}

}  // namespace

RunComparison compare_in_turn(const std::vector<Document>& now, const std::vector<Document>& before) {
  for (const std::vector<Document>* side : {&now, &before})
    for (const Document& document : *side)
      if (document.kind != before[0].kind)
        throw Error("a document of tallcache " + document.kind + " is held against one of tallcache " +
                    before[0].kind);
  RunComparison result{.differences = differences_of(now[0].context, before[0].context)};
  std::size_t untimed_before = 0;
  const std::vector<Runs> runs = collect(now, result.untimed), older = collect(before, untimed_before);
  const auto in = [](const std::vector<Runs>& list, const Runs& one) {
    return std::ranges::find_if(list, [&](const Runs& other) { return other.first->same_run(*one.first); });
  };
  for (const Runs& one : runs) {
    const auto old = in(older, one);
    if (old == older.end()) {
      result.added.push_back(one.first);
      continue;
    }
    result.changes.push_back(change_of(one, *old));
    result.turns = std::max(result.turns, std::min(one.seconds.size(), old->seconds.size()));
  }
  for (const Runs& one : older)
    if (in(runs, one) == runs.end()) result.gone.push_back(one.first);
  for (std::size_t i = 0; i < now.size(); ++i)
    add_broken(result, now[i], before[std::min(i, before.size() - 1)]);
  if (result.changes.empty() && result.broken.empty())
    throw Error("the documents have no timed record in common");
  return result;
}

}  // namespace tallcache
