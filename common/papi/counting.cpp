#include "common/papi/counting.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "common/error.hpp"
#include "common/papi/arena_counts.hpp"
#include "common/papi/event_set.hpp"

namespace tallcache {

Counting::Counting(std::span<const std::string> events) {
  struct Trial {
    Group group;
    std::unique_ptr<EventSet> set;
  };
  std::map<int, std::vector<Trial>> trials;  // by component
  for (const std::string& name : events) {
    const Event event = find_event(name);
    Count& asked = asked_.emplace_back(Count{.event = event.name, .description = event.description});
    if (asked.reason = event.unavailable; !asked.reason.empty()) continue;
    auto& groups = trials[event.component];
    const auto limit = static_cast<std::size_t>(group_limit(event.component));
    const auto takes = [&](Trial& trial) {
      return trial.group.size() < limit && trial.set->add(event).empty();
    };
    if (auto found = std::ranges::find_if(groups, takes); found != groups.end()) {
      found->group.push_back(event);
    } else if (auto set = std::make_unique<EventSet>(); (asked.reason = set->add(event)).empty()) {
      groups.push_back({{event}, std::move(set)});
    }
  }
  for (auto& [component, groups] : trials)
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (passes_.size() == i) passes_.emplace_back();
      passes_[i].push_back(std::move(groups[i].group));
    }
}

std::vector<Count> Counting::run(const std::function<void()>& work) const {
  return run_passes(nullptr, work);
}

std::vector<Count> Counting::run(tbb::task_arena& arena, const std::function<void()>& work) const {
  return run_passes(&arena, work);
}

std::vector<Count> Counting::run_passes(tbb::task_arena* arena, const std::function<void()>& work) const {
  std::vector<Count> counts = asked_;
  for (const Pass& pass : passes_) {
    std::vector<Tally> here, everywhere;
    for (const Group& group : pass)
      (arena && per_thread(group.front()) ? everywhere : here).push_back(Tally{.group = &group});
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
    for (const Tally& tally : here)
      for (std::size_t i = 0; i < tally.group->size(); ++i) {
        const auto of_event = [&](const Count& count) { return count.event == (*tally.group)[i].name; };
        for (Count& count : counts) {
          if (!of_event(count)) continue;
          count.reason = tally.problem;
          if (tally.problem.empty()) count.value = tally.sums[i];
        }
      }
  }
  return counts;
}

}  // namespace tallcache
