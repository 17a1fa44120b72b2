#include "bench/profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/report/gnuplot.hpp"

namespace tallcache {

double ProfiledVariant::speedup(const Measurement& m) const {
  const bool timed = m.timed() && !times.empty() && times.front().timed();
  return timed ? times.front().median_s() / m.median_s() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<int> range_processors() { return {2, 4, 8, 16, 32, 64, 128}; }

Json to_json(const ProfiledVariant& v, CostUnit unit) {
  const Profile& p = v.profile;
  Json json{{"variant", v.candidate.variant->name},
            {"params", to_json(v.candidate.params)},
            {"work", p.work},
            {"span", p.span},
            {"burdened_span", p.burdened_span},
            {"parallelism", p.parallelism()},
            {"burdened_parallelism", p.burdened_parallelism()},
            {"spawns", p.spawns},
            {"strands", p.strands},
            {"strands_on_span", p.strands_on_span},
            {"work_per_strand", p.work / static_cast<double>(p.strands)},
            {"span_per_strand", p.span / static_cast<double>(p.strands_on_span)},
            {"speedup", Json::array()}};
  for (int processors : range_processors()) {
    const SpeedupRange range = speedup_range(p, processors);
    json["speedup"].push_back({{"processors", processors}, {"low", range.low}, {"high", range.high}});
  }
  if (v.times.empty()) return json;
  Json& list = json["measured"] = Json::array();
  for (const Measurement& m : v.times) {
    Json entry{{"threads", m.candidate.threads}};
    if (!m.timed()) {
      entry["problem"] = m.outcome.reason;
    } else {
      entry["seconds"] = m.median_s();
      entry["mad_s"] = m.mad_s();
      if (const double speedup = v.speedup(m); !std::isnan(speedup)) {
        entry["speedup"] = speedup;
        entry["work_law"] = speedup <= m.candidate.threads;
      }
      if (unit == CostUnit::nanoseconds) entry["span_law"] = m.median_s() * 1e9 >= p.span;
    }
    list.push_back(std::move(entry));
  }
  return json;
}

std::string cilkscale_csv(std::span<const ProfiledVariant> list, CostUnit unit) {
  const bool seconds = unit == CostUnit::nanoseconds;
  const std::string_view in = seconds ? "seconds" : "accesses";
  const double scale = seconds ? 1e-9 : 1;
  std::string text =
      fmt::format("tag,work ({0}),span ({0}),parallelism,burdened_span ({0}),burdened_parallelism", in);
  if (!list.empty())
    for (const Measurement& m : list.front().times)
      text += fmt::format(",{}c time (seconds)", m.candidate.threads);
  text += "\n";
  for (const ProfiledVariant& v : list) {
    const Profile& p = v.profile;
    text += fmt::format("{},{:.10g},{:.10g},{:.6g},{:.10g},{:.6g}", v.candidate.variant->name, p.work * scale,
                        p.span * scale, p.parallelism(), p.burdened_span * scale, p.burdened_parallelism());
    for (const Measurement& m : v.times)
      text += m.timed() ? fmt::format(",{:.9g}", m.median_s()) : std::string(",nan");
    text += "\n";
  }
  return text;
}

void plot_speedups(const std::string& file, const std::string& title, std::span<const ProfiledVariant> list) {
  std::string text = fmt::format(
      "set logscale xy 2\nset xlabel 'P, processors'\nset ylabel 'speed-up'\nset xrange [0.9:140]\n"
      "set xtics (1, 2, 4, 8, 16, 32, 64, 128)\nset tmargin 3\nset title {}\n",
      quoted(title));
  std::string plots = "x with lines lw 1 lc rgb '#b0b0b0' title 'linear'";
  double least = 0.5;
  bool timed = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const ProfiledVariant& v = list[i];
    std::string bounds, points;
    // Eighths of an octave: the curves are round.
    for (int step = 0; step <= 7 * 8; ++step) {
      const double p = std::exp2(step / 8.0);
      const SpeedupRange range = speedup_range(v.profile, p);
      bounds += fmt::format("{} {} {}\n", p, range.low, range.high);
      least = std::min(least, range.low);
    }
    for (const Measurement& m : v.times)
      if (const double speedup = v.speedup(m); !std::isnan(speedup)) {
        points += fmt::format("{} {}\n", m.candidate.threads, speedup);
        least = std::min(least, speedup);
      }
    const char* colour = plot_colours[i % plot_colours.size()];
    text += fmt::format("$b{} << E\n{}E\n", i, bounds);
    plots += fmt::format(
        ", $b{0} using 1:3 with lines lw 2 lc rgb '{1}' title {2}, $b{0} using 1:2 with lines lw 2 dt 2 lc "
        "rgb "
        "'{1}' notitle",
        i, colour, quoted(std::string(v.candidate.variant->name)));
    if (points.empty()) continue;
    timed = true;
    text += fmt::format("$m{} << E\n{}E\n", i, points);
    plots += fmt::format(", $m{} with points pt 7 ps 1.1 lc rgb '{}' notitle", i, colour);
  }
  plots +=
      ", NaN with lines lw 2 lc rgb '#606060' title 'at most: min(P, T_1/T_inf)', NaN with lines lw 2 dt 2 "
      "lc "
      "rgb '#606060' title 'at least: burdened'";
  if (timed) plots += ", NaN with points pt 7 ps 1.1 lc rgb '#606060' title 'measured'";
  text += fmt::format("set yrange [{}:140]\nplot {}\n", least / 1.2, plots);
  draw(file, text);
}

}  // namespace tallcache
