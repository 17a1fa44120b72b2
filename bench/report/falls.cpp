#include "bench/report/falls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tallcache {
namespace {

struct Ladder {
  std::string dimension;
  std::vector<Json> shapes;

  explicit Ladder(const Json& part)
      : dimension(part.at("falls").at("dimension")), shapes(part.at("falls").at("ladder")) {}
  double size(std::size_t rung) const { return shapes.at(rung).at(dimension).get<double>(); }
};

// The points where a value is at least `factor` times the minimum since the previous such point.
std::vector<std::size_t> jumps(std::span<const double> values, double factor) {
  std::vector<std::size_t> list;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    if (values[i] >= factor * least) {
      list.push_back(i);
      least = values[i];
    }
    least = std::min(least, values[i]);
  }
  return list;
}

// The minimum of each value and the next, so that a single slow point of a disturbed run is no jump.
std::vector<double> lasting(std::vector<double> values) {
  for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = std::fmin(values[i], values[i + 1]);
  return values;
}

// `cold`: the cold misses for each unit of work at the first point.
Fall fall(std::size_t level, std::span<const double> misses, double cold) {
  Fall result{.level = level};
  const auto found = jumps(misses, miss_factor);
  result.before = *std::min_element(
      misses.begin(), found.empty() ? misses.end() : misses.begin() + static_cast<std::ptrdiff_t>(found[0]));
  if (found.empty()) {
    result.before_ladder = misses[0] >= miss_factor * cold;
  } else {
    result.rung = found[0];
    result.after = misses[found[0]];
  }
  return result;
}

void match_time(const Ladder& ladder, const VariantFalls& variant, Fall& fall) {
  if (!fall.rung) return;
  const double n = ladder.size(*fall.rung);
  double nearest = 2;
  for (std::size_t jump : variant.time_jumps) {
    const double ratio = ladder.size(jump) / n, away = std::max(ratio, 1 / ratio);
    if (away <= nearest) nearest = away, fall.time_rung = jump;
  }
}

// The records of `first`'s variant at every point; fewer where one is missing.
std::vector<const Record*> rungs_of(const Document& document, const Record& first, const Ladder& ladder) {
  std::vector<const Record*> rungs;
  Record run = first;
  for (const Json& shape : ladder.shapes) {
    run.shape = shape;
    const Record* record = document.find(run);
    if (record && record->find("distinct lines")) rungs.push_back(record);
  }
  return rungs;
}

VariantFalls falls_of(std::span<const Record* const> rungs, const Ladder& ladder, const Json& caches) {
  VariantFalls variant{.variant = rungs[0]->variant, .unit = rungs[0]->find("work")->unit};
  for (const Record* record : rungs) variant.seconds.push_back(record->seconds() / record->value("work"));
  variant.time_jumps = jumps(lasting(variant.seconds), time_factor);
  const double cold = rungs[0]->value("distinct lines") / rungs[0]->value("work");
  for (std::size_t level = 0; level < caches.size(); ++level) {
    std::vector<double> misses;
    for (const Record* record : rungs)
      misses.push_back(record->value("misses", {{"cache", caches[level].at("bytes")}}) /
                       record->value("work"));
    variant.falls.push_back(fall(level, misses, cold));
    match_time(ladder, variant, variant.falls.back());
  }
  return variant;
}

std::string jump_at(const Ladder& ladder, const VariantFalls& variant, std::size_t rung) {
  const auto at = variant.seconds.begin() + static_cast<std::ptrdiff_t>(rung);
  return fmt::format("{} ({:.3g} -> {:.3g} ns per {})", ladder.size(rung),
                     *std::min_element(variant.seconds.begin(), at) * 1e9, *at * 1e9, variant.unit);
}

std::vector<std::string> fall_row(const Ladder& ladder, const VariantFalls& variant, const Fall& fall) {
  std::vector<std::string> row{fall.level ? "" : variant.variant, fmt::format("L{}", fall.level + 1)};
  if (fall.rung) {
    row.push_back(fmt::format("{}", ladder.size(*fall.rung)));
    row.push_back(fmt::format("{:.2g} -> {:.2g}", fall.before, fall.after));
    row.push_back(fall.time_rung ? jump_at(ladder, variant, *fall.time_rung) : "none within a factor of 2");
  } else {
    row.push_back(fall.before_ladder ? fmt::format("< {}", ladder.size(0))
                                     : fmt::format("> {}", ladder.size(ladder.shapes.size() - 1)));
    row.push_back(fmt::format("{:.2g} at best", fall.before));
    row.emplace_back("-");
  }
  return row;
}

}  // namespace

std::vector<VariantFalls> find_falls(const Document& document, const Json& part) {
  const Ladder ladder(part);
  std::vector<VariantFalls> list;
  for (const Record& record : document.measurements) {
    if (record.shape != ladder.shapes.front() || !record.find("distinct lines")) continue;
    const auto rungs = rungs_of(document, record, ladder);
    if (rungs.size() == ladder.shapes.size()) list.push_back(falls_of(rungs, ladder, part.at("caches")));
  }
  return list;
}

std::string falls_text(const Document& document, const Json& part, Style style) {
  const Ladder ladder(part);
  const std::vector<VariantFalls> list = find_falls(document, part);
  if (list.empty()) return "\nNo variant was measured on the whole ladder of sizes.\n";
  Grid grid{
      .caption = fmt::format(
          "Where variants fall off the caches, {0} from {1} to {2}: the smallest {0} with {3} times the "
          "misses per {4}\nof the best smaller {0} (Q(Z), fully associative), beside the nearest {0} with "
          "{5} times the time per {4}",
          ladder.dimension, ladder.size(0), ladder.size(ladder.shapes.size() - 1), miss_factor, list[0].unit,
          time_factor),
      .columns = {{"variant", true},
                  {"", true},
                  {ladder.dimension},
                  {fmt::format("misses per {}", list[0].unit)},
                  {"jump in time", true}},
      .rows = {}};
  for (const VariantFalls& variant : list) {
    for (const Fall& fall : variant.falls) grid.rows.push_back(fall_row(ladder, variant, fall));
    for (std::size_t jump : variant.time_jumps)
      if (std::ranges::find(variant.falls, jump, &Fall::time_rung) == variant.falls.end())
        grid.rows.push_back({"", "", "", "no such fall near", jump_at(ladder, variant, jump)});
  }
  return "\n" + render(grid, style);
}

}  // namespace tallcache
