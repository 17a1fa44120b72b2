// Linear systems that are refined from factors in float: the residual of each solution by a wider sum, what
// the report says, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "common/fork/parallel.hpp"
#include "cpu/solve/refined.hpp"
#include "cpu/tallcache/solve.hpp"
#include "tests/counted_array.hpp"
#include "tests/linear_system.hpp"

namespace tallcache::test::solving {
namespace {

/// From factors in float, also where those in double would take fewer operations.
SolveReport solve(System& system, int threads = 1) {
  SolveReport report;
  execute<tallcache::Solve<double>>("refined",
                                    {system.solution(), system.matrix(), system.right(), {}, &report},
                                    {{"factors", 32}}, threads);
  return report;
}

TEST(Solve, RefinesToDoubleAccuracy) {
  for (const auto& [name, element] : refined_kinds)
    for (const Index n : {1, 2, 13, 64, 129, 200})
      for (const Index columns : {1, 3}) {
        SCOPED_TRACE(name + " " + std::to_string(n) + ", " + std::to_string(columns));
        System system(n, columns, element);
        const SolveReport report = solve(system);
        EXPECT_EQ(report.refinement, Refinement::converged);
        EXPECT_LE(report.steps, 6);
        const double error = system.backward_error();
        EXPECT_LT(error, 1.5);  // the residual that was judged is rounded
        // The judged residual has the rounding errors of n sums: that many units of 2^-53.
        EXPECT_NEAR(report.backward_error / (std::sqrt(static_cast<double>(n)) * 0x1p-53), error, 1);
        if (n < 64 || name == "columns graded") continue;
        EXPECT_GE(report.steps, 1);
        // What float alone would give is seen.
        system.solution()(n / 2, 0) *= 1 + 0x1p-24;
        EXPECT_GT(system.backward_error(), 1.5);
      }
}

TEST(Solve, FactorsInDoubleWhereRefinementFails) {
  for (const Index n : {12, 40, 100}) {
    System system(n, 2, hilbert);
    const SolveReport report = solve(system);
    EXPECT_NE(report.refinement, Refinement::converged);
    EXPECT_NE(text_of(report.refinement).find("factors in double"), std::string_view::npos);
    const double said = report.backward_error / (std::sqrt(static_cast<double>(n)) * 0x1p-53);
    if (n == 12) {
      EXPECT_LT(system.backward_error(), 1.5);
      continue;
    }
    // From 40 on the matrix is singular in double, too: the report says how far the solution is off.
    EXPECT_NEAR(system.backward_error() / said, 1, 0.5);
  }
  // Singular in float alone.
  System nearly(20, 1, [](Index i, Index j) { return i == j ? 1 + 1e-9 * static_cast<double>(i) : 1.0; });
  EXPECT_EQ(solve(nearly).refinement, Refinement::not_finite);
  EXPECT_LT(nearly.backward_error(), 1.5);
}

// Few unknowns, and many right-hand sides, have factors in double at once.
TEST(Solve, ChoosesFactorsByTheNumberOfOperations) {
  for (const auto& [n, columns, in_float] :
       {std::tuple<Index, Index, bool>{1, 1, false}, {100, 1, false}, {600, 1, true}, {300, 100, false}}) {
    SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(columns));
    System system(n, columns, uniform);
    const SolveReport report = tallcache::solve(system.matrix(), system.right(), system.solution());
    EXPECT_EQ(report.refinement, in_float ? Refinement::converged : Refinement::not_tried);
    EXPECT_EQ(report.refinement == Refinement::converged, cpu::solve::suits_float(n, columns));
    EXPECT_EQ(report.steps > 0, in_float);
    EXPECT_LT(system.backward_error(), 1.5);
    EXPECT_EQ(std::isnan(report.backward_error), !in_float);
  }
}

// The operation's own kinds of inputs: the one that refinement is too weak for, and those that it is not.
TEST(Solve, SaysWhichInputsNeedDouble) {
  using Op = tallcache::Solve<double>;
  for (const std::string_view input : Op::inputs)
    for (const Index n : {2, 65, 300}) {
      const Shape shape{{"n", n}, {"p", 2}, {"pad", 1}};
      std::vector<std::vector<std::byte>> memory;
      std::vector<std::byte*> buffers;
      for (const BufferSpec& spec : Op::buffers(shape))
        buffers.push_back(memory.emplace_back(spec.bytes, std::byte{0xff}).data());
      Op::fill(shape, input, 1, buffers);
      Op::Args<> args = Op::bind(shape, buffers, {});
      SolveReport report;
      args.report = &report;
      execute<Op>("refined", args, {{"factors", 32}});
      // The last pivot tells, before any step.
      EXPECT_EQ(report.refinement, input == "near_singular" ? Refinement::not_finite : Refinement::converged)
          << input << " " << n << ": " << text_of(report.refinement);
      EXPECT_TRUE(Op::check(shape, input, 1, args));
      execute<Op>("refined", args, {{"factors", 64}});
      EXPECT_EQ(report.refinement, Refinement::not_tried);
      EXPECT_TRUE(Op::check(shape, input, 1, args));
    }
}

TEST(Solve, RefusesInOneLine) {
  const auto error_of = [](System system) { return message_of([&] { solve(system); }); };
  EXPECT_EQ(error_of({30, 1, [](Index, Index) { return 0; }}),
            "lu_pivot: the matrix is singular: pivot 0 is 0");
  EXPECT_EQ(error_of({30, 1, [](Index i, Index j) { return std::ldexp(1.0, int(i % 5 + j % 3)); }}),
            "lu_pivot: the matrix is singular: pivot 1 is 0");
  for (const double element : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    const std::string error =
        error_of({30, 1, [=](Index i, Index j) { return i == 9 && j == 4 ? element : uniform(i, j); }});
    EXPECT_TRUE(error.find("NaN") != std::string::npos || error.find("not finite") != std::string::npos)
        << error;
    System system(30, 2, uniform);
    system.right()(7, 1) = element;
    EXPECT_EQ(error_of(system), "solve: the matrix is singular, or an element is not finite");
  }
  System system(5, 1, uniform);
  EXPECT_EQ(message_of([&] { solve(system.matrix().block(0, 0, 5, 4), system.right(), system.solution()); }),
            "solve: A is 5 x 4, B 5 x 1, X 5 x 1");
  EXPECT_NE(message_of([&] { solve(system.matrix(), system.right(), system.right()); }), "");
}

TEST(Solve, EmptySystemsAndZeroSidesHaveSolutions) {
  System none(0, 1, uniform), no_sides(4, 0, uniform), zero(50, 2, uniform);
  EXPECT_EQ(solve(none).steps, 0);
  EXPECT_EQ(solve(no_sides).steps, 0);
  for (Index i = 0; i < 50; ++i) zero.right()(i, 1) = 0;
  EXPECT_EQ(solve(zero).refinement, Refinement::converged);
  EXPECT_LT(zero.backward_error(), 1.5);
  for (Index i = 0; i < 50; ++i) EXPECT_EQ(zero.solution()(i, 1), 0);
}

TEST(Solve, BytesAreThoseOfOneThread) {
  for (const auto& element : {ElementOf(uniform), ElementOf(hilbert)}) {
    System one(150, 3, element), several(150, 3, element);
    solve(one, 1);
    solve(several, usable_threads());
    for (Index i = 0; i < one.n; ++i)
      EXPECT_EQ(std::memcmp(&one.solution()(i, 0), &several.solution()(i, 0), 3 * sizeof(double)), 0);
  }
}

// Errors of a step that halves too slowly, and of one that never ends.
TEST(Solve, RefinementEndsWhereErrorsDoNotHalve) {
  const double one[] = {1};
  RefinementTest slow(100, 1, 1);
  for (const auto& [residual, goes_on] : {std::pair{1e-3, true}, {4e-4, true}, {3e-4, false}}) {
    const double residuals[] = {residual};
    const auto end = slow.judge(residuals, one);
    EXPECT_EQ(end.has_value(), !goes_on);
    EXPECT_TRUE(goes_on || *end == Refinement::stagnated);
  }
  RefinementTest endless(100, 1e-300, 1);
  double residual = 1;
  for (int step = 0; step < RefinementTest::max_steps; ++step, residual /= 2)
    EXPECT_FALSE(endless.judge({&residual, 1}, one));
  EXPECT_EQ(endless.judge({&residual, 1}, one), Refinement::too_slow);
}

}  // namespace
}  // namespace tallcache::test::solving
