// Every variant of the catalogue can be traced, and PAPI reads what the model counted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "bench/measure/counted.hpp"
#include "bench/measure/misses.hpp"
#include "bench/studies/misses/curve.hpp"
#include "bench/studies/misses/requests.hpp"
#include "bench/studies/misses/theory.hpp"
#include "common/cache/hierarchy.hpp"
#include "common/cache/run_traced.hpp"
#include "common/catalogue.hpp"
#include "common/papi/counting.hpp"
#include "common/papi/simulated.hpp"

namespace tallcache {
namespace {

using cache::CacheLevel;

const CacheLevel small_levels[] = {{.bytes = 4096, .ways = 2}, {.bytes = 32768, .ways = 512}};

Problem problem_of(const char* operation, const char* shape) {
  const Operation& found = find_operation(operation);
  return {&found, parse_shape(found, shape), found.inputs[0]};
}

TEST(Trace, ExistsForAllButLibraries) {
  for (const Variant* variant : variants())
    EXPECT_EQ(variant->trace == nullptr, variant->peer || variant->backend != "cpu") << variant->name;
}

TEST(Trace, TouchesEveryOutputAndSaysWhenItCannot) {
  for (const Variant* variant : variants()) {
    if (variant->backend == "cpu" && !variant->unavailable().empty()) continue;  // conformance_test names it
    const Operation& operation = *variant->operation;
    std::vector<Shape> shapes = operation.test_shapes();
    std::erase_if(shapes, [&](const Shape& shape) {
      return std::ranges::any_of(operation.dims, [&](const DimSpec& dim) { return shape[dim.name] == 0; });
    });
    const Shape shape = shapes.back();
    const Params params = complete_params(*variant, {});
    cache::Tracer tracer(64, {});
    if (!variant->trace) {
      EXPECT_THROW(cache::run_traced(*variant, tracer, shape, params), Error) << variant->name;
      continue;
    }
    if (!variant->supports(shape)) continue;
    // The operation's own check, on the output of the traced run.
    const cache::TracedProblem problem(operation, shape, variant->scratch(shape, params));
    variant->trace(problem.args(), params, tracer);
    const Check check = operation.check(shape, operation.inputs[0], 1, problem.args(), ErrorClass::standard);
    EXPECT_TRUE(check) << variant->name << ": " << check.message();
    EXPECT_GT(tracer.loads() + tracer.stores(), 0u) << variant->name;
  }
}

TEST(Misses, ThatPapiReadsAreTheModels) {
  const Problem problem = problem_of("matmul", "m=40,n=33,k=50");
  for (const char* name : {"naive", "recursive"}) {
    const Candidate candidate{&find_variant(*problem.operation, name)};
    const Params params = complete_params(*candidate.variant, {});
    cache::Hierarchy model(small_levels);
    const auto trace = cache::trace(64, {&model}, [&](cache::Tracer& tracer) {
      cache::run_traced(*candidate.variant, tracer, problem.shape, params);
    });
    for (int repeat = 0; repeat < 2; ++repeat) {  // the events only grow: the second run is counted alone
      const MissCounts counts = simulated_misses(problem, candidate, small_levels);
      EXPECT_EQ(counts.loads, trace.loads);
      EXPECT_EQ(counts.stores, trace.stores);
      ASSERT_EQ(counts.levels.size(), 2u);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(counts.levels[i].accesses, model.counts(i).accesses());
        EXPECT_EQ(counts.levels[i].misses, model.counts(i).misses());
        EXPECT_EQ(counts.levels[i].cold, model.counts(i).cold);
        EXPECT_EQ(counts.levels[i].capacity, model.counts(i).capacity);
        EXPECT_EQ(counts.levels[i].conflict, model.counts(i).conflict);
      }
    }
  }
}

// Formulas with exact constants, each well inside its case, in the ideal cache.
TEST(Misses, AgreeWithTheory) {
  const struct {
    const char *operation, *variant, *shape;
    std::size_t lines;
    double tolerance;
  } cases[] = {
      {"copy", "rows", "m=100,n=128", 8, 0.01},          {"transpose", "naive", "m=256,n=256", 64, 0.01},
      {"transpose", "naive", "m=256,n=256", 1024, 0.01}, {"transpose", "tiled", "m=256,n=256", 256, 0.01},
      {"matmul", "naive", "m=96,n=96,k=96", 16, 0.05},   {"matmul", "naive", "m=96,n=96,k=96", 256, 0.05},
      {"matmul", "naive", "m=96,n=96,k=96", 8192, 0.01}, {"matmul", "transposed", "m=96,n=96,k=96", 64, 0.1},
  };
  for (const auto& [operation, variant, shape, lines, tolerance] : cases) {
    const Problem problem = problem_of(operation, shape);
    const Curve curve = trace_curve(problem, {&find_variant(*problem.operation, variant)}, 64);
    const auto theory = predicted_misses(*curve.candidate.variant, problem.shape, curve.candidate.params,
                                         static_cast<double>(lines) * 64, 64);
    ASSERT_TRUE(theory) << operation << ' ' << variant;
    EXPECT_NEAR(static_cast<double>(curve.at(lines)) / theory->misses, 1, tolerance)
        << operation << ' ' << variant << ' ' << lines << " lines: " << theory->formula;
  }
}

// The rows of the slides (M5; results/slides/tables.json), and the variants that state them.
TEST(Misses, ArePredictedByTheFormulasOfTheSlides) {
  const double n = 2000, k = 1e6, buckets = 2048, L = 8;
  const struct {
    const char *operation, *element, *variant;
    double words, misses;
    const char* formula;
  } rows[] = {
      {"matmul", "double", "naive", 4096, n * n / L + n * n * n / L + n * n * n, "mn/L + mnk/L + mnk"},
      {"matmul_bt", "double", "naive", 2048, n * n / L + 2 * n * n * n / L, "mn/L + 2 mnk/L"},
      {"matmul", "double", "tiled", 16384, 3 * n * n * n / (64 * L), "3 n^3/(bL): a tile fits"},
      {"counting_sort", "uint32", "classical", 4096, 3 * n + 3 * n / L + 2 * k / L, "3n + 3n/L + 2k/L"},
      {"counting_sort", "uint32", "bucketed", 65536, 9 * n / L + 3 * buckets / L + buckets + 2 * k / L,
       "9n/L + 3m/L + m + 2k/L"},
  };
  for (const auto& [name, element, variant, words, misses, formula] : rows) {
    const Operation& operation = find_operation(name, element);
    Shape shape = complete_shape(operation, {{operation.dims[0].name, 2000}});
    if (shape.find("range")) shape.set("range", 999'999);
    const Variant& found = find_variant(operation, variant);
    const double word = static_cast<double>(find_element(element).word_bytes);
    const auto theory = predicted_misses(found, shape, complete_params(found, {}), words * word, L * word);
    ASSERT_TRUE(theory) << name << ' ' << variant;
    EXPECT_NEAR(theory->misses, misses, 1e-9 * misses) << name << ' ' << variant;
    EXPECT_TRUE(theory->formula.starts_with(formula)) << theory->formula;
    EXPECT_FALSE(theory->order);
  }
}

TEST(Misses, ArePredictedForWhatHasAFormulaAlone) {
  const Operation& product = find_operation("matmul", "double");
  const Variant &strassen = find_variant(product, "strassen"), &openblas = find_variant(product, "openblas");
  for (const Variant* without : {&strassen, &openblas}) {
    EXPECT_EQ(without->predicted_misses, nullptr) << without->name;
    const Shape shape = complete_shape(product, {{"m", 8}});
    EXPECT_FALSE(predicted_misses(*without, shape, complete_params(*without, {}), 4096, 64));
  }
  // With a formula for all elements of an operation or for none; no library has one, nor has a GPU's.
  std::set<std::string> with;
  for (const Variant* variant : variants()) {
    const std::string id = fmt::format("{}/{}", variant->operation->name, variant->name);
    if (variant->backend == "cpu" && variant->predicted_misses) with.insert(id);
    EXPECT_FALSE(variant->predicted_misses && !variant->trace) << id;
  }
  for (const Variant* variant : variants()) {
    const std::string id = fmt::format("{}/{}", variant->operation->name, variant->name);
    EXPECT_EQ(variant->predicted_misses != nullptr, variant->backend == "cpu" && with.count(id) > 0) << id;
  }
  EXPECT_EQ(with, (std::set<std::string>{"cholesky/cholesky_gustavson",
                                         "copy/rows",
                                         "counting_sort/bucketed",
                                         "counting_sort/classical",
                                         "lu/lu_gep",
                                         "lu_pivot/lu_pivot_toledo",
                                         "matmul/naive",
                                         "matmul/recursive",
                                         "matmul/tiled",
                                         "matmul/transposed",
                                         "matmul/transposed_tiled",
                                         "matmul_bt/naive",
                                         "matmul_bt/recursive",
                                         "matmul_bt/tiled",
                                         "shortest_paths/cgep_recursive",
                                         "shortest_paths/floyd_warshall",
                                         "shortest_paths/floyd_warshall_blocked",
                                         "shortest_paths/floyd_warshall_vectors",
                                         "shortest_paths/gep_recursive",
                                         "solve/refined",
                                         "sort/distribution_sort",
                                         "sort/funnelsort",
                                         "sort/merge_sort",
                                         "stencil/trapezoids",
                                         "transitive_closure/closure_recursive",
                                         "transpose/naive",
                                         "transpose/naive_columns",
                                         "transpose/recursive",
                                         "transpose/tiled"}));
  // 2048 buckets need a line each.
  const Operation& sort = find_operation("counting_sort", "uint32");
  const Variant& bucketed = find_variant(sort, "bucketed");
  const Shape keys = complete_shape(sort, {{"n", 1000}});
  EXPECT_FALSE(predicted_misses(bucketed, keys, complete_params(bucketed, {}), 4096, 64));
}

// On any machine: a count or a reason, and for the kernel's events the counts that it permits.
TEST(Counters, OfThisMachineAreReadOrAbsentWithAReason) {
  const Problem problem = problem_of("matmul", "m=200");
  const Candidate candidates[] = {{&find_variant(*problem.operation, "transposed")}};
  const auto variants = count_each(problem, candidates, {});
  ASSERT_TRUE(variants[0].outcome.measured()) << variants[0].outcome.reason;
  std::size_t presets = 0, kernel = 0;
  bool clock = false;
  for (const Counted& count : variants[0].counts) {
    EXPECT_EQ(count.value.has_value(), count.reason.empty()) << count.name << ": " << count.reason;
    presets += count.source == "hardware";
    kernel += count.source == "kernel";
    if (count.name == "perf::TASK-CLOCK" && count.value) {
      clock = true;
      EXPECT_GT(*count.value, 100'000);  // 16 million operations in more than a tenth of a millisecond
    }
    if (count.name == "PAPI_TOT_INS" && count.value) {
      EXPECT_GT(*count.value, 1'000'000);
    }
  }
  EXPECT_GT(presets, 50u);  // all that PAPI knows
  EXPECT_EQ(kernel, 7u);
  if (!clock) GTEST_SKIP() << "perf events: " << variants[0].counts.back().reason;
}

// What the request model counted of a GPU's variant, as PAPI reads it; the device's own events only where one
// counted.
TEST(Counters, OfAGpusRequestsAreReadThroughPapi) {
  const Operation& operation = find_operation("transpose", "float");
  std::vector<Candidate> candidates;
  for (const Variant* variant : variants_of(operation))
    if (variant->backend == "gpu" && variant->name == "naive") candidates.push_back({variant});
  if (candidates.empty()) GTEST_SKIP() << "built without CUDA";
  const Problem problem{&operation, parse_shape(operation, "m=64"), operation.inputs[0]};
  const Simulated events[] = {Simulated::gpu_global_load_sectors, Simulated::gpu_global_store_sectors,
                              Simulated::gpu_shared_load_wavefronts};
  std::vector<std::string> names;
  for (const Simulated event : events) {
    simulated_counters().publish({event});
    names.emplace_back(papi_name(event));
  }
  Document document{.kind = "misses"};
  const auto counts = Counting(names).run(
      [&] { count_requests(problem, candidates, cache::warp_machine("h200"), 0, document, [] {}); });
  constexpr long long warps = 64 * 64 / 32;
  EXPECT_EQ(counts[0].value, 4 * warps) << counts[0].reason;
  EXPECT_EQ(counts[1].value, 32 * warps) << counts[1].reason;
  EXPECT_EQ(counts[2].value, 0) << counts[2].reason;
  const Record& record = document.measurements.at(0);
  EXPECT_EQ(record.value("global store sectors"), 32 * warps);
  const Quantity* counted = record.find("global store sectors", Json::object(), Origin::event);
  ASSERT_TRUE(counted);
  const bool is_published = simulated_counters().published(of_device(Simulated::gpu_global_store_sectors));
  EXPECT_EQ(is_published, counted->reason.empty()) << counted->reason;
}

TEST(Misses, SizesAreParsed) {
  EXPECT_EQ(parse_bytes("32K"), 32768u);
  EXPECT_EQ(parse_bytes("2M"), 2u << 20);
  for (const char* bad : {"", "K", "32k", "-1", "1.5K", "99999999999999999999", "9999999999G"})
    EXPECT_THROW(parse_bytes(bad), Error) << bad;
  EXPECT_EQ(parse_cache("32K", 64).ways, 512u);
  EXPECT_EQ(parse_cache("32K:8", 64).ways, 8u);
  for (const char* bad : {"1000", "32K:", "32K:x", "32K:0", "32K:7", "128"})
    EXPECT_THROW(parse_cache(bad, 64), Error) << bad;
}

}  // namespace
}  // namespace tallcache
