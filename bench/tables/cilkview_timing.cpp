#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>

#include "bench/tables/cilkview.hpp"
#include "bench/tables/list.hpp"
#include "common/fork_tbb.hpp"

namespace tallcache {
namespace {

struct Timed {
  double seconds = absent, spread = absent;
};

// [program][threads]; those that this machine does not have are missing.
using Times = std::map<std::pair<std::string, int>, Timed>;

CilkviewArray run(const std::string& program, int threads, Index iterations) {
  CilkviewArray arr{};
  const auto body = cilkview_body(arr);
  const auto with = [&](const auto& fork) {
    if (program == "original")
      cilkview_original(fork, iterations, body);
    else
      cilkview_interchanged(fork, iterations, body);
  };
  if (threads == 1)
    with(Serial{});
  else
    in_arena(threads, [&] { with(OneTbb{threads}); });
  return arr;
}

Times measure_all(const Json& slide, Index iterations, int rounds) {
  std::map<std::pair<std::string, int>, std::vector<double>> samples;
  const CilkviewArray expected = run("original", 1, iterations);
  for (int round = 0; round < rounds; ++round)
    for (const Json& row : slide.at("rows"))
      for (int threads : {1, 2, 4}) {
        if (threads > usable_threads()) continue;
        const std::string program = row[0];
        const auto start = std::chrono::steady_clock::now();
        const CilkviewArray arr = run(program, threads, iterations);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        if (arr != expected) throw Error(fmt::format("cilkview-timing: {} on {} is wrong", program, threads));
        samples[{program, threads}].push_back(taken.count());
      }
  Times times;
  for (const auto& [key, values] : samples) times[key] = {median(values), median_absolute_deviation(values)};
  return times;
}

Finding finds_speedup(const Json& slide, const Times& times, const std::string& program, bool speeds_up) {
  Finding finding{
      speeds_up ? "the interchanged loops speed up" : "the original slows down on more cores", {}, "", ""};
  const Timed one = times.at({program, 1});
  for (const Json& row : slide.at("rows")) {
    if (row[0] != program) continue;
    for (const auto& [threads, column] : {std::pair{2, 3}, {4, 5}}) {
      const auto found = times.find({program, threads});
      if (found == times.end()) continue;
      const double speedup = one.seconds / found->second.seconds;
      finding.figures += fmt::format("{}{:.3f} on {} (slide {})", finding.figures.empty() ? "" : ", ",
                                     speedup, threads, figure(row[static_cast<std::size_t>(column)]));
      finding.holds = finding.holds.value_or(true) && (speeds_up ? speedup > 1 : speedup < 1);
    }
  }
  if (!finding.holds)
    finding.why = "It needs 2 cores";
  else if (speeds_up)
    finding.why = *finding.holds ? "Three forks in all: every core gets a whole serial loop"
                                 : "Its four strands did not get cores of their own";
  else
    finding.why = *finding.holds
                      ? "Three forks for four short bodies, every time around: a steal costs more than "
                        "it takes over"
                      : "oneTBB's threads spin between the loops and steal in less time than the "
                        "bodies take; cilkview-profile says what is left at worst";
  return finding;
}

Report report(const Inputs& inputs) {
  const Index iterations = inputs.scale == Scale::full    ? cilkview_iterations
                           : inputs.scale == Scale::quick ? 100000
                                                          : 100;
  const Times times = measure_all(inputs.slide, iterations, inputs.scale == Scale::smoke ? 1 : 5);
  // The slide's is a million iterations.
  const double scale = static_cast<double>(cilkview_iterations) / static_cast<double>(iterations);
  Report report;
  Grid& grid = report.grids.emplace_back();
  grid.columns = {{"version", true}, {"cores"},          {"slide s"},      {"here s"},
                  {"+- MAD"},        {"speed-up slide"}, {"speed-up here"}};
  for (const Json& row : inputs.slide.at("rows")) {
    const std::string program = row[0];
    const double one = times.at({program, 1}).seconds;
    for (const auto& [threads, column] : {std::pair{1, 1}, {2, 2}, {4, 4}}) {
      auto& cells = grid.rows.emplace_back(std::vector<std::string>{
          threads == 1 ? program : "", figure(threads), figure(row[static_cast<std::size_t>(column)])});
      const double slide = threads == 1 ? absent : row[static_cast<std::size_t>(column + 1)].get<double>();
      const auto found = times.find({program, threads});
      if (found == times.end()) {
        cells.insert(cells.end(), {fmt::format("needs {} cores", threads), "", figure(slide), ""});
        continue;
      }
      const Timed& here = found->second;
      cells.insert(cells.end(), {figure(here.seconds * scale), figure(here.spread * scale), figure(slide),
                                 threads == 1 ? "-" : fmt::format("{:.3f}", one / here.seconds)});
      if (threads > 1)
        report.ratios.push_back(
            {program, fmt::format("speed-up on {} cores", threads), slide, one / here.seconds, false});
    }
  }
  report.notes.push_back(
      "On one core: the serial elision. Medians of interleaved runs, whose results are compared with the "
      "elision's.");
  if (iterations != cilkview_iterations)
    report.notes.push_back(fmt::format("{} iterations, their times multiplied by {:g}; {} with --full.",
                                       iterations, scale, cilkview_iterations));
  report.findings = {finds_speedup(inputs.slide, times, "original", false),
                     finds_speedup(inputs.slide, times, "interchanged", true)};
  return report;
}

}  // namespace

const Table cilkview_timing_table{"cilkview-timing",
                                  "the same two programs timed, serial and on 2 and 4 cores",
                                  [](Scale, std::uint64_t) { return std::vector<Row>{}; }, report};

}  // namespace tallcache
