// Linear systems refined on a GPU: the residual of each solution, what the report says, what is refused, and
// equal results of equal runs. Skipped without a device.
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "gpu/tallcache/device_solve.hpp"
#include "tests/counted_array.hpp"
#include "tests/linear_system.hpp"
#include "tests/on_executor.hpp"

namespace tallcache::test::solving {
namespace {

class DeviceSolve : public OnExecutor {
 protected:
  std::unique_ptr<Memory> on_device(std::vector<double>& values) {
    auto memory = executor->allocate(values.size() * sizeof(double));
    executor->upload(*memory, std::as_writable_bytes(std::span(values)));
    return memory;
  }

  /// Leaves the solution in the system.
  SolveReport solve(System& system) {
    const auto a = on_device(system.a), b = on_device(system.b), x = on_device(system.x);
    const auto scratch = executor->allocate(device_solve_scratch(system.n, system.columns));
    executor->fill(*scratch, 0xff);
    const auto view = [](Memory& memory, MatrixView<double> like) {
      like.data = place<double>(memory, 0);
      return like;
    };
    const SolveReport report =
        device_solve({1, executor->stream()}, view(*a, system.matrix()), view(*b, system.right()),
                     view(*x, system.solution()), Scratch<>(scratch->bytes()));
    EXPECT_TRUE(x->guards_intact() && scratch->guards_intact());
    executor->download(std::as_writable_bytes(std::span(system.x)), *x);
    return report;
  }
};

TEST_F(DeviceSolve, RefinesToDoubleAccuracy) {
  for (const auto& [name, element] : refined_kinds)
    for (const Index n : {1, 2, 31, 33, 64, 65, 129, 257, 511, 1000})
      for (const Index columns : {1, 5}) {
        SCOPED_TRACE(name + " " + std::to_string(n) + ", " + std::to_string(columns));
        System system(n, columns, element);
        const SolveReport report = solve(system);
        // For n = 1 one rounding error is the bound.
        EXPECT_TRUE(n == 1 || report.refinement == Refinement::converged) << text_of(report.refinement);
        EXPECT_LT(system.backward_error(), 1.5);
        if (n < 64) continue;
        // What float alone would give is seen.
        system.solution()(n / 2, 0) *= 1 + 0x1p-24;
        EXPECT_TRUE(name == "columns graded" || system.backward_error() > 1.5);
      }
}

TEST_F(DeviceSolve, FactorsInDoubleWhereRefinementFails) {
  System system(12, 2, hilbert);
  EXPECT_NE(solve(system).refinement, Refinement::converged);
  EXPECT_LT(system.backward_error(), 1.5);
}

TEST_F(DeviceSolve, RefusesInOneLine) {
  const auto error_of = [&](System system) { return message_of([&] { solve(system); }); };
  EXPECT_NE(error_of({60, 1, [](Index, Index) { return 0; }}).find("singular"), std::string::npos);
  for (const double element : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    const std::string error =
        error_of({60, 1, [=](Index i, Index j) { return i == 9 && j == 4 ? element : uniform(i, j); }});
    EXPECT_NE(error.find("not finite"), std::string::npos) << error;
  }
}

TEST_F(DeviceSolve, SameBytesInEveryRun) {
  for (const auto& [n, runs] : {std::pair{65, 1000}, {500, 100}}) {
    System first(n, 2, uniform);
    solve(first);
    for (int run = 1; run < runs; ++run) {
      System again(n, 2, uniform);
      solve(again);
      for (Index i = 0; i < n; ++i)
        ASSERT_EQ(std::memcmp(&first.solution()(i, 0), &again.solution()(i, 0), 2 * sizeof(double)), 0)
            << run;
    }
  }
}

}  // namespace
}  // namespace tallcache::test::solving
