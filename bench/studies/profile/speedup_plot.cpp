#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/show/gnuplot.hpp"
#include "bench/studies/profile/profile.hpp"

namespace tallcache {
namespace {

// One variant's data and its curves. `min` is lowered to the minimum speed-up among them.
struct Curve {
  std::string blocks, plots;
  bool timed = false;
};

Curve drawn(const ProfiledVariant& v, std::size_t i, double& min) {
  std::string bounds, points;
  // Steps of an eighth of an octave make the curves smooth.
  for (int step = 0; step <= 7 * 8; ++step) {
    const double p = std::exp2(step / 8.0);
    const SpeedupRange range = speedup_range(v.profile, p);
    bounds += fmt::format("{} {} {}\n", p, range.low, range.high);
    min = std::min(min, range.low);
  }
  for (const Record* record : v.times)
    if (const double speedup = v.speedup(*record); !std::isnan(speedup)) {
      points += fmt::format("{} {}\n", record->threads, speedup);
      min = std::min(min, speedup);
    }
  const char* colour = plot_colours[i % plot_colours.size()];
  Curve result{
      .blocks = fmt::format("$b{} << E\n{}E\n", i, bounds),
      .plots = fmt::format(", $b{0} using 1:3 with lines lw 2 lc rgb '{1}' title {2}, $b{0} using 1:2 "
                           "with lines lw 2 dt 2 lc rgb '{1}' notitle",
                           i, colour, quoted(v.record->variant)),
      .timed = !points.empty()};
  if (points.empty()) return result;
  result.blocks += fmt::format("$m{} << E\n{}E\n", i, points);
  result.plots += fmt::format(", $m{} with points pt 7 ps 1.1 lc rgb '{}' notitle", i, colour);
  return result;
}

}  // namespace

void plot_speedups(const Document& document, const std::string& file) {
  std::string text = fmt::format(
      "set logscale xy 2\nset xlabel 'P, processors'\nset ylabel 'speed-up'\nset xrange [0.9:140]\n"
      "set xtics (1, 2, 4, 8, 16, 32, 64, 128)\nset tmargin 3\nset title {}\n",
      quoted(parts_of<ProfilePart>(document).at(0).title()));
  std::string plots = "x with lines lw 1 lc rgb '#b0b0b0' title 'linear'";
  double min = 0.5;
  bool timed = false;
  const std::vector<ProfiledVariant> list = profiled_variants(document);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Curve variant = drawn(list[i], i, min);
    text += variant.blocks;
    plots += variant.plots;
    timed = timed || variant.timed;
  }
  plots +=
      ", NaN with lines lw 2 lc rgb '#606060' title 'at most: min(P, T_1/T_inf)', NaN with lines lw 2 dt 2 "
      "lc rgb '#606060' title 'at least: burdened'";
  if (timed) plots += ", NaN with points pt 7 ps 1.1 lc rgb '#606060' title 'measured'";
  text += fmt::format("set yrange [{}:140]\nplot {}\n", min / 1.2, plots);
  draw(file, text);
}

}  // namespace tallcache
