// Wrong LU decompositions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "common/ops/lu.hpp"
#include "tests/checkers/matrix.hpp"

namespace tallcache {

template <class T, bool pivoting>
static void solve(LuDecomposition<T, pivoting>, const auto& args) {
  const auto& a = args.a;
  for (Index k = 0; k < a.rows; ++k) {
    if constexpr (pivoting) {
      Index pivot = k;
      for (Index i = k; i < a.rows; ++i)
        if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
      args.exchanges[k] = static_cast<std::int32_t>(pivot);
      for (Index j = 0; j < a.cols; ++j) std::swap(a(k, j), a(pivot, j));
    }
    for (Index i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (Index j = k + 1; j < a.cols; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
}

namespace test {
namespace {

struct exchange_impossible {
  static constexpr std::string_view where = "exchange";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.exchanges[args.a.rows - 1] = static_cast<std::int32_t>(args.a.rows);
  }
};
struct exchanges_one_off {  // as LAPACK counts
  static constexpr std::string_view where = "exchange";
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.a.rows; ++i) ++args.exchanges[i];
  }
};
struct exchange_forgotten {
  static void run(auto op, const auto& args) {
    solve(op, args);
    Index i = args.a.rows / 2;
    while (args.exchanges[i] == i) ++i;
    args.exchanges[i] = static_cast<std::int32_t>(i);
  }
};
// A decomposition, but not the one with the greatest pivots.
template <class T>
struct pivots_not_chosen {
  static constexpr std::string_view where = "L(";
  static void run(auto, const auto& args) {
    solve(Lu<T>{}, args);
    for (Index i = 0; i < args.a.rows; ++i) args.exchanges[i] = static_cast<std::int32_t>(i);
  }
};
struct diagonal_one_off {
  static void run(auto op, const auto& args) {
    solve(op, args);
    const Index i = args.a.rows / 2;
    args.a(i, i) *= 1.001f;
  }
};
// The factors in the wrong triangles.
struct factors_transposed {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.a.rows; ++i)
      for (Index j = 0; j < i; ++j) std::swap(args.a(i, j), args.a(j, i));
  }
};

template <class T>
class LuChecker : public MatrixOutputChecker {};
using FloatingElements = testing::Types<double, float>;
TYPED_TEST_SUITE(LuChecker, FloatingElements);

// Both sides of the size from which on rows are multiplied by a random vector.
TYPED_TEST(LuChecker, WithoutPivoting) {
  this->template matrix_rejected<Lu<TypeParam>, factors_transposed, diagonal_one_off>(
      {{{"n", 5}, {"pad", 1}}, {{"n", 129}, {"pad", 3}}, {{"n", 530}, {"pad", 1}}}, "dominant");
}

TYPED_TEST(LuChecker, WithPivoting) {
  using Op = LuPivot<TypeParam>;
  for (std::string_view kind : {"uniform", "zero_diagonal", "graded"}) {
    this->template matrix_rejected<Op, factors_transposed, exchange_impossible, exchanges_one_off,
                                   exchange_forgotten>({{{"n", 10}, {"m", 10}, {"pad", 1}},
                                                        {{"n", 129}, {"m", 129}, {"pad", 3}},
                                                        {{"n", 530}, {"m", 530}, {"pad", 1}}},
                                                       kind);
    this->template rejected<Op, diagonal_one_off>(
        {{{"n", 10}, {"m", 10}, {"pad", 1}}, {{"n", 129}, {"m", 129}, {"pad", 3}}}, kind);
  }
  this->template rejected<Op, pivots_not_chosen<TypeParam>>(
      {{{"n", 10}, {"m", 10}, {"pad", 1}}, {{"n", 129}, {"m", 129}, {"pad", 3}}}, "uniform");
}

}  // namespace
}  // namespace test
}  // namespace tallcache
