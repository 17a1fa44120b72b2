// Profiles of variants as JSON, as Cilkscale's CSV, and plotted: the bounds of the speed-up with the measured
// ones on them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/json.hpp"
#include "common/harness.hpp"

namespace tallcache {

/// One variant with its work and span and, where it was timed, its time on some numbers of threads.
struct ProfiledVariant {
  Candidate candidate;  ///< its params complete
  Profile profile;
  std::vector<Measurement> times;  ///< each with its number of threads, one thread first

  /// T_1 / T_P of a measurement; NaN when there is none.
  double speedup(const Measurement&) const;
};

/// 2, 4, 8, ... 128: where speed-up ranges are given.
std::vector<int> range_processors();

Json to_json(const ProfiledVariant&, CostUnit);

/// The columns that Cilkscale (OpenCilk) writes, a row a variant, so that scripts made for it read them; with
/// times, one more column a number of threads: "1c time (seconds)".
std::string cilkscale_csv(std::span<const ProfiledVariant>, CostUnit);

/// Draws into `file`, as SVG: P, min(P, parallelism), the burdened estimate and the measured speed-ups for P
/// = 1 to 128. Throws Error when there is no gnuplot, or when it fails.
void plot_speedups(const std::string& file, const std::string& title, std::span<const ProfiledVariant>);

}  // namespace tallcache
