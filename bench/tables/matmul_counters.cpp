#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "bench/context.hpp"
#include "bench/tables/list.hpp"
#include "bench/tables/matmul_counted.hpp"
#include "common/cache/hierarchy.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/tracer.hpp"
#include "common/catalogue.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/tiled.hpp"
#include "cpu/matmul/transposed.hpp"

namespace tallcache {
namespace {

using Figures = ProductFigures;
using CacheLevels = std::vector<cache::CacheLevel>;

template <class V>
void trace_product(cache::Tracer& tracer, const Shape& shape, const Params& params) {
  cache::run_traced<V, Matmul<double>>(tracer, shape, params);
}

struct Subject {
  std::string_view variant;
  void (*trace)(cache::Tracer&, const Shape&, const Params&);
  Params params{};
};

// Three tiles of 32 x 32 doubles take 24 KiB.
constexpr Index tile = 32;

const std::vector<Subject>& subjects() {
  using namespace cpu::matmul;
  static const std::vector<Subject> list{
      {"naive", trace_product<naive>},
      {"transposed", trace_product<transposed>},
      {"tiled", trace_product<tiled>, {{"tile_m", tile}, {"tile_n", tile}, {"tile_k", tile}}}};
  return list;
}

// A band of C one tile high, which the bands below it repeat.
Shape band(Index n) { return {{"m", tile}, {"n", n}, {"k", n}, {"pad", 0}}; }

// A column longer than L1 has lines, and rows an odd number of lines apart, so that it falls into all sets.
Index side_at(Scale scale, const CacheLevels& levels) {
  if (scale == Scale::smoke) return 72;
  if (scale == Scale::full || levels.empty()) return 1032;
  const std::size_t line = levels[0].line / sizeof(double), lines = levels[0].lines();
  return static_cast<Index>(std::min<std::size_t>(line * (lines * 8 / 7 / line | 1), 1032));
}

// This machine's L1 and L2 data caches, or why the model has none. A cache whose ways hwloc does not tell
// apart is fully associative.
CacheLevels data_caches(std::string& why) {
  CacheLevels levels;
  for (const CpuCache& cache : this_machine().caches) {
    if (cache.level > 2 || cache.type == "instruction") continue;
    const std::size_t line = cache.line_bytes ? *cache.line_bytes : 64;
    std::size_t ways = cache.bytes / line;
    if (cache.ways && *cache.ways != "full")
      std::from_chars(cache.ways->data(), cache.ways->data() + cache.ways->size(), ways);
    levels.push_back({.bytes = cache.bytes, .ways = ways, .line = line});
  }
  if (levels.size() != 2) {
    why = this_machine().caches_absent.empty() ? "this machine shows no L1 and L2 data cache"
                                               : this_machine().caches_absent;
    levels.clear();
  }
  return levels;
}

struct Simulation {
  Figures figures;
  double conflicts = absent;  ///< the share of L1 misses that the sets make
};

Simulation simulate(const Subject& subject, const Shape& shape, const CacheLevels& levels) {
  if (levels.empty()) return {};
  cache::Hierarchy caches(levels);
  const cache::TraceCounts counts = cache::trace(levels[0].line, {&caches}, [&](cache::Tracer& tracer) {
    subject.trace(tracer, shape, subject.params);
  });
  const double accesses = static_cast<double>(counts.loads + counts.stores);
  const double l1 = static_cast<double>(caches.counts(0).misses());
  return {{.l1 = l1 / accesses, .l2 = caches.counts(1).misses() / accesses}, caches.counts(0).conflict / l1};
}

// Misses per access: the counters' where they tell, the model's otherwise; not one of each in one ratio.
bool counted(const std::vector<Figures>& figures) {
  return std::ranges::none_of(figures, [](const Figures& f) { return std::isnan(f.l1) || std::isnan(f.l2); });
}

std::string needed(double value) { return std::isnan(value) ? "needs hardware counters" : figure(value); }

Report report(const Inputs& inputs) {
  std::string why_not_counted, why_not_simulated;
  const CacheLevels levels = data_caches(why_not_simulated);
  const Index n = side_at(inputs.scale, levels);
  const Index power = inputs.scale == Scale::smoke ? 64 : inputs.scale == Scale::quick ? 512 : 1024;
  std::vector<Figures> hardware;
  // Counters first, while nothing else runs.
  for (const Subject& subject : subjects()) {
    hardware.push_back(count_product(subject.variant, subject.params, band(n), inputs.seed));
    if (why_not_counted.empty()) why_not_counted = hardware.back().missing;
  }
  std::vector<Simulation> models(subjects().size());
  Simulation aligned;
  tbb::parallel_for(std::size_t{0}, models.size() + 1, [&](std::size_t i) {
    if (i < models.size())
      models[i] = simulate(subjects()[i], band(n), levels);
    else
      aligned = simulate(subjects().back(), band(power), levels);
  });
  std::vector<Figures> simulated;
  for (const Simulation& model : models) simulated.push_back(model.figures);
  const bool by_hardware = counted(hardware);
  const std::vector<Figures>& rates = by_hardware ? hardware : simulated;

  Report report;
  Grid& grid = report.grids.emplace_back();
  const std::string here = by_hardware ? "hardware" : "simulated";
  grid.columns = {{"variant", true},      {"CPI slide"},           {"CPI here"},
                  {"L1 miss rate slide"}, {"L1 " + here},          {"L2 miss rate slide"},
                  {"L2 " + here},         {"vector instr. slide"}, {"vector instr. here"},
                  {"instructions slide"}, {"instructions here"}};
  if (by_hardware && !levels.empty()) {
    grid.columns.push_back({"L1 simulated"});
    grid.columns.push_back({"L2 simulated"});
  }
  std::vector<Figures> slide;
  for (std::size_t i = 0; i < subjects().size(); ++i) {
    const Json& row = inputs.slide.at("rows")[i];
    if (row[0] != subjects()[i].variant)
      throw Error(fmt::format("the slide has no row '{}'", subjects()[i].variant));
    slide.push_back({row[1], row[2], row[3], row[4].get<double>() / 100, row[5]});
    const auto percent = [](double share) {
      return std::isnan(share) ? needed(share) : fmt::format("{:.0f} %", 100 * share);
    };
    const auto rate = [&](double value) {
      return std::isnan(value) ? "needs hardware counters, or known caches" : figure(value);
    };
    grid.rows.push_back(
        {std::string(subjects()[i].variant), figure(slide[i].cpi), needed(hardware[i].cpi),
         figure(slide[i].l1), rate(rates[i].l1), figure(slide[i].l2), rate(rates[i].l2),
         percent(slide[i].vector), percent(hardware[i].vector), fmt::format("{:.0f}", slide[i].instructions),
         std::isnan(hardware[i].instructions) ? needed(absent)
                                              : fmt::format("{:.0f}", hardware[i].instructions)});
    if (grid.columns.size() > grid.rows.back().size()) {
      grid.rows.back().push_back(figure(simulated[i].l1));
      grid.rows.back().push_back(figure(simulated[i].l2));
    }
  }

  const std::string where = fmt::format("{0} x {1} times {1} x {1}", tile, n);
  const double size = 1024.0 * 1024 * 1024;
  report.notes.push_back(fmt::format(
      "The slide does not say its size: n = 1024 would make {:.1f}, {:.1f} and {:.1f} instructions an "
      "iteration of the innermost loop. Here {}, a band of C one tile high; tiles are {} x {}.",
      slide[0].instructions / size, slide[1].instructions / size, slide[2].instructions / size, where, tile,
      tile));
  if (!levels.empty()) {
    report.notes.push_back(fmt::format(
        "Simulated: misses per load or store that the algorithm's text makes, counted by a model of "
        "this machine's caches, L1 {} KiB of {} ways, L2 {} KiB of {} ways, lines of {} bytes, "
        "without prefetching. Both levels are per access of the program: the slide does not say what "
        "its rates are of.",
        levels[0].bytes >> 10, levels[0].ways, levels[1].bytes >> 10, levels[1].ways, levels[0].line));
    report.notes.push_back(fmt::format(
        "Rows stand {} lines apart. Where they stand a power of two apart, the columns of a tile fall "
        "into few sets: tiled at n = {} has an L1 miss rate of {} simulated, {:.0f} % of the misses "
        "conflicts; at n = {} {:.0f} % are.",
        n * sizeof(double) / levels[0].line, power, figure(aligned.figures.l1), 100 * aligned.conflicts, n,
        100 * models.back().conflicts));
  } else {
    report.notes.push_back("Not simulated: " + why_not_simulated + ".");
  }
  if (!why_not_counted.empty()) report.notes.push_back("Not counted: " + why_not_counted + ".");

  const auto lower = [&](std::string text, int a, int b, double Figures::*rate, std::string why) {
    const double low = rates[a].*rate, high = rates[b].*rate;
    Finding finding{std::move(text), {}, {}, {}};
    if (std::isnan(low) || std::isnan(high)) {
      finding.why = "Needs hardware counters, or known caches";
    } else {
      finding.figures = fmt::format("{} against {} {} (slide {} against {})", figure(low), figure(high), here,
                                    figure(slide[a].*rate), figure(slide[b].*rate));
      if (!levels.empty() && static_cast<std::size_t>(n) <= levels[0].lines()) {
        finding.why = "At this size a column fits in L1";
      } else {
        finding.holds = low < high;
        if (*finding.holds) finding.why = std::move(why);
        if (slide[a].*rate > 0 && low > 0)
          report.ratios.push_back(
              {where,
               fmt::format("L1 misses an access, {} over {}", subjects()[b].variant, subjects()[a].variant),
               (slide[b].*rate) / (slide[a].*rate), high / low});
      }
    }
    report.findings.push_back(std::move(finding));
  };
  lower("the transposed product has a lower L1 miss rate than the naive one", 1, 0, &Figures::l1,
        "The naive one misses at every element of a column, one access of four; scanned, both "
        "factors miss once a line");
  lower("the tiled product has a lower L1 miss rate than the transposed one", 2, 1, &Figures::l1,
        "Three tiles stay in the cache");
  lower("the tiled product has a lower L2 miss rate than the naive one", 2, 0, &Figures::l2,
        "Each tile that comes from below L2 is used for a whole tile of C");
  return report;
}

}  // namespace

const Table matmul_counters_table{"matmul-counters",
                                  "cycles an instruction and cache misses of three products",
                                  [](Scale, std::uint64_t) { return std::vector<Row>{}; }, report};

}  // namespace tallcache
