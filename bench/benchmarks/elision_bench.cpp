// The cost of the fork policies: the algorithms' texts with the serial elision against the same loops written
// by hand, and under the profiler against the elision. One iteration runs all three in turn. `elision` and
// `profiler` are ratios of the medians; `elision_best` is a ratio of the minima, which other load on the
// machine does not affect. Compiled with the flags of the textbook variants.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/fork/work_span.hpp"
#include "common/measure/statistics.hpp"
#include "common/random.hpp"
#include "cpu/counting_sort/classical.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/tiled.hpp"
#include "cpu/transpose/recursive.hpp"
#include "cpu/transpose/tiled.hpp"

namespace {

using namespace tallcache;
using Key = std::uint32_t;

// Written by hand, without policy and view.

[[gnu::noinline]] void naive_by_hand(double* c, const double* a, const double* b, Index n) {
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) c[i * n + j] = 0;
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

[[gnu::noinline]] void tiled_by_hand(double* c, const double* a, const double* b, Index n, Index tile) {
  for (Index i0 = 0; i0 < n; i0 += tile) {
    const Index i1 = std::min(i0 + tile, n);
    for (Index i = i0; i < i1; ++i)
      for (Index j = 0; j < n; ++j) c[i * n + j] = 0;
    for (Index j0 = 0; j0 < n; j0 += tile)
      for (Index k0 = 0; k0 < n; k0 += tile) {
        const Index j1 = std::min(j0 + tile, n), k1 = std::min(k0 + tile, n);
        for (Index i = i0; i < i1; ++i)
          for (Index j = j0; j < j1; ++j)
            for (Index k = k0; k < k1; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
  }
}

[[gnu::noinline]] void transpose_by_hand(double* b, Index ldb, const double* a, Index lda, Index rows,
                                         Index cols, Index base) {
  if (std::max(rows, cols) <= base) {
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) b[j * ldb + i] = a[i * lda + j];
  } else if (cols >= rows) {
    const Index half = cols / 2;
    transpose_by_hand(b, ldb, a, lda, rows, half, base);
    transpose_by_hand(b + half * ldb, ldb, a + half, lda, rows, cols - half, base);
  } else {
    const Index half = rows / 2;
    transpose_by_hand(b, ldb, a, lda, half, cols, base);
    transpose_by_hand(b + half, ldb, a + half * lda, lda, rows - half, cols, base);
  }
}

[[gnu::noinline]] void transpose_tiled_by_hand(double* b, const double* a, Index n, Index tile) {
  for (Index i0 = 0; i0 < n; i0 += tile)
    for (Index j0 = 0; j0 < n; j0 += tile) {
      const Index i1 = std::min(i0 + tile, n), j1 = std::min(j0 + tile, n);
      for (Index i = i0; i < i1; ++i)
        for (Index j = j0; j < j1; ++j) b[j * n + i] = a[i * n + j];
    }
}

[[gnu::noinline]] void counting_sort_by_hand(Key* out, const Key* in, Index n, Key* count, Index range) {
  for (Index key = 0; key <= range; ++key) count[key] = 0;
  for (Index i = 0; i < n; ++i) count[in[i]] += 1;
  Key sum = 0;
  for (Index key = 0; key <= range; ++key) {
    const Key c = count[key];
    count[key] = sum;
    sum += c;
  }
  for (Index i = 0; i < n; ++i) out[count[in[i]]++] = in[i];
}

/// One algorithm in three versions. `same` tells whether the last run of `policy` gave the result of `plain`.
struct Case {
  std::string name;
  std::function<void()> plain;
  std::function<void(const Serial&)> elision;
  std::function<void(const WorkSpan<Nanoseconds>&)> profiled;
  std::function<bool()> same;
};

template <class Run>
double seconds(Run&& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  benchmark::ClobberMemory();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

void compare(benchmark::State& state, const Case& c) {
  const Serial elision;
  WorkSpan<Nanoseconds> profiler;
  const std::function<void()> versions[] = {c.plain, [&] { c.elision(elision); },
                                            [&] { profiler.profile([&] { c.profiled(profiler); }); }};
  for (const auto& version : versions) version();
  if (!c.same()) return state.SkipWithError("the two results differ");
  std::vector<double> times[3];
  int first = 0;
  for (auto _ : state) {
    for (int i = 0; i < 3; ++i) times[(first + i) % 3].push_back(seconds(versions[(first + i) % 3]));
    first = (first + 1) % 3;
    state.SetIterationTime(times[1].back());
  }
  state.counters["elision"] = median(times[1]) / median(times[0]);
  state.counters["elision_best"] = std::ranges::min(times[1]) / std::ranges::min(times[0]);
  state.counters["profiler"] = median(times[2]) / median(times[1]);
}

/// The text with a policy: one call serves the elision and the profiler, as both are passed by reference.
template <class Text>
Case make(std::string name, std::function<void()> plain, Text text, std::function<bool()> same) {
  return {std::move(name), std::move(plain), [text](const Serial& fork) { text(fork); },
          [text](const WorkSpan<Nanoseconds>& fork) { text(fork); }, std::move(same)};
}

struct Matrices {
  explicit Matrices(Index size) : n(size), a(n * n), b(n * n), by_hand(n * n), by_policy(n * n) {
    for (Index i = 0; i < n * n; ++i) a[i] = random_unit(1, i), b[i] = random_unit(2, i);
  }
  static MatrixView<double> view(std::vector<double>& data, Index n) { return {data.data(), n, n, n}; }
  MatrixView<const double> in(std::vector<double>& data) { return view(data, n); }
  MatrixView<double> out() { return view(by_policy, n); }

  Index n;
  std::vector<double> a, b, by_hand, by_policy;
};

struct KeysToSort {
  explicit KeysToSort(Index size) : n(size), in(n), by_hand(n), by_policy(n), count(n + 1), total(1) {
    for (Index i = 0; i < n; ++i) in[i] = static_cast<Key>(random_up_to(1, i, n));
  }
  Index n;
  std::vector<Key> in, by_hand, by_policy, count, total;
};

std::vector<Case> cases() {
  constexpr Index tile = 64, base = 32;
  const auto product = std::make_shared<Matrices>(256), matrix = std::make_shared<Matrices>(2000);
  const auto keys = std::make_shared<KeysToSort>(1000000);
  const auto same_product = [product] { return product->by_hand == product->by_policy; };
  const auto same_matrix = [matrix] { return matrix->by_hand == matrix->by_policy; };
  std::vector<Case> list;
  list.push_back(make(
      "matmul/naive", [m = product] { naive_by_hand(m->by_hand.data(), m->a.data(), m->b.data(), m->n); },
      [m = product](auto& fork) { cpu::matmul::multiply_ijk(fork, m->out(), m->in(m->a), m->in(m->b)); },
      same_product));
  list.push_back(make(
      "matmul/tiled",
      [m = product] { tiled_by_hand(m->by_hand.data(), m->a.data(), m->b.data(), m->n, tile); },
      [m = product](auto& fork) {
        const Params params{{"tile_m", tile}, {"tile_n", tile}, {"tile_k", tile}};
        cpu::matmul::multiply_tiled(fork, m->out(), m->n, params,
                                    [c = m->out(), a = m->in(m->a), b = m->in(m->b)](
                                        Index i, Index j, Index k) { c(i, j) += a(i, k) * b(k, j); });
      },
      same_product));
  list.push_back(make(
      "transpose/recursive",
      [m = matrix] { transpose_by_hand(m->by_hand.data(), m->n, m->a.data(), m->n, m->n, m->n, base); },
      [m = matrix](auto& fork) { cpu::transpose::rec_transpose(fork, m->out(), m->in(m->a), base); },
      same_matrix));
  list.push_back(make(
      "transpose/tiled",
      [m = matrix] { transpose_tiled_by_hand(m->by_hand.data(), m->a.data(), m->n, base); },
      [m = matrix](auto& fork) { cpu::transpose::transpose_tiled(fork, m->out(), m->in(m->a), base); },
      same_matrix));
  list.push_back(make(
      "counting_sort/classical",
      [k = keys] { counting_sort_by_hand(k->by_hand.data(), k->in.data(), k->n, k->count.data(), k->n); },
      [k = keys](auto& fork) {
        CountingSort<false>::Args<> args{};
        args.out = {k->by_policy.data(), k->n};
        args.in = {k->in.data(), k->n};
        args.range = static_cast<Key>(k->n);
        cpu::counting_sort::distribute(fork, args, MatrixView<Key>{k->count.data(), 1, k->n + 1, k->n + 1},
                                       VectorView<Key>{k->total.data(), 1},
                                       [](Key key) { return static_cast<Index>(key); });
      },
      [k = keys] { return k->by_hand == k->by_policy; }));
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const Case& c : cases())
    benchmark::RegisterBenchmark(c.name.c_str(), [c](benchmark::State& state) { compare(state, c); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
