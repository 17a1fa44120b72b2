#include "common/papi/event_set.hpp"

#include <fmt/format.h>
#include <papi.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "common/error.hpp"

namespace tallcache {
namespace {

// The software-defined events that a thread is counting now.
std::mutex shared_mutex;
std::set<std::string> shared_events;

std::string names_of(const std::vector<Event>& events) {
  std::string names;
  for (const Event& event : events) names += (names.empty() ? "" : ", ") + event.name;
  return names;
}

std::string refusal(const Event& event, int result) {
  return result == PAPI_EPERM && in_kernel(event.name)
             ? fmt::format("{} (counting in the kernel needs root or perf_event_paranoid of at most 1)",
                           PAPI_strerror(result))
             : papi_error(result);
}

}  // namespace

EventSet::EventSet() : set_(PAPI_NULL) {
  if (!papi_unavailable().empty()) throw Error(papi_unavailable());
  register_thread();
  require(PAPI_create_eventset(&set_), "PAPI_create_eventset");
}

EventSet::~EventSet() {
  if (running_) {
    PAPI_stop(set_, nullptr);
    release();
  }
  PAPI_cleanup_eventset(set_);
  PAPI_destroy_eventset(&set_);
}

void EventSet::multiplex(int component) {
  static const int ready = PAPI_multiplex_init();
  require(ready, "PAPI_multiplex_init");
  require(PAPI_assign_eventset_component(set_, component), "PAPI_assign_eventset_component");
  require(PAPI_set_multiplex(set_), "PAPI_set_multiplex");
}

std::string EventSet::add(const Event& event) {
  if (!event.unavailable.empty()) return event.unavailable;
  if (const int result = PAPI_add_event(set_, event.code); result != PAPI_OK) return refusal(event, result);
  events_.push_back(event);
  return {};
}

std::string EventSet::admit(const Event& event) {
  if (std::string reason = add(event); !reason.empty() || !per_thread(event)) return reason;
  const int result = PAPI_start(set_);
  if (result == PAPI_OK) PAPI_stop(set_, nullptr);
  // While another set of the component counts on this thread, the trial start cannot tell.
  if (result == PAPI_OK || result == PAPI_EISRUN) return {};
  events_.pop_back();
  PAPI_remove_event(set_, event.code);
  return refusal(event, result);
}

void EventSet::start() {
  if (events_.empty()) throw Error("an event set without events counts nothing");
  if (!per_thread(events_.front())) {
    const std::lock_guard lock(shared_mutex);
    for (const Event& event : events_)
      if (shared_events.contains(event.name))
        throw Error(event.name + " is being counted already, and PAPI counts it once at a time in a process");
    for (const Event& event : events_) shared_events.insert(event.name);
  }
  running_ = true;
  if (const int result = PAPI_start(set_); result != PAPI_OK) {
    release();
    require(result, "PAPI_start");
  }
}

std::vector<long long> EventSet::read() {
  std::vector<long long> values(events_.size());
  require(PAPI_read(set_, values.data()), "PAPI_read");
  return values;
}

void EventSet::reset() { require(PAPI_reset(set_), "PAPI_reset"); }

std::vector<long long> EventSet::stop() {
  std::vector<long long> values(events_.size());
  const int result = PAPI_stop(set_, values.data());
  if (running_) release();
  require(result, "PAPI_stop");
  return values;
}

void EventSet::require(int result, const char* call) const {
  if (result == PAPI_OK) return;
  throw Error(fmt::format("{} of {}: {}", call, events_.empty() ? "an event set" : names_of(events_),
                          result == PAPI_EISRUN ? "another event set of this component runs on this thread"
                                                : papi_error(result)));
}

void EventSet::release() {
  running_ = false;
  const std::lock_guard lock(shared_mutex);
  for (const Event& event : events_) shared_events.erase(event.name);
}

}  // namespace tallcache
