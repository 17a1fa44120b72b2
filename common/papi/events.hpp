// The events that PAPI knows, found by name: hardware presets (PAPI_L1_DCM), native events
// (perf::PAGE-FAULTS) and software-defined ones (sde:::tallcache::L1_DCM).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tallcache {

struct Event {
  std::string name;         ///< as PAPI takes it
  std::string description;  ///< PAPI's, empty when it has none
  int component = -1;       ///< PAPI's component
  int code = 0;
  std::string unavailable;  ///< PAPI's reason why it cannot be counted here; otherwise empty
};

/// Starts PAPI with its thread support, once for the process. PAPI may already have been started by the
/// caller. Returns empty, or the reason why PAPI is not available.
const std::string& papi_unavailable();

/// The event called `name`, which is case-sensitive. An event that PAPI knows but this machine does not have
/// is returned with the reason. Throws Error, with PAPI's nearest name, on an unknown event.
Event find_event(std::string_view name);

/// Every name that PAPI lists: presets, whether this machine has them or not, then the native and
/// software-defined events of each enabled component, without unit masks.
std::vector<std::string> event_names();

/// Whether each thread counts `event` for itself (the processor's counters, and the kernel's per-thread
/// events), so that the counts of threads are summed. Otherwise a thread reads the count of the whole process
/// or machine.
bool per_thread(const Event& event);

/// The kernel's software events of a thread that PAPI counts: page faults, clocks, and events inside
/// the kernel.
std::span<const std::string_view> software_events();

/// Whether the kernel counts the event called `name`, which then needs none of the processor's counters.
bool in_software(std::string_view name);

/// Whether `name` selects events inside the kernel ("perf::CONTEXT-SWITCHES:k=1").
bool in_kernel(std::string_view name);

/// The maximum number of events of `component` that are counted at once. It is 4 for the processor: a
/// hardware thread of Intel's and AMD's cores counts this many without multiplexing (fewer where PAPI says
/// so). Elsewhere it is what PAPI reports.
int group_limit(int component);

/// PAPI's message for `error`. Where it is about permission, the setting that decides is named as well.
std::string papi_error(int error);

/// Registers this thread with PAPI until the thread ends. Everything that counts on a thread calls it.
void register_thread();

}  // namespace tallcache
