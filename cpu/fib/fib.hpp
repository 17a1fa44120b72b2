// fib as in the slides: one of the two calls is spawned. Work Theta(phi^n), span Theta(n).
#pragma once

#include "common/fork/fork.hpp"
#include "common/ops/fib.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::fib {

/// F(n). Up to F(grain) runs on one thread.
template <class Fork>
Fib::Number fibonacci(Fork& fork, Index n, Index grain) {
  if (n < 2) return static_cast<Fib::Number>(n);
  if (n <= grain) {
    Serial serial;
    return fibonacci(serial, n, 0);
  }
  Fib::Number x = 0, y = 0;
  fork([&] { x = fibonacci(fork, n - 1, grain); }, [&] { y = fibonacci(fork, n - 2, grain); });
  return x + y;
}

struct fib {
  static constexpr std::string_view idea = "fork fib(n - 1) and fib(n - 2)";
  static constexpr std::string_view source = "M13: The Fibonacci Cilk++ example";
  using operations = OperationList<Fib>;
  // fib(20) makes 21891 calls, which take several hundred times as long as a fork (TUNING.md).
  static constexpr ParamSpec params[] = {
      {"grain", 20, "the largest n that is computed without a fork; 0: every call forks", 0}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1.7;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    args.out[0] = fibonacci(fork, args.n, params["grain"]);
  }
};

}  // namespace tallcache::cpu::fib
