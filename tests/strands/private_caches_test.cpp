// Misses of scheduled strands: on one processor those of the traced run, with coherence, and the limits.
#include "common/cache/private_caches.hpp"

#include <gtest/gtest.h>

#include "common/cache/parallel_misses.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "common/catalogue.hpp"
#include "common/fork/local_memory.hpp"
#include "tests/strands/programs.hpp"

namespace tallcache::test {
namespace {

using namespace cache;

const std::vector<std::size_t> sizes{8, 32, 512};

std::vector<std::uint64_t> misses_on(const Strands& strands, Scheduler scheduler, int processors,
                                     std::uint64_t* steps = nullptr) {
  PrivateCaches caches(strands, processors, sizes);
  const ScheduleCounts counts = schedule(strands, scheduler, processors, 1, caches);
  if (steps) *steps = counts.steps;
  std::vector<std::uint64_t> misses;
  for (std::size_t i = 0; i < sizes.size(); ++i) misses.push_back(caches.misses(i));
  return misses;
}

struct Traceable {
  const char *operation, *element, *variant, *shape, *params;
};

// The counts of `tallcache misses` on one cache, of the serial text.
TEST(PrivateCaches, OneHasTheMissesOfTheTracedRun) {
  for (const Traceable& text : {Traceable{"matmul", "double", "recursive", "m=20", "base=1"},
                                Traceable{"transpose", "double", "recursive", "m=33", "base=1"},
                                Traceable{"sort", "uint32", "merge_sort", "n=700", ""},
                                Traceable{"fft", "", "fft_recursive", "n=256", ""},
                                Traceable{"counting_sort", "uint32", "bucketed_streaming", "n=3000", ""}}) {
    SCOPED_TRACE(text.operation);
    const Operation* operation = nullptr;
    for (const Operation* candidate : operations())
      if (candidate->name == text.operation && (!*text.element || candidate->element == text.element)) {
        operation = candidate;
        break;
      }
    ASSERT_TRUE(operation);
    const Variant& variant = find_variant(*operation, text.variant);
    const Params params = parse_params(variant, text.params);
    const Shape shape = parse_shape(*operation, text.shape);
    StackDistances distances;
    cache::trace(64, {&distances}, [&](Tracer& tracer) { run_traced(variant, tracer, shape, params); });
    const Strands serial = record_strands(variant, shape, params, 1, 64);
    EXPECT_EQ(serial.size(), 1u);
    EXPECT_EQ(serial.accesses(), distances.accesses());
    for (const Scheduler scheduler : schedulers) {
      const auto misses = misses_on(serial, scheduler, 1);
      for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(misses[i], distances.misses(sizes[i]));
    }
    if (*text.params) {
      EXPECT_GT(record_strands(variant, shape, params, 4, 64).size(), 100u);
    }
  }
}

// All schedules on one processor are the serial one.
TEST(PrivateCaches, OneProcessorRunsInOrder) {
  const Strands forked = strands_of_product(20, 2, 64), serial = strands_of_product(20, 2, 64, 1);
  ASSERT_GT(forked.size(), serial.size());
  EXPECT_EQ(forked.accesses(), serial.accesses());
  for (const Scheduler scheduler : schedulers) {
    std::uint64_t steps = 0;
    EXPECT_EQ(misses_on(forked, scheduler, 1, &steps), misses_on(serial, Scheduler::depth_first, 1));
    EXPECT_EQ(steps, forked.work());
  }
}

TEST(PrivateCaches, MissesTakeSteps) {
  const Strands strands = strands_of_product(16, 2, 64);
  PrivateCaches caches(strands, 1, std::vector<std::size_t>{8}, 10);
  const ScheduleCounts counts = schedule(strands, Scheduler::work_stealing, 1, 1, caches);
  EXPECT_EQ(counts.steps, strands.work() + 10 * caches.misses(0));
  EXPECT_THROW(PrivateCaches(strands, 1, sizes, 10), Error);
}

SharingCounts coherent(const Strands& strands, int processors, const CacheLevel& shape) {
  KeptSchedule kept(strands);
  schedule(strands, Scheduler::work_stealing, processors, 1, kept);
  return coherent_misses(strands, kept.placed(), processors, shape);
}

TEST(Coherence, OneFullyAssociativeCacheIsIdeal) {
  const Strands strands = strands_of_product(16, 2, 64, 4, true), plain = strands_of_product(16, 2, 64, 4);
  EXPECT_EQ(strands.accesses(), plain.accesses());
  const SharingCounts counts = coherent(strands, 1, {.bytes = 32 * 64, .ways = 32});
  EXPECT_EQ(counts.misses(), misses_on(plain, Scheduler::work_stealing, 1)[1]);
  EXPECT_EQ(counts.true_sharing + counts.false_sharing, 0u);
}

// Each processor leases memory of its own, though the recorded run has one piece.
TEST(Coherence, LeasedMemoryIsNotShared) {
  for (const bool leased : {true, false}) {
    alignas(64) std::byte room[4 * 128];
    Scratch<> scratch(room);
    const LocalMemory<> memory(scratch, 64, 4);
    const auto run = [&](Tracer& tracer) {
      Recorded fork(*tracer.fork_observer(), tracer.width());
      const auto strand = [&] {
        const auto lease = leased ? memory.lease(fork) : memory.lease(Serial{});
        auto piece = lease.scratch().with(Traced<Tracer>{&tracer});
        const auto numbers = piece.vector<double>(8);
        for (int i = 0; i < 10; ++i) numbers[i % 8] = i;
      };
      fork(strand, strand);
    };
    const SharingCounts counts = coherent(record_strands(64, 2, run, true), 2, {.bytes = 256, .ways = 4});
    EXPECT_EQ(counts.stores, 20u);
    EXPECT_EQ(counts.cold, 2u);
    EXPECT_EQ(counts.true_sharing + counts.false_sharing > 0, !leased);
  }
}

// Two processors store to the halves of a line in turn: a store at each step.
TEST(Coherence, FalseAndTrueSharing) {
  alignas(64) double line[8]{};
  for (const bool same_word : {false, true}) {
    const auto run = [&](Tracer& tracer) {
      Recorded fork(*tracer.fork_observer(), tracer.width());
      const auto stores = [&](int word) {
        for (int i = 0; i < 10; ++i) tracer.store(&line[word], sizeof(double));
      };
      fork([&] { stores(0); }, [&] { stores(same_word ? 0 : 4); });
    };
    const Strands strands = record_strands(64, 2, run, true);
    ASSERT_EQ(strands.size(), 4u);
    const SharingCounts counts = coherent(strands, 2, {.bytes = 256, .ways = 4});
    EXPECT_EQ(counts.cold, 2u);
    // Branch 1 stores at steps 1 to 10 and branch 2, stolen, at 2 to 11: from 3 to 10 each finds the other's.
    EXPECT_EQ(same_word ? counts.true_sharing : counts.false_sharing, 16u);
    EXPECT_EQ(same_word ? counts.false_sharing : counts.true_sharing, 0u);
    EXPECT_EQ(counts.stores, 20u);
  }
}

// What is called between accesses ends a run: a strand of very many, their coherence, and their recording.
TEST(PrivateCaches, EndWhereAsked) {
  constexpr int most = 100'000;
  alignas(64) double number{};
  int recorded = 0;
  const auto run = [&](Tracer& tracer) {
    for (recorded = 0; recorded < most; ++recorded) tracer.store(&number, sizeof number);
  };
  const Strands strands = record_strands(64, 1, run, true);
  ASSERT_EQ(strands.accesses(), static_cast<std::uint64_t>(most));
  int calls = 0;
  const auto third = [&] {
    if (++calls == 3) throw Error("asked");
  };
  PrivateCaches caches(strands, 1, std::vector<std::size_t>{8}, 0, third);
  EXPECT_THROW(schedule(strands, Scheduler::work_stealing, 1, 1, caches), Error);
  EXPECT_LT(caches.misses(0), 2u);
  calls = 0;
  KeptSchedule kept(strands);
  schedule(strands, Scheduler::work_stealing, 1, 1, kept);
  EXPECT_THROW(coherent_misses(strands, kept.placed(), 1, {.bytes = 256, .ways = 4}, third), Error);
  EXPECT_EQ(calls, 3);

  struct Ends : Model {
    void consume(const Block&) override { throw Error("asked"); }
  } ends;
  EXPECT_THROW(record_strands(64, 1, run, true, max_strand_bytes, &ends), Error);
  EXPECT_LT(recorded, most);
}

TEST(Strands, KeepTheBytesOfEachLine) {
  alignas(64) unsigned char memory[128]{};
  const Strands strands = record_strands(
      64, 1, [&](Tracer& tracer) { tracer.load(memory + 60, 8); }, true);
  std::vector<std::pair<int, int>> bytes;
  strands.visit(0, [&](const LineAccess& access, LineBytes of) {
    EXPECT_FALSE(access.store);
    bytes.emplace_back(of.first, of.last);
  });
  EXPECT_EQ(bytes, (std::vector<std::pair<int, int>>{{60, 63}, {0, 3}}));
  EXPECT_EQ(strands.addresses()[1], strands.addresses()[0] + 1);
}

TEST(Strands, AreBounded) {
  try {
    strands_of_product(64, 1, 64, 2, false, 1 << 20);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the strands of this run take more than 1 MiB: record a smaller size");
  }
  EXPECT_THROW(record_strands(
                   512, 1, [](Tracer&) {}, true),
               Error);
}

TEST(ParallelMisses, Formulas) {
  const IdealCache ideal{.Z = 1024, .L = 8};
  EXPECT_EQ(stolen_misses(ideal, 4, 100).misses, 128 * 4 * 100);
  EXPECT_EQ(misses_of_steals(ideal, 10).misses, 2560);
  // One segment is the whole product, n^3 = 2^18 on a cache of 2^10 words.
  const double n = 64, one = n * n * n / (8 * 32) + n * n / 8 + n;
  const auto of_segments = [&](std::string_view operation, std::string_view variant, const Shape& shape,
                               double segments) {
    return misses_of_segments(operation, variant, shape, ideal, segments).value().misses;
  };
  const Shape cube{{"m", 64}, {"n", 64}, {"k", 64}};
  EXPECT_NEAR(of_segments("matmul", "recursive", cube, 1), one, 1e-9);
  EXPECT_NEAR(of_segments("matmul", "recursive", cube, 8), n * n * n / (8 * 32) + 2 * n * n / 8 + 4 * n,
              1e-9);
  EXPECT_NEAR(of_segments("transpose", "recursive", {{"m", 64}, {"n", 64}}, 16), 512 + 4 * 64, 1e-9);
  // 2^12 points in 2^6 steps: a segment of 2^18 has a base of 2^12 points in 2^6 rows; 2^9 has 2^6 in 2^3.
  const Shape square{{"cols", 64}, {"rows", 64}, {"planes", 1}, {"steps", 64}};
  const double passes = 262144.0 / (8 * 32);
  EXPECT_NEAR(of_segments("stencil", "trapezoids", square, 1), passes + 512 + 64, 1e-9);
  EXPECT_NEAR(of_segments("stencil", "trapezoids", square, 512), passes + 512 * (8 + 8), 1e-9);
  const Shape line{{"cols", 4096}, {"rows", 1}, {"planes", 1}, {"steps", 64}};
  EXPECT_NEAR(of_segments("stencil", "trapezoids", line, 4), 32 + 4 * (256 / 8 + 1), 1e-9);
  EXPECT_FALSE(misses_of_segments("fft", "fft_recursive", {{"n", 1024}}, ideal, 1));
}

}  // namespace
}  // namespace tallcache::test
