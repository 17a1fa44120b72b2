// Products of n x n x n through the drop-in BLAS's own symbol, in turn with OpenBLAS as it is installed and
// with the suite's text called directly, which is the variant recursive_packed: small ones on one core, large
// ones on one core and on all. `ours`, `openblas` and `text` are medians in nanoseconds; `speedup` is
// OpenBLAS's median over ours, `door` what the symbol adds to the text, in nanoseconds, `of_text` the text's
// median over ours.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "blas/tallcache_blas.h"
#include "common/fork/fork.hpp"
#include "common/fork/parallel.hpp"
#include "common/measure/statistics.hpp"
#include "common/random.hpp"
#include "cpu/matmul/gemm.hpp"
#include "cpu/peers/blas.hpp"

extern "C" {
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*,
                 int);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double,
                 double*, int);
}

namespace {

using namespace tallcache;

constexpr int row_major = 101, no_trans = 111;

void ours(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(row_major, no_trans, no_trans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void ours(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(row_major, no_trans, no_trans, n, n, n, 1, a, n, b, n, 0, c, n);
}

/// Nanoseconds of a call, of `calls` in a row.
template <class Call>
double nanoseconds(Index calls, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (Index i = 0; i < calls; ++i) {
    call();
    benchmark::ClobberMemory();
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() / static_cast<double>(calls);
}

template <class T>
void square_product(benchmark::State& state) {
  cpu::peers::Blas& openblas = cpu::peers::openblas_library();
  if (!openblas.reason().empty()) return state.SkipWithError(openblas.reason().c_str());
  const Index n = state.range(0), calls = std::max<Index>(1, 4000000 / (n * n * n));
  const int threads = state.range(1) ? default_threads() : 1;
  std::vector<T> a(n * n), b(n * n), c(n * n);
  for (Index i = 0; i < n * n; ++i) {
    a[i] = static_cast<T>(random_unit(1, i) - 0.5);
    b[i] = static_cast<T>(random_unit(2, i) - 0.5);
  }
  const MatrixView<T> out{c.data(), n, n, n};
  const MatrixView<const T> left{a.data(), n, n, n}, right{b.data(), n, n, n};
  using cpu::matmul::Trans;
  std::vector<std::byte> memory(
      cpu::matmul::gemm_scratch_bytes<T>(cpu::matmul::Layout::row_major, Trans::no, Trans::no, n, n, n) + 64);
  const typename Matmul<T>::template Args<> args{.c = out, .a = left, .b = right};
  tallcache_blas_set_threads(threads);
  std::vector<double> by_us, by_openblas, by_text;
  for (auto _ : state) {
    by_us.push_back(nanoseconds(calls, [&] { ours(static_cast<int>(n), a.data(), b.data(), c.data()); }));
    by_openblas.push_back(nanoseconds(calls, [&] { openblas.gemm(args, threads); }));
    by_text.push_back(nanoseconds(calls, [&] {
      const auto text = [&](auto& fork) {
        cpu::matmul::detail::gemm_rows(fork, Trans::no, Trans::no, T{1}, left, right, T{0}, out,
                                       Scratch<>(memory), {});
      };
      Serial serial;
      threads == 1 ? text(serial) : run_parallel(threads, text);
    }));
  }
  const double us = median(by_us), text = median(by_text);
  state.counters["ours"] = us;
  state.counters["openblas"] = median(by_openblas);
  state.counters["text"] = text;
  state.counters["speedup"] = median(by_openblas) / us;
  state.counters["door"] = us - text;
  state.counters["of_text"] = text / us;
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (int n : {8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256}) benchmark->Args({n, 0});
  benchmark->ArgNames({"n", "all_cores"})->Iterations(25);
}
void large_sizes(benchmark::internal::Benchmark* benchmark) {
  for (int all_cores : {0, 1})
    for (int n : {512, 1024, 2048}) benchmark->Args({n, all_cores});
  benchmark->ArgNames({"n", "all_cores"})->Iterations(5);
}
BENCHMARK(square_product<float>)->Apply(sizes);
BENCHMARK(square_product<double>)->Apply(sizes);
BENCHMARK(square_product<float>)->Apply(large_sizes);
BENCHMARK(square_product<double>)->Apply(large_sizes);

}  // namespace

BENCHMARK_MAIN();
