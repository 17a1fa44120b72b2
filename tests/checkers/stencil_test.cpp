// Wrong steps of heat and wave equations.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "common/ops/stencil.hpp"
#include "cpu/stencil/updates.hpp"
#include "tests/checkers/checker.hpp"

namespace tallcache {

template <class T>
static void solve(Stencil<T>, const auto& args) {
  Serial fork;
  cpu::stencil::with_stencil<cpu::stencil::PointGrids>(
      args, [&](const auto& stencil) { run_loops(fork, stencil, args.steps); });
}

namespace test {
namespace {

struct one_step_too_few {
  static void run(auto op, auto args) {
    --args.steps;
    solve(op, args);
  }
};
struct states_swapped {
  static void run(auto op, auto args) {
    solve(op, args);
    for (Index i = 0; i < args.a.rows; ++i)
      for (Index j = 0; j < args.a.cols; ++j) std::swap(args.a(i, j), args.b(i, j));
  }
};
template <int word>
struct of_another_kind {
  static void run(auto op, auto args) {
    std::int32_t kind[] = {args.kind[0], args.kind[1]};
    kind[word] = (kind[word] + 1) % 3;
    args.kind.data = kind;
    solve(op, args);
  }
};
// In place: a point sees neighbours that are a step ahead.
struct one_state {
  static void run(auto op, auto args) {
    Serial fork;
    cpu::stencil::with_stencil<cpu::stencil::PointGrids>(
        args, [&](const auto& stencil) { run_loops(fork, stencil, args.steps - 1); });
    auto& last = args.steps % 2 ? args.a : args.b;
    last(last.rows / 2, last.cols / 2) += 1;
    auto rest = args;
    if (args.steps % 2 == 0) std::swap(rest.a, rest.b);
    rest.steps = 1;
    solve(op, rest);
    last(last.rows / 2, last.cols / 2) -= 1;
  }
};
struct last_bit {
  static void run(auto op, const auto& args) {
    solve(op, args);
    auto& x = (args.steps % 2 ? args.b : args.a)(args.a.rows - 1, args.a.cols / 2);
    x = std::nextafter(x, static_cast<std::remove_reference_t<decltype(x)>>(10));
  }
};
struct padding_written {
  static constexpr std::string_view where = "padding";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.b.data[args.b.cols] = 1;
  }
};

template <class T>
class StencilChecker : public Checker {};
using FloatingElements = testing::Types<double, float>;
TYPED_TEST_SUITE(StencilChecker, FloatingElements);

TYPED_TEST(StencilChecker, RejectsWrongSteps) {
  using Op = Stencil<TypeParam>;
  const std::vector<Shape> shapes{{{"cols", 31}, {"rows", 18}, {"planes", 1}, {"steps", 7}, {"pad", 3}},
                                  {{"cols", 12}, {"rows", 9}, {"planes", 8}, {"steps", 4}, {"pad", 1}}};
  for (const std::string_view kind : Op::inputs)
    this->template rejected<Op, no_op, all_zero, writes_before, one_step_too_few, states_swapped,
                            of_another_kind<0>, of_another_kind<1>, one_state, last_bit, padding_written>(
        shapes, kind);
}

}  // namespace
}  // namespace test
}  // namespace tallcache
