#include "common/papi/counting.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "common/error.hpp"
#include "common/papi/arena_counts.hpp"

namespace tallcache {
namespace {

bool needs_counters(const EventGroup& group) {
  const Event& first = group.events.front();
  return per_thread(first) && !in_software(first.name);
}

// The groups of events of one component while they are made, each with the event set on which it was tried.
struct Trials {
  std::vector<EventGroup> groups;
  std::vector<std::unique_ptr<EventSet>> sets;

  // Returns empty, or the reason why `event` cannot be counted even alone.
  std::string take(const Event& event) {
    const auto limit = static_cast<std::size_t>(group_limit(event.component));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      // The kernel's software events form groups of their own: they need no counter and are
      // never multiplexed.
      if (in_software(event.name) != in_software(groups[i].events.front().name)) continue;
      if (groups[i].events.size() >= limit || !sets[i]->admit(event).empty()) continue;
      groups[i].events.push_back(event);
      return {};
    }
    auto set = std::make_unique<EventSet>();
    if (std::string reason = set->admit(event); !reason.empty()) return reason;
    groups.push_back({{event}});
    sets.push_back(std::move(set));
    return {};
  }
};

// Stores the counts of a pass for each event that was requested.
void store_counts(const Tally& tally, std::vector<Count>& counts) {
  const EventGroup& group = *tally.group;
  for (std::size_t i = 0; i < group.events.size(); ++i)
    for (Count& count : counts) {
      if (count.event != group.events[i].name) continue;
      count.reason = tally.error_message;
      if (count.reason.empty() && group.multiplexed && tally.sums[i] == 0)
        count.reason = "it had no turn on a counter, or nothing to count: multiplexed, PAPI reads 0 for both";
      if (!count.reason.empty()) continue;
      count.value = tally.sums[i];
      count.multiplexed = group.multiplexed;
    }
}

}  // namespace

Counting::Counting(std::span<const std::string> events, Sharing sharing) {
  std::map<int, Trials> components;
  for (const std::string& name : events) {
    const Event event = find_event(name);
    Count& asked = asked_.emplace_back(Count{.event = event.name, .description = event.description});
    asked.reason = event.unavailable;
    if (asked.reason.empty()) asked.reason = components[event.component].take(event);
  }
  for (auto& [component, trials] : components) {
    std::vector<EventGroup>& groups = trials.groups;
    if (sharing == Sharing::multiplexed) multiplex(groups);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (passes_.size() == i) passes_.emplace_back();
      passes_[i].push_back(std::move(groups[i]));
    }
  }
}

// Merges the groups that need the processor's counters into one, where there are several.
void Counting::multiplex(std::vector<EventGroup>& groups) {
  if (std::ranges::count_if(groups, needs_counters) < 2) return;
  EventGroup together{.multiplexed = true};
  EventSet set;
  std::string refused;
  try {
    set.multiplex(groups.front().events.front().component);
  } catch (const Error& error) {
    refused = error.what();
  }
  for (const EventGroup& group : groups) {
    if (!needs_counters(group)) continue;
    for (const Event& event : group.events) {
      const std::string reason = refused.empty() ? set.admit(event) : refused;
      if (reason.empty()) together.events.push_back(event);
      for (Count& asked : asked_)
        if (asked.event == event.name) asked.reason = reason;
    }
  }
  std::erase_if(groups, needs_counters);
  if (!together.events.empty()) groups.insert(groups.begin(), std::move(together));
}

std::vector<Count> Counting::run(const std::function<void()>& work,
                                 const std::function<void()>& prepare) const {
  return run_passes(nullptr, work, prepare);
}

std::vector<Count> Counting::run(tbb::task_arena& arena, const std::function<void()>& work,
                                 const std::function<void()>& prepare) const {
  return run_passes(&arena, work, prepare);
}

std::vector<Count> Counting::run_passes(tbb::task_arena* arena, const std::function<void()>& work,
                                        const std::function<void()>& prepare) const {
  std::vector<Count> counts = asked_;
  for (const Pass& pass : passes_) {
    if (prepare) prepare();
    std::vector<Tally> here, everywhere;
    for (const EventGroup& group : pass)
      (arena && per_thread(group.events.front()) ? everywhere : here).push_back(Tally{.group = &group});
    {
      RunningSets running(here);
      running.start();
      if (arena) {
        ArenaCounts threads(*arena, everywhere);
        threads.run(work);
      } else {
        work();
      }
      running.stop();
    }
    here.insert(here.end(), everywhere.begin(), everywhere.end());
    for (const Tally& tally : here) store_counts(tally, counts);
  }
  return counts;
}

}  // namespace tallcache
