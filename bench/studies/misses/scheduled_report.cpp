#include "bench/studies/misses/scheduled_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/results/names.hpp"
#include "bench/show/charts.hpp"
#include "bench/show/fit.hpp"
#include "bench/show/format.hpp"
#include "common/cache/parallel_misses.hpp"

namespace tallcache {
namespace {

/// The figures of a record on P caches of one size under one scheduler.
struct ScheduledFigures {
  const Record& record;
  int processors;
  const cache::CacheLevel& size;
  const std::string& scheduler;

  double scheduled(const char* what) const {
    return record.value(what, {{"caches", processors}, {"cache", size.bytes}, {"scheduler", scheduler}});
  }
  double serial(const char* what) const {
    return record.value(what, {{"caches", processors}, {"cache", size.bytes}});
  }
  /// By theory of work stealing; one processor steals nothing, and its plan does not fork.
  double order(const char* what) const { return processors > 1 ? serial(what) : no_value; }
  double of_plan(const char* what) const { return record.value(what, {{"caches", processors}}); }

  double extra() const { return scheduled("misses") - serial("serial misses"); }
  /// A deviation costs an LRU cache as many misses as it has lines, and a steal is two deviations at most.
  double bound() const { return static_cast<double>(size.lines()) * scheduled("deviations"); }
};

template <class Visit>
void each_figure(const Record& record, const ScheduledPart& part, Visit&& visit) {
  for (const int processors : part.processors)
    for (const cache::CacheLevel& size : part.sizes)
      for (const std::string& scheduler : part.schedulers)
        visit(ScheduledFigures{record, processors, size, scheduler});
}

std::string whole(double value) { return std::isnan(value) ? "-" : fmt::format("{:.0f}", value); }

std::string kibibytes(const cache::CacheLevel& size) {
  return size.bytes % 1024 ? fmt::format("{} B", size.bytes) : fmt::format("{}K", size.bytes >> 10);
}

std::vector<std::string> figures_row(const ScheduledFigures& at, const ScheduledPart& part) {
  const double steals = at.scheduled("steals"), total = at.of_plan("total steps");
  std::vector<std::string> row{fmt::format("{}", at.processors),
                               kibibytes(at.size),
                               at.scheduler,
                               whole(at.serial("serial misses")),
                               whole(at.scheduled("misses")),
                               whole(at.extra()),
                               whole(steals),
                               steals > 0 ? figure(at.extra() / steals) : "-",
                               whole(at.scheduled("deviations")),
                               whole(at.bound()),
                               figure(at.order("order of extra misses")),
                               figure(at.order("order of misses")),
                               times(total / at.scheduled("steps"))};
  if (part.coherent)
    for (const char* kind : {"true sharing", "false sharing", "upgrades"})
      row.push_back(whole(at.scheduled(kind)));
  return row;
}

std::string plans_text(const Record& record, const ScheduledPart& part) {
  std::string text;
  for (const int processors : part.processors) {
    const Json at{{"caches", processors}};
    text += fmt::format("{}P = {}: {} strands, T_1 = {}, T_inf = {}", text.empty() ? "" : "; ", processors,
                        whole(record.value("strands", at)), whole(record.value("total steps", at)),
                        whole(record.value("span", at)));
  }
  return text;
}

Grid scheduled_grid(const Record& record, const ScheduledPart& part) {
  Grid grid{.caption = record.variant + params_text(record) + ": " + plans_text(record, part),
            .columns = {{"P"},
                        {"Z"},
                        {"scheduler", true},
                        {"Q_1"},
                        {"Q_P"},
                        {"Q_P - Q_1"},
                        {"steals"},
                        {"misses a steal"},
                        {"deviations"},
                        {"bound"},
                        {"(Z/L) P T_inf"},
                        {"Frigo, Strumpen"},
                        {"T_1/T_P"}}};
  if (part.coherent)
    for (const char* kind : {"true sharing", "false sharing", "upgrades"}) grid.columns.push_back({kind});
  each_figure(record, part, [&](const ScheduledFigures& at) { grid.rows.push_back(figures_row(at, part)); });
  return grid;
}

std::string scheduled_title(const MissesPart& part) {
  const ScheduledPart& scheduled = part.scheduled.value();
  std::string text = fmt::format("{}, P private {} in lines of {} bytes, seed {}", part.title(),
                                 scheduled.coherent ? "caches with MSI coherence" : "ideal caches",
                                 scheduled.sizes.at(0).line, scheduled.seed);
  if (scheduled.miss_steps) text += fmt::format(", a miss takes {} steps more", scheduled.miss_steps);
  return text;
}

constexpr const char* columns_note =
    "An access is a step, and so are a strand's fork or join and an attempt to steal. Q_1: the same plan on "
    "one cache. A deviation, a strand that does not follow its predecessor of the serial order at once, "
    "costs at most Z/L misses (the bound), and a steal makes two at most (Acar, Blelloch, Blumofe 2000); "
    "(Z/L) P T_inf is their order of Q_P - Q_1 under work stealing. Frigo, Strumpen (2006): the order of Q_P "
    "under work stealing, for the recursions for which there is a formula. Both have a constant of 1.";

// Why a record has no figures; empty when it has.
std::string not_scheduled(const Record& record) {
  if (record.outcome.measured()) return {};
  return fmt::format("{}{}: {}: {}", record.variant, params_text(record), to_string(record.outcome.status),
                     record.outcome.reason);
}

Chart misses_by_size(const Record& record, const MissesPart& part) {
  const ScheduledPart& scheduled = part.scheduled.value();
  Chart chart{.title = fmt::format("Misses of {} in P private caches, {}: {}", record.variant,
                                   scheduled.schedulers.at(0), part.title()),
              .x = "Z, bytes of a cache",
              .y = "Q_P(Z), misses",
              .file = part.operation + "-" + record.variant + "-by-size"};
  for (const int processors : scheduled.processors) {
    Series line{.name = fmt::format("P = {}", processors), .family = family_of(record)};
    for (const cache::CacheLevel& size : scheduled.sizes)
      line.points.push_back(
          {static_cast<double>(size.bytes),
           ScheduledFigures{record, processors, size, scheduled.schedulers.at(0)}.scheduled("misses")});
    chart.series.push_back(std::move(line));
  }
  return chart;
}

Chart extra_by_processors(const Record& record, const MissesPart& part) {
  const ScheduledPart& scheduled = part.scheduled.value();
  Chart chart{.title = fmt::format("Misses of {} beyond one cache's, {}: {}", record.variant,
                                   scheduled.schedulers.at(0), part.title()),
              .x = "P, caches",
              .y = "Q_P - Q_1, misses",
              .companions = "dotted: Z/L for each deviation, in the colour of its Z",
              .file = part.operation + "-" + record.variant + "-by-caches"};
  for (const cache::CacheLevel& size : scheduled.sizes) {
    Series line{.name = "Z = " + kibibytes(size), .family = family_of(record)};
    Series bound{
        .name = line.name + ", bound", .family = Family::theory, .drawn = Drawn::bound, .companion = true};
    for (const int processors : scheduled.processors) {
      const ScheduledFigures at{record, processors, size, scheduled.schedulers.at(0)};
      if (at.extra() > 0) line.points.push_back({static_cast<double>(processors), at.extra()});
      if (at.bound() > 0) bound.points.push_back({static_cast<double>(processors), at.bound()});
    }
    if (line.points.empty()) continue;
    chart.series.push_back(std::move(line));
    if (!bound.points.empty()) chart.series.push_back(std::move(bound));
  }
  return chart;
}

}  // namespace

std::string scheduled_text(std::span<const Record* const> records, const MissesPart& part, Style style) {
  std::string text = scheduled_title(part) + "\n";
  for (const Record* record : records) {
    const std::string reason = not_scheduled(*record);
    text += "\n" +
            (reason.empty() ? render(scheduled_grid(*record, part.scheduled.value()), style) : reason + "\n");
  }
  return text + "\n" + (style == Style::terminal ? wrapped(columns_note, line_width()) : columns_note) + "\n";
}

std::vector<Chart> scheduled_charts(std::span<const Record* const> records, const MissesPart& part) {
  std::vector<Chart> charts;
  for (const Record* record : records) {
    if (!record->outcome.measured()) continue;
    charts.push_back(misses_by_size(*record, part));
    Chart extra = extra_by_processors(*record, part);
    if (!extra.series.empty()) charts.push_back(std::move(extra));
  }
  return charts;
}

Blocks scheduled_page(std::span<const Record* const> records, const MissesPart& part) {
  Blocks blocks;
  blocks.emplace_back(Heading{scheduled_title(part)});
  blocks.emplace_back(Paragraph{columns_note});
  for (Chart& chart : scheduled_charts(records, part)) blocks.emplace_back(std::move(chart));
  for (const Record* record : records) {
    if (std::string reason = not_scheduled(*record); !reason.empty())
      blocks.emplace_back(Paragraph{std::move(reason)});
    else
      blocks.emplace_back(scheduled_grid(*record, part.scheduled.value()));
  }
  return blocks;
}

}  // namespace tallcache
