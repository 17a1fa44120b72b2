// At which size each variant falls off each cache, and where its time jumps.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/json.hpp"
#include "bench/misses.hpp"

namespace tallcache {

/// A variant falls off a cache of Z lines at the smallest n of the ladder where its misses a unit of work,
/// Q(Z; n) / work(n), are at least `miss_factor` times their least at smaller n: up to there more work used
/// each line more often. Its time jumps at the smallest n where the seconds a unit of work are at least
/// `time_factor` times their least since the jump before, and still at the next rung.
inline constexpr double miss_factor = 2, time_factor = 1.4;

struct Fall {
  std::size_t level;                     ///< index into the levels
  std::optional<std::size_t> rung;       ///< index into the ladder; none: it stays on to the end
  double before = 0, after = 0;          ///< misses a unit of work: the least, and at the rung
  std::optional<std::size_t> time_rung;  ///< the jump of time nearest to it, within a factor of 2 in n
  /// When there is no rung: "before the ladder" (the first rung has miss_factor times its cold misses) or
  /// "beyond the ladder".
  std::string outside;
};

struct VariantFalls {
  Candidate candidate;
  std::vector<Fall> falls;
  std::vector<double> seconds;          ///< a unit of work, by rung; NaN where there is no time
  std::vector<std::size_t> time_jumps;  ///< rungs
};

struct Falls {
  Problem problem;
  std::string unit;  ///< of work
  std::vector<cache::CacheLevel> levels;
  std::vector<Shape> ladder;
  std::vector<VariantFalls> variants;
};

/// The ladder goes from 1/16 of the problem's sizes to the sizes themselves, four rungs to a factor of 2.
/// Every rung is traced at all cache sizes, and timed, verified and interleaved.
Falls find_falls(const Problem&, std::span<const Candidate>, std::span<const cache::CacheLevel> levels);

void print(const Falls&);
Json to_json(const Falls&);

}  // namespace tallcache
