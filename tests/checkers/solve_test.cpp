// Wrong solutions of linear systems.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "common/ops/solve.hpp"
#include "tests/checkers/matrix.hpp"

namespace tallcache {

// Elimination with partial pivoting in Number.
template <class Number, class T>
static void eliminate(const auto& args) {
  const Index n = args.a.rows, p = args.b.cols;
  std::vector<std::vector<Number>> rows(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) rows[i].push_back(static_cast<Number>(args.a(i, j)));
    for (Index c = 0; c < p; ++c) rows[i].push_back(static_cast<Number>(args.b(i, c)));
  }
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k; i < n; ++i)
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    std::swap(rows[k], rows[pivot]);
    for (Index i = k + 1; i < n; ++i) {
      const Number factor = rows[i][k] / rows[k][k];
      for (Index j = k; j < n + p; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  for (Index k = n; k-- > 0;)
    for (Index c = 0; c < p; ++c) {
      Number sum = rows[k][n + c];
      for (Index j = k + 1; j < n; ++j) sum -= rows[k][j] * static_cast<Number>(rows[j][n + c]);
      rows[k][n + c] = sum / rows[k][k];
      args.x(k, c) = static_cast<T>(rows[k][n + c]);
    }
}

template <class T>
static void solve(Solve<T>, const auto& args) {
  eliminate<T, T>(args);
}

namespace test {
namespace {

// What refinement would start from.
struct in_float {
  static constexpr std::string_view where = "(B - A X)";
  static void run(auto, const auto& args) { eliminate<float, double>(args); }
};
// The digits that a float loses, in the largest element of each column.
struct rounded_to_float {
  static constexpr std::string_view where = "(B - A X)";
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index c = 0; c < args.x.cols; ++c) {
      Index largest = 0;
      for (Index i = 0; i < args.x.rows; ++i)
        if (std::abs(args.x(i, c)) > std::abs(args.x(largest, c))) largest = i;
      args.x(largest, c) *= 1 + 0x1p-25;
    }
  }
};
struct last_column_of_another_side {
  static void run(auto op, const auto& args) {
    solve(op, args);
    const Index c = args.x.cols - 1;
    for (Index i = 0; i < args.x.rows; ++i) args.x(i, c) = c > 0 ? args.x(i, 0) : -args.x(i, c);
  }
};
struct of_the_transpose {
  static void run(auto op, const auto& args) {
    std::vector<double> turned(args.a.rows * args.a.rows);
    const MatrixView<double> a{turned.data(), args.a.rows, args.a.rows, args.a.rows};
    for (Index i = 0; i < a.rows; ++i)
      for (Index j = 0; j < a.rows; ++j) a(j, i) = args.a(i, j);
    auto other = args;
    other.a = a;
    solve(op, other);
  }
};
// The right-hand sides themselves.
struct right_hand_sides {
  static void run(auto, const auto& args) {
    for (Index i = 0; i < args.x.rows; ++i)
      for (Index c = 0; c < args.x.cols; ++c) args.x(i, c) = args.b(i, c);
  }
};
struct scaled {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.x.rows; ++i)
      for (Index c = 0; c < args.x.cols; ++c) args.x(i, c) *= 1 + 0x1p-30;
  }
};
struct infinite {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.x(0, 0) = std::numeric_limits<double>::infinity();
  }
};

class SolveChecker : public MatrixOutputChecker {};

TEST_F(SolveChecker, RejectsWrongSolutions) {
  using Op = Solve<double>;
  for (std::string_view kind : {"uniform", "dominant", "graded"}) {
    const std::vector<Shape> several{{{"n", 12}, {"p", 6}, {"pad", 1}}, {{"n", 129}, {"p", 5}, {"pad", 3}}};
    matrix_rejected<Op, changes_input, last_column_of_another_side, of_the_transpose, right_hand_sides,
                    infinite>(several, kind);
    rejected<Op, in_float, rounded_to_float, one_nan, infinite>(
        {{{"n", 40}, {"p", 1}, {"pad", 0}}, {{"n", 257}, {"p", 1}, {"pad", 2}}}, kind);
  }
  // An error along A's smallest singular vector is hidden by any residual: errors elsewhere are not.
  rejected<Op, in_float, right_hand_sides, of_the_transpose, infinite>({{{"n", 64}, {"p", 2}, {"pad", 1}}},
                                                                       "near_singular");
  rejected<Op, scaled>({{{"n", 40}, {"p", 2}, {"pad", 1}}}, "dominant");
}

}  // namespace
}  // namespace test
}  // namespace tallcache
