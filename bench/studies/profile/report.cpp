#include "bench/studies/profile/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "bench/show/charts.hpp"
#include "bench/show/format.hpp"
#include "bench/show/kind.hpp"

namespace tallcache {
namespace {

constexpr std::array range_processors{2, 4, 8, 16, 32, 64, 128};

bool is_profile(const Record& record) { return record.conditions.contains("profiled"); }

bool same_variant(const Record& a, const Record& b) {
  return a.operation == b.operation && a.element == b.element && a.variant == b.variant &&
         a.shape == b.shape && a.params == b.params && a.input == b.input;
}

std::string cost(double value, bool unit_cost) {
  return unit_cost      ? fmt::format("{:.0f}", value)
         : value >= 1e7 ? fmt::format("{:.3f} ms", value * 1e-6)
         : value >= 1e4 ? fmt::format("{:.3f} us", value * 1e-3)
                        : fmt::format("{:.0f} ns", value);
}

std::string average(double value, std::uint64_t count, bool unit_cost) {
  const double each = value / static_cast<double>(count);
  return unit_cost ? fmt::format("{:.2f}", each) : cost(each, false);
}

std::string title_of(const Record& record, std::span<const ProfilePart> parts) {
  std::string text = record.variant;
  for (const auto& [name, value] : record.params.items())
    text += fmt::format("{}{}={}", text == record.variant ? " " : ",", name, value.dump());
  if (parts.size() == 1) return text;
  const auto part = std::ranges::find(parts, record.shape, &ProfilePart::shape);
  return part == parts.end() ? text : fmt::format("{}, {}", text, part->size);
}

// Of a sweep the first problem and the sizes of the last.
std::string titles_of(std::span<const ProfilePart> parts) {
  return parts.size() == 1 ? parts[0].title()
                           : fmt::format("{} to {}", parts.front().title(), parts.back().size);
}

Grid ranges(const Profile& profile) {
  Grid grid{.columns = {{"processors", true}}, .rows = {{"speed-up"}}};
  for (int processors : range_processors) {
    const SpeedupRange range = speedup_range(profile, processors);
    grid.columns.push_back({fmt::format("{}", processors)});
    grid.rows[0].push_back(fmt::format("{:.2f} - {:.2f}", range.low, range.high));
  }
  return grid;
}

Grid times(const ProfiledVariant& v) {
  Grid grid{.columns = {{"measured on", true}, {"median"}, {"+-"}, {"speed-up"}, {"", true}}};
  for (const Record* record : v.times) {
    const int threads = record->threads;
    std::vector<std::string>& row = grid.rows.emplace_back();
    row.push_back(fmt::format("{}", threads));
    if (!record->outcome.measured()) {
      row.insert(row.end(), {"-", "-", "-", record->outcome.reason});
      continue;
    }
    const double speedup = v.speedup(*record);
    std::string laws;
    if (speedup > threads) laws = "above P";
    if (!v.unit_cost() && record->seconds() * 1e9 < v.profile.span)
      laws += fmt::format("{}below the span that was measured", laws.empty() ? "" : ", ");
    row.insert(row.end(), {duration(record->seconds()), duration(record->seconds_spread()),
                           std::isnan(speedup) ? "-" : fmt::format("{:.2f}", speedup), laws});
  }
  return grid;
}

std::string full(const Document& document) {
  std::string text = profile_heading(document);
  for (const ProfiledVariant& variant : profiled_variants(document))
    text += profile_text(variant, Style::markdown);
  return text;
}

// What the profile promises for P processors, and what was measured on them.
std::vector<Series> speedup_series(const ProfiledVariant& v) {
  const Family family = family_of(*v.record);
  const std::string& name = v.title;
  Series most{.name = name, .family = family};
  Series least{.name = name + ", at least", .family = family, .drawn = Drawn::bound, .companion = true};
  Series measured{
      .name = name + ", measured", .family = Family::theory, .drawn = Drawn::points, .companion = true};
  for (int p = 1; p <= range_processors.back(); p *= 2) {
    const SpeedupRange range = speedup_range(v.profile, p);
    most.points.push_back({static_cast<double>(p), range.high});
    least.points.push_back({static_cast<double>(p), range.low});
  }
  for (const Record* record : v.times)
    if (const double speedup = v.speedup(*record); !std::isnan(speedup)) {
      const double spread = record->seconds_spread() / record->seconds();
      measured.points.push_back(
          {static_cast<double>(record->threads), speedup, speedup / (1 + spread), speedup * (1 + spread)});
    }
  std::vector<Series> list{std::move(most), std::move(least)};
  if (!measured.points.empty()) list.push_back(std::move(measured));
  return list;
}

Blocks page(const Document& document) {
  Blocks blocks{Paragraph{profile_heading(document)}};
  const std::vector<ProfiledVariant> list = profiled_variants(document);
  blocks.emplace_back(speedup_chart(document));
  for (const ProfiledVariant& variant : list) {
    blocks.emplace_back(profile_grid(variant));
    blocks.emplace_back(ranges(variant.profile));
    if (!variant.times.empty()) blocks.emplace_back(times(variant));
  }
  return blocks;
}

std::vector<Chart> charts(const Document& document) { return {speedup_chart(document)}; }

}  // namespace

Chart speedup_chart(const Document& document) {
  const auto parts = parts_of<ProfilePart>(document);
  Chart chart{.title = "Speed-up that work and span allow: " + titles_of(parts),
              .x = "P, processors",
              .y = "speed-up",
              .companions = "lines: at most; dotted: at least, burdened; crosses: measured",
              .file = parts.at(0).operation};
  Series linear{.name = "linear", .family = Family::theory, .drawn = Drawn::bound};
  for (const int p : {1, range_processors.back()})
    linear.points.push_back({static_cast<double>(p), static_cast<double>(p)});
  chart.series.push_back(std::move(linear));
  for (const ProfiledVariant& variant : profiled_variants(document))
    for (Series& series : speedup_series(variant)) chart.series.push_back(std::move(series));
  return chart;
}

double ProfiledVariant::speedup(const Record& timed) const {
  return times.empty() ? no_value : times.front()->seconds() / timed.seconds();
}

std::vector<ProfiledVariant> profiled_variants(const Document& document) {
  std::vector<ProfiledVariant> list;
  const auto parts = parts_of<ProfilePart>(document);
  for (const Record& record : document.measurements) {
    if (!is_profile(record)) continue;
    ProfiledVariant& variant =
        list.emplace_back(ProfiledVariant{title_of(record, parts), &record, profile_of(record), {}});
    for (const Record& timed : document.measurements)
      if (!is_profile(timed) && same_variant(timed, record)) variant.times.push_back(&timed);
  }
  return list;
}

std::string profile_heading(const Document& document) {
  const auto parts = parts_of<ProfilePart>(document);
  const ProfilePart& part = parts.at(0);
  return fmt::format(
      "{}\ncosts in {}, on {} thread{}, {} blocks, grain {}\n", titles_of(parts),
      part.unit == "access" ? "units: one a strand, one an access of an element" : "nanoseconds",
      part.threads, part.threads == 1 ? "" : "s", part.width, part.grain);
}

Grid profile_grid(const ProfiledVariant& v) {
  const Profile& p = v.profile;
  const bool unit_cost = v.unit_cost();
  const Quantity* burden = v.record->find("burden");
  Grid grid{.caption = v.title, .columns = {{"", true}, {unit_cost ? "units" : "time"}}};
  const auto row = [&](std::string what, std::string value) {
    grid.rows.push_back({std::move(what), std::move(value)});
  };
  row("work", cost(p.work, unit_cost));
  row("span", cost(p.span, unit_cost));
  row("burdened span", cost(p.burdened_span, unit_cost));
  if (burden) row(fmt::format("burden of a steal ({})", burden->detail), cost(burden->value, unit_cost));
  row("parallelism", fmt::format("{:.2f}", p.parallelism()));
  row("burdened parallelism", fmt::format("{:.2f}", p.burdened_parallelism()));
  row("spawns", fmt::format("{}", p.spawns));
  row("strands", fmt::format("{}", p.strands));
  row("average of a strand", average(p.work, p.strands, unit_cost));
  row("strands along the span", fmt::format("{}", p.strands_on_span));
  row("average of a strand on it", average(p.span, p.strands_on_span, unit_cost));
  return grid;
}

std::string profile_text(const ProfiledVariant& v, Style style) {
  std::string text = "\n" + render(profile_grid(v), style) + "\n" + render(ranges(v.profile), style);
  if (!v.times.empty()) text += "\n" + render(times(v), style);
  return text;
}

std::string cilkscale_csv(const Document& document) {
  const std::vector<ProfiledVariant> list = profiled_variants(document);
  const bool seconds = list.empty() || !list.front().unit_cost();
  const std::string_view in = seconds ? "seconds" : "accesses";
  const double scale = seconds ? 1e-9 : 1;
  std::string text =
      fmt::format("tag,work ({0}),span ({0}),parallelism,burdened_span ({0}),burdened_parallelism", in);
  if (!list.empty())
    for (const Record* record : list.front().times)
      text += fmt::format(",{}c time (seconds)", record->threads);
  text += "\n";
  const bool is_sweep = parts_of<ProfilePart>(document).size() > 1;
  for (const ProfiledVariant& v : list) {
    const Profile& p = v.profile;
    const std::string tag = is_sweep ? fmt::format("\"{}\"", v.title) : v.record->variant;
    text += fmt::format("{},{:.10g},{:.10g},{:.6g},{:.10g},{:.6g}", tag, p.work * scale, p.span * scale,
                        p.parallelism(), p.burdened_span * scale, p.burdened_parallelism());
    for (const Record* record : v.times)
      text += record->outcome.measured() ? fmt::format(",{:.9g}", record->seconds()) : std::string(",nan");
    text += "\n";
  }
  return text;
}

extern const ReportKind profile_report{
    .kind = "profile", .title = "Work and span", .full = full, .charts = charts, .page = page};

}  // namespace tallcache
