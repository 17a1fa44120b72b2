// The capacity cliffs: the size at which each variant exceeds each cache, and the sizes at which its time
// jumps, from the records of a sweep of sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/show/grid.hpp"
#include "bench/studies/misses/misses.hpp"

namespace tallcache {

/// A variant exceeds a cache of Z lines at the smallest n of the sweep where its misses for each unit of
/// work, Q(Z; n) / work(n), are at least `miss_factor` times their minimum at smaller n. Up to there, more
/// work used each line more often. Its time jumps at the smallest n where the seconds for each unit of work
/// are at least `time_factor` times their minimum since the jump before, and still so at the next point.
inline constexpr double miss_factor = 2, time_factor = 1.4;

struct CapacityCliff {
  std::size_t level;                     ///< index into the caches
  std::optional<std::size_t> point;      ///< index into the sweep; none: the cliff is before or after it
  double before = 0, after = 0;          ///< misses for each unit of work: the minimum, and at the point
  bool before_sweep = false;             ///< no point, as the first has miss_factor times its cold misses
  std::optional<std::size_t> time_jump;  ///< the jump of time nearest to it, within a factor of 2 in n
};

struct CapacityCliffs {
  std::string variant, unit;  ///< of work
  std::vector<CapacityCliff> cliffs;
  std::vector<double> seconds;          ///< for each unit of work, by point; NaN where there is no time
  std::vector<std::size_t> time_jumps;  ///< points
};

/// The cliffs of every variant that has records at all points of `part`, a part of the plan of a
/// misses document.
std::vector<CapacityCliffs> find_cliffs(const Document&, const MissesPart& part);

/// Without rows when no variant was measured at every size.
Grid cliffs_grid(const Document&, const MissesPart& part);
std::string cliffs_text(const Document&, const MissesPart& part, Style);

}  // namespace tallcache
