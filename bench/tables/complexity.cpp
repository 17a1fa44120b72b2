#include "bench/tables/complexity.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "bench/tables/timings.hpp"
#include "common/cache/opt.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "common/catalogue.hpp"
#include "cpu/counting_sort/bucketed.hpp"
#include "cpu/counting_sort/classical.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/recursive.hpp"
#include "cpu/matmul/tiled.hpp"
#include "cpu/matmul/transposed.hpp"
#include "cpu/transpose/naive.hpp"
#include "cpu/transpose/recursive.hpp"

namespace tallcache {
namespace {

constexpr Index tile = traced_tile, buckets = traced_buckets;

// As many different keys as there are keys: far more counts than words of cache.
Shape keys(Index n) { return {{"n", n}, {"range", n - 1}}; }

template <class V>
void product(cache::Tracer& tracer, Index n, const Params& params = {}) {
  cache::run_traced<V, Matmul<double>>(tracer, complete_shape(operation_of<Matmul<double>>, cube(n)), params);
}
template <class V>
void transposition(cache::Tracer& tracer, Index n, const Params& params = {}) {
  cache::run_traced<V, Transpose<double>>(tracer, complete_shape(operation_of<Transpose<double>>, square(n)),
                                          params);
}
template <class V>
void sort(cache::Tracer& tracer, Index n, const Params& params = {}) {
  cache::run_traced<V, CountingSort<false>>(tracer, keys(n), params);
}

// n words are read one after the other. The first is not the first of its line: the slides' n/L + 1.
struct scan {
  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    double sum = 0;
    for (Index i = 1; i < args.a.cols; ++i) sum += args.a(0, i);
    static_cast<void>(sum);
  }
};

// The product with a second factor that is already transposed, as the slides count it.
struct multiply_by_transposed {
  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    cpu::matmul::multiply_transposed(args.c, args.a, args.b);
  }
};

// Bucketed counting sort's first phase alone.
struct bucketing : cpu::counting_sort::bucketed {
  static constexpr PhaseSpec phases[] = {{"preprocessing"}};
};

}  // namespace

std::span<const Claim> claims() {
  using namespace cpu;
  using S = const Setting&;
  // Sizes at which the slides' assumptions hold and the leading term dominates: a product's row, column or
  // tiles do not fit; the cache is taller than wide; there are more keys than words, and a line of cache for
  // each bucket.
  static const Claim list[] = {
      {"scan of n words",
       "scan",
       "loop",
       [](S s) { return s.n / s.l + 1; },
       Says::count,
       {1, 0, -1},
       8,
       [](cache::Tracer& tracer, Index n) {
         cache::run_traced<scan, Transpose<double>>(tracer, {{"m", 1}, {"n", n + 1}, {"pad", 0}});
       },
       {4096, 32768, 262144},
       {64, 512, 4096},
       {4, 8, 16},
       {262144, 512, 8}},
      {"naive product, (m,n)=(m,p)(p,n)",
       "matmul",
       "naive",
       [](S s) { return s.n * s.n / s.l + s.n * s.n * s.n / s.l + s.n * s.n * s.n; },
       Says::count,
       {3, 0, 0},
       8,
       [](cache::Tracer& tracer, Index n) { product<matmul::naive>(tracer, n); },
       {72, 96, 128},
       {256, 512, 1024},
       {8, 16, 32},
       {128, 512, 16}},
      {"naive product with the second factor transposed",
       "matmul",
       "by_transposed",
       [](S s) { return s.n * s.n / s.l + 2 * s.n * s.n * s.n / s.l; },
       Says::count,
       {3, 0, -1},
       8,
       [](cache::Tracer& tracer, Index n) { product<multiply_by_transposed>(tracer, n); },
       {80, 112, 160},
       {32, 64, 128},
       {4, 8, 16},
       {112, 128, 8}},
      {"tiled product, tile b, 3b^2 < Z, square n",
       "matmul",
       "tiled",
       [](S s) { return 3 * s.n * s.n * s.n / (tile * s.l); },
       Says::count,
       {3, 0, -1},
       8,
       [](cache::Tracer& tracer, Index n) {
         product<matmul::tiled>(tracer, n, {{"tile_m", tile}, {"tile_n", tile}, {"tile_k", tile}});
       },
       {64, 96, 128},
       {288, 512, 1024},
       {2, 4, 8},
       {96, 512, 4},
       // The smallest cache that holds all three tiles.
       {{96, 224, 4}}},
      {"REC-MULT, m x n times n x p",
       "matmul",
       "recursive",
       [](S s) { return 3 * s.n + 3 * s.n * s.n / s.l + s.n * s.n * s.n / (s.l * std::sqrt(s.z)); },
       Says::growth,
       {3, -0.5, -1},
       8,
       [](cache::Tracer& tracer, Index n) {
         product<matmul::recursive>(tracer, n, {{"base", 1}});
       },
       {32, 64, 128},
       {64, 128, 256, 512, 1024},
       {2, 4, 8},
       {128, 256, 4},
       // Blocks straddle lines.
       {{144, 64, 4}, {144, 128, 4}, {144, 256, 4}, {144, 512, 4}, {144, 1024, 4}}},
      {"naive transpose",
       "transpose",
       "naive",
       [](S s) { return s.n * s.n; },
       Says::growth,
       {2, 0, 0},
       8,
       [](cache::Tracer& tracer, Index n) { transposition<transpose::naive>(tracer, n); },
       {350, 700, 1400},
       {512, 1024, 2048},
       {8, 16, 32},
       {700, 1024, 16}},
      {"REC-TRANSPOSE",
       "transpose",
       "recursive",
       [](S s) { return 1 + s.n * s.n / s.l; },
       Says::growth,
       {2, 0, -1},
       8,
       [](cache::Tracer& tracer, Index n) {
         transposition<transpose::recursive>(tracer, n, {{"base", 1}});
       },
       {350, 700, 1400},
       {2048, 4096, 8192, 16384, 32768},
       {4, 8, 16},
       {700, 16384, 8}},
      {"classical counting sort",
       "counting_sort",
       "classical",
       [](S s) { return 3 * s.n + 3 * s.n / s.l + 2 * s.n / s.l; },
       Says::at_most,
       {1, 0, 0},
       4,
       [](cache::Tracer& tracer, Index n) { sort<counting_sort::classical>(tracer, n); },
       {50000, 100000, 200000},
       {512, 1024, 2048},
       {8, 16, 32},
       {200000, 1024, 16}},
      {"bucketing pass, m buckets",
       "counting_sort",
       "bucketing",
       [](S s) { return 3 * s.n / s.l + 3 * buckets / s.l + buckets; },
       Says::count,
       {1, 0, -1},
       4,
       [](cache::Tracer& tracer, Index n) {
         sort<bucketing>(tracer, n, {{"buckets", buckets}});
       },
       {50000, 100000, 200000},
       {8192, 16384, 32768},
       {8, 16, 32},
       {200000, 8192, 16}},
      {"bucketed counting sort, all of it",
       "counting_sort",
       "bucketed",
       [](S s) { return 9 * s.n / s.l + 3 * buckets / s.l + buckets + 2 * s.n / s.l; },
       Says::count,
       {1, 0, -1},
       4,
       [](cache::Tracer& tracer, Index n) {
         sort<counting_sort::bucketed>(tracer, n, {{"buckets", buckets}});
       },
       {50000, 100000, 200000},
       {8192, 16384, 32768},
       {8, 16, 32},
       {200000, 8192, 16}},
  };
  return list;
}

const Claim& find_claim(std::string_view row) {
  std::vector<std::string_view> rows;
  for (const Claim& claim : claims()) {
    if (claim.row == row) return claim;
    rows.push_back(claim.row);
  }
  throw Error(unknown_name("claim", row, rows));
}

namespace {

/// One run of the algorithm: the caches whose misses it counts, and whether it also counts OPT's at the
/// centre's size.
struct Trace {
  double n, l;
  std::vector<double> z{};
  bool optimal = false;
};

std::vector<Trace> traces_of(const Claim& claim, bool first_only) {
  std::vector<Trace> traces;
  const auto add = [&](const Setting& at, bool optimal) {
    auto trace = std::ranges::find_if(traces, [&](const Trace& t) { return t.n == at.n && t.l == at.l; });
    if (trace == traces.end()) trace = traces.insert(traces.end(), {at.n, at.l});
    if (std::ranges::find(trace->z, at.z) == trace->z.end()) trace->z.push_back(at.z);
    trace->optimal = trace->optimal || optimal;
  };
  const Setting& centre = claim.centre;
  for (double n : claim.n) {
    add({n, centre.z, centre.l}, true);
    if (first_only) return traces;
  }
  for (double z : claim.z) add({centre.n, z, centre.l}, false);
  for (double l : claim.l) add({centre.n, centre.z, l}, false);
  for (const Setting& other : claim.others) add(other, false);
  return traces;
}

Record count(const Claim& claim, const Trace& trace) {
  cache::StackDistances all;
  cache::OptCache opt;
  std::vector<cache::Model*> models{&all};
  if (trace.optimal) models.push_back(&opt);
  cache::trace(static_cast<std::size_t>(trace.l) * claim.word, models,
               [&](cache::Tracer& tracer) { claim.run(tracer, static_cast<Index>(trace.n)); });
  const auto lines = [&](double z) { return static_cast<std::size_t>(z / trace.l); };
  Record record{.operation = std::string(claim.operation),
                .variant = std::string(claim.variant),
                .backend = "cpu",
                .element = claim.word == 4 ? "uint32" : "double"};
  record.shape = {{"n", static_cast<Index>(trace.n)}};
  record.conditions = {{"line_words", static_cast<Index>(trace.l)}};
  record.outcome.status = Status::measured;
  Quantity& lru = record.quantities.emplace_back(
      Quantity{.name = "misses", .unit = "1", .origin = Origin::model, .detail = "ideal cache, LRU"});
  lru.over = {"cache", "word", trace.z};
  for (double z : trace.z) lru.values.push_back(static_cast<double>(all.misses(lines(z))));
  if (trace.optimal)
    record.quantities.push_back({.name = "misses",
                                 .unit = "1",
                                 .value = static_cast<double>(opt.misses(lines(claim.centre.z))),
                                 .origin = Origin::model,
                                 .detail = "ideal cache, OPT",
                                 .at = {{"replacement", "OPT"}}});
  return record;
}

}  // namespace

std::vector<Record> count_misses(const Claim& claim, bool first_only) {
  const std::vector<Trace> traces = traces_of(claim, first_only);
  std::vector<Record> records(traces.size());
  tbb::parallel_for(std::size_t{0}, traces.size(),
                    [&](std::size_t i) { records[i] = count(claim, traces[i]); });
  return records;
}

Experiment experiment_from(const Claim& claim, std::span<const Record* const> records) {
  const auto add = [&](std::vector<Misses>& range, const Setting& at) {
    for (const Record* record : records) {
      const Quantity* lru = record->find("misses");
      if (!lru || record->shape.at("n") != at.n || record->conditions.at("line_words") != at.l) continue;
      const auto point = std::ranges::find(lru->over.points, at.z);
      if (point == lru->over.points.end()) continue;
      const double opt = at.z == claim.centre.z ? record->value("misses", {{"replacement", "OPT"}}) : absent;
      const auto place = static_cast<std::size_t>(point - lru->over.points.begin());
      range.push_back({at, lru->values.at(place), claim.formula(at), opt});
    }
  };
  Experiment experiment;
  const Setting& centre = claim.centre;
  for (double n : claim.n) add(experiment.n, {n, centre.z, centre.l});
  for (double z : claim.z) add(experiment.z, {centre.n, z, centre.l});
  for (double l : claim.l) add(experiment.l, {centre.n, centre.z, l});
  for (const Setting& other : claim.others) add(experiment.others, other);
  return experiment;
}

Experiment run_experiment(const Claim& claim) {
  const std::vector<Record> records = count_misses(claim);
  std::vector<const Record*> list;
  for (const Record& record : records) list.push_back(&record);
  return experiment_from(claim, list);
}

namespace {
template <class Value>
Spread spread_of(const Experiment& experiment, Value&& value) {
  Spread spread{HUGE_VAL, 0};
  for (const auto* range : {&experiment.n, &experiment.z, &experiment.l})
    for (const Misses& misses : *range) {
      spread.least = std::min(spread.least, value(misses));
      spread.most = std::max(spread.most, value(misses));
    }
  return spread;
}
}  // namespace

Setting fit_exponents(const Experiment& experiment, double (*value)(const Misses&)) {
  const auto fit = [value](const std::vector<Misses>& range, double Setting::*along) {
    std::vector<double> x, y;
    for (const Misses& misses : range) {
      x.push_back(misses.at.*along);
      y.push_back(value(misses));
    }
    return fit_power_law(x, y).exponent;
  };
  return {fit(experiment.n, &Setting::n), fit(experiment.z, &Setting::z), fit(experiment.l, &Setting::l)};
}

Spread spread_of_ratios(const Experiment& experiment) {
  return spread_of(experiment, [](const Misses& misses) { return misses.ratio(); });
}

Spread spread_of_constants(const Experiment& experiment, const Setting& e) {
  return spread_of(experiment, [&e](const Misses& m) {
    return m.lru / (std::pow(m.at.n, e.n) * std::pow(m.at.z, e.z) * std::pow(m.at.l, e.l));
  });
}

}  // namespace tallcache
