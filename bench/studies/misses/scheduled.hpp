// The misses of variants that fork in P private caches, under schedulers of recorded strands.
//
// A variant's record has, at {"caches": P}: "strands", "accesses", "total steps" (T_1), "span" (T_inf); at
// {"caches", "cache": bytes}: "serial misses" (Q_1 of the plan of width P), "order of extra misses" (Acar et
// al.) and, where there is a formula, "order of misses" (Frigo and Strumpen) of S = P T_inf; at {"caches",
// "cache", "scheduler"}: "misses" (Q_P), "steps" (T_P), "steals", "attempts", "deviations", with coherence
// also "cold", "replacement", "true sharing", "false sharing" and "upgrades".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/results/caches.hpp"
#include "bench/results/document.hpp"
#include "common/cache/schedule.hpp"

namespace tallcache {

/// What the command line asks for.
struct ScheduledOptions {
  std::vector<int> processors;
  std::vector<std::string> schedulers{"work-stealing"};
  bool coherent = false;
  std::uint64_t miss_steps = 0;
};

/// What was scheduled: a part of the plan.
struct ScheduledPart {
  std::vector<int> processors;
  std::vector<cache::CacheLevel> sizes;  ///< of a private cache
  std::vector<std::string> schedulers;
  bool coherent = false;         ///< MSI between the caches
  std::uint64_t miss_steps = 0;  ///< that a miss takes more than a hit
  std::uint64_t seed = 1;
};
TALLCACHE_JSON_FIELDS(ScheduledPart, processors, sizes, schedulers, coherent, miss_steps, seed)

/// Throws Error where a number of processors is out of range, a scheduler is unknown, caches that are not
/// coherent have ways, or coherence and steps of misses are asked for together. `caches`: "32K", or "32K:8"
/// with coherence; 8K, 32K and 128K, with coherence of 8 ways, where none is named.
ScheduledPart scheduled_part(const ScheduledOptions&, std::span<const std::string> caches,
                             const std::string& line, std::uint64_t seed);

/// The candidate's record, which is unsupported where it does not fork, and where processors are more than
/// strands. Throws Error where the strands or the caches take too much memory.
Record scheduled_record(const Problem&, const Candidate&, const ScheduledPart&);

/// The strands of the candidate's plan of width `width` as text, for programs that check or draw schedules. A
/// line "strands N line BYTES bytes 0|1", then of each strand "s SECOND NEXT" (- for none) and its accesses:
/// "r LINE" or "w LINE", with two numbers more where they are not 0 0: loads and stores that follow at once,
/// or with bytes the first and the last one. LINE is address / BYTES.
std::string strands_text(const Problem&, const Candidate&, const ScheduledPart&, int width);

}  // namespace tallcache
