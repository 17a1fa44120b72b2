#include "bench/studies/misses/cliffs_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tallcache {
namespace {

// The points where a value is at least `factor` times the minimum since the previous such point.
std::vector<std::size_t> jumps(std::span<const double> values, double factor) {
  std::vector<std::size_t> list;
  double min = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (values[i] >= factor * min) {
      list.push_back(i);
      min = values[i];
    }
    min = std::min(min, values[i]);
  }
  return list;
}

// The minimum of each value and the next, so that a single slow point of a disturbed run is no jump.
std::vector<double> lasting(std::vector<double> values) {
  for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = std::fmin(values[i], values[i + 1]);
  return values;
}

// `cold`: the cold misses for each unit of work at the first point.
CapacityCliff cliff(std::size_t level, std::span<const double> misses, double cold) {
  CapacityCliff result{.level = level};
  const auto found = jumps(misses, miss_factor);
  result.before = *std::min_element(
      misses.begin(), found.empty() ? misses.end() : misses.begin() + static_cast<std::ptrdiff_t>(found[0]));
  if (found.empty()) {
    result.before_sweep = misses[0] >= miss_factor * cold;
  } else {
    result.point = found[0];
    result.after = misses[found[0]];
  }
  return result;
}

void match_time(const PlannedSweep& sweep, const CapacityCliffs& variant, CapacityCliff& cliff) {
  if (!cliff.point) return;
  const double n = sweep.size(*cliff.point);
  double nearest = 2;
  for (std::size_t jump : variant.time_jumps) {
    const double ratio = sweep.size(jump) / n, away = std::max(ratio, 1 / ratio);
    if (away <= nearest) nearest = away, cliff.time_jump = jump;
  }
}

// The records of `first`'s variant at every point; fewer where one is missing.
std::vector<const Record*> points_of(const Document& document, const Record& first,
                                     const PlannedSweep& sweep) {
  std::vector<const Record*> points;
  Record run = first;
  for (const Json& shape : sweep.ladder) {
    run.shape = shape;
    const Record* record = document.find(run);
    if (record && record->find("distinct lines")) points.push_back(record);
  }
  return points;
}

CapacityCliffs cliffs_of(std::span<const Record* const> points, const PlannedSweep& sweep,
                         std::span<const cache::CacheLevel> caches) {
  CapacityCliffs variant{.variant = points[0]->variant, .unit = points[0]->find("work")->unit};
  for (const Record* record : points) variant.seconds.push_back(record->seconds() / record->value("work"));
  variant.time_jumps = jumps(lasting(variant.seconds), time_factor);
  const double cold = points[0]->value("distinct lines") / points[0]->value("work");
  for (std::size_t level = 0; level < caches.size(); ++level) {
    std::vector<double> misses;
    for (const Record* record : points)
      misses.push_back(record->value("misses", {{"cache", caches[level].bytes}}) / record->value("work"));
    variant.cliffs.push_back(cliff(level, misses, cold));
    match_time(sweep, variant, variant.cliffs.back());
  }
  return variant;
}

std::string jump_at(const PlannedSweep& sweep, const CapacityCliffs& variant, std::size_t point) {
  const auto at = variant.seconds.begin() + static_cast<std::ptrdiff_t>(point);
  return fmt::format("{} ({:.3g} -> {:.3g} ns per {})", sweep.size(point),
                     *std::min_element(variant.seconds.begin(), at) * 1e9, *at * 1e9, variant.unit);
}

std::vector<std::string> cliff_row(const PlannedSweep& sweep, const CapacityCliffs& variant,
                                   const CapacityCliff& cliff) {
  std::vector<std::string> row{cliff.level ? "" : variant.variant, fmt::format("L{}", cliff.level + 1)};
  if (cliff.point) {
    row.push_back(fmt::format("{}", sweep.size(*cliff.point)));
    row.push_back(fmt::format("{:.2g} -> {:.2g}", cliff.before, cliff.after));
    row.push_back(cliff.time_jump ? jump_at(sweep, variant, *cliff.time_jump) : "none within a factor of 2");
  } else {
    row.push_back(cliff.before_sweep ? fmt::format("< {}", sweep.size(0))
                                     : fmt::format("> {}", sweep.size(sweep.ladder.size() - 1)));
    row.push_back(fmt::format("{:.2g} at best", cliff.before));
    row.emplace_back("-");
  }
  return row;
}

}  // namespace

std::vector<CapacityCliffs> find_cliffs(const Document& document, const MissesPart& part) {
  const PlannedSweep& sweep = part.falls.value();
  std::vector<CapacityCliffs> list;
  for (const Record& record : document.measurements) {
    if (record.shape != sweep.ladder.front() || !record.find("distinct lines")) continue;
    const auto points = points_of(document, record, sweep);
    if (points.size() == sweep.ladder.size()) list.push_back(cliffs_of(points, sweep, part.caches.value()));
  }
  return list;
}

Grid cliffs_grid(const Document& document, const MissesPart& part) {
  const PlannedSweep& sweep = part.falls.value();
  const std::vector<CapacityCliffs> list = find_cliffs(document, part);
  if (list.empty()) return {.caption = "No variant was measured on the whole sweep of sizes."};
  Grid grid{
      .caption = fmt::format(
          "Where variants fall off the caches, {0} from {1} to {2}: the smallest {0} with {3} times the "
          "misses per {4}\nof the best smaller {0} (Q(Z), fully associative), beside the nearest {0} with "
          "{5} times the time per {4}",
          sweep.dimension, sweep.size(0), sweep.size(sweep.ladder.size() - 1), miss_factor, list[0].unit,
          time_factor),
      .columns = {{"variant", true},
                  {"", true},
                  {sweep.dimension},
                  {fmt::format("misses per {}", list[0].unit)},
                  {"jump in time", true}}};
  for (const CapacityCliffs& variant : list) {
    for (const CapacityCliff& cliff : variant.cliffs) grid.rows.push_back(cliff_row(sweep, variant, cliff));
    for (std::size_t jump : variant.time_jumps)
      if (std::ranges::find(variant.cliffs, jump, &CapacityCliff::time_jump) == variant.cliffs.end())
        grid.rows.push_back({"", "", "", "no such fall near", jump_at(sweep, variant, jump)});
  }
  return grid;
}

std::string cliffs_text(const Document& document, const MissesPart& part, Style style) {
  const Grid grid = cliffs_grid(document, part);
  return "\n" + (grid.rows.empty() ? grid.caption + "\n" : render(grid, style));
}

}  // namespace tallcache
