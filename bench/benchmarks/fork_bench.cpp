// What a fork costs under each policy: fib with a fork at every call, which does hardly anything else. One
// iteration runs all of them in turn. `fork_ns` is what a latent fork costs beside the elision, `speedup` and
// `speedup_all` two threads and all of them over one under the heartbeat policy, `over_onetbb` a task at
// every fork over a heartbeat (for a smaller n, scaled by the calls). Medians.
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <vector>

#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/measure/statistics.hpp"
#include "cpu/fib/fib.hpp"

namespace {

using namespace tallcache;
using cpu::fib::fibonacci;

/// The calls of fib(n) that fork.
double forks_of(Index n) {
  double before = 0, forks = 0;
  for (Index i = 2; i <= n; ++i) before = std::exchange(forks, forks + before + 1);
  return forks;
}

void compare(benchmark::State& state) {
  if (usable_threads() < 2) return state.SkipWithError("needs 2 processors");
  const Index n = state.range(0), smaller = n - 8;
  enum { elision, one, two, all, onetbb, policies };
  std::array<std::vector<double>, policies> times;
  const auto timed = [&](int policy, Index size, auto&& fork) {
    const auto start = std::chrono::steady_clock::now();
    const Fib::Number number = fibonacci(fork, size, 0);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    times[static_cast<std::size_t>(policy)].push_back(taken.count());
    Serial serial;
    if (number != fibonacci(serial, size, 20)) state.SkipWithError("wrong");
  };
  for (auto _ : state) {
    timed(elision, n, Serial{});
    // In an arena of one thread forks stay latent.
    in_arena(1, [&] { timed(one, n, Heartbeat{2}); });
    timed(two, n, Heartbeat{2});
    timed(all, n, Heartbeat{usable_threads()});
    in_arena(2, [&] { timed(onetbb, smaller, OneTbb{2}); });
    state.SetIterationTime(times[two].back());
  }
  const auto of = [&](int policy) { return median(times[static_cast<std::size_t>(policy)]); };
  state.counters["elision_ms"] = of(elision) * 1e3;
  state.counters["one_ms"] = of(one) * 1e3;
  state.counters["two_ms"] = of(two) * 1e3;
  state.counters["two_mad_ms"] = median_absolute_deviation(times[two]) * 1e3;
  state.counters["fork_ns"] = (of(one) - of(elision)) / forks_of(n) * 1e9;
  state.counters["speedup"] = of(one) / of(two);
  state.counters["speedup_all"] = of(one) / of(all);
  state.counters["over_onetbb"] = of(onetbb) / of(two) * forks_of(n) / forks_of(smaller);
}

BENCHMARK(compare)->Name("fib")->Arg(30)->Arg(35)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
