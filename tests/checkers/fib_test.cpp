// Wrong Fibonacci numbers.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "common/ops/fib.hpp"
#include "tests/checkers/checker.hpp"

namespace tallcache {

static void solve(Fib, const auto& args) {
  std::uint64_t next = 1;
  args.out[0] = 0;
  for (Index i = 0; i < args.n; ++i) args.out[0] = std::exchange(next, args.out[0] + next);
}

namespace test {
namespace {

template <int amount>
struct fib_of_another {
  static void run(auto op, auto args) {
    args.n += amount;
    solve(op, args);
  }
};
struct truncated {  // to 32 bits
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[0] = static_cast<std::uint32_t>(args.out[0]);
  }
};

TEST_F(Checker, Fib) {
  rejected<Fib, no_op, all_zero, writes_before, writes_behind, fib_of_another<1>, fib_of_another<-1>>(
      {{{"n", 3}}, {{"n", 20}}, {{"n", 47}}, {{"n", 92}}}, "none");
  rejected<Fib, truncated>({{{"n", 48}}, {{"n", 92}}}, "none");
}

}  // namespace
}  // namespace test
}  // namespace tallcache
