// The machine's description and limits: structure, agreement with the system, exact kernels, JSON. No speed
// is asserted.
#include "common/measure/machine.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/context.hpp"
#include "bench/results/machine_json.hpp"
#include "bench/show/machine_report.hpp"
#include "common/error.hpp"
#include "common/measure/bfloat16_unit.hpp"
#include "common/measure/machine_kernels.hpp"
#include "common/measure/machine_limits.hpp"
#include "common/measure/machine_topology.hpp"

namespace tallcache {
namespace {

const Machine& machine() {
  static const Machine known = this_machine();
  return known;
}

/// Small arrays and few rounds: the assertions do not depend on them.
const Limits& limits() {
  static const Limits known = measure_limits(
      machine(), {.min_rounds = 3, .max_rounds = 3, .flop_seconds = 0.001, .footprint = 8u << 20});
  return known;
}

template <class T>
void expect_value_or_reason(const Figure<T>& figure) {
  EXPECT_NE(figure.value.has_value(), !figure.absent.empty()) << figure.absent;
}

TEST(machine, every_fact_is_known_or_says_why_not) {
  const Machine& m = machine();
  EXPECT_FALSE(m.cpu.empty());
  EXPECT_FALSE(m.architecture.empty());
  expect_value_or_reason(m.sockets);
  expect_value_or_reason(m.cores);
  expect_value_or_reason(m.numa_nodes);
  expect_value_or_reason(m.memory_bytes);
  expect_value_or_reason(m.available_bytes);
  expect_value_or_reason(m.huge_pages);
  expect_value_or_reason(m.hypervisor);
  EXPECT_EQ(m.caches.empty(), !m.caches_absent.empty());
  EXPECT_EQ(m.gpus.empty(), !m.gpus_absent.empty());
  EXPECT_FALSE(m.simd.empty());
  EXPECT_GE(m.simd_bytes, 4);
  EXPECT_FALSE(m.build.compiler.empty());
  EXPECT_FALSE(m.build.version.empty());
  EXPECT_FALSE(m.build.textbook_flags.empty());
}

TEST(machine, counts_agree_with_the_system) {
  const Machine& m = machine();
  EXPECT_GE(m.threads, 1);
  EXPECT_LE(m.threads, sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GE(m.usable_cores, 1);
  EXPECT_LE(m.usable_cores, m.threads);
  if (m.cores) {
    EXPECT_LE(*m.cores, m.threads);
    if (m.sockets) {
      EXPECT_LE(*m.sockets, *m.cores);
    }
  }
  ASSERT_TRUE(m.memory_bytes && m.available_bytes);
  EXPECT_LE(*m.available_bytes, *m.memory_bytes);
}

TEST(machine, caches_are_sorted_and_agree_with_the_system) {
  const Machine& m = machine();
  if (m.caches.empty()) GTEST_SKIP() << m.caches_absent;
  EXPECT_TRUE(std::is_sorted(m.caches.begin(), m.caches.end(),
                             [](const CpuCache& a, const CpuCache& b) { return a.level < b.level; }));
  std::size_t last = 0;
  for (const CpuCache& cache : m.caches) {
    SCOPED_TRACE("L" + std::to_string(cache.level) + " " + cache.type);
    EXPECT_GT(cache.bytes, 0u);
    EXPECT_GE(cache.count, 1);
    EXPECT_GE(cache.cores, 1);
    expect_value_or_reason(cache.line_bytes);
    expect_value_or_reason(cache.ways);
    if (cache.line_bytes) {
      EXPECT_EQ(cache.bytes % static_cast<std::size_t>(*cache.line_bytes), 0u);
    }
    if (cache.type != "instruction") last = cache.bytes * static_cast<std::size_t>(cache.count);
    // glibc reads CPUID, hwloc reads /sys. Both describe this core's caches where they know them.
    const long told = cache.type == "instruction" ? 0
                      : cache.level == 1          ? sysconf(_SC_LEVEL1_DCACHE_SIZE)
                      : cache.level == 2          ? sysconf(_SC_LEVEL2_CACHE_SIZE)
                      : cache.level == 3          ? sysconf(_SC_LEVEL3_CACHE_SIZE)
                                                  : 0;
    const bool one_kind = std::count_if(m.caches.begin(), m.caches.end(), [&](const CpuCache& other) {
                            return other.level == cache.level && other.type == cache.type;
                          }) == 1;
    if (told > 0 && one_kind && cache.level == 3) {
      EXPECT_EQ(static_cast<std::size_t>(told) % cache.bytes, 0u);  // glibc tells of AMD's whole package
    } else if (told > 0 && one_kind) {
      EXPECT_EQ(cache.bytes, static_cast<std::size_t>(told));
    }
  }
  EXPECT_GE(m.last_level_bytes(), last);
}

TEST(machine, last_level_adds_up_its_caches_and_is_zero_without) {
  Machine m;
  EXPECT_EQ(m.last_level_bytes(), 0u);
  m.caches = {{.level = 1, .type = "data", .bytes = 10, .count = 4},
              {.level = 1, .type = "instruction", .bytes = 1000, .count = 4},
              {.level = 2, .type = "unified", .bytes = 100, .count = 2},
              {.level = 2, .type = "unified", .bytes = 50, .count = 1}};
  EXPECT_EQ(m.last_level_bytes(), 250u);
}

TEST(machine, commit_is_digits_or_unknown) {
  std::string commit = machine().build.commit;
  if (commit == "unknown") return;
  if (commit.ends_with("-dirty")) commit.resize(commit.size() - 6);
  EXPECT_EQ(commit.size(), 40u);
  EXPECT_EQ(commit.find_first_not_of("0123456789abcdef"), std::string::npos) << commit;
}

TEST(counters, each_is_counted_or_says_why_not) {
  const Counters& c = machine().counters;
  expect_value_or_reason(c.papi);
  expect_value_or_reason(c.hardware);
  expect_value_or_reason(c.perf_event_paranoid);
  if (c.hardware) {
    EXPECT_GT(*c.hardware, 0);
  }
  ASSERT_EQ(c.events.size(), 5u);
  for (const CounterEvent& event : c.events) {
    EXPECT_TRUE(event.name.starts_with("PAPI_")) << event.name;
    if (!c.hardware) {
      EXPECT_FALSE(event.absent.empty()) << event.name << " without hardware counters";
    }
  }
  if (c.papi) {
    EXPECT_FALSE(c.components.empty());
  }
}

TEST(topology, threads_run_at_once_each_on_its_core) {
  const Topology topology;
  const int all = static_cast<int>(topology.cores().size());
  std::vector<int> ran(all, -1);
  const double seconds = topology.run_pinned(all, [&](int i) { ran[i] = sched_getcpu(); });
  EXPECT_GE(seconds, 0);
  for (int i = 0; i < all; ++i) EXPECT_EQ(ran[i], static_cast<int>(topology.cores()[i]->os_index));
  EXPECT_THROW(topology.run_pinned(all + 1, [](int) {}), Error);
  EXPECT_THROW(topology.run_pinned(0, [](int) {}), Error);
  EXPECT_THROW(topology.run_pinned(1, [](int) { throw Error("passed on"); }), Error);
}

// The factor is a power of two, so that a fused and a separate multiplication round equally.
template <class T>
void expect_chains_as_scalar() {
  const SimdTarget simd = simd_target();
  const int lanes = std::is_same_v<T, float> ? simd.floats : simd.doubles;
  for (const auto& [factor, addend] : {std::pair<T, T>{2, 1}, {T{0.5}, 3}, {T{-0.25}, 5}, {1, 0}})
    for (const int iterations : {0, 1, 2, 7}) {
      double sum = 0;
      for (int c = 0; c < simd.chains; ++c) {
        T x = static_cast<T>(c + 1);
        for (int i = 0; i < iterations; ++i) x = x * factor + addend;
        sum += static_cast<double>(x) * lanes;
      }
      EXPECT_EQ(
          static_cast<double>(multiply_add_chains(static_cast<std::uint64_t>(iterations), factor, addend)),
          sum)
          << iterations << " iterations of x * " << factor << " + " << addend;
    }
}
/// Runs `body` once on every SIMD target that this CPU has, the widest first.
template <class Body>
int on_every_target(Body body) {
  int targets = 0;
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1, ++targets) {
    const std::int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(simd_target().name, hwy::TargetName(target));
    body();
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  return targets;
}

TEST(kernels, multiply_adds_are_those_of_a_scalar_loop) {
  const int targets = on_every_target([] {
    expect_chains_as_scalar<float>();
    expect_chains_as_scalar<double>();
  });
  EXPECT_GE(targets, 1);
}

TEST(kernels, multiply_adds_of_bfloat16_are_counted_by_their_sum) {
  const Bfloat16Unit* const unit = bfloat16_unit();
  if (!unit) GTEST_SKIP() << "the processor has no instruction for them";
  for (const std::uint64_t iterations : {0, 1, 65535, 65536, 65537, 200000})
    EXPECT_EQ(unit->run(iterations), static_cast<double>(iterations) * unit->chains * unit->multiply_adds)
        << iterations;
}

void expect_every_word_and_no_other() {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0, 1, 7, 8, 511, 512, 2047, 2048, 2049, 4096, 4100, 10000}) {
    SCOPED_TRACE(count);
    std::vector<std::uint64_t> from(count);
    std::generate(from.begin(), from.end(), std::ref(random));
    std::uint64_t sum = 0;
    for (const std::uint64_t word : from) sum += word;
    EXPECT_EQ(sum_words(from.data(), count), sum);

    constexpr std::uint64_t guard = 0xc3c3c3c3c3c3c3c3;
    std::vector<std::uint64_t> memory(count + 128, guard);
    const std::size_t skip = 8 + (-reinterpret_cast<std::uintptr_t>(memory.data() + 8) % 256) / 8;
    std::uint64_t* to = memory.data() + skip;
    stream_words(to, from.data(), count);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to));
    const auto intact = [](std::uint64_t word) { return word == guard; };
    EXPECT_TRUE(std::all_of(memory.data(), to, intact));
    EXPECT_TRUE(std::all_of(to + count, memory.data() + memory.size(), intact));
  }
}

TEST(kernels, sums_and_streams_every_word_and_no_other) {
  EXPECT_GE(on_every_target(expect_every_word_and_no_other), 1);
}

void expect_sane(const Rated& rate) {
  EXPECT_TRUE(std::isfinite(rate.best) && rate.best > 0) << rate.best;
  EXPECT_TRUE(std::isfinite(rate.median) && rate.median > 0 && rate.median <= rate.best) << rate.median;
  EXPECT_TRUE(std::isfinite(rate.mad) && rate.mad >= 0) << rate.mad;
  EXPECT_EQ(rate.rounds, 3);
}

TEST(limits, each_element_and_kernel_on_one_core_and_on_all) {
  const int teams = machine().usable_cores == 1 ? 1 : 2;
  ASSERT_EQ(limits().peaks.size(), (bfloat16_unit() ? 3u : 2u) * teams);
  ASSERT_EQ(limits().bandwidths.size(), 3u * teams) << limits().bandwidths_absent;
  expect_value_or_reason(limits().clock_ghz);
  for (const FlopPeak& peak : limits().peaks) {
    SCOPED_TRACE(peak.element + " " + std::to_string(peak.threads));
    expect_sane(peak.gflop_per_s);
    expect_value_or_reason(limits().instructions_per_cycle(peak));
  }
  for (const Bandwidth& bandwidth : limits().bandwidths) {
    SCOPED_TRACE(bandwidth.kernel + " " + std::to_string(bandwidth.threads));
    expect_sane(bandwidth.gb_per_s);
    EXPECT_LE(bandwidth.bytes, 8u << 20);
    EXPECT_GE(bandwidth.bytes, 7u << 20);
  }
}

TEST(limits, arrays_that_do_not_fit_give_a_reason_and_no_bandwidth) {
  const Limits without = measure_limits(
      machine(),
      {.min_rounds = 1, .max_rounds = 1, .flop_seconds = 0.001, .footprint = std::size_t{1} << 60});
  EXPECT_TRUE(without.bandwidths.empty());
  EXPECT_FALSE(without.bandwidths_absent.empty());
  EXPECT_TRUE(balances(without).empty());
  EXPECT_FALSE(without.peaks.empty());
  EXPECT_THROW(measure_limits(machine(), {.min_rounds = 0}), Error);
}

// The slides' E5-2690 v3: 416 and 208 GFLOP/s, 68 GB/s give 6 and 3 flops a byte, 24 a word.
TEST(limits, balance_of_the_slides_processor) {
  Limits slides;
  slides.peaks = {
      {"float", 12, 8, {.best = 416}}, {"double", 12, 4, {.best = 208}}, {"double", 1, 4, {.best = 17}}};
  slides.bandwidths = {{"read", 12, 1, {.best = 60}}, {"copy (memcpy)", 12, 1, {.best = 68}}};
  const std::vector<Balance> ratios = balances(slides);
  ASSERT_EQ(ratios.size(), 2u);
  EXPECT_EQ(std::round(ratios[0].flops_per_byte), 6);
  EXPECT_EQ(std::round(ratios[0].flops_per_word), 24);
  EXPECT_EQ(std::round(ratios[1].flops_per_byte), 3);
  EXPECT_EQ(std::round(ratios[1].flops_per_word), 24);
}

TEST(limits, instructions_per_cycle_of_a_known_core) {
  Limits known;
  const FlopPeak peak{"double", 2, 4, {.best = 96}};  // 2 cores x 2 FMA x 4 lanes x 2 flops x 3 GHz
  EXPECT_FALSE(known.instructions_per_cycle(peak));
  EXPECT_FALSE(known.instructions_per_cycle(peak).absent.empty());
  known.clock_ghz = 3.0;
  EXPECT_DOUBLE_EQ(*known.instructions_per_cycle(peak), 2.0);
}

TEST(machine_json, is_read_back_as_it_was_written) {
  Machine m = machine();
  m.peers = {{"OpenBLAS", "SkylakeX"}};
  m.sockets = Figure<int>::none("hidden");
  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(m).dump()).get<Machine>(), m);
  EXPECT_EQ(nlohmann::json(m).at("sockets").at("absent"), "hidden");
  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(limits()).dump()).get<Limits>(), limits());
}

TEST(machine_report, tells_what_is_absent_and_why) {
  Machine m = machine();
  m.caches.clear();
  m.caches_absent = "no caches to be seen";
  m.cores = Figure<int>::none("no cores to be seen");
  const std::string text = report(m);
  EXPECT_NE(text.find("no caches to be seen"), std::string::npos) << text;
  EXPECT_NE(text.find("no cores to be seen"), std::string::npos) << text;
  EXPECT_NE(text.find(m.gpus_absent), std::string::npos) << text;

  Limits none = limits();
  none.clock_ghz = Figure<double>::none("no clock to be seen");
  none.bandwidths.clear();
  none.bandwidths_absent = "no memory to be had";
  const std::string shown = report(none);
  EXPECT_NE(shown.find("no clock to be seen"), std::string::npos) << shown;
  EXPECT_NE(shown.find("no memory to be had"), std::string::npos) << shown;
}

}  // namespace
}  // namespace tallcache
