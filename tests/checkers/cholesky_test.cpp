// Wrong Cholesky decompositions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "common/ops/cholesky.hpp"
#include "tests/checkers/matrix.hpp"

namespace tallcache {

template <class T>
static void solve(Cholesky<T>, const auto& args) {
  const auto& a = args.a;
  for (Index j = 0; j < a.rows; ++j) {
    for (Index k = 0; k < j; ++k) a(j, j) -= a(j, k) * a(j, k);
    a(j, j) = std::sqrt(a(j, j));
    for (Index i = j + 1; i < a.rows; ++i) {
      for (Index k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k);
      a(i, j) /= a(j, j);
    }
  }
}

namespace test {
namespace {

struct factor_transposed {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.a.rows; ++i)
      for (Index j = 0; j < i; ++j) std::swap(args.a(i, j), args.a(j, i));
  }
};
struct upper_triangle_written {
  static constexpr std::string_view where = "upper triangle";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.a(0, args.a.cols - 1) = 0;
  }
};
// A decomposition, but not that one.
struct column_negated {
  static constexpr std::string_view where = "L(";
  static void run(auto op, const auto& args) {
    solve(op, args);
    const Index j = args.a.cols / 2;
    for (Index i = j; i < args.a.rows; ++i) args.a(i, j) = -args.a(i, j);
  }
};
struct diagonal_nan {
  static constexpr std::string_view where = "L(";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.a(args.a.rows - 1, args.a.rows - 1) = std::numeric_limits<OutputValue<decltype(op)>>::quiet_NaN();
  }
};
struct pivot_not_updated {
  static void run(auto op, const auto& args) {
    const Index i = args.a.rows - 1;
    const auto old = args.a(i, i);
    solve(op, args);
    args.a(i, i) = std::sqrt(old);
  }
};

template <class T>
class CholeskyChecker : public MatrixOutputChecker {};
using FloatingElements = testing::Types<double, float>;
TYPED_TEST_SUITE(CholeskyChecker, FloatingElements);

// Both sides of the size from which on rows are multiplied by a random vector.
TYPED_TEST(CholeskyChecker, RejectsWrongFactors) {
  using Op = Cholesky<TypeParam>;
  const std::vector<Shape> shapes{
      {{"n", 10}, {"pad", 1}}, {{"n", 129}, {"pad", 3}}, {{"n", 530}, {"pad", 1}}};
  for (std::string_view kind : {"dominant", "minimum", "graded"}) {
    this->template matrix_rejected<Op, factor_transposed, upper_triangle_written, column_negated,
                                   diagonal_nan>(shapes, kind);
    this->template rejected<Op, pivot_not_updated>({shapes[0], shapes[1]},
                                                   kind == "dominant" ? "minimum" : kind);
  }
}

}  // namespace
}  // namespace test
}  // namespace tallcache
