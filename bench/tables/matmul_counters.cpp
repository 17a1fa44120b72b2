#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "bench/measure/context.hpp"
#include "bench/tables/counted_records.hpp"
#include "bench/tables/list.hpp"
#include "bench/tables/matmul_counted.hpp"
#include "common/cache/hierarchy.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/tracer.hpp"
#include "common/catalogue.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/tiled.hpp"
#include "cpu/matmul/transposed.hpp"

namespace tallcache::slide_tables::matmul_counters {
namespace {

constexpr std::string_view id = "matmul-counters";

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

// A band of C, one tile high. The bands below it repeat its accesses.
Shape band(Index n) { return {{"m", tile}, {"n", n}, {"k", n}, {"pad", 0}}; }

// The column is longer than L1 has lines. Rows are an odd number of lines apart, so that the column uses
// all sets.
Index matrix_size_at(Scale scale, const CacheLevels& levels) {
  if (scale == Scale::smoke) return 72;
  if (scale == Scale::full || levels.empty()) return 1032;
  const std::size_t line = levels[0].line / sizeof(double), lines = levels[0].lines();
  return static_cast<Index>(std::min<std::size_t>(line * (lines * 8 / 7 / line | 1), 1032));
}

// This machine's L1 and L2 data caches; none where it does not show them. A cache whose ways hwloc does not
// report is fully associative.
CacheLevels data_caches() {
  CacheLevels levels;
  for (const CpuCache& cache : this_machine().caches) {
    if (cache.level > 2 || cache.type == "instruction") continue;
    const std::size_t line = cache.line_bytes ? *cache.line_bytes : 64;
    std::size_t ways = cache.bytes / line;
    if (cache.ways && *cache.ways != "full")
      std::from_chars(cache.ways->data(), cache.ways->data() + cache.ways->size(), ways);
    levels.push_back({.bytes = cache.bytes, .ways = ways, .line = line});
  }
  if (levels.size() != 2) levels.clear();
  return levels;
}

// ------------------------------------------------------------------------------------ what is measured

Record product_record(const Subject& subject, const Shape& shape) {
  Record record = measured_record("matmul", std::string(subject.variant), "double", to_json(shape));
  record.params = to_json(subject.params);
  return record;
}

std::vector<Record> count(const Subject& subject, const Shape& shape, std::uint64_t seed) {
  Record record = product_record(subject, shape);
  for (const ProductCount& count : count_product(subject.variant, subject.params, shape, seed)) {
    add_count(record, count.name, count.value, Origin::event, count.event);
    record.quantities.back().reason = count.reason;
  }
  return {record};
}

Json to_json(const CacheLevels& levels) {
  Json list = Json::array();
  for (const cache::CacheLevel& level : levels)
    list.push_back({{"bytes", level.bytes}, {"ways", level.ways}, {"line_bytes", level.line}});
  return list;
}

Record simulate(const Subject& subject, const Shape& shape, const CacheLevels& levels) {
  cache::Hierarchy caches(levels);
  const cache::TraceCounts counts = cache::trace(levels[0].line, {&caches}, [&](cache::Tracer& tracer) {
    subject.trace(tracer, shape, subject.params);
  });
  Record record = product_record(subject, shape);
  record.conditions = {{"caches", to_json(levels)}};
  const auto put = [&](const char* name, auto value, Json at = Json::object()) {
    add_count(record, name, static_cast<double>(value), Origin::model, "caches of this machine, LRU",
              std::move(at));
  };
  put("accesses", counts.loads + counts.stores);
  for (int level : {1, 2}) put("misses", caches.counts(level - 1).misses(), {{"level", level}});
  put("conflict misses", caches.counts(0).conflict, {{"level", 1}});
  return record;
}

// All products on bands of n, and the tiled one also with rows a power of two apart.
std::vector<Record> simulate_all(Index n, Index power, const CacheLevels& levels) {
  if (levels.empty())
    throw Error(this_machine().caches_absent.empty() ? "this machine shows no L1 and L2 data cache"
                                                     : this_machine().caches_absent,
                Status::unavailable);
  std::vector<Record> records(subjects().size() + 1);
  tbb::parallel_for(std::size_t{0}, records.size(), [&](std::size_t i) {
    records[i] = i < subjects().size() ? simulate(subjects()[i], band(n), levels)
                                       : simulate(subjects().back(), band(power), levels);
  });
  return records;
}

constexpr const char* simulated_label = "simulated";

std::string counted_label(const Subject& subject) { return fmt::format("{}, counted", subject.variant); }

std::vector<Row> rows(Scale scale, std::uint64_t seed) {
  const CacheLevels levels = data_caches();
  const Index n = matrix_size_at(scale, levels);
  const Index power = scale == Scale::smoke ? 64 : scale == Scale::quick ? 512 : 1024;
  std::vector<Row> rows;
  for (const Subject& subject : subjects())
    rows.push_back({counted_label(subject), [&subject, n, seed] { return count(subject, band(n), seed); }});
  rows.push_back({simulated_label, [=] { return simulate_all(n, power, levels); }});
  return rows;
}

// ----------------------------------------------------------------------------------- what is reported

// NaN: unknown.
struct Figures {
  double cpi = no_value, l1 = no_value, l2 = no_value, vector = no_value, instructions = no_value;
};

// A count of zero has no shares.
double share(double part, double whole) { return whole > 0 ? part / whole : no_value; }

Figures counted_figures(const Record& record) {
  const double instructions = record.value("instructions");
  double accesses = record.value("L1 data accesses");
  if (std::isnan(accesses)) accesses = record.value("loads") + record.value("stores");
  return {.cpi = share(record.value("cycles"), instructions),
          .l1 = share(record.value("L1 data misses"), accesses),
          .l2 = share(record.value("L2 data misses"), accesses),
          .vector = share(record.value("vector instructions, double"), instructions),
          .instructions = instructions};
}

Figures simulated_figures(const Record& record) {
  const double accesses = record.value("accesses");
  return {.l1 = record.value("misses", {{"level", 1}}) / accesses,
          .l2 = record.value("misses", {{"level", 2}}) / accesses};
}

// The share of L1 misses that are conflicts.
double conflicts(const Record& record) {
  return record.value("conflict misses", {{"level", 1}}) / record.value("misses", {{"level", 1}});
}

/// All figures of the table, one entry for each product.
struct Products {
  std::vector<Figures> slide, hardware, simulated;
  const Record *band = nullptr, *aligned = nullptr;  ///< the tiled product's models
  Index n = 0;                                       ///< 0: nothing was measured
  std::string why_not_counted, why_not_simulated;

  explicit Products(const Inputs& inputs);
  /// Misses per access, from the counters where these have all figures, otherwise from the model. One ratio
  /// never mixes the two.
  bool by_hardware() const {
    return std::ranges::none_of(hardware, [](const Figures& f) { return std::isnan(f.l1 + f.l2); });
  }
  const std::vector<Figures>& rates() const { return by_hardware() ? hardware : simulated; }
  std::string source() const { return by_hardware() ? "hardware" : "simulated"; }
  std::string where() const {
    return n ? fmt::format("{0} x {1} times {1} x {1}", tile, n) : "nothing was measured";
  }
  /// Bytes, ways and bytes of a line of a level of the model's caches.
  std::size_t cache(int level, const char* what) const {
    return band->conditions.at("caches").at(static_cast<std::size_t>(level - 1)).at(what);
  }
};

// Loads and stores replace accesses. Without them, or without one of the others, the table is incomplete.
std::string why_missing(const Record& record) {
  const bool accesses = !std::isnan(record.value("L1 data accesses")) ||
                        !std::isnan(record.value("loads") + record.value("stores"));
  for (const Quantity& quantity : record.quantities) {
    const bool of_access =
        quantity.name == "L1 data accesses" || quantity.name == "loads" || quantity.name == "stores";
    if (std::isnan(quantity.value) && !(of_access && accesses))
      return fmt::format("{}: {}", quantity.name, quantity.reason);
  }
  return {};
}

Products::Products(const Inputs& inputs) : hardware(subjects().size()), simulated(subjects().size()) {
  for (std::size_t i = 0; i < subjects().size(); ++i) {
    const Subject& subject = subjects()[i];
    const Json& row = inputs.slide.at("rows")[i];
    if (row[0] != subject.variant) throw Error(fmt::format("the slide has no row '{}'", subject.variant));
    slide.push_back({row[1], row[2], row[3], row[4].get<double>() / 100, row[5]});
    const auto records = records_of(inputs.document, id, counted_label(subject));
    std::string why = records.empty() ? why_absent(inputs.document, id, counted_label(subject)) : "";
    for (const Record* record : records) {
      hardware[i] = counted_figures(*record);
      n = record->shape.at("n");
      why = why_missing(*record);
    }
    if (why_not_counted.empty()) why_not_counted = why;
  }
  const auto models = records_of(inputs.document, id, simulated_label);
  if (models.size() != subjects().size() + 1) {
    why_not_simulated = why_absent(inputs.document, id, simulated_label);
    return;
  }
  for (std::size_t i = 0; i < subjects().size(); ++i) simulated[i] = simulated_figures(*models[i]);
  band = models[subjects().size() - 1];
  aligned = models.back();
  n = band->shape.at("n");
}

std::string needed(double value, std::string (*shown)(double)) {
  return std::isnan(value) ? "needs hardware counters" : shown(value);
}
std::string whole(double value) { return fmt::format("{:.0f}", value); }
std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

Grid grid_of(const Products& products) {
  const std::string here = products.source();
  Grid grid;
  grid.columns = {{"variant", true},      {"CPI slide"},           {"CPI here"},
                  {"L1 miss rate slide"}, {"L1 " + here},          {"L2 miss rate slide"},
                  {"L2 " + here},         {"vector instr. slide"}, {"vector instr. here"},
                  {"instructions slide"}, {"instructions here"}};
  const bool both = products.by_hardware() && products.band;
  if (both) grid.columns.insert(grid.columns.end(), {{"L1 simulated"}, {"L2 simulated"}});
  const auto rate = [](double value) {
    return std::isnan(value) ? "needs hardware counters, or known caches" : figure(value);
  };
  for (std::size_t i = 0; i < subjects().size(); ++i) {
    const Figures &slide = products.slide[i], &counted = products.hardware[i], &rates = products.rates()[i];
    auto& cells = grid.rows.emplace_back(std::vector<std::string>{
        std::string(subjects()[i].variant), figure(slide.cpi), needed(counted.cpi, figure), figure(slide.l1),
        rate(rates.l1), figure(slide.l2), rate(rates.l2), percent(slide.vector),
        needed(counted.vector, percent), whole(slide.instructions), needed(counted.instructions, whole)});
    if (both) cells.insert(cells.end(), {figure(products.simulated[i].l1), figure(products.simulated[i].l2)});
  }
  return grid;
}

std::vector<std::string> notes_of(const Products& products) {
  std::vector<std::string> notes;
  const double size = 1024.0 * 1024 * 1024;
  notes.push_back(fmt::format(
      "The slide does not say its size: n = 1024 would make {:.1f}, {:.1f} and {:.1f} instructions an "
      "iteration of the innermost loop. Here {}, a band of C one tile high; tiles are {} x {}.",
      products.slide[0].instructions / size, products.slide[1].instructions / size,
      products.slide[2].instructions / size, products.where(), tile, tile));
  if (products.band) {
    const std::size_t line = products.cache(1, "line_bytes");
    notes.push_back(fmt::format(
        "Simulated: misses per load or store that the algorithm's text makes, counted by a model of "
        "this machine's caches, L1 {} KiB of {} ways, L2 {} KiB of {} ways, lines of {} bytes, "
        "without prefetching. Both levels are per access of the program: the slide does not say what "
        "its rates are of.",
        products.cache(1, "bytes") >> 10, products.cache(1, "ways"), products.cache(2, "bytes") >> 10,
        products.cache(2, "ways"), line));
    notes.push_back(fmt::format(
        "Rows stand {} lines apart. With rows a power of two apart, tiled at n = {} has an L1 miss rate of "
        "{} simulated, {:.0f} % of the misses conflicts; at n = {} {:.0f} % are.",
        products.n * sizeof(double) / line, products.aligned->shape.at("n").get<Index>(),
        figure(simulated_figures(*products.aligned).l1), 100 * conflicts(*products.aligned), products.n,
        100 * conflicts(*products.band)));
  } else {
    notes.push_back("Not simulated: " + products.why_not_simulated + ".");
  }
  if (!products.why_not_counted.empty()) notes.push_back("Not counted: " + products.why_not_counted + ".");
  return notes;
}

/// A finding: the miss rate of one product is lower than that of another.
struct Lower {
  const char* text;
  std::size_t low, high;  // places of the subjects
  double Figures::*rate;
};
constexpr Lower lower[] = {
    {"the transposed product has a lower L1 miss rate than the naive one", 1, 0, &Figures::l1},
    {"the tiled product has a lower L1 miss rate than the transposed one", 2, 1, &Figures::l1},
    {"the tiled product has a lower L2 miss rate than the naive one", 2, 0, &Figures::l2}};

void add_finding(const Products& products, const Lower& claim, Report& report) {
  const double low = products.rates()[claim.low].*claim.rate, high = products.rates()[claim.high].*claim.rate;
  const double slide_low = products.slide[claim.low].*claim.rate,
               slide_high = products.slide[claim.high].*claim.rate;
  Finding& finding = report.findings.emplace_back(Finding{claim.text, {}, {}, {}});
  if (std::isnan(low) || std::isnan(high)) {
    finding.why = "Needs hardware counters, or known caches";
    return;
  }
  finding.figures = fmt::format("{} against {} {} (slide {} against {})", figure(low), figure(high),
                                products.source(), figure(slide_low), figure(slide_high));
  if (products.band &&
      static_cast<std::size_t>(products.n) <= products.cache(1, "bytes") / products.cache(1, "line_bytes")) {
    finding.why = "At this size a column fits in L1";
    return;
  }
  finding.holds = low < high;
  if (slide_low > 0 && low > 0)
    report.ratios.push_back({products.where(),
                             fmt::format("L1 misses an access, {} over {}", subjects()[claim.high].variant,
                                         subjects()[claim.low].variant),
                             slide_high / slide_low, high / low});
}

Report report(const Inputs& inputs) {
  const Products products(inputs);
  Report report;
  report.grids = {grid_of(products)};
  report.notes = notes_of(products);
  for (const Lower& claim : lower) add_finding(products, claim, report);
  return report;
}

}  // namespace

const Table table{id, "cycles an instruction and cache misses of three products", rows, report};

}  // namespace tallcache::slide_tables::matmul_counters
