// Findings of the slides that a table of timings decides.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/tables/timings.hpp"

namespace tallcache {

Finding finds_faster(const Timings& timings, std::string text, std::string_view a, std::string_view b,
                     Index min, std::string why_holds, std::string why_fails) {
  Finding finding{std::move(text), {}, "", ""};
  const Line &fast = timings.line(a), &slow = timings.line(b);
  bool decided = true, holds = true;
  for (const Case* c : timings.cases()) {
    const double here = timings.here(*c, slow) / timings.here(*c, fast);
    if (c->slide_n < min || std::isnan(here)) continue;
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
  } else if (decided || !holds) {
    finding.holds = holds;
    finding.why = std::move(holds ? why_holds : why_fails);
  } else {
    finding.why = "The difference is within the spread of the measurements";
  }
  return finding;
}

Finding finds_growing(const Timings& timings, std::string text, std::string_view a, Index min,
                      std::string why_holds, std::string why_fails) {
  Finding finding{std::move(text), {}, "", "Fewer than two of these sizes were measured"};
  const Line& line = timings.line(a);
  std::vector<const Case*> seen;
  for (const Case* c : timings.cases())
    if (c->slide_n >= min && !std::isnan(timings.speedup(*c, line))) seen.push_back(c);
  if (seen.size() < 2) return finding;
  const Case &first = *seen.front(), &last = *seen.back();
  finding.figures =
      fmt::format("{}: {} (slide {}); {}: {} (slide {})", first.label, times(timings.speedup(first, line)),
                  times(timings.slide_speedup(first, line)), last.label, times(timings.speedup(last, line)),
                  times(timings.slide_speedup(last, line)));
  finding.holds = timings.speedup(last, line) > timings.speedup(first, line);
  finding.why = std::move(*finding.holds ? why_holds : why_fails);
  return finding;
}

Finding finds_efficient(const Timings& timings, std::string text, std::string_view label, double min,
                        int cores, std::string why_holds, std::string why_fails) {
  Finding finding{std::move(text), {}, "", "This machine has too few cores, or nothing was measured"};
  const auto cases = timings.cases();
  const Line* line = nullptr;
  for (const Line& l : timings.table().lines)
    if (l.label == label && l.threads > 1 && (cores == 0 || l.threads == cores) &&
        std::ranges::any_of(cases, [&](const Case* c) { return !std::isnan(timings.speedup(*c, l)); }))
      line = &l;
  if (!line) return finding;
  for (const Case* c : cases) {
    const double speedup = timings.speedup(*c, *line), efficiency = speedup / line->threads;
    if (std::isnan(speedup)) continue;
    finding.figures = fmt::format("{} on {} cores: {}, efficiency {:.3f}", c->label, line->threads,
                                  times(speedup), efficiency);
    finding.holds = efficiency >= min;
    finding.why = *finding.holds ? why_holds : why_fails;
  }
  return finding;
}

}  // namespace tallcache
