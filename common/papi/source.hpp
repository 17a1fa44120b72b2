// Where a count of cache misses comes from: the processor's counters, or a cache model. Both are read through
// PAPI; only the event's name differs.
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

/// "hardware", "simulated" or "auto"; throws Error with the nearest on another.
Source parse_source(std::string_view text);

struct SourceChoice {
  Source source;       ///< hardware or simulated
  std::string reason;  ///< a line to print: "simulated: no hardware counters here: ..."
};

/// What `asked` comes to on this machine: hardware when PAPI counts data-cache misses here. Throws Error, in
/// one line with PAPI's reason, when hardware is asked for and there is none.
SourceChoice choose_source(Source asked);

/// Something to count, and the events that count it.
struct Countable {
  std::string_view name;                       ///< "L1 data misses"
  std::span<const std::string_view> hardware;  ///< PAPI's presets, the closest first
  const Simulated* simulated;                  ///< null: only hardware can tell
};

std::span<const Countable> quantities();

struct EventChoice {
  std::string event;   ///< PAPI's name; empty when there is none
  std::string reason;  ///< why there is none; empty when there is one
};

/// The event that counts `quantity` from `source` (automatic: as choose_source): of the hardware's the first
/// that is available. Throws Error with the nearest name on an unknown quantity.
EventChoice event_for(std::string_view quantity, Source source);

}  // namespace tallcache
