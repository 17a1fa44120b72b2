#include "common/papi/events.hpp"

#include <fmt/format.h>
#include <papi.h>
#include <pthread.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <thread>

#include "common/catalogue.hpp"
#include "common/papi/simulated.hpp"

namespace tallcache {
namespace {

std::thread::id starting_thread;

std::string permission_hint() {
  int level = 0;
  if (!(std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level)) return {};
  return level > 2 ? fmt::format(
                         " (perf_event_paranoid is {}; sudo sysctl kernel.perf_event_paranoid=2 lets "
                         "programs count themselves)",
                         level)
                   : fmt::format(
                         " (perf_event_paranoid is {}, which lets programs count themselves; this "
                         "container does not)",
                         level);
}

std::string why_disabled(int component) {
  const PAPI_component_info_t* info = PAPI_get_component_info(component);
  if (!info) return "PAPI was built without its component for the processor";
  if (!info->disabled) return {};
  const std::string_view reason = info->disabled_reason;
  return fmt::format("PAPI's component {} is disabled: {}{}", info->name, reason,
                     reason.find("paranoid") == reason.npos ? "" : permission_hint());
}

std::string start_papi() {
  starting_thread = std::this_thread::get_id();
  if (PAPI_is_initialized() == PAPI_NOT_INITED)
    if (const int version = PAPI_library_init(PAPI_VER_CURRENT); version != PAPI_VER_CURRENT)
      return version > 0 ? fmt::format("PAPI {}.{} is installed, this program was built with {}.{}",
                                       PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
                                       PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION))
                         : "PAPI does not start: " + papi_error(version);
  if (const int result = PAPI_thread_init([]() -> unsigned long { return pthread_self(); });
      result != PAPI_OK)
    return "PAPI does not start its thread support: " + papi_error(result);
  return {};
}

bool is_preset(std::string_view name) { return name.starts_with("PAPI_"); }

std::string_view prefix_of(const PAPI_component_info_t& component) {
  return component.short_name[0] ? component.short_name : component.name;
}

// The software-defined component accepts any name, as one that may be registered later, and would count -1
// for it. Such a name is therefore looked up in the list first.
int component_prefixed(std::string_view name) {
  const auto colons = name.find(":::");
  if (colons == name.npos) return -1;
  for (int c = 0; c < PAPI_num_components(); ++c)
    if (prefix_of(*PAPI_get_component_info(c)) == name.substr(0, colons)) return c;
  return -1;
}

// The kernel's software events, with all the names that libpfm has for each.
constexpr std::string_view software_names[] = {"PERF_COUNT_SW_PAGE_FAULTS",
                                               "PAGE-FAULTS",
                                               "FAULTS",
                                               "PERF_COUNT_SW_PAGE_FAULTS_MIN",
                                               "MINOR-FAULTS",
                                               "PERF_COUNT_SW_PAGE_FAULTS_MAJ",
                                               "MAJOR-FAULTS",
                                               "TASK-CLOCK",
                                               "PERF_COUNT_SW_TASK_CLOCK",
                                               "PERF_COUNT_SW_CPU_CLOCK",
                                               "CPU-CLOCK"};
// Those of them that occur in the kernel alone. PAPI counts only user code unless told otherwise.
constexpr std::string_view kernel_names[] = {
    "PERF_COUNT_SW_CONTEXT_SWITCHES", "CONTEXT-SWITCHES", "CS",
    "PERF_COUNT_SW_CPU_MIGRATIONS",   "CPU-MIGRATIONS",   "MIGRATIONS",
    "PERF_COUNT_SW_CGROUP_SWITCHES",  "CGROUP-SWITCHES"};

// "perf::CS:k=1" is CS of the kernel's; empty when the name is of another unit's event.
std::string_view kernels_name(std::string_view name) {
  constexpr std::string_view unit = "perf::";
  if (!name.starts_with(unit)) return {};
  name.remove_prefix(unit.size());
  return name.substr(0, name.find(':'));
}

bool happens_in_kernel(std::string_view name) {
  return std::ranges::find(kernel_names, kernels_name(name)) != std::end(kernel_names);
}

template <class Visit>
void for_each_preset(Visit&& visit) {
  int code = PAPI_PRESET_MASK;
  PAPI_event_info_t info;
  for (int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST); more == PAPI_OK;
       more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
    if (PAPI_get_event_info(code, &info) == PAPI_OK) visit(info);
}

template <class Visit>
void for_each_native(int component, Visit&& visit) {
  if (PAPI_get_component_info(component)->disabled) return;
  char name[PAPI_MAX_STR_LEN];
  int code = PAPI_NATIVE_MASK;
  for (int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK;
       more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
    if (PAPI_event_code_to_name(code, name) == PAPI_OK) visit(std::string_view(name));
  }
}

// The common name L1_DCM of "PAPI_L1_DCM" and "sde:::tallcache::L1_DCM".
std::string_view short_name(std::string_view name) {
  if (is_preset(name)) return name.substr(5);
  const auto colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

[[noreturn]] void throw_unknown(std::string_view name) {
  const std::vector<std::string> names = event_names();
  const std::vector<std::string_view> full(names.begin(), names.end());
  std::vector<std::string_view> shortened;
  for (std::string_view each : full) shortened.push_back(short_name(each));

  std::string asked(name);
  if (name.find("::") == name.npos)
    for (char& c : asked) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto nearest_short = [&]() -> std::string_view {
    const auto found = nearest_name(short_name(asked), shortened);
    return found.empty()
               ? found
               : full[static_cast<std::size_t>(std::ranges::find(shortened, found) - shortened.begin())];
  };
  const bool whole = short_name(asked) != asked;  // with its prefix
  std::string_view nearest = whole ? nearest_name(asked, full) : nearest_short();
  if (nearest.empty()) nearest = whole ? nearest_short() : nearest_name(asked, full);
  if (!nearest.empty()) throw Error(fmt::format("unknown event '{}'; did you mean '{}'?", name, nearest));
  throw Error(fmt::format("unknown event '{}'; papi_avail and papi_native_avail list PAPI's {} events", name,
                          names.size()));
}

std::string why_no_preset(int error) {
  int available = 0, known = 0;
  for_each_preset([&](const PAPI_event_info_t& info) { ++known, available += info.count > 0; });
  const PAPI_hw_info_t* hardware = PAPI_get_hardware_info();
  const bool is_virtual = hardware && hardware->virtualized;
  return fmt::format("{} ({} of PAPI's {} presets are available on this {}processor)", papi_error(error),
                     available, known, is_virtual ? "virtual machine's " : "");
}

void describe(Event& event) {
  PAPI_event_info_t info;
  if (PAPI_get_event_info(event.code, &info) == PAPI_OK) event.description = info.long_descr;
}

}  // namespace

const std::string& papi_unavailable() {
  static const std::string reason = start_papi();
  return reason;
}

std::string papi_error(int error) {
  const char* words = PAPI_strerror(error);
  const std::string text = words ? words : fmt::format("PAPI error {}", error);
  return error == PAPI_EPERM ? text + permission_hint() : text;
}

bool per_thread(const Event& event) {
  return event.component >= 0 &&
         PAPI_get_component_info(event.component)->name == std::string_view("perf_event");
}

std::span<const std::string_view> software_events() {
  static constexpr std::string_view names[] = {
      "perf::PAGE-FAULTS", "perf::MINOR-FAULTS",         "perf::MAJOR-FAULTS",      "perf::TASK-CLOCK",
      "perf::CPU-CLOCK",   "perf::CONTEXT-SWITCHES:k=1", "perf::CPU-MIGRATIONS:k=1"};
  return names;
}

bool in_software(std::string_view name) {
  return happens_in_kernel(name) ||
         std::ranges::find(software_names, kernels_name(name)) != std::end(software_names);
}

bool in_kernel(std::string_view name) {
  const auto mask = name.find(":k");
  return mask != name.npos && (name.substr(mask) == ":k" || name.substr(mask).starts_with(":k=1") ||
                               name.substr(mask).starts_with(":k:"));
}

int group_limit(int component) {
  const PAPI_component_info_t* info = PAPI_get_component_info(component);
  const int counters = PAPI_num_cmp_hwctrs(component);
  return info->name == std::string_view("perf_event") ? std::clamp(counters, 1, 4) : std::max(counters, 1);
}

std::vector<std::string> event_names() {
  std::vector<std::string> names;
  if (!papi_unavailable().empty()) return names;
  for_each_preset([&](const PAPI_event_info_t& info) { names.push_back(info.symbol); });
  for (int component = 0; component < PAPI_num_components(); ++component)
    for_each_native(component, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

Event find_event(std::string_view name) {
  Event event{.name = std::string(name)};
  if (!papi_unavailable().empty()) {
    event.unavailable = papi_unavailable();
    return event;
  }
  const int processor = PAPI_get_component_index("perf_event");
  const auto unavailable = [&](std::string reason) {
    event.unavailable = std::move(reason);
    return event;
  };
  if (event.component = component_prefixed(name); event.component >= 0) {
    if (std::string reason = why_disabled(event.component); !reason.empty())
      return unavailable(std::move(reason));
    for (std::size_t i = 0; i < simulated_events().size(); ++i)
      if (const auto simulated = static_cast<Simulated>(i);
          papi_name(simulated) == name && !simulated_counters().published(simulated)) {
        event.description = simulated_events()[i].description;
        return unavailable("no cache model of this process counts it");
      }
    bool found = false;
    for_each_native(event.component, [&](std::string_view each) { found |= each == name; });
    if (found && PAPI_event_name_to_code(event.name.c_str(), &event.code) == PAPI_OK) {
      describe(event);
      return event;
    }
    throw_unknown(name);
  }

  if (PAPI_event_name_to_code(event.name.c_str(), &event.code) == PAPI_OK) {
    event.component = PAPI_get_event_component(event.code);
    describe(event);
    if (is_preset(name)) {
      event.component = processor;
      if (std::string reason = why_disabled(processor); !reason.empty())
        return unavailable(std::move(reason));
      if (const int result = PAPI_query_event(event.code); result != PAPI_OK)
        return unavailable(why_no_preset(result));
    }
    if (happens_in_kernel(name) && !in_kernel(name))
      return unavailable(fmt::format(
          "it happens in the kernel, and PAPI would read 0 outside of it; {}:k=1 counts it", name));
    return event;
  }
  // A disabled component lists no events, so the names of its events are unknown too.
  const std::vector<std::string> names = event_names();
  if (std::ranges::find(names, name) != names.end()) return unavailable(papi_error(PAPI_ENOEVNT));
  if (std::string reason = why_disabled(processor); !reason.empty() && name.find("::") != name.npos)
    return unavailable(std::move(reason));
  throw_unknown(name);
}

void register_thread() {
  if (!papi_unavailable().empty()) return;
  struct Registration {
    Registration() { PAPI_register_thread(); }
    // The thread that started PAPI belongs to the whole process, which may use event sets of its own on it.
    ~Registration() {
      if (std::this_thread::get_id() != starting_thread) PAPI_unregister_thread();
    }
  };
  thread_local const Registration registration;
}

}  // namespace tallcache
