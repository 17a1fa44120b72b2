#include "bench/misses_falls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/misses_curve.hpp"
#include "bench/misses_theory.hpp"

namespace tallcache {
namespace {

constexpr int rungs = 16;
constexpr std::string_view before_ladder = "before the ladder";

double first_size(const Falls& falls, std::size_t rung) {
  return static_cast<double>(falls.ladder[rung][falls.problem.operation->dims[0].name]);
}

// Rungs where a value is at least `factor` times its least since the rung before that did so.
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

// Each value no greater than the next, so that one slow rung, of a disturbed run, is no jump.
std::vector<double> lasting(std::vector<double> values) {
  for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = std::fmin(values[i], values[i + 1]);
  return values;
}

// `cold`: the cold misses a unit of work at the first rung.
Fall fall(std::size_t level, std::span<const double> misses, double cold) {
  Fall result{.level = level};
  const auto found = jumps(misses, miss_factor);
  result.before = *std::min_element(
      misses.begin(), found.empty() ? misses.end() : misses.begin() + static_cast<std::ptrdiff_t>(found[0]));
  if (found.empty()) {
    result.outside = misses[0] >= miss_factor * cold ? before_ladder : std::string_view("beyond the ladder");
  } else {
    result.rung = found[0];
    result.after = misses[found[0]];
  }
  return result;
}

void match_time(const Falls& falls, const VariantFalls& variant, Fall& fall) {
  if (!fall.rung) return;
  const double n = first_size(falls, *fall.rung);
  double nearest = 2;
  for (std::size_t jump : variant.time_jumps) {
    const double ratio = first_size(falls, jump) / n, away = std::max(ratio, 1 / ratio);
    if (away <= nearest) nearest = away, fall.time_rung = jump;
  }
}

}  // namespace

Falls find_falls(const Problem& problem, std::span<const Candidate> candidates,
                 std::span<const cache::CacheLevel> levels) {
  const Operation& operation = *problem.operation;
  Falls falls{problem, {}, {levels.begin(), levels.end()}, {}, {}};
  for (int i = rungs; i >= 0; --i) {
    const Shape shape = scaled(operation, problem.shape, std::exp2(-i / 4.0));
    if (falls.ladder.empty() || !(falls.ladder.back() == shape)) falls.ladder.push_back(shape);
  }
  if (falls.ladder.size() < 5) throw Error("--falls needs larger sizes: its ladder begins at 1/16 of them");
  falls.unit = work_of(operation, problem.shape).unit;
  for (const Candidate& candidate : candidates) falls.variants.push_back({candidate, {}, {}, {}});
  std::vector<std::vector<std::vector<double>>> misses(candidates.size(),
                                                       std::vector<std::vector<double>>(levels.size()));
  std::vector<double> cold;
  const auto executor = make_host_executor();
  for (const Shape& shape : falls.ladder) {
    Problem rung = problem;
    rung.shape = shape;
    const double work = work_of(operation, shape).amount;
    Workspace workspace(rung, *executor);
    const auto times = measure(workspace, candidates, {.least_rounds = 3, .seconds = 0.05});
    for (std::size_t v = 0; v < candidates.size(); ++v) {
      const Curve curve = trace_curve(rung, candidates[v], levels.front().line);
      if (cold.size() < candidates.size()) cold.push_back(static_cast<double>(curve.cold()) / work);
      for (std::size_t l = 0; l < levels.size(); ++l)
        misses[v][l].push_back(static_cast<double>(curve.at(levels[l].bytes / curve.line_bytes)) / work);
      falls.variants[v].seconds.push_back(times[v].timed() ? times[v].median_s() / work
                                                           : std::numeric_limits<double>::quiet_NaN());
    }
  }
  for (std::size_t v = 0; v < candidates.size(); ++v) {
    VariantFalls& variant = falls.variants[v];
    variant.time_jumps = jumps(lasting(variant.seconds), time_factor);
    for (std::size_t l = 0; l < levels.size(); ++l) {
      variant.falls.push_back(fall(l, misses[v][l], cold[v]));
      match_time(falls, variant, variant.falls.back());
    }
  }
  return falls;
}

void print(const Falls& falls) {
  const std::string_view dim = falls.problem.operation->dims[0].name;
  const auto n = [&](std::size_t rung) { return falls.ladder[rung][dim]; };
  const auto jump_at = [&](const VariantFalls& variant, std::size_t rung) {
    const auto at = variant.seconds.begin() + static_cast<std::ptrdiff_t>(rung);
    return fmt::format("{} ({:.3g} -> {:.3g} ns per {})", n(rung),
                       *std::min_element(variant.seconds.begin(), at) * 1e9, *at * 1e9, falls.unit);
  };
  fmt::print(
      "\nWhere variants fall off the caches, {0} from {1} to {2}: the smallest {0} with {3} times the misses "
      "per {4}\n"
      "of the best smaller {0} (Q(Z), fully associative), beside the nearest {0} with {5} times the time per "
      "{4}\n",
      dim, n(0), n(falls.ladder.size() - 1), miss_factor, falls.unit, time_factor);
  fmt::print("  {:<18}{:<4}{:>12}{:>26}   jump in time\n", "variant", "", dim,
             fmt::format("misses per {}", falls.unit));
  for (const VariantFalls& variant : falls.variants) {
    for (const Fall& fall : variant.falls) {
      fmt::print("  {:<18}L{:<3}", fall.level ? "" : variant.candidate.variant->name, fall.level + 1);
      if (fall.rung)
        fmt::print("{:>12}{:>26}   {}\n", n(*fall.rung),
                   fmt::format("{:.2g} -> {:.2g}", fall.before, fall.after),
                   fall.time_rung ? jump_at(variant, *fall.time_rung) : "none within a factor of 2");
      else
        fmt::print("{:>12}{:>26}   -\n",
                   fall.outside == before_ladder ? fmt::format("< {}", n(0))
                                                 : fmt::format("> {}", n(falls.ladder.size() - 1)),
                   fmt::format("{:.2g} at best", fall.before));
    }
    for (std::size_t jump : variant.time_jumps)
      if (std::ranges::find(variant.falls, jump, &Fall::time_rung) == variant.falls.end())
        fmt::print("  {:<18}and a jump in time without such a fall near it: {}\n", "",
                   jump_at(variant, jump));
  }
}

Json to_json(const Falls& falls) {
  Json ladder = Json::array(), variants = Json::array();
  for (const Shape& shape : falls.ladder) ladder.push_back(to_json(shape));
  for (const VariantFalls& variant : falls.variants) {
    Json list = Json::array(), seconds = Json::array(), jumps = Json::array();
    for (const Fall& fall : variant.falls) {
      Json entry{{"level", fall.level + 1}, {"misses_before", fall.before}};
      if (fall.rung)
        entry["rung"] = *fall.rung, entry["misses_after"] = fall.after;
      else
        entry["outside"] = fall.outside;
      if (fall.time_rung) entry["time_rung"] = *fall.time_rung;
      list.push_back(std::move(entry));
    }
    for (double value : variant.seconds) seconds.push_back(value);
    for (std::size_t jump : variant.time_jumps) jumps.push_back(jump);
    variants.push_back({{"variant", variant.candidate.variant->name},
                        {"falls", std::move(list)},
                        {fmt::format("seconds_per_{}", falls.unit), std::move(seconds)},
                        {"time_jumps", std::move(jumps)}});
  }
  return {{"miss_factor", miss_factor},
          {"time_factor", time_factor},
          {"ladder", std::move(ladder)},
          {"variants", std::move(variants)}};
}

}  // namespace tallcache
