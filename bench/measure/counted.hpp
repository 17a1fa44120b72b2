// The counts of this machine's counters for a variant's run at full speed: the processor's, and the kernel's.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"
#include "common/measure/harness.hpp"
#include "common/papi/counting.hpp"

namespace CLI {
class App;
}

namespace tallcache {

/// The count of one quantity, or the reason why there is none.
struct Counted {
  std::string name;                ///< a quantity ("L1 data misses"), or PAPI's name of the event
  std::string event;               ///< what counts it, as PAPI calls it; empty when nothing does
  std::string_view source;         ///< "hardware": the processor; "kernel": its software events
  std::string description;         ///< PAPI's
  std::optional<long long> value;  ///< of one run, all threads together; absent when it could not be read
  std::string reason;              ///< why it is absent
  bool multiplexed = false;        ///< the value is an estimate from the event's turns on a counter
};

/// Counts `quantities` (common/papi/source.hpp) by the processor in runs of the candidate, on all of its
/// threads, each run from inputs as they were made. The candidate must have been verified. Throws Error on an
/// unknown quantity. Phases that are not timed are counted too.
std::vector<Counted> count_quantities(Workspace&, const Candidate&,
                                      std::span<const std::string_view> quantities,
                                      Sharing = Sharing::passes);

/// All that PAPI can count of a run, and what it cannot with the reason: each of its presets, and the
/// kernel's software events. The candidate must have been verified.
std::vector<Counted> count_all_events(Workspace&, const Candidate&, Sharing = Sharing::passes);

struct CountedVariant {
  Candidate candidate;
  Outcome outcome{};  ///< measured when there are counts
  std::vector<Counted> counts{};
};

/// The counts of each candidate of the CPU, verified before and after: of the events of these names or, where
/// none is named, all. Each is told to `done` before the next one begins, so that an interruption loses none.
/// Throws Error when the problem does not fit in memory.
std::vector<CountedVariant> count_each(const Problem&, std::span<const Candidate>,
                                       std::span<const std::string> events, Sharing = Sharing::passes,
                                       const std::function<void(const CountedVariant&)>& done = {});

/// The counts in a record of the candidate's.
Record to_record(const Problem&, const CountedVariant&);

/// A count as a record has it.
Quantity to_quantity(const Counted&);

/// Adds --event to a command: PAPI's names, each of which is known.
void add_events(CLI::App& command, std::vector<std::string>& events, const std::string& what);

}  // namespace tallcache
