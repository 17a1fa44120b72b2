// A run against an older one: the ratio of each record's times, normalised by what both runs measured of the
// machine itself, with its interval.
//
// Normalisation: the speed of a machine changes between runs (its clock, its neighbours on the same host).
// Both runs timed work that no commit changes: the machine's limits and the libraries. A record's ratio is
// divided by the geometric mean of what applies to it: the multiply-adds' ratio for work in flops, the copy's
// for other work, and the median ratio of the libraries that did the same operation.
//
// Interval: three independent parts, added in quadrature as logarithms. The samples of both runs give a
// bootstrap interval of the ratio of medians. The normalisation has an error of its own: of its samples, and
// the disagreement of its parts. Two processes differ by where their code and data lie (Mytkowicz, Diwan,
// Hauswirth, Sweeney, Producing Wrong Data Without Doing Anything Obviously Wrong!, ASPLOS 2009, section 4),
// which no sample of one process shows. It is estimated from the scatter of the ratios of all records, most
// of which a commit leaves as they were.
//
// Runs in turn: where processes of both programs alternate, there is nothing to normalise and nothing to
// estimate. Each process has one time, that of its fastest sample, for other work on the machine only adds
// time (Chen, Revels, Robust benchmarking in noisy environments, HPEC 2016). The median of the ratios of
// pairs has the interval of the sign test (common/measure/median_interval.hpp).
#pragma once

#include <string>
#include <vector>

#include "bench/results/document.hpp"

namespace tallcache {

/// Of the intervals.
inline constexpr double against_level = 0.99;

/// What both runs measured of the machine: the time of the new run over the older one's.
struct MachineRatio {
  std::string name;
  double ratio, error;  ///< error: relative, one standard deviation
};

struct RecordChange {
  const Record *now, *before;
  double now_s, before_s;
  double raw, ratio;  ///< the new time over the older one; `ratio` is normalised
  double low, high;   ///< the interval of `ratio`

  bool slower() const { return low > 1; }
  bool faster() const { return high < 1; }
};

struct RunComparison {
  std::vector<std::string> differences{};  ///< of machine, build and settings, one a line
  std::vector<MachineRatio> machine{};
  std::vector<RecordChange> changes{};  ///< of every record that both runs timed
  std::vector<const Record*> gone{}, added{};
  std::vector<const Record*> broken{};  ///< wrong now; or failed, where the older run had measured them
  std::size_t untimed = 0;              ///< records without times, such as counts, which are not compared
  std::size_t turns = 1;                ///< the runs of each program
  double noise = no_value;  ///< the largest estimate of the scatter between the runs: relative, one deviation
};

/// Compares documents of one kind, which must outlive the result. Throws Error when their kinds differ, when
/// a figure of both is in different units, or when they have no timed record in common, and none is broken.
RunComparison compare_runs(const Document& now, const Document& before);

/// Compares processes that ran in turn: for each record the i-th document of `now` that has it with the i-th
/// of `before`. Throws Error as compare_runs() does, and where a record has fewer pairs than an interval
/// needs.
RunComparison compare_in_turn(const std::vector<Document>& now, const std::vector<Document>& before);

/// The settings of machine and build that both runs should share: "flags: -O3 here, -O2 before".
std::vector<std::string> differences_of(const Json& now, const Json& before);

/// Why the new run does not pass: the records that are broken, or those that are slower than before by a
/// ratio above `limit`; one line with the first of them. Empty when it passes.
std::string failure_of(const RunComparison&, double limit);

/// Throws Error when the work of two records of the same run is in different units.
void require_same_work(const Record& now, const Record& before);

/// Adds to the comparison the records of `now` that are broken, which are then not gone.
void add_broken(RunComparison&, const Document& now, const Document& before);

/// The records that are slower, by a ratio above `limit`; the slowest first.
std::vector<const RecordChange*> slower_than(const RunComparison&, double limit);

}  // namespace tallcache
