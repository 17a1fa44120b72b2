// Findings of the slides that a table of timings decides.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/tables/timings.hpp"

namespace tallcache {

Finding finds_faster(const Timings& timings, std::string text, std::string_view a, std::string_view b,
                     Index min) {
  Finding finding{std::move(text), {}, "", ""};
  const Line &fast = timings.line(a), &slow = timings.line(b);
  bool decided = true, holds = true;
  std::string absent;
  for (const Case* c : timings.cases()) {
    if (c->slide_n < min) continue;
    const double here = timings.here(*c, slow) / timings.here(*c, fast);
    if (std::isnan(here)) {
      if (!timings.left_out(*c)) absent += "; " + c->label + ": not measured";
      continue;
    }
    const double slide = timings.slide(*c, slow) / timings.slide(*c, fast);
    const auto faster = timings.faster(*c, fast, slow);
    finding.figures += fmt::format("{}{}: {}{}{}", finding.figures.empty() ? "" : "; ", c->label, times(here),
                                   faster ? "" : " (within the spread)",
                                   std::isnan(slide) ? "" : " (slide " + times(slide) + ")");
    decided = decided && faster;
    holds = holds && faster.value_or(true);
  }
  if (finding.figures.empty()) {
    finding.why = "Nothing was measured at these sizes";
    return finding;
  }
  finding.figures += absent;
  if (decided || !holds)
    finding.holds = holds;
  else
    finding.why = "The difference is within the spread of the measurements";
  return finding;
}

Finding finds_growing(const Timings& timings, std::string text, std::string_view a, Index min) {
  Finding finding{std::move(text), {}, "", "Fewer than two of these sizes were measured"};
  const Line& line = timings.line(a);
  std::vector<const Case*> seen;
  for (const Case* c : timings.cases())
    if (c->slide_n >= min && !std::isnan(timings.speedup(*c, line))) seen.push_back(c);
  if (seen.size() < 2) return finding;
  const Case &first = *seen.front(), &last = *seen.back();
  return {
      finding.text, timings.speedup(last, line) > timings.speedup(first, line),
      fmt::format("{}: {} (slide {}); {}: {} (slide {})", first.label, times(timings.speedup(first, line)),
                  times(timings.slide_speedup(first, line)), last.label, times(timings.speedup(last, line)),
                  times(timings.slide_speedup(last, line))),
      ""};
}

Efficiency efficiency_of(const Timings& timings, std::string_view label, int cores) {
  Efficiency found;
  const auto cases = timings.cases();
  for (const Line& line : timings.table().lines) {
    if (line.label != label || line.threads <= 1 || (cores != 0 && line.threads != cores)) continue;
    for (const Case* c : cases)
      if (const double speedup = timings.speedup(*c, line); !std::isnan(speedup))
        found = {c, &line, speedup / line.threads};
  }
  return found;
}

Finding finds_efficient(const Timings& timings, std::string text, std::string_view label, double min,
                        int cores) {
  const auto [at, line, value] = efficiency_of(timings, label, cores);
  if (!at) {
    const int needed = std::max(cores, 2), usable = timings.document().context.value("usable_cores", needed);
    return {std::move(text),
            {},
            "",
            usable < needed ? fmt::format("Needs {} cores, of which this machine has {}", needed, usable)
                            : "Not measured"};
  }
  return {std::move(text), value >= min,
          fmt::format("{} on {} cores: {}, efficiency {:.3f}", at->label, line->threads,
                      times(timings.speedup(*at, *line)), value),
          ""};
}

}  // namespace tallcache
