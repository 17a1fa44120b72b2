// At which size each variant falls off each cache, and where its time jumps, from the records of a ladder of
// sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/report/document.hpp"
#include "bench/report/grid.hpp"

namespace tallcache {

/// A variant falls off a cache of Z lines at the smallest n of the ladder where its misses a unit of work,
/// Q(Z; n) / work(n), are at least `miss_factor` times their least at smaller n: up to there more work used
/// each line more often. Its time jumps at the smallest n where the seconds a unit of work are at least
/// `time_factor` times their least since the jump before, and still at the next rung.
inline constexpr double miss_factor = 2, time_factor = 1.4;

struct Fall {
  std::size_t level;                     ///< index into the caches
  std::optional<std::size_t> rung;       ///< index into the ladder; none: it is off before, or stays on
  double before = 0, after = 0;          ///< misses a unit of work: the least, and at the rung
  bool before_ladder = false;            ///< no rung, as the first has miss_factor times its cold misses
  std::optional<std::size_t> time_rung;  ///< the jump of time nearest to it, within a factor of 2 in n
};

struct VariantFalls {
  std::string variant, unit;  ///< of work
  std::vector<Fall> falls;
  std::vector<double> seconds;          ///< a unit of work, by rung; NaN where there is no time
  std::vector<std::size_t> time_jumps;  ///< rungs
};

/// Of every variant that has records on the whole ladder of `part`, a part of the plan of a misses document.
std::vector<VariantFalls> find_falls(const Document&, const Json& part);

std::string falls_text(const Document&, const Json& part, Style);

}  // namespace tallcache
