// Linear systems A X = B for the tests of solvers, and the backward error of a solution.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/random.hpp"
#include "common/view.hpp"

namespace tallcache::test::solving {

using ElementOf = std::function<double(Index, Index)>;

inline double uniform(Index i, Index j) {
  return 2 * random_unit(11, static_cast<std::uint64_t>(i * 10007 + j)) - 1;
}
inline double hilbert(Index i, Index j) { return 1.0 / static_cast<double>(i + j + 1); }

/// A system with padded leading dimensions.
struct System {
  Index n, columns;
  std::vector<double> a, b, x;

  System(Index order, Index right_hand_sides, const ElementOf& element)
      : n(order),
        columns(right_hand_sides),
        a(static_cast<std::size_t>(n * (n + 3)), 1e300),
        b(static_cast<std::size_t>(n * (columns + 1)), 1e300),
        x(static_cast<std::size_t>(n * (columns + 2)), std::numeric_limits<double>::quiet_NaN()) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) a[static_cast<std::size_t>(i * (n + 3) + j)] = element(i, j);
      for (Index c = 0; c < columns; ++c)
        b[static_cast<std::size_t>(i * (columns + 1) + c)] = uniform(i, n + 7 * c + 1);
    }
  }
  MatrixView<double> matrix() { return {a.data(), n, n, n + 3}; }
  MatrixView<double> right() { return {b.data(), n, columns, columns + 1}; }
  MatrixView<double> solution() { return {x.data(), n, columns, columns + 2}; }

  /// The largest of ||b - A x|| / (||A|| ||x||), in units of sqrt(n) 2^-53; NaN where an element is.
  double backward_error() {
    double norm = 0, worst = 0;
    for (Index i = 0; i < n; ++i) {
      double sum = 0;
      for (Index j = 0; j < n; ++j) sum += std::abs(matrix()(i, j));
      norm = std::max(norm, sum);
    }
    for (Index c = 0; c < columns; ++c) {
      double residual = 0, largest = 0;
      for (Index i = 0; i < n; ++i) {
        long double left = right()(i, c);
        for (Index j = 0; j < n; ++j) left -= static_cast<long double>(matrix()(i, j)) * solution()(j, c);
        if (!(std::abs(static_cast<double>(left)) <= residual))
          residual = std::abs(static_cast<double>(left));
        largest = std::max(largest, std::abs(solution()(i, c)));
      }
      const double error = residual == 0 ? 0 : residual / norm / largest;
      if (!(error <= worst)) worst = error;
    }
    return worst / (std::sqrt(static_cast<double>(n)) * 0x1p-53);
  }
};

/// Systems of good condition, some of them beyond what a float holds.
inline const std::vector<std::pair<std::string, ElementOf>> refined_kinds{
    {"uniform", uniform},
    {"rows graded", [](Index i, Index j) { return uniform(i, j) * std::ldexp(1.0, -int(i * 7 % 30)); }},
    {"columns graded", [](Index i, Index j) { return uniform(i, j) * std::ldexp(1.0, -int(j * 11 % 30)); }},
    {"beyond float", [](Index i, Index j) { return uniform(i, j) * 1e200; }},
    {"below float", [](Index i, Index j) { return uniform(i, j) * 1e-200; }}};

}  // namespace tallcache::test::solving
