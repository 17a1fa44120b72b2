// The source of a count of cache misses: the processor's counters, or a cache model. Both are read through
// PAPI and differ only in the event's name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/papi/simulated.hpp"

namespace tallcache {

enum class Source { hardware, simulated, automatic };

constexpr std::string_view to_string(Source source) {
  return source == Source::hardware ? "hardware" : source == Source::simulated ? "simulated" : "auto";
}

/// Parses "hardware", "simulated" or "auto". Throws Error with the nearest of them on another text.
Source parse_source(std::string_view text);

struct SourceChoice {
  Source source;       ///< hardware or simulated
  std::string reason;  ///< a line to print: "simulated: no hardware counters here: ..."
};

/// Resolves `asked` on this machine: `automatic` is hardware when PAPI counts data-cache misses here. Throws
/// Error, in one line with PAPI's reason, when hardware is asked for and there is none.
SourceChoice choose_source(Source asked);

/// A quantity to count, and the events that count it.
struct Countable {
  std::string_view name;                       ///< "L1 data misses"
  std::span<const std::string_view> hardware;  ///< PAPI's presets, the closest first
  const Simulated* simulated;                  ///< null: only hardware counts it
};

std::span<const Countable> quantities();

struct EventChoice {
  std::string event;   ///< PAPI's name; empty when there is none
  std::string reason;  ///< why there is none; empty when there is one
};

/// The event that counts `quantity` from `source` (automatic: as choose_source). For hardware it is the first
/// event that is available. Throws Error with the nearest name on an unknown quantity.
EventChoice event_for(std::string_view quantity, Source source);

}  // namespace tallcache
