// Programs whose strands are recorded.
#pragma once

#include <utility>
#include <vector>

#include "common/cache/strands.hpp"
#include "common/traced.hpp"
#include "cpu/fib/fib.hpp"
#include "cpu/matmul/recursive.hpp"

namespace tallcache::test {

/// fib(n), each call a strand or three; no accesses.
inline cache::Strands strands_of_fib(Index n) {
  return cache::record_strands(64, 2, [n](cache::Tracer& tracer) {
    Recorded fork(*tracer.fork_observer(), tracer.width());
    cpu::fib::fibonacci(fork, n, 0);
  });
}

/// REC-MULT of n x n matrices down to base x base x base, rows of whole lines. Without forks for width 1.
inline cache::Strands strands_of_product(Index n, Index base, std::size_t line, Index width = 2,
                                         bool bytes = false,
                                         std::size_t max_bytes = cache::max_strand_bytes) {
  struct alignas(256) Aligned {
    double words[32];
  };
  std::vector<Aligned> memory(static_cast<std::size_t>(3 * n * n) / 32 + 1);
  double* const first = memory.front().words;
  const auto run = [&](cache::Tracer& tracer) {
    const Traced<cache::Tracer> access{&tracer};
    const auto matrix = [&](Index i) { return MatrixView<double>{first + i * n * n, n, n, n}.with(access); };
    const auto c = matrix(0), a = matrix(1), b = matrix(2);
    if (ForkObserver* observer = tracer.fork_observer()) {
      Recorded fork(*observer, tracer.width());
      cpu::matmul::rec_mult<1, std::remove_const_t<decltype(fork)>, double>(fork, c, a, b, base);
    } else {
      Serial fork;
      cpu::matmul::rec_mult<1, std::remove_const_t<decltype(fork)>, double>(fork, c, a, b, base);
    }
  };
  return cache::record_strands(line, width, run, bytes, max_bytes);
}

}  // namespace tallcache::test
