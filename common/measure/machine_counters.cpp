#include <linux/perf_event.h>
#include <papi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/measure/machine.hpp"

namespace tallcache {
namespace {

/// Why the kernel counts no cycles of this process; empty when it does. PAPI cannot tell: it lists the
/// counters of a CPU model even when the kernel has none of them.
std::string kernel_refusal() {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  const long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (file >= 0) {
    close(static_cast<int>(file));
    return {};
  }
  const int error = errno;
  std::string reason = std::string("perf_event_open of CPU cycles: ") + std::strerror(error);
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
    reason += " (the kernel sees no hardware counters, as in most virtual machines)";
  else if (error == EACCES || error == EPERM)
    reason += " (perf_event_paranoid or the container forbids it)";
  return reason;
}

/// Counts `code` over a little work; the reason when that does not work.
std::string try_to_count(int code) {
  int set = PAPI_NULL;
  int status = PAPI_create_eventset(&set);
  if (status != PAPI_OK) return PAPI_strerror(status);
  long long value = 0;
  if ((status = PAPI_add_event(set, code)) == PAPI_OK && (status = PAPI_start(set)) == PAPI_OK) {
    for (volatile int i = 0; i < 100000;) i = i + 1;
    status = PAPI_stop(set, &value);
  }
  PAPI_cleanup_eventset(set);
  PAPI_destroy_eventset(&set);
  return status == PAPI_OK ? "" : PAPI_strerror(status);
}

struct Preset {
  const char *name, *what;
};
constexpr Preset presets[] = {
    {"PAPI_L1_DCM", "level 1 data cache misses"},
    {"PAPI_L2_DCM", "level 2 data cache misses"},
    {"PAPI_L3_TCM", "level 3 cache misses"},
    {"PAPI_TOT_CYC", "cycles"},
    {"PAPI_TOT_INS", "instructions"},
};

std::vector<CounterComponent> describe_components() {
  std::vector<CounterComponent> components;
  for (int i = 0; i < PAPI_num_components(); ++i)
    if (const PAPI_component_info_t* info = PAPI_get_component_info(i))
      components.push_back({info->name, info->description,
                            !info->disabled                 ? ""
                            : info->disabled_reason[0] != 0 ? info->disabled_reason
                                                            : PAPI_strerror(info->disabled)});
  return components;
}

Figure<int> hardware_counters(const std::string& refusal) {
  if (!refusal.empty()) return Figure<int>::none(refusal);
  const int component = PAPI_get_component_index("perf_event");
  const PAPI_component_info_t* info = component >= 0 ? PAPI_get_component_info(component) : nullptr;
  if (!info) return Figure<int>::none("this PAPI has no perf_event component");
  if (info->disabled) return Figure<int>::none(info->disabled_reason);
  if (info->num_cntrs <= 0) return Figure<int>::none("PAPI does not know how many");
  return info->num_cntrs;
}

}  // namespace

Counters describe_counters() {
  Counters counters;
  if (int paranoid = 0; std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid)
    counters.perf_event_paranoid = paranoid;
  else
    counters.perf_event_paranoid = Figure<int>::none("/proc/sys/kernel/perf_event_paranoid cannot be read");

  const std::string refusal = kernel_refusal();
  const int version = PAPI_library_init(PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT) {
    const std::string reason = version < 0
                                   ? std::string("PAPI_library_init: ") + PAPI_strerror(version)
                                   : "PAPI_library_init: the library is of another version than its header";
    counters.papi = Figure<std::string>::none(reason);
    counters.hardware = Figure<int>::none(reason);
    for (const Preset& preset : presets) counters.events.push_back({preset.name, preset.what, reason});
    return counters;
  }
  counters.papi = std::to_string(PAPI_VERSION_MAJOR(version)) + "." +
                  std::to_string(PAPI_VERSION_MINOR(version)) + "." +
                  std::to_string(PAPI_VERSION_REVISION(version));
  counters.components = describe_components();
  counters.hardware = hardware_counters(refusal);
  for (const Preset& preset : presets) {
    int code = 0;
    const int known = PAPI_event_name_to_code(preset.name, &code);
    std::string absent = known == PAPI_OK ? try_to_count(code) : PAPI_strerror(known);
    if (!absent.empty() && !refusal.empty()) absent += "; the kernel counts no hardware events";
    counters.events.push_back({preset.name, preset.what, absent});
  }
  return counters;
}

}  // namespace tallcache
