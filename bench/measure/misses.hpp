// Cache misses of a variant: the caches to simulate, whether a trace is feasible, and counting through PAPI
// from any source.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/cache/geometry.hpp"
#include "common/measure/harness.hpp"

namespace tallcache {

/// Parses "32K", "2M", "1G" or a plain number, in bytes. Throws Error on anything else.
std::size_t parse_bytes(std::string_view text);

/// Parses a size and the ways: "32K:8"; "32K" alone is fully associative. Throws Error as parse_bytes and
/// validate(levels) do.
cache::CacheLevel parse_cache(std::string_view text, std::size_t line_bytes);

/// This machine's data caches from the first level on, as hwloc reports them, with lines of `line_bytes` (0:
/// the machine's own). Throws Error with the reason when they are unknown.
std::vector<cache::CacheLevel> machine_caches(std::size_t line_bytes);

/// The levels that are named ("32K:8"), or this machine's where none is, with lines of `line` bytes; empty:
/// the machine's own, or 64 for named ones. Throws Error as the functions above do.
std::vector<cache::CacheLevel> cache_levels(std::span<const std::string> named, const std::string& line);

/// Throws Error when the traces of `candidates` do not fit in memory or take more than an hour. The message
/// says what is needed, and the largest smaller size that is feasible.
void require_traceable(const Problem&, std::span<const Candidate> candidates,
                       std::span<const cache::CacheLevel> levels);

/// Throws Error when a run of a GPU's variant on the model of a device takes more than an hour.
void require_modellable(const Problem&);

/// The estimated number of element accesses of a trace of `shape`.
double estimated_accesses(const Operation&, const Shape& shape);

/// `shape` with every size but the padding multiplied by `factor`; at least 1.
Shape scaled(const Operation&, const Shape& shape, double factor);

struct LevelMisses {
  std::optional<long long> accesses, misses, cold, capacity, conflict;
  std::string event;   ///< PAPI's name of what counted the misses
  std::string reason;  ///< why there are no misses
};

struct MissCounts {
  std::optional<long long> loads, stores;
  std::vector<LevelMisses> levels;
};

/// Traces the candidate once through a hierarchy of `levels`, whose counts are published as PAPI
/// software-defined events, and returns PAPI's counts. Throws Error when PAPI cannot count them.
MissCounts simulated_misses(const Problem&, const Candidate&, std::span<const cache::CacheLevel> levels);

/// The processor's counts of a run of the candidate at full speed, in levels 1 to 3. A count that the
/// processor lacks is absent with PAPI's reason. The candidate must have been verified.
MissCounts hardware_misses(Workspace&, const Candidate&);

}  // namespace tallcache
