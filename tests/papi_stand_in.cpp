#include "tests/papi_stand_in.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace tallcache::stand_in {
namespace {

constexpr std::size_t max_events = 64;

// Of the presets that PAPI knows on every machine some.
constexpr std::string_view known_presets[] = {"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM", "PAPI_L1_TCM",
                                              "PAPI_L2_DCM",  "PAPI_L2_TCM",  "PAPI_L3_DCM", "PAPI_L3_TCM",
                                              "PAPI_L1_DCA",  "PAPI_L2_DCA",  "PAPI_L2_TCA", "PAPI_L3_DCA",
                                              "PAPI_L3_TCA",  "PAPI_LST_INS", "PAPI_LD_INS", "PAPI_SR_INS",
                                              "PAPI_VEC_DP",  "PAPI_VEC_SP",  "PAPI_VEC_INS"};

// The counters of one thread; others read them, as the kernel does for a set of another thread.
struct Thread {
  std::array<std::atomic<long long>, max_events> counts{};
  std::atomic<int> running = 0;  // the set that counts it, 0: none
};

struct Set {
  std::shared_ptr<Thread> thread;
  std::vector<std::size_t> events;
  std::vector<long long> begin, seen;  // at the start; in the turns of each event, where multiplexed
  std::vector<int> turns;
  int turn = 0;
  bool multiplexed = false, assigned = false, running = false;
};

std::recursive_mutex mutex;
Processor processor;
std::thread::id installer;
std::map<int, Set> sets;
int last_set = 0, initialized = PAPI_NOT_INITED;
std::array<std::size_t, max_events> runs;

std::shared_ptr<Thread> this_thread() {
  static thread_local const auto thread = std::make_shared<Thread>();
  return thread;
}

const StandInEvent& event_of(std::size_t index) { return processor.events[index]; }
bool is_preset(const StandInEvent& event) { return event.name.starts_with("PAPI_"); }
int code_of(std::size_t index) {
  return static_cast<int>(index) | (is_preset(event_of(index)) ? PAPI_PRESET_MASK : PAPI_NATIVE_MASK);
}
// max_events when there is none.
std::size_t index_of(int code) {
  for (std::size_t i = 0; i < processor.events.size(); ++i)
    if (code_of(i) == code) return i;
  return max_events;
}
std::size_t index_of(std::string_view name) {
  const auto found = std::ranges::find(processor.events, name, &StandInEvent::name);
  return static_cast<std::size_t>(found - processor.events.begin());
}

Set* find(int set) {
  const auto found = sets.find(set);
  return found == sets.end() ? nullptr : &found->second;
}

// Whether the events of `set` and one more can be counted all at the same time.
bool fits(const Set& set, std::size_t added) {
  int counters = event_of(added).counters;
  for (std::size_t index : set.events) {
    counters += event_of(index).counters;
    for (const auto& [a, b] : processor.conflicts)
      if ((a == event_of(index).name && b == event_of(added).name) ||
          (b == event_of(index).name && a == event_of(added).name))
        return false;
  }
  return counters <= processor.counters;
}

// The events that are on the counters in the set's present turn: as many as fit, from another one in
// each turn.
std::vector<bool> on_counters(const Set& set) {
  std::vector<bool> on(set.events.size());
  Set turn;
  for (std::size_t k = 0; k < set.events.size(); ++k) {
    const std::size_t i = (static_cast<std::size_t>(set.turn * processor.counters) + k) % set.events.size();
    if (set.multiplexed && !fits(turn, set.events[i])) break;
    turn.events.push_back(set.events[i]);
    on[i] = true;
  }
  return on;
}

// Adds what was counted since `begin` to the events on the counters, and begins anew.
void collect(Set& set) {
  const std::vector<bool> on = on_counters(set);
  for (std::size_t i = 0; i < set.events.size(); ++i) {
    const long long now = set.thread->counts[set.events[i]];
    if (on[i]) set.seen[i] += now - set.begin[i];
    set.begin[i] = now;
  }
}

void take_turn(Set& set) {
  const std::vector<bool> on = on_counters(set);
  for (std::size_t i = 0; i < on.size(); ++i) set.turns[i] += on[i];
}

// PAPI's estimate: what was seen, times the share of turns. 0 for an event without any, as PAPI has it.
std::vector<long long> values_of(Set& set) {
  collect(set);
  std::vector<long long> values = set.seen;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (set.turns[i]) values[i] = values[i] * (set.turn + 1) / set.turns[i];
  return values;
}

void clear(Set& set) {
  set.begin.clear();
  for (std::size_t index : set.events) set.begin.push_back(set.thread->counts[index]);
  set.seen.assign(set.events.size(), 0);
  set.turns.assign(set.events.size(), 0);
  set.turn = 0;
  take_turn(set);
}

int first_error(const Set& set, int StandInEvent::*kind) {
  for (std::size_t index : set.events)
    if (event_of(index).*kind != PAPI_OK) return event_of(index).*kind;
  return PAPI_OK;
}

int next_code(int* code, std::size_t from, bool presets) {
  for (std::size_t i = from; i < processor.events.size(); ++i)
    if (is_preset(event_of(i)) == presets) {
      *code = code_of(i);
      return PAPI_OK;
    }
  return PAPI_ENOEVNT;
}

int enumerate(int* code, int modifier, bool presets) {
  return next_code(code, modifier == PAPI_ENUM_FIRST ? 0 : index_of(*code) + 1, presets);
}

}  // namespace

void install(Processor next) {
  const std::lock_guard lock(mutex);
  processor = std::move(next);
  for (std::string_view name : known_presets)
    if (index_of(name) == processor.events.size())
      processor.events.push_back({.name = std::string(name), .query = PAPI_ENOEVNT});
  installer = std::this_thread::get_id();
  runs.fill(0);
}

void count(std::string_view event, long long count) { this_thread()->counts.at(index_of(event)) += count; }

void next_turn() {
  const std::lock_guard lock(mutex);
  Set* set = find(this_thread()->running);
  if (!set || !set->multiplexed) return;
  collect(*set);
  ++set->turn;
  take_turn(*set);
}

int sets_left() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(sets.size());
}

}  // namespace tallcache::stand_in

using namespace tallcache::stand_in;

// PAPI's functions: what a program that counts calls of them, as papi.h declares them.
extern "C" {

int PAPI_is_initialized() { return initialized; }

int PAPI_library_init(int version) {
  initialized = PAPI_LOW_LEVEL_INITED;
  return version == PAPI_VER_CURRENT ? PAPI_VER_CURRENT : PAPI_EINVAL;
}

int PAPI_thread_init(unsigned long (*)()) { return PAPI_OK; }
int PAPI_register_thread() { return PAPI_OK; }
int PAPI_unregister_thread() { return PAPI_OK; }
int PAPI_multiplex_init() { return PAPI_OK; }

// The words of PAPI 7.
char* PAPI_strerror(int error) {
  static const std::map<int, const char*> words{
      {PAPI_OK, "No error"},
      {PAPI_EINVAL, "Invalid argument"},
      {PAPI_ESYS, "A System/C library call failed"},
      {PAPI_ECLOST, "Access to the counters was lost or interrupted"},
      {PAPI_ENOEVNT, "Event does not exist"},
      {PAPI_ECNFLCT, "Event exists, but cannot be counted due to hardware resource limits"},
      {PAPI_ENOTRUN, "EventSet is currently not running"},
      {PAPI_EISRUN, "EventSet is currently counting"},
      {PAPI_ENOEVST, "No such EventSet available"},
      {PAPI_EPERM, "Permission level does not permit operation"},
      {PAPI_ENOCMP, "Component Index isn't set"}};
  const auto found = words.find(error);
  return found == words.end() ? nullptr : const_cast<char*>(found->second);
}

int PAPI_num_components() { return 1; }
int PAPI_num_cmp_hwctrs(int) { return processor.counters; }
int PAPI_get_component_index(const char* name) {
  return std::string_view(name) == "perf_event" ? 0 : PAPI_ENOCMP;
}
int PAPI_get_event_component(int) { return 0; }

const PAPI_component_info_t* PAPI_get_component_info(int component) {
  if (component != 0) return nullptr;
  static PAPI_component_info_t info{};
  const std::lock_guard lock(mutex);
  std::snprintf(info.name, sizeof info.name, "perf_event");
  std::snprintf(info.description, sizeof info.description, "Stand-in for a processor's counters");
  std::snprintf(info.disabled_reason, sizeof info.disabled_reason, "%s", processor.disabled.c_str());
  info.disabled = processor.disabled.empty() ? 0 : PAPI_ENOSUPP;
  info.num_cntrs = processor.counters;
  return &info;
}

const PAPI_hw_info_t* PAPI_get_hardware_info() {
  static const PAPI_hw_info_t info{};
  return &info;
}

int PAPI_enum_event(int* code, int modifier) { return enumerate(code, modifier, true); }
int PAPI_enum_cmp_event(int* code, int modifier, int) { return enumerate(code, modifier, false); }

int PAPI_event_name_to_code(const char* name, int* code) {
  const std::size_t index = index_of(std::string_view(name));
  if (index == processor.events.size()) return PAPI_ENOEVNT;
  *code = code_of(index);
  return PAPI_OK;
}

int PAPI_event_code_to_name(int code, char* name) {
  const std::size_t index = index_of(code);
  if (index == max_events) return PAPI_ENOEVNT;
  std::snprintf(name, PAPI_MAX_STR_LEN, "%s", event_of(index).name.c_str());
  return PAPI_OK;
}

int PAPI_get_event_info(int code, PAPI_event_info_t* info) {
  const std::size_t index = index_of(code);
  if (index == max_events) return PAPI_ENOEVNT;
  *info = {};
  std::snprintf(info->symbol, sizeof info->symbol, "%s", event_of(index).name.c_str());
  std::snprintf(info->long_descr, sizeof info->long_descr, "%s of the stand-in",
                event_of(index).name.c_str());
  info->count = event_of(index).query == PAPI_OK;
  return PAPI_OK;
}

int PAPI_query_event(int code) {
  const std::size_t index = index_of(code);
  return index == max_events ? PAPI_ENOEVNT : event_of(index).query;
}

int PAPI_create_eventset(int* set) {
  const std::lock_guard lock(mutex);
  *set = ++last_set;
  sets[*set].thread = this_thread();
  return PAPI_OK;
}

int PAPI_assign_eventset_component(int set, int component) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  if (!found) return PAPI_ENOEVST;
  found->assigned = component == 0;
  return found->assigned ? PAPI_OK : PAPI_ENOCMP;
}

int PAPI_set_multiplex(int set) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  if (!found) return PAPI_ENOEVST;
  if (!found->assigned) return PAPI_ENOCMP;
  found->multiplexed = processor.multiplex == PAPI_OK;
  return processor.multiplex;
}

int PAPI_add_event(int set, int code) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  const std::size_t index = index_of(code);
  if (!found) return PAPI_ENOEVST;
  if (found->running) return PAPI_EISRUN;
  if (index == max_events || event_of(index).query != PAPI_OK) return PAPI_ENOEVNT;
  if (event_of(index).add != PAPI_OK) return event_of(index).add;
  if (!fits(found->multiplexed ? Set{} : *found, index)) return PAPI_ECNFLCT;
  found->assigned = true;
  found->events.push_back(index);
  return PAPI_OK;
}

int PAPI_remove_event(int set, int code) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  if (!found) return PAPI_ENOEVST;
  return std::erase(found->events, index_of(code)) ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_start(int set) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  if (!found) return PAPI_ENOEVST;
  if (found->events.empty()) return PAPI_EINVAL;
  if (found->thread->running) return PAPI_EISRUN;
  if (const int error = first_error(*found, &StandInEvent::start); error != PAPI_OK) return error;
  if (std::this_thread::get_id() != installer)
    if (const int error = first_error(*found, &StandInEvent::start_elsewhere); error != PAPI_OK) return error;
  found->running = true;
  found->thread->running = set;
  clear(*found);
  return PAPI_OK;
}

int PAPI_read(int set, long long* values) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  if (!found) return PAPI_ENOEVST;
  if (!found->running) return PAPI_ENOTRUN;
  std::ranges::copy(values_of(*found), values);
  return PAPI_OK;
}

int PAPI_reset(int set) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  if (!found) return PAPI_ENOEVST;
  if (found->running) clear(*found);
  return PAPI_OK;
}

int PAPI_stop(int set, long long* values) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  if (!found) return PAPI_ENOEVST;
  if (!found->running) return PAPI_ENOTRUN;
  found->running = false;
  found->thread->running = 0;
  if (!values) return PAPI_OK;
  const int error = first_error(*found, &StandInEvent::stop);
  if (error != PAPI_OK) return error;
  std::ranges::copy(values_of(*found), values);
  for (std::size_t i = 0; i < found->events.size(); ++i) {
    const std::size_t index = found->events[i];
    const std::vector<long long>& each = event_of(index).each_run;
    if (!each.empty()) values[i] += each[std::min(runs[index]++, each.size() - 1)];
  }
  return PAPI_OK;
}

int PAPI_cleanup_eventset(int set) {
  const std::lock_guard lock(mutex);
  Set* found = find(set);
  if (!found) return PAPI_ENOEVST;
  if (found->running) return PAPI_EISRUN;
  found->events.clear();
  return PAPI_OK;
}

int PAPI_destroy_eventset(int* set) {
  const std::lock_guard lock(mutex);
  Set* found = find(*set);
  if (!found) return PAPI_ENOEVST;
  if (!found->events.empty()) return PAPI_EINVAL;
  sets.erase(*set);
  *set = PAPI_NULL;
  return PAPI_OK;
}

}  // extern "C"
