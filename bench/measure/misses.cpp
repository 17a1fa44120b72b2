#include "bench/measure/misses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "bench/measure/context.hpp"
#include "common/measure/executor.hpp"
#include "common/measure/host_memory.hpp"

namespace tallcache {
namespace {

using cache::CacheLevel;

// The estimated seconds of a trace: 20 ns an access through three levels of this suite's hierarchy on a 2 GHz
// core; a fully associative level searches its ways, eight in a nanosecond.
double seconds(double accesses, std::span<const CacheLevel> levels) {
  double each = 20e-9;
  for (const CacheLevel& level : levels)
    if (level.ways > 64) each += static_cast<double>(level.ways) / 8 * 1e-9;
  return accesses * each;
}

// The models store about 64 bytes for each line: its number, its address, its place in each level and in
// the queue.
double bytes_of(const Problem& problem, std::span<const Candidate> candidates, std::size_t line_bytes) {
  std::size_t scratch = 0;
  for (const Candidate& candidate : candidates)
    scratch = std::max(scratch, candidate.variant->scratch(
                                    problem.shape, complete_params(*candidate.variant, candidate.params)));
  const double data = static_cast<double>(checked_sum(problem_bytes(problem), scratch, "a traced run"));
  return data * (1 + 64.0 / static_cast<double>(line_bytes));
}

constexpr double max_seconds = 3600;

// The reason why the traces are too large, or empty.
std::string too_much(const Problem& problem, std::span<const Candidate> candidates,
                     std::span<const CacheLevel> levels) {
  const double bytes = bytes_of(problem, candidates, levels.front().line);
  if (const double free = static_cast<double>(available_memory()); bytes > free)
    return fmt::format("needs {}, {} are available", human_bytes(bytes), human_bytes(free));
  const double accesses = estimated_accesses(*problem.operation, problem.shape),
               time = seconds(accesses, levels) * static_cast<double>(candidates.size());
  if (time > max_seconds)
    return fmt::format("takes about {:.1f} hours: {} x {:.1e} accesses", time / 3600, candidates.size(),
                       accesses);
  return {};
}

}  // namespace

std::size_t parse_bytes(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto shift = suffix == "" ? 0 : suffix == "K" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : -1;
  if (error != std::errc{} || shift < 0)
    throw Error(fmt::format("'{}' is no size in bytes: write 32768, 32K, 2M or 1G", text));
  if (value > std::numeric_limits<std::size_t>::max() >> (shift + 1))
    throw Error(fmt::format("a size of '{}' is too large", text));
  return value << shift;
}

CacheLevel parse_cache(std::string_view text, std::size_t line_bytes) {
  const std::size_t colon = text.find(':');
  const std::size_t bytes = parse_bytes(text.substr(0, colon));
  const std::size_t lines = cache::cache_lines(bytes, line_bytes);
  CacheLevel level{.bytes = bytes, .ways = lines, .line = line_bytes};
  if (colon != text.npos) {
    const std::string_view ways = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(ways.data(), ways.data() + ways.size(), level.ways);
    if (error != std::errc{} || end != ways.data() + ways.size())
      throw Error(fmt::format("'{}': the ways behind the colon are no whole number", text));
  }
  cache::validate(std::span(&level, 1));
  return level;
}

std::vector<CacheLevel> machine_caches(std::size_t line_bytes) {
  const Machine& machine = this_machine();
  if (machine.caches.empty())
    throw Error("this machine's caches are unknown (" + machine.caches_absent + "): name some with --cache");
  std::vector<CacheLevel> levels;
  for (const CpuCache& known : machine.caches) {
    if (known.type == "instruction" || levels.size() == 3) continue;
    CacheLevel level{.bytes = known.bytes, .ways = 0, .line = line_bytes};
    if (!line_bytes) level.line = known.line_bytes ? static_cast<std::size_t>(*known.line_bytes) : 64;
    level.ways = known.ways && *known.ways != "full" ? static_cast<std::size_t>(std::stoul(*known.ways))
                                                     : level.lines();
    levels.push_back(level);
  }
  cache::validate(levels);
  return levels;
}

std::vector<CacheLevel> cache_levels(std::span<const std::string> named, const std::string& line) {
  const std::size_t bytes = line.empty() ? 0 : cache::validated_line(parse_bytes(line));
  if (named.empty()) return machine_caches(bytes);
  std::vector<CacheLevel> levels;
  for (const std::string& text : named) levels.push_back(parse_cache(text, bytes ? bytes : 64));
  cache::validate(levels);
  return levels;
}

double estimated_accesses(const Operation& operation, const Shape& shape) {
  const Cost cost = operation.cost(shape);
  // Four accesses for each two flops (c += a b); about 16 for each key of the bucketed sort, and 4 for each
  // count of the classical one; one for each word moved.
  double accesses = 2 * cost.flops + 16 * cost.keys + cost.bytes / 4;
  if (const auto* range = shape.find("range")) accesses += 4.0 * static_cast<double>(range->value);
  return accesses;
}

Shape scaled(const Operation& operation, const Shape& shape, double factor) {
  Shape result = shape;
  for (const DimSpec& dim : operation.dims)
    if (dim.name != "pad")
      result.set(dim.name, std::max<Index>(1, std::llround(static_cast<double>(shape[dim.name]) * factor)));
  return result;
}

void require_traceable(const Problem& problem, std::span<const Candidate> candidates,
                       std::span<const CacheLevel> levels) {
  const std::string reason = too_much(problem, candidates, levels);
  if (reason.empty()) return;
  Problem smaller = problem;
  for (double factor = 0.5; factor > 1e-9; factor /= 2) {
    smaller.shape = scaled(*problem.operation, problem.shape, factor);
    if (too_much(smaller, candidates, levels).empty())
      throw Error(fmt::format("a trace of {} {}; {} can be done",
                              to_string(*problem.operation, problem.shape), reason,
                              to_string(*problem.operation, smaller.shape)));
  }
  throw Error(fmt::format("a trace of {} {}", to_string(*problem.operation, problem.shape), reason));
}

// The model of a device takes some 50 ns an access.
void require_modellable(const Problem& problem) {
  const double time = 50e-9 * estimated_accesses(*problem.operation, problem.shape);
  if (time > max_seconds)
    throw Error(fmt::format("a run of {} on the model takes about {:.1f} hours",
                            to_string(*problem.operation, problem.shape), time / 3600));
}

}  // namespace tallcache
