// The speed of the cache models: accesses per second, on recorded traces of real algorithms and of random
// lines, and with tracing and simulation together. `folded` is the share of accesses that the tracer folded
// into the one before.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/cache/hierarchy.hpp"
#include "common/cache/lru.hpp"
#include "common/cache/opt.hpp"
#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "common/cache/tracer.hpp"
#include "common/random.hpp"
#include "cpu/counting_sort/classical.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/recursive.hpp"

namespace {

using namespace tallcache;
using namespace tallcache::cache;

constexpr std::size_t line = 64;
constexpr std::size_t kib = 1024, mib = 1024 * kib;

using Run = std::function<void(Tracer&)>;

Run random_lines(std::size_t footprint) {
  return [footprint](Tracer& tracer) {
    for (std::uint64_t i = 0; i < 16000000; ++i)
      tracer.load(reinterpret_cast<const void*>(line * (1 + random_up_to(1, i, footprint / line - 1))), 8);
  };
}

template <class V>
Run matmul(Index m, Index n, Index k) {
  return [=](Tracer& tracer) {
    run_traced<V, Matmul<double>>(tracer, {{"m", m}, {"n", n}, {"k", k}, {"pad", 0}});
  };
}

// Named by operation and footprint.
const std::vector<std::pair<std::string, Run>> traces{
    {"rec_mult_384KB", matmul<cpu::matmul::recursive>(128, 128, 128)},
    {"naive_matmul_384KB", matmul<cpu::matmul::naive>(128, 128, 128)},
    {"naive_matmul_100MB", matmul<cpu::matmul::naive>(2, 3600, 3600)},
    {"counting_sort_120MB",
     [](Tracer& tracer) {
       run_traced<cpu::counting_sort::classical, CountingSort<false>>(tracer,
                                                                      {{"n", 10000000}, {"range", 10000000}});
     }},
    {"random_1MB", random_lines(mib)},
    {"random_10MB", random_lines(10 * mib)},
    {"random_100MB", random_lines(100 * mib)},
};

struct Recording : Model {
  std::vector<LineAccess> accesses;
  std::vector<std::uint64_t> addresses;
  std::uint64_t elements = 0;

  void consume(const Block& block) override {
    accesses.insert(accesses.end(), block.accesses.begin(), block.accesses.end());
    addresses.assign(block.addresses.begin(), block.addresses.end());
  }
  void replay(Model& model) const {
    constexpr std::size_t size = 4096;
    for (std::size_t first = 0; first < accesses.size(); first += size)
      model.consume({{&accesses[first], std::min(size, accesses.size() - first)}, addresses, line});
  }
};

// The latest trace. Benchmarks are registered trace by trace, and only one trace at a time has to fit
// in memory.
const Recording& recording_of(std::size_t index) {
  static std::size_t held = traces.size();
  static std::unique_ptr<Recording> recording;
  if (held != index) {
    recording = std::make_unique<Recording>();
    Recording& to = *recording;
    const TraceCounts counts = trace(line, {&to}, traces[index].second);
    to.elements = counts.loads + counts.stores;
    held = index;
  }
  return *recording;
}

void report(benchmark::State& state, const Recording& recording) {
  const double elements = static_cast<double>(recording.elements);
  state.SetItemsProcessed(static_cast<std::int64_t>(recording.elements) *
                          static_cast<std::int64_t>(state.iterations()));
  state.counters["folded"] = 1 - static_cast<double>(recording.accesses.size()) / elements;
}

// `finish(model)` is called when the trace has ended.
template <class Make, class Finish = void (*)(const Model&)>
void model_alone(
    benchmark::State& state, std::size_t index, Make make, Finish finish = [](const Model&) {}) {
  const Recording& recording = recording_of(index);
  for (auto _ : state) {
    auto model = make();
    recording.replay(model);
    finish(model);
  }
  report(state, recording);
}

template <class Make>
void with_tracing(benchmark::State& state, std::size_t index, Make make) {
  const Recording& recording = recording_of(index);
  for (auto _ : state) {
    auto model = make();
    trace(line, {&model}, traces[index].second);
  }
  report(state, recording);
}

struct Nothing : Model {
  void consume(const Block&) override {}
};

constexpr std::array machine{CacheLevel{48 * kib, 12}, CacheLevel{2 * mib, 16}, CacheLevel{105 * mib, 15}};

void register_all() {
  using benchmark::RegisterBenchmark;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::string& name = traces[i].first;
    const auto add = [&](const std::string& what, auto body) {
      RegisterBenchmark((what + "/" + name).c_str(), body)->Unit(benchmark::kMillisecond);
    };
    for (const std::size_t bytes : {32 * kib, 2 * mib, 64 * mib})
      add("lru_" + std::to_string(bytes / kib) + "KiB",
          [=](auto& state) { model_alone(state, i, [=] { return LruCache(cache_lines(bytes, line)); }); });
    add("stack_distances", [=](auto& state) { model_alone(state, i, [] { return StackDistances(); }); });
    add("hierarchy_l1",
        [=](auto& state) { model_alone(state, i, [] { return Hierarchy(std::span(machine).first(1)); }); });
    add("hierarchy_l1_l2_l3", [=](auto& state) { model_alone(state, i, [] { return Hierarchy(machine); }); });
    add("opt_2MiB", [=](auto& state) {
      model_alone(
          state, i, [] { return OptCache(); },
          [](const OptCache& opt) { benchmark::DoNotOptimize(opt.misses(2 * mib / line)); });
    });
    add("tracing_alone", [=](auto& state) { with_tracing(state, i, [] { return Nothing(); }); });
    add("tracing_and_lru_32KiB",
        [=](auto& state) { with_tracing(state, i, [] { return LruCache(cache_lines(32 * kib, line)); }); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
