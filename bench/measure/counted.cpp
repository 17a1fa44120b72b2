#include "bench/measure/counted.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "bench/measure/interrupt.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/measure/executor.hpp"
#include "common/papi/source.hpp"

namespace tallcache {
namespace {

std::vector<Count> count_events(Workspace& workspace, const Candidate& candidate,
                                std::span<const std::string> events, Sharing sharing) {
  const Counting counting(events, sharing);
  const auto work = [&] { workspace.run(candidate); };
  const auto prepare = [&] {
    stop_if_interrupted();
    workspace.renew_inputs();
  };
  return candidate.threads == 1 ? counting.run(work, prepare)
                                : counting.run(arena_of(candidate.threads), work, prepare);
}

Counted counted(std::string name, const Count& count) {
  return {.name = std::move(name),
          .event = count.event,
          .source = in_software(count.event) ? "kernel" : to_string(Source::hardware),
          .description = count.description,
          .value = count.value,
          .reason = count.reason,
          .multiplexed = count.multiplexed};
}

// Verifies and counts a candidate that can run.
void count_one(Workspace& workspace, std::span<const std::string> events, Sharing sharing,
               CountedVariant& result) {
  const Candidate& candidate = result.candidate;
  Check check = workspace.verify(candidate);
  if (check) {
    if (events.empty()) result.counts = count_all_events(workspace, candidate, sharing);
    for (const Count& count :
         events.empty() ? std::vector<Count>() : count_events(workspace, candidate, events, sharing))
      result.counts.push_back(counted(count.event, count));
    check = workspace.verify(candidate);
  }
  result.outcome = {check ? Status::measured : Status::wrong, check ? "" : check.message()};
  if (!check) result.counts.clear();
}

// Pending when nothing speaks against a run that is counted.
Outcome before_counting(const Problem& problem, const Candidate& candidate) {
  if (candidate.threads > 1 && candidate.variant->peer)
    return {Status::unsupported, "a library: the threads that it makes are not those that are counted"};
  return before_running(problem, candidate);
}

}  // namespace

std::vector<Counted> count_quantities(Workspace& workspace, const Candidate& candidate,
                                      std::span<const std::string_view> quantities, Sharing sharing) {
  std::vector<EventChoice> choices;
  std::vector<std::string> events;
  for (std::string_view quantity : quantities) {
    choices.push_back(event_for(quantity, Source::hardware));
    if (!choices.back().event.empty()) events.push_back(choices.back().event);
  }
  const std::vector<Count> counts = count_events(workspace, candidate, events, sharing);
  std::vector<Counted> result;
  for (std::size_t i = 0, next = 0; i < quantities.size(); ++i) {
    const bool chosen = !choices[i].event.empty();
    result.push_back(
        counted(std::string(quantities[i]), chosen ? counts[next] : Count{.reason = choices[i].reason}));
    next += chosen;
  }
  return result;
}

std::vector<Counted> count_all_events(Workspace& workspace, const Candidate& candidate, Sharing sharing) {
  std::vector<std::string> events = event_names();
  std::erase_if(events, [](const std::string& name) { return !name.starts_with("PAPI_"); });
  std::vector<Count> unknown;  // an older kernel or libpfm has not all of its events
  for (std::string_view name : software_events()) {
    try {
      events.push_back(find_event(name).name);
    } catch (const Error& error) {
      unknown.push_back({.event = std::string(name), .reason = error.what()});
    }
  }
  std::vector<Count> counts = count_events(workspace, candidate, events, sharing);
  counts.insert(counts.end(), unknown.begin(), unknown.end());
  std::vector<Counted> result;
  for (const Count& count : counts) result.push_back(counted(count.event, count));
  return result;
}

std::vector<CountedVariant> count_each(const Problem& problem, std::span<const Candidate> candidates,
                                       std::span<const std::string> events, Sharing sharing,
                                       const std::function<void(const CountedVariant&)>& done) {
  const auto executor = make_executor("cpu");
  Workspace workspace(problem, *executor);
  std::vector<CountedVariant> results;
  for (const Candidate& candidate : candidates) {
    stop_if_interrupted();
    CountedVariant& result = results.emplace_back(CountedVariant{.candidate = candidate});
    result.outcome = before_counting(workspace.problem(), candidate);
    if (result.outcome.status == Status::pending) count_one(workspace, events, sharing, result);
    if (done) done(result);
  }
  return results;
}

Record to_record(const Problem& problem, const CountedVariant& variant) {
  Record record = to_record(problem, variant.candidate);
  record.outcome = variant.outcome;
  for (const Counted& count : variant.counts) record.quantities.push_back(to_quantity(count));
  return record;
}

Quantity to_quantity(const Counted& count) {
  Quantity quantity{.name = count.name, .unit = "1", .origin = Origin::event, .detail = count.description};
  if (quantity.detail.empty()) quantity.detail = count.name;
  quantity.at = {{"by", count.source}};
  if (count.multiplexed) quantity.at["estimate"] = "multiplexed";
  if (count.value)
    quantity.value = static_cast<double>(*count.value);
  else
    quantity.reason = count.reason;
  return quantity;
}

void add_events(CLI::App& command, std::vector<std::string>& events, const std::string& what) {
  command.add_option("--event", events, what)
      ->type_name("NAME")
      ->check(CLI::Validator(
          [](const std::string& name) -> std::string {
            try {
              find_event(name);
              return {};
            } catch (const std::exception& error) {
              return error.what();
            }
          },
          ""));
}

}  // namespace tallcache
