#include "bench/misses_curve.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/misses_theory.hpp"
#include "bench/report/gnuplot.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"

namespace tallcache {
namespace {

// Powers of two and the middle between two of them.
std::vector<std::size_t> sizes(std::span<const Curve> curves, std::span<const cache::CacheLevel> levels) {
  std::size_t most = 0;
  for (const Curve& curve : curves) most = std::max(most, curve.misses.size());
  for (const cache::CacheLevel& level : levels) most = std::max(most, level.bytes / curves[0].line_bytes);
  std::vector<std::size_t> list;
  for (std::size_t lines = 4; list.empty() || list.back() <= most; lines *= 2) {
    list.push_back(lines);
    list.push_back(lines + lines / 2);
  }
  return list;
}

std::optional<Prediction> predicted(const Problem& problem, const Curve& curve, std::size_t lines) {
  const auto word = static_cast<double>(word_bytes(*problem.operation));
  const auto line = static_cast<double>(curve.line_bytes);
  return predicted_misses(*curve.candidate.variant, problem.shape, curve.candidate.params,
                          static_cast<double>(lines) * line / word, line / word);
}

std::string short_bytes(std::size_t bytes) {
  return bytes >= 1 << 30   ? fmt::format("{}G", bytes >> 30)
         : bytes >= 1 << 20 ? fmt::format("{}M", bytes >> 20)
         : bytes >= 1 << 10 ? fmt::format("{}K", bytes >> 10)
                            : fmt::format("{}", bytes);
}

std::string script(const Problem& problem, std::span<const Curve> curves,
                   std::span<const cache::CacheLevel> levels) {
  const Operation& operation = *problem.operation;
  const auto at = sizes(curves, levels);
  const std::size_t line = curves[0].line_bytes, last = at.back() * line;
  std::string text(logarithmic_axes);
  text += fmt::format("set title {} offset 0,1\n",
                      quoted(fmt::format("{} {} {}, lines of {} B", operation.name, operation.element,
                                         to_string(operation, problem.shape), line)));
  text += "set xlabel 'Z, bytes of cache'\nset ylabel 'Q(Z), misses of an ideal cache (LRU)'\n";
  text += fmt::format("set xrange [{}:{}]\nset xtics (", at.front() * line, last);
  for (std::size_t bytes = at.front() * line; bytes <= last; bytes *= 4)
    text += fmt::format("{}'{}' {}", bytes == at.front() * line ? "" : ", ", short_bytes(bytes), bytes);
  text += ")\n";
  for (std::size_t i = 0; i < levels.size(); ++i)
    text += fmt::format(
        "set arrow from {0},graph 0 to {0},graph 1 nohead dt 2 lw 1 lc rgb '#707070'\n"
        "set label 'L{1} {2}' at {0},graph 1.03 center tc rgb '#404040'\n",
        levels[i].bytes, i + 1, short_bytes(levels[i].bytes));

  std::string plots;
  bool bounds = false;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = curves[i];
    std::string measured, bound;
    for (std::size_t lines : at) {
      measured += fmt::format("{} {}\n", lines * line, curve.at(lines));
      if (const auto prediction = predicted(problem, curve, lines))
        bound += fmt::format("{} {}\n", lines * line, prediction->misses);
    }
    const char* colour = plot_colours[i % plot_colours.size()];
    text += fmt::format("$m{} << E\n{}E\n", i, measured);
    // Thinner ones on top, so that curves that coincide are all seen.
    const double width = 5.5 - 4.0 * static_cast<double>(i) / static_cast<double>(curves.size());
    plots += fmt::format("{}$m{} with lines lw {:.2g} lc rgb '{}' title {}", i ? ", " : "", i, width, colour,
                         quoted(std::string(curve.candidate.variant->name)));
    if (bound.empty()) continue;
    bounds = true;
    text += fmt::format("$b{} << E\n{}E\n", i, bound);
    plots += fmt::format(", $b{} with lines lw 1.5 dt 3 lc rgb '{}' notitle", i, colour);
  }
  if (bounds) plots += ", NaN with lines lw 1.5 dt 3 lc rgb '#606060' title 'theory'";
  return text + "plot " + plots + "\n";
}

}  // namespace

Curve trace_curve(const Problem& problem, const Candidate& candidate, std::size_t line_bytes) {
  cache::StackDistances distances;
  Candidate complete = candidate;
  complete.params = complete_params(*candidate.variant, candidate.params);
  const auto counts = cache::trace(line_bytes, {&distances}, [&](cache::Tracer& tracer) {
    cache::run_traced(*complete.variant, tracer, problem.shape, complete.params, problem.input, problem.seed);
  });
  return {complete, line_bytes, counts.loads, counts.stores, distances.curve()};
}

Json to_json(const Problem& problem, std::span<const Curve> curves,
             std::span<const cache::CacheLevel> levels) {
  Json list = Json::array();
  for (const Curve& curve : curves) {
    Json points = Json::array();
    for (std::size_t lines : sizes(curves, levels)) {
      Json point{{"bytes", lines * curve.line_bytes}, {"lines", lines}, {"misses", curve.at(lines)}};
      if (const auto prediction = predicted(problem, curve, lines))
        point["predicted"] = prediction->misses, point["formula"] = prediction->formula;
      points.push_back(std::move(point));
    }
    list.push_back({{"variant", curve.candidate.variant->name},
                    {"params", to_json(curve.candidate.params)},
                    {"line", curve.line_bytes},
                    {"loads", curve.loads},
                    {"stores", curve.stores},
                    {"distinct_lines", curve.cold()},
                    {"points", std::move(points)}});
  }
  return list;
}

void plot_curves(const std::string& file, const Problem& problem, std::span<const Curve> curves,
                 std::span<const cache::CacheLevel> levels) {
  draw(file, script(problem, curves, levels));
}

}  // namespace tallcache
