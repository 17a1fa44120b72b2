// Wrong matrix products.
#include <gtest/gtest.h>

#include "common/ops/matmul.hpp"
#include "common/ops/matmul_bt.hpp"
#include "tests/checkers/matrix.hpp"

namespace tallcache {

template <class T>
static void solve(Matmul<T>, const auto& args) {
  zero(args.c);
  for (Index i = 0; i < args.c.rows; ++i)
    for (Index l = 0; l < args.a.cols; ++l)
      for (Index j = 0; j < args.c.cols; ++j) args.c(i, j) += args.a(i, l) * args.b(l, j);
}
template <class T>
static void solve(MatmulBt<T>, const auto& args) {
  zero(args.c);
  for (Index i = 0; i < args.c.rows; ++i)
    for (Index j = 0; j < args.c.cols; ++j)
      for (Index l = 0; l < args.a.cols; ++l) args.c(i, j) += args.a(i, l) * args.bt(j, l);
}

namespace test {
namespace {

struct inner_one_short {
  static void run(auto op, auto args) {
    --args.a.cols;
    solve(op, args);
  }
};
struct added_twice {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.c.rows; ++i)
      for (Index j = 0; j < args.c.cols; ++j) args.c(i, j) += args.c(i, j);
  }
};

TYPED_TEST_SUITE(MatrixChecker, Elements);

TYPED_TEST(MatrixChecker, Matmul) {
  const auto shape = [](Index m, Index n, Index k, Index pad) -> Shape {
    return {{"m", m}, {"n", n}, {"k", k}, {"pad", pad}};
  };
  const std::vector<Shape> small{shape(5, 3, 7, 2), shape(33, 34, 35, 1), shape(129, 129, 129, 3),
                                 shape(64, 300, 40, 1)};
  // Beyond the number of products up to which every element has a reference.
  const std::vector<Shape> large{shape(270, 260, 250, 5), shape(500, 300, 150, 1)};
  using Op = Matmul<TypeParam>;
  for (const auto& shapes : {small, large})
    for (std::string_view kind : {"uniform", "integers"})
      this->template matrix_rejected<Op, changes_input, inner_one_short, added_twice, one_off_by_a_twentieth>(
          shapes, kind);
  for (std::string_view kind : {"uniform", "integers"})
    this->template rejected<Op, one_off_by_a_thousandth>(small, kind);
  // A row of a large float product has rounding errors of a thousandth of an element by right.
  this->template rejected<Op, one_off_by_a_thousandth>(large, "integers");
  if (!std::is_same_v<TypeParam, float>)
    this->template rejected<Op, one_off_by_a_thousandth>(large, "uniform");
}

TYPED_TEST(MatrixChecker, MatmulBt) {
  for (std::string_view kind : {"uniform", "integers"})
    this->template matrix_rejected<MatmulBt<TypeParam>, changes_input, inner_one_short,
                                   one_off_by_a_twentieth>(
        {{{"m", 5}, {"n", 3}, {"k", 7}, {"pad", 2}}, {{"m", 64}, {"n", 300}, {"k", 40}, {"pad", 1}}}, kind);
}

}  // namespace
}  // namespace test
}  // namespace tallcache
