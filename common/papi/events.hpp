// The events that PAPI knows: hardware presets (PAPI_L1_DCM), native events (perf::PAGE-FAULTS) and
// software-defined ones (sde:::tallcache::L1_DCM), found by name.
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
  std::string unavailable;  ///< PAPI's reason why it cannot be counted here; empty when it can be asked for
};

/// Starts PAPI with its thread support, once for the process, also when the caller did. Empty, or why there
/// is none.
const std::string& papi_unavailable();

/// The event called `name` (capitals matter). One that PAPI knows and this machine does not
/// have is returned with the reason. Throws Error, with PAPI's nearest name, on one that PAPI does not know.
Event find_event(std::string_view name);

/// Every name that PAPI lists: presets, whether this machine has them or not, then the native and
/// software-defined events of each enabled component, without unit masks.
std::vector<std::string> event_names();

/// Whether each thread counts `event` for itself (the processor's counters, and the kernel's per-thread
/// events), so that threads are summed; otherwise a thread reads what the whole process, or machine, did.
bool per_thread(const Event& event);

/// The kernel's software events of a thread that PAPI counts: page faults, clocks, and what happens in the
/// kernel, counted there.
std::span<const std::string_view> software_events();

/// Whether the kernel counts the event called `name`, which then takes none of the processor's counters.
bool in_software(std::string_view name);

/// Whether `name` asks for what happens in the kernel ("perf::CONTEXT-SWITCHES:k=1").
bool in_kernel(std::string_view name);

/// The most events of `component` to count at once. Of the processor's 4, which is what a hardware thread of
/// Intel's and AMD's cores can count without taking turns (fewer where PAPI says so); elsewhere what PAPI
/// says.
int group_limit(int component);

/// PAPI's words for `error`, and where it is about permission the setting that decides.
std::string papi_error(int error);

/// This thread's registration with PAPI, which ends with the thread. Called by whatever counts on a thread.
void register_thread();

}  // namespace tallcache
