// The ideal caches: LRU at one size, LRU at all sizes, OPT. Every oracle is also shown to reject a
// wrong model.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "cache_reference.hpp"
#include "common/cache/lru.hpp"
#include "common/cache/opt.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "cpu/counting_sort/bucketed.hpp"
#include "cpu/counting_sort/classical.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/recursive.hpp"
#include "cpu/matmul/tiled.hpp"
#include "cpu/transpose/naive.hpp"
#include "cpu/transpose/recursive.hpp"
#include "tests/support.hpp"

namespace tallcache::cache {
namespace {

/// Misses at a number of lines.
using Misses = std::function<std::uint64_t(std::size_t)>;

// The oracles. Each is a law that needs no reference. It returns "" when it holds at every size, else the
// size at which it breaks.
std::string never_rises(const Misses& misses, const std::vector<std::size_t>& sizes) {
  for (std::size_t i = 1; i < sizes.size(); ++i)
    if (misses(sizes[i]) > misses(sizes[i - 1])) return "more misses at " + std::to_string(sizes[i]);
  return "";
}
std::string equal(const Misses& a, const Misses& b, const std::vector<std::size_t>& sizes) {
  for (const std::size_t size : sizes)
    if (a(size) != b(size))
      return std::to_string(a(size)) + " is not " + std::to_string(b(size)) + " at " + std::to_string(size);
  return "";
}
std::string at_most(const Misses& opt, const Misses& lru, const std::vector<std::size_t>& sizes) {
  for (const std::size_t size : sizes)
    if (opt(size) > lru(size)) return "more than LRU at " + std::to_string(size);
  return "";
}
// Sleator and Tarjan 1985, with LRU given twice the lines.
std::string competitive(const Misses& lru, const Misses& opt, const std::vector<std::size_t>& sizes) {
  for (const std::size_t size : sizes)
    if (lru(2 * size) > 2 * opt(size) + size)
      return std::to_string(lru(2 * size)) + " > 2 x " + std::to_string(opt(size)) + " + " +
             std::to_string(size);
  return "";
}

/// A run that passes its accesses to any sink.
struct Workload {
  std::string name;
  std::function<void(Tracer&)> run;
};

template <class V, class Op>
Workload workload(std::string name, Shape shape, Params params = {}) {
  return {std::move(name), [=](Tracer& tracer) { run_traced<V, Op>(tracer, shape, params); }};
}

std::vector<Workload> workloads() {
  const Shape matmul{{"m", 24}, {"n", 25}, {"k", 23}, {"pad", 3}},
      transpose{{"m", 60}, {"n", 47}, {"pad", 1}};
  const Shape sort{{"n", 2000}, {"range", 1500}};
  std::vector<Workload> all{
      workload<cpu::matmul::naive, Matmul<double>>("naive matmul", matmul),
      workload<cpu::matmul::tiled, Matmul<double>>("tiled matmul", matmul, {{"tile_m", 8}, {"tile_n", 4}}),
      workload<cpu::matmul::recursive, Matmul<float>>("recursive matmul", matmul, {{"base", 4}}),
      workload<cpu::transpose::naive, Transpose<double>>("naive transpose", transpose),
      workload<cpu::transpose::recursive, Transpose<float>>("recursive transpose", transpose, {{"base", 4}}),
      workload<cpu::counting_sort::classical, CountingSort<false>>("counting sort", sort),
      workload<cpu::counting_sort::bucketed, CountingSort<true>>("bucketed sort", sort, {{"buckets", 32}}),
  };
  for (const std::uint64_t seed : {1, 2, 3})
    all.push_back({"random " + std::to_string(seed), [seed](Tracer& tracer) {
                     for (const auto& [address, bytes, store] :
                          random_references(seed, 20000, 40 * seed * seed))
                       tracer.load(reinterpret_cast<const void*>(address), bytes);
                   }});
  return all;
}

std::vector<std::size_t> sizes_up_to(std::size_t distinct) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size <= 2 * distinct + 2; size += 1 + size / 6) sizes.push_back(size);
  sizes.insert(sizes.end(), {distinct - 1, distinct, distinct + 1});
  std::sort(sizes.begin(), sizes.end());
  if (sizes.front() == 0) sizes.erase(sizes.begin());
  return sizes;
}

std::uint64_t lru_misses(std::size_t line, const References& references, std::size_t lines) {
  LruCache lru(lines);
  feed(line, references, {&lru});
  return lru.misses();
}

TEST(IdealCache, ScanMissesAsTheTheorySays) {
  for (const std::size_t line : {8, 32, 64, 128})
    for (const std::size_t words : {1, 7, 64, 1000, 4096}) {
      References aligned, shifted;
      for (std::size_t i = 0; i < words; ++i) {
        aligned.push_back({0x4000 + 8 * i, 8, i % 2 == 0});
        shifted.push_back({0x4000 + line - 8 + 8 * i, 8, false});
      }
      const std::size_t words_per_line = line / 8, whole = (words + words_per_line - 1) / words_per_line;
      for (const std::size_t lines : {1, 2, 100}) {
        EXPECT_EQ(lru_misses(line, aligned, lines), whole);
        EXPECT_LE(lru_misses(line, shifted, lines), whole + 1);
        EXPECT_EQ(lru_misses(line, shifted, lines), 1 + (words - 1 + words_per_line - 1) / words_per_line);
      }
    }
}

TEST(IdealCache, StraddlingElementTouchesBothLines) {
  StackDistances all;
  const TraceCounts counts = trace(64, {&all}, [](Tracer& tracer) {
    tracer.load(reinterpret_cast<const void*>(0x103c), 8);
    tracer.store(reinterpret_cast<const void*>(0x1038), 8);
    tracer.load(reinterpret_cast<const void*>(0x1040), 200);
  });
  EXPECT_EQ(counts.straddling, 2u);
  EXPECT_EQ(counts.loads, 2u);
  EXPECT_EQ(counts.stores, 1u);
  EXPECT_EQ(counts.distinct_lines, 5u);
  EXPECT_EQ(all.accesses(), 2u + 1 + 4);
}

TEST(IdealCache, LawsHoldOnEveryWorkload) {
  for (const Workload& workload : workloads())
    for (const std::size_t line : {16, 64}) {
      SCOPED_TRACE(workload.name + ", lines of " + std::to_string(line));
      StackDistances all;
      OptCache opt;
      const TraceCounts counts = trace(line, {&all, &opt}, workload.run);
      ASSERT_GT(all.distinct_lines(), 20u);
      EXPECT_EQ(counts.straddling, 0u);
      EXPECT_EQ(all.accesses(), counts.loads + counts.stores);
      EXPECT_EQ(opt.accesses(), all.accesses());

      const std::size_t distinct = all.distinct_lines();
      EXPECT_EQ(counts.distinct_lines, distinct);
      const auto sizes = sizes_up_to(distinct);
      StackDistances again;
      OptCache opt_again;
      std::vector<LruCache> caches(sizes.begin(), sizes.end());
      std::vector<Model*> models{&again, &opt_again};
      for (LruCache& cache : caches) models.push_back(&cache);
      trace(line, models, workload.run);

      const Misses one_size = [&](std::size_t size) {
        const auto at = std::find(sizes.begin(), sizes.end(), size) - sizes.begin();
        return caches[static_cast<std::size_t>(at)].misses();
      };
      const Misses all_sizes = [&](std::size_t size) { return again.misses(size); };
      const Misses optimal = [&](std::size_t size) { return opt_again.misses(size); };
      EXPECT_EQ(again.histogram(), all.histogram()) << "the layout of run_traced is not reproducible";
      EXPECT_EQ(equal(all_sizes, one_size, sizes), "");
      EXPECT_EQ(never_rises(all_sizes, sizes), "");
      EXPECT_EQ(never_rises(optimal, sizes), "");
      EXPECT_EQ(at_most(optimal, all_sizes, sizes), "");
      EXPECT_EQ(competitive(all_sizes, optimal, sizes), "");
      EXPECT_EQ(all_sizes(distinct), distinct) << "cold misses are the distinct lines";
      EXPECT_EQ(optimal(distinct), distinct);
      EXPECT_EQ(all_sizes(0), all.accesses());
      const auto curve = again.curve();
      ASSERT_EQ(curve.size(), distinct + 1);
      for (std::size_t size = 0; size <= distinct; ++size) ASSERT_EQ(curve[size], again.misses(size));
    }
}

TEST(IdealCache, EqualsTheSlowModelsOnRandomTraces) {
  for (std::uint64_t seed = 0; seed < (test::sanitized ? 400 : 2000); ++seed) {
    const References references = random_references(seed, 20 + seed % 60, 2 + seed % 13);
    const auto lines = lines_of(references, 64);
    StackDistances all;
    OptCache opt;
    feed(64, references, {&all, &opt});
    for (const std::size_t size : {1, 2, 3, 5, 8, 13}) {
      ASSERT_EQ(lru_misses(64, references, size), slow_misses(lines, size)) << seed;
      ASSERT_EQ(all.misses(size), slow_misses(lines, size)) << seed;
      ASSERT_EQ(opt.misses(size), slow_belady(lines, size)) << seed;
    }
  }
}

TEST(IdealCache, OptIsOptimal) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const References references = random_references(seed, 24, 6);
    OptCache opt;
    feed(64, references, {&opt});
    for (const std::size_t size : {1, 2, 3, 4})
      ASSERT_EQ(opt.misses(size), min_misses(lines_of(references, 64), size)) << seed;
  }
}

// The trace is long enough for the queues and the numberings to fill up and be compacted many times, and
// to grow.
TEST(IdealCache, CompactionChangesNothing) {
  for (const std::uint64_t distinct : {3, 900, 60000}) {
    constexpr std::size_t count = 1500000;
    std::vector<LruCache> caches{LruCache(1), LruCache(100), LruCache(distinct / 2 + 1), LruCache(distinct)};
    StackDistances all;
    std::vector<Model*> models{&all};
    for (LruCache& cache : caches) models.push_back(&cache);
    trace(64, models, [&](Tracer& tracer) {
      for (std::size_t i = 0; i < count; ++i)
        tracer.load(reinterpret_cast<const void*>(64 * (1 + random_up_to(distinct, i, distinct - 1))), 8);
    });
    ASSERT_EQ(std::accumulate(all.histogram().begin(), all.histogram().end(), all.distinct_lines()), count);
    for (const LruCache& cache : caches)
      EXPECT_EQ(all.misses(cache.lines()), cache.misses()) << cache.lines();
    if (distinct < 1000) {
      std::vector<std::uint64_t> lines;
      for (std::size_t i = 0; i < 100000; ++i) lines.push_back(random_up_to(distinct, i, distinct - 1));
      LruCache cache(100);
      for (const std::uint64_t line : lines) cache.access(static_cast<Line>(line));
      EXPECT_EQ(cache.misses(), slow_misses(lines, 100));
    }
  }
}

// Each law and each comparison rejects a model with a defect.
TEST(IdealCache, OraclesRejectWrongModels) {
  const std::vector<std::uint64_t> belady_anomaly{1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
  const auto with = [](const std::vector<std::uint64_t>& lines, Replace replace) {
    return [&lines, replace](std::size_t size) { return slow_misses(lines, size, replace); };
  };
  EXPECT_NE(never_rises(with(belady_anomaly, Replace::fifo), {3, 4}), "");
  EXPECT_EQ(never_rises(with(belady_anomaly, Replace::lru), {3, 4}), "");

  std::vector<std::uint64_t>
      phases;  // two working sets of 10 in turn: evicting the most recent keeps the wrong one
  for (int phase = 0; phase < 40; ++phase)
    for (int round = 0; round < 20; ++round)
      for (std::uint64_t line = 0; line < 10; ++line) phases.push_back(100 * (phase % 4) + line);
  const Misses best = [&](std::size_t size) { return slow_belady(phases, size); };
  EXPECT_EQ(competitive(with(phases, Replace::lru), best, {10}), "");
  EXPECT_NE(competitive(with(phases, Replace::most_recent), best, {10}), "");

  const References references = random_references(7, 400, 12);
  const auto lines = lines_of(references, 64);
  StackDistances all;
  OptCache opt;
  feed(64, references, {&all, &opt});
  const std::vector<std::size_t> sizes{2, 3, 4, 5, 6, 7, 8};
  const Misses fast = [&](std::size_t size) { return all.misses(size); };
  const Misses optimal = [&](std::size_t size) { return opt.misses(size); };
  EXPECT_EQ(equal(fast, with(lines, Replace::lru), sizes), "");
  EXPECT_NE(equal(fast, with(lines, Replace::fifo), sizes), "");
  EXPECT_NE(equal(
                fast, [&](std::size_t size) { return all.misses(size + 1); }, sizes),
            "");
  const Misses nearest = [&](std::size_t size) { return slow_belady(lines, size, false); };
  EXPECT_NE(equal(optimal, nearest, sizes), "");
  EXPECT_NE(at_most(nearest, fast, sizes), "");
  EXPECT_NE(slow_belady(lines_of(random_references(1, 24, 6), 64), 3, false),
            min_misses(lines_of(random_references(1, 24, 6), 64), 3));
}

TEST(IdealCache, RefusesWhatMakesNoSense) {
  EXPECT_THROW(LruCache(0), Error);
  EXPECT_THROW(cache_lines(1000, 64), Error);
  EXPECT_THROW(cache_lines(1024, 48), Error);
  EXPECT_THROW(cache_lines(1024, 0), Error);
  EXPECT_THROW(cache_lines(128, 64), Error);
  EXPECT_EQ(cache_lines(32768, 64), 512u);
  EXPECT_THROW(Tracer(24, {}), Error);
  EXPECT_THROW(OptCache().misses(0), Error);
}

TEST(IdealCache, OptSaysWhatATooLongTraceNeeds) {
  OptCache small(std::size_t{6} << 20);
  const auto run = [](Tracer& tracer) {
    for (std::uint64_t i = 0; i < 3000000; ++i)
      tracer.load(reinterpret_cast<const void*>(64 + 64 * (i % 1000)), 8);
  };
  try {
    trace(64, {&small}, run);
    FAIL() << "12 MB of trace fitted into 6";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("MiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("smaller size"), std::string::npos) << error.what();
  }
  OptCache enough(OptCache::bytes_needed(3000000, 1000));
  trace(64, {&enough}, run);
  EXPECT_EQ(enough.accesses(), 3000000u);
}

}  // namespace
}  // namespace tallcache::cache
