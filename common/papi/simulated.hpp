// The counts of a cache model as PAPI software-defined events: sde:::tallcache::L1_DCM and so on. Any PAPI
// program in this process reads them as it reads a hardware event.
//
// This is a shared library of its own for two reasons. A process has one set of counters however many of its
// parts link it, and PAPI's tools can load it: papi_native_avail -sde libtallcache_sde.so lists the events.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

namespace tallcache {

/// The events, in the order of simulated_events(). The levels are `per_level` apart.
enum class Simulated {
  accesses,
  loads,
  stores,
  straddling,
  l1_accesses,
  l1_misses,
  l1_cold,
  l1_capacity,
  l1_conflict,
  l1_written_back,
  l2_accesses,
  l2_misses,
  l2_cold,
  l2_capacity,
  l2_conflict,
  l2_written_back,
  l3_accesses,
  l3_misses,
  l3_cold,
  l3_capacity,
  l3_conflict,
  l3_written_back,
  lru_misses,
  opt_misses,
  true_sharing,
  false_sharing,
  // Of a GPU's warps, by the request model; then the same as a device's own counters have them.
  gpu_global_load_requests,
  gpu_global_load_sectors,
  gpu_global_store_requests,
  gpu_global_store_sectors,
  gpu_global_atomic_requests,
  gpu_global_atomic_sectors,
  gpu_shared_load_requests,
  gpu_shared_load_wavefronts,
  gpu_shared_store_requests,
  gpu_shared_store_wavefronts,
  gpu_shared_atomic_requests,
  gpu_shared_atomic_wavefronts,
  device_global_load_requests,
  device_shared_atomic_wavefronts = device_global_load_requests + 11,
};
inline constexpr int per_level = 6;
inline constexpr int gpu_events = 12;

/// The event of a device's counters for the same quantity as `event` of the request model.
constexpr Simulated of_device(Simulated event) {
  return static_cast<Simulated>(static_cast<int>(event) + gpu_events);
}

/// `event` of level 1 at `level` (1, 2 or 3): at_level(Simulated::l1_misses, 3) is l3_misses.
constexpr Simulated at_level(Simulated event, int level) {
  return static_cast<Simulated>(static_cast<int>(event) + per_level * (level - 1));
}

struct SimulatedEvent {
  std::string_view name;  ///< as PAPI lists it, after "sde:::tallcache::"
  std::string_view description;
};

/// All events, indexed by Simulated.
std::span<const SimulatedEvent> simulated_events();

/// The name that PAPI knows the event by: "sde:::tallcache::L1_DCM".
std::string_view papi_name(Simulated event);

/// The counters of this process. They only grow; a PAPI event set counts from its own start.
class SimulatedCounters {
 public:
  /// Registers `events` with PAPI, once each, for the life of the process. A model publishes only the events
  /// that it counts, so that an event that nothing feeds is missing rather than 0. Safe before and after
  /// PAPI_library_init, and from several threads. Throws Error when libsde refuses.
  void publish(std::initializer_list<Simulated> events);
  bool published(Simulated event) const;

  /// Adds `count`, from any thread. A model that works in blocks adds at the end of each; readers see the sum
  /// of earlier additions. Throws Error when `event` was not published.
  void add(Simulated event, long long count);

  /// The total since the start of the process.
  long long total(Simulated event) const {
    return counters_[index(event)].value.load(std::memory_order_relaxed);
  }

  static constexpr std::size_t size =
      static_cast<std::size_t>(Simulated::device_shared_atomic_wavefronts) + 1;

 private:
  struct Counter {
    std::atomic<long long> value = 0;
    std::atomic<bool> published = false;
  };
  static constexpr std::size_t index(Simulated event) { return static_cast<std::size_t>(event); }

  std::array<Counter, size> counters_;
};

/// The process's only ones.
SimulatedCounters& simulated_counters();

}  // namespace tallcache
