// Heartbeat without a grain beside the best grain that can be found by hand. The other policy makes a task of
// oneTBB at every fork down to some depth of the recursion and runs the rest serially, where a fork costs a
// comparison. Every depth is measured; the best one is `depth`. `share` is its time over Heartbeat's.
// `beside` is the time per run of as many serial programs at once as there are threads, each on data of its
// own, over Heartbeat's: 1 is what the processors' shared caches and clock allow. The leaves of the texts, of
// which `base` is the size, take some hundreds of nanoseconds. One iteration runs all in turn. Medians.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <functional>
#include <list>
#include <thread>
#include <vector>

#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/measure/statistics.hpp"
#include "common/random.hpp"
#include "cpu/fft/fft_recursive.hpp"
#include "cpu/fib/fib.hpp"
#include "cpu/matmul/recursive.hpp"
#include "cpu/sort/merge_sort.hpp"
#include "cpu/sort/quicksort.hpp"

namespace {

using namespace tallcache;

/// OneTbb down to a depth.
struct CutOff {
  int threads, depth;

  template <class F, class G>
  void operator()(F&& f, G&& g) const {
    const int below = reached + 1;
    if (below > depth) return Serial{}(f, g);
    OneTbb{threads}([&] { at(below, f); }, [&] { at(below, g); });
  }
  template <class F, class G>
  void adding(F&& f, G&& g) const {
    Serial{}(f, g);
  }
  template <class Body>
  void loop(Index begin, Index end, Index step, Body&& body) const {
    const Index grain = std::max<Index>(1, iterations(begin, end, step) >> depth);
    loop_by_halves(*this, begin, end, step, grain, body);
  }

 private:
  // A thread that waits may run a branch at another depth.
  template <class Branch>
  static void at(int below, Branch& branch) {
    struct Depth {
      int before;
      ~Depth() { reached = before; }
    } const restored{std::exchange(reached, below)};
    branch();
  }
  static inline constinit thread_local int reached = 0;
};

/// A text on an input of its own: prepare() sets it, run(fork) is timed, result() tells whether it is right.
struct Fibonacci {
  static constexpr Index n = 32, base = 13;
  Fib::Number number = 0;
  void prepare() { number = 0; }
  template <class Fork>
  void run(Fork& fork) {
    number = cpu::fib::fibonacci(fork, n, base);
  }
  bool right() const { return number == 2178309; }
};

struct Keys {
  static constexpr Index size = 300'000;
  std::vector<Sort::Key> input, keys, other, sorted;
  Keys() : input(size), other(size) {
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<Sort::Key>(random_bits(1, i));
    sorted = input;
    std::ranges::sort(sorted);
  }
  void prepare() { keys = input; }
  bool right() const { return keys == sorted; }
};

struct Quicksort : Keys {
  template <class Fork>
  void run(Fork& fork) {
    cpu::sort::sample_qsort(fork, VectorView<Sort::Key>{keys.data(), size});
  }
};

struct MergeSort : Keys {
  static constexpr Index base = 128;
  template <class Fork>
  void run(Fork& fork) {
    cpu::sort::p_merge_sort(fork, VectorView<Sort::Key>{keys.data(), size},
                            VectorView<Sort::Key>{other.data(), size}, false, base);
  }
};

struct RecMult {
  static constexpr Index n = 384, base = 16;
  std::vector<float> a, b, c, expected;
  RecMult() : a(n * n), b(n * n), c(n * n) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(random_bits(1, i) % 8);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(random_bits(2, i) % 8);
    Serial serial;
    prepare();
    run(serial);
    expected = c;
  }
  void prepare() { std::ranges::fill(c, 0.0f); }
  template <class Fork>
  void run(Fork& fork) {
    cpu::matmul::rec_mult(fork, MatrixView<float>{c.data(), n, n, n},
                          ConstantMatrix<float, Plain>{a.data(), n, n, n},
                          ConstantMatrix<float, Plain>{b.data(), n, n, n}, base);
  }
  bool right() const { return c == expected; }
};

struct Transform {
  static constexpr Index n = Index{1} << 19, base = 64;
  using Complex = cpu::fft::Complex;
  std::vector<Complex> in, table, out, expected;
  Transform() : in(n), table(n), out(n) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = {random_unit(1, i), random_unit(2, i)};
    Serial serial;
    cpu::fft::fill_twiddles(serial, VectorView<Complex>{table.data(), n});
    run(serial);
    expected = out;
  }
  void prepare() { std::ranges::fill(out, Complex{}); }
  template <class Fork>
  void run(Fork& fork) {
    cpu::fft::rec_fft(fork, VectorView<Complex>{out.data(), n}, VectorView<const Complex>{in.data(), n}, 1,
                      VectorView<const Complex>{table.data(), n}, base);
  }
  bool right() const { return out == expected; }
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds a program where each of `texts` runs on a processor of its own, all at once.
template <class Text>
double side_by_side(std::list<Text>& texts) {
  // The workers of the arenas spin for some milliseconds before they leave their processors.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const ProcessorSet processors = usable_processors();
  std::barrier<> together(std::ssize(texts) + 1);
  std::vector<std::jthread> threads;
  for (Text& text : texts)
    threads.emplace_back([&text, &together, processor = processors.at(static_cast<int>(threads.size()))] {
      pin_to(processor);
      text.prepare();
      together.arrive_and_wait();
      Serial fork;
      text.run(fork);
      together.arrive_and_wait();
    });
  together.arrive_and_wait();
  const double start = now();
  together.arrive_and_wait();
  return (now() - start) / static_cast<double>(texts.size());
}

template <class Text>
void compare(benchmark::State& state) {
  const int threads = state.range(0) == 0 ? usable_threads() : static_cast<int>(state.range(0));
  if (threads > usable_threads()) return state.SkipWithError("needs more processors");
  constexpr int depths = 17;
  std::vector<double> serial, heartbeat, beside;
  std::array<std::vector<double>, depths> cut_off;
  std::list<Text> texts(static_cast<std::size_t>(threads));
  Text& text = texts.front();
  const auto timed = [&](std::vector<double>& times, auto&& run) {
    text.prepare();
    const double start = now();
    run();
    times.push_back(now() - start);
    if (!text.right()) state.SkipWithError("wrong");
  };
  for (auto _ : state) {
    timed(serial, [&] {
      Serial fork;
      text.run(fork);
    });
    for (int depth = 1; depth < depths; ++depth) {
      timed(heartbeat, [&] {
        Heartbeat fork{threads};
        text.run(fork);
      });
      timed(cut_off[static_cast<std::size_t>(depth)], [&] {
        in_arena(threads, [&] {
          CutOff fork{threads, depth};
          text.run(fork);
        });
      });
    }
    beside.push_back(side_by_side(texts));
    state.SetIterationTime(heartbeat.back());
  }
  const auto best = std::ranges::min_element(cut_off.begin() + 1, cut_off.end(), {}, median);
  state.counters["serial_ms"] = median(serial) * 1e3;
  state.counters["heartbeat_ms"] = median(heartbeat) * 1e3;
  state.counters["best_ms"] = median(*best) * 1e3;
  state.counters["depth"] = static_cast<double>(best - cut_off.begin());
  state.counters["share"] = median(*best) / median(heartbeat);
  state.counters["beside"] = median(beside) / median(heartbeat);
}

void threads_of(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(2)->Arg(0)->ArgName("threads")->UseManualTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(compare<Fibonacci>)->Name("fib")->Apply(threads_of);
BENCHMARK(compare<Quicksort>)->Name("quicksort")->Apply(threads_of);
BENCHMARK(compare<MergeSort>)->Name("merge_sort")->Apply(threads_of);
BENCHMARK(compare<RecMult>)->Name("recursive")->Apply(threads_of);
BENCHMARK(compare<Transform>)->Name("fft_recursive")->Apply(threads_of);

}  // namespace

BENCHMARK_MAIN();
