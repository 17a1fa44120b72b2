// Set-associative hierarchies: by hand, against the ideal cache, and against a slow model on random traces.
#include <gtest/gtest.h>

#include <string>

#include "cache_reference.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/recursive.hpp"

namespace tallcache::cache {
namespace {

using Levels = std::vector<CacheLevel>;

Hierarchy run(const Levels& levels, const References& references) {
  Hierarchy caches(levels);
  feed(levels[0].line, references, {&caches});
  return caches;
}

References loads_of_lines(std::initializer_list<std::uint64_t> lines) {
  References references;
  for (const std::uint64_t line : lines) references.push_back({64 * line, 8, false});
  return references;
}

std::string differences(const Hierarchy& fast, const SlowHierarchy& slow) {
  for (std::size_t i = 0; i < fast.levels(); ++i)
    if (!(fast.counts(i) == slow.counts(i)))
      return "level " + std::to_string(i) + ": " + std::to_string(fast.counts(i).misses()) + " misses, not " +
             std::to_string(slow.counts(i).misses());
  if (fast.memory_reads() != slow.memory_reads) return "memory reads";
  if (fast.memory_writes() != slow.memory_writes) return "memory writes";
  return "";
}

// Four sets of one line: lines 0, 4 and 8 share set 0, line 1 has set 1.
TEST(Hierarchy, DirectMappedByHand) {
  const Hierarchy caches = run({{256, 1}}, loads_of_lines({0, 1, 4, 0, 1, 4, 8, 8, 0}));
  const LevelCounts& l1 = caches.counts(0);
  EXPECT_EQ(l1.loads, 9u);
  // 0 m, 1 m, 4 m, 0 m, 1 hit, 4 m, 8 m, 8 hit, 0 m
  EXPECT_EQ(l1.load_misses, 7u);
  EXPECT_EQ(l1.cold, 4u);
  EXPECT_EQ(l1.conflict, 3u);  // four lines hold {0, 1, 4, 8} together
  EXPECT_EQ(l1.capacity, 0u);
  EXPECT_EQ(caches.memory_reads(), 7u);
}

TEST(Hierarchy, TwoWaysTakeTheLeastRecent) {
  // Two sets of two: even lines in set 0. 0 m, 2 m, 0 hit, 4 m (2 leaves), 0 hit, 2 m (4 leaves), 0 hit.
  const Hierarchy caches = run({{256, 2}}, loads_of_lines({0, 2, 0, 4, 0, 2, 0}));
  EXPECT_EQ(caches.counts(0).misses(), 4u);
  EXPECT_EQ(caches.counts(0).conflict, 1u);
}

TEST(Hierarchy, PowerOfTwoStrideConflicts) {
  References strided, scanned;
  for (int round = 0; round < 10; ++round)
    for (std::uint64_t i = 0; i < 64; ++i) {
      strided.push_back({0x100000 + 4096 * i, 8, false});
      scanned.push_back({0x100000 + 64 * i, 8, false});
    }
  // 64 lines in 32 KiB of 8 ways: a stride of 4096 bytes puts all of them into one set of the 64.
  const LevelCounts bad = run({{32768, 8}}, strided).counts(0);
  EXPECT_EQ(bad.misses(), 640u);
  EXPECT_EQ(bad.cold, 64u);
  EXPECT_EQ(bad.conflict, 576u);
  EXPECT_EQ(run({{32768, 8}}, scanned).counts(0).misses(), 64u);
  // A number of sets that is not a power of two breaks up the stride: 63 sets of 8.
  EXPECT_EQ(run({{63 * 8 * 64, 8}}, strided).counts(0).misses(), 64u);
}

TEST(Hierarchy, CapacityMissesAreNotConflicts) {
  References cyclic;
  for (int round = 0; round < 5; ++round)
    for (std::uint64_t i = 0; i < 16; ++i) cyclic.push_back({64 * i, 8, false});
  const LevelCounts counts = run({{512, 2}}, cyclic).counts(0);
  EXPECT_EQ(counts.cold, 16u);
  EXPECT_EQ(counts.capacity, 64u);
  EXPECT_EQ(counts.conflict, 0u);
}

const References store_twice{{0, 8, true}, {8, 8, true}, {0, 8, false}, {256, 8, false}};

// Lines 0 and 4 share the one line of set 0.
TEST(Hierarchy, WriteBackAllocate) {
  Hierarchy caches = run({{256, 1}}, store_twice);
  EXPECT_EQ(caches.counts(0).store_misses, 1u);
  EXPECT_EQ(caches.counts(0).load_misses, 1u);
  EXPECT_EQ(caches.counts(0).write_backs, 1u);
  EXPECT_EQ(caches.memory_reads(), 2u);
  EXPECT_EQ(caches.memory_writes(), 1u);
  caches.flush();
  EXPECT_EQ(caches.memory_writes(), 1u);
}

TEST(Hierarchy, WriteThroughAllocate) {
  const Hierarchy caches = run({{.bytes = 256, .ways = 1, .write_back = false}}, store_twice);
  EXPECT_EQ(caches.counts(0).store_misses, 1u);
  EXPECT_EQ(caches.counts(0).write_backs, 0u);
  EXPECT_EQ(caches.memory_reads(), 2u);
  EXPECT_EQ(caches.memory_writes(), 2u);
}

TEST(Hierarchy, WriteThroughWithoutAllocate) {
  const Hierarchy caches =
      run({{.bytes = 256, .ways = 1, .write_back = false, .write_allocate = false}}, store_twice);
  EXPECT_EQ(caches.counts(0).store_misses, 2u);
  EXPECT_EQ(caches.counts(0).load_misses, 2u);
  EXPECT_EQ(caches.memory_reads(), 2u);
  EXPECT_EQ(caches.memory_writes(), 2u);
}

TEST(Hierarchy, WriteBackLandsInTheNextLevel) {
  Hierarchy caches = run({{256, 1}, {1024, 4}}, store_twice);
  EXPECT_EQ(caches.counts(0).write_backs, 1u);
  EXPECT_EQ(caches.memory_writes(), 0u);
  EXPECT_EQ(caches.counts(1).accesses(), 2u);
  EXPECT_EQ(caches.counts(1).stores, 1u);
  caches.flush();
  EXPECT_EQ(caches.counts(1).write_backs, 1u);
  EXPECT_EQ(caches.memory_writes(), 1u);
}

TEST(Hierarchy, OneSetIsTheIdealCache) {
  const Shape shape{{"m", 20}, {"n", 21}, {"k", 22}, {"pad", 2}};
  for (const std::size_t lines : {4, 16, 33, 100}) {
    StackDistances all;
    Hierarchy caches(Levels{{lines * 64, lines}});
    trace(64, {&all, &caches}, [&](Tracer& tracer) {
      run_traced<cpu::matmul::naive, Matmul<double>>(tracer, shape);
      run_traced<cpu::matmul::recursive, Matmul<double>>(tracer, shape, {{"base", 2}});
    });
    EXPECT_EQ(caches.counts(0).misses(), all.misses(lines));
    EXPECT_EQ(caches.counts(0).accesses(), all.accesses());
    EXPECT_EQ(caches.counts(0).cold, all.distinct_lines());
    EXPECT_EQ(caches.counts(0).conflict, 0u);
  }
}

// Every policy, one to three levels, sets that are no power of two, lines that grow.
Levels random_levels(std::uint64_t seed) {
  Levels levels;
  std::size_t line = 64;
  for (std::uint64_t i = 0; i <= seed % 3; ++i) {
    const auto pick = [&](std::uint64_t position, std::uint64_t bound) {
      return random_up_to(seed, 10 * i + position, bound);
    };
    line <<= pick(0, 3) == 0;
    const std::size_t ways = 1 + pick(1, 3), sets = 4 + pick(2, 4);
    levels.push_back({sets * ways * line, ways, line, pick(3, 2) > 0, pick(4, 2) > 0});
  }
  return levels;
}

TEST(Hierarchy, EqualsTheSlowModelOnRandomTraces) {
  std::uint64_t write_backs = 0, conflicts = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Levels levels = random_levels(seed);
    const References references = random_references(seed, 150, 5 + seed % 60, 1 + seed % 4);
    SlowHierarchy slow(levels);
    for (const auto& [address, bytes, store] : references) slow.access(address, store);
    slow.flush();
    Hierarchy fast = run(levels, references);
    fast.flush();
    ASSERT_EQ(differences(fast, slow), "") << seed;
    for (std::size_t i = 0; i < fast.levels(); ++i) {
      const LevelCounts& counts = fast.counts(i);
      ASSERT_EQ(counts.cold + counts.capacity + counts.conflict, counts.misses());
      write_backs += counts.write_backs;
      conflicts += counts.conflict;
    }
  }
  EXPECT_GT(write_backs, 1000u);
  EXPECT_GT(conflicts, 1000u);
}

// The comparison above detects a wrong policy, a wrong number of sets, and too small a set.
TEST(Hierarchy, ComparisonRejectsWrongModels) {
  const Levels right{{1024, 2}, {2048, 4}};
  const References references = random_references(11, 3000, 60);
  SlowHierarchy slow(right);
  for (const auto& [address, bytes, store] : references) slow.access(address, store);
  EXPECT_EQ(differences(run(right, references), slow), "");
  for (const Levels& wrong :
       {Levels{{1024, 1}, {2048, 4}}, Levels{{1024, 2}, {2048, 2}}, Levels{{1152, 2}, {2048, 4}},
        Levels{{.bytes = 1024, .ways = 2, .write_back = false}, {2048, 4}},
        Levels{{.bytes = 1024, .ways = 2, .write_allocate = false}, {2048, 4}}})
    EXPECT_NE(differences(run(wrong, references), slow), "");
}

TEST(Hierarchy, RefusesImpossibleGeometry) {
  const auto refuses = [](const Levels& levels) { EXPECT_THROW(Hierarchy{levels}, Error); };
  refuses({});
  refuses({{32768, 8}, {65536, 8}, {131072, 8}, {262144, 8}});
  refuses({{32768, 0}});
  refuses({{32768 + 64, 8}});
  refuses({{32768 + 1, 8}});
  refuses({{32768, 8, 48}});
  refuses({{32768, 8, 0}});
  refuses({{128, 1}});
  refuses({{32768, 8, 128}, {65536, 8, 64}});
  EXPECT_NO_THROW(Hierarchy(Levels{{49152, 12}, {2 << 20, 16}, {105 << 20, 15}}));
  Hierarchy caches(Levels{{32768, 8, 64}});
  EXPECT_THROW(feed(32, loads_of_lines({1}), {&caches}), Error);
}

}  // namespace
}  // namespace tallcache::cache
