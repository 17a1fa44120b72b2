#include "bench/show/against_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/show/format.hpp"

namespace tallcache {
namespace {

std::string ratio_text(const RecordChange& change) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", change.ratio, change.low, change.high);
}

std::string changes_text(std::vector<const RecordChange*> list, const char* title) {
  if (list.empty()) return {};
  std::ranges::sort(list, [](const RecordChange* a, const RecordChange* b) {
    return std::abs(std::log(a->ratio)) > std::abs(std::log(b->ratio));
  });
  Grid grid{
      .caption = title,
      .columns = {{"run", true}, {"before ms"}, {"now ms"}, {"ratio"}, {"normalised, with its interval"}}};
  for (const RecordChange* change : list)
    grid.rows.push_back({run_name(*change->now), figure(change->before_s * 1e3), figure(change->now_s * 1e3),
                         fmt::format("{:.3f}", change->raw), ratio_text(*change)});
  return "\n" + render(grid, Style::markdown);
}

std::string list_text(const std::vector<const Record*>& records, const char* title, const Document& other) {
  if (records.empty()) return {};
  std::string text = fmt::format("\n{}\n\n", title);
  for (const Record* record : records) {
    const Record* counterpart = other.find(*record);
    const std::string why =
        !counterpart ? ""
        : counterpart->error_class != record->error_class
            ? fmt::format(": there of the error class {}", name_of(counterpart->error_class))
            : ": " + reason_of(counterpart);
    text += fmt::format("- {}{}\n", run_name(*record), why);
  }
  return text;
}

std::string broken_text(const std::vector<const Record*>& records) {
  std::string text = records.empty() ? "" : "\nBroken:\n\n";
  for (const Record* record : records)
    text += fmt::format("- {}: {}: {}\n", run_name(*record), to_string(record->outcome.status),
                        record->outcome.reason);
  return text;
}

}  // namespace

std::string against_text(const RunComparison& comparison, const Document& now, const Document& before) {
  std::string text = fmt::format("# {} against an older run\n\n- now: {}, {}\n- before: {}, {}\n", now.kind,
                                 machine_line(now), now.context.at("date").get<std::string>(),
                                 machine_line(before), before.context.at("date").get<std::string>());
  for (const std::string& difference : comparison.differences)
    text += fmt::format("- **differs** {}\n", difference);
  Grid machine{.caption = "The machine itself, time now over time before:",
               .columns = {{"what", true}, {"ratio"}, {"+-"}}};
  for (const MachineRatio& ratio : comparison.machine)
    machine.rows.push_back({ratio.name, fmt::format("{:.3f}", ratio.ratio), percent(ratio.error, 1)});
  if (!machine.rows.empty())
    text += "\n" + render(machine, Style::markdown);
  else if (comparison.turns == 1)
    text += "\nNeither limits nor libraries are in both: ratios are as measured.\n";
  else
    text += fmt::format("\n{} runs of each program, in turn.\n", comparison.turns);
  std::vector<const RecordChange*> slower, faster;
  for (const RecordChange& change : comparison.changes) {
    if (change.slower()) slower.push_back(&change);
    if (change.faster()) faster.push_back(&change);
  }
  text += broken_text(comparison.broken) + changes_text(slower, "Slower:") + changes_text(faster, "Faster:") +
          list_text(comparison.gone, "Gone:", now) + list_text(comparison.added, "New:", before);
  return text +
         fmt::format(
             "\nOf {} records that both runs timed, {} are slower and {} faster; {} are broken, {} gone, {} "
             "new, {} without times.{}\n",
             comparison.changes.size(), slower.size(), faster.size(), comparison.broken.size(),
             comparison.gone.size(), comparison.added.size(), comparison.untimed,
             comparison.turns > 1 ? ""
                                  : fmt::format(" Two runs differ by {} where nothing changed.",
                                                percent(comparison.noise, 1)));
}

}  // namespace tallcache
