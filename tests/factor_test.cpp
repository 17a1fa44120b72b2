// Decompositions of matrices that are hard for them, each held to its backward error: graded, singular, of
// Hilbert, of Wilkinson, with subnormal, infinite and NaN elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/execute.hpp"
#include "common/ops/cholesky.hpp"
#include "common/ops/lu.hpp"
#include "common/random.hpp"

namespace tallcache::test {
namespace {

using Element2 = std::function<double(Index, Index)>;

double uniform(Index i, Index j) { return 2 * random_unit(7, static_cast<std::uint64_t>(i * 10007 + j)) - 1; }

/// A matrix with a padded leading dimension.
template <class T>
struct Matrix {
  Index rows, cols, ld;
  std::vector<T> data;

  Matrix(Index m, Index n, const Element2& element)
      : rows(m), cols(n), ld(n + 3), data(static_cast<std::size_t>(m * (n + 3)), T{-77}) {
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) (*this)(i, j) = static_cast<T>(element(i, j));
  }
  T& operator()(Index i, Index j) { return data[static_cast<std::size_t>(i * ld + j)]; }
  T operator()(Index i, Index j) const { return data[static_cast<std::size_t>(i * ld + j)]; }
  MatrixView<T> view() { return {data.data(), rows, cols, ld}; }
};

template <class T>
struct Factors {
  Matrix<T> f;
  std::vector<std::int32_t> exchanges;
};

template <class T>
Factors<T> factor(const Matrix<T>& a, std::string_view variant = "lu_pivot_toledo") {
  Factors<T> factors{a, std::vector<std::int32_t>(static_cast<std::size_t>(std::min(a.rows, a.cols)))};
  const auto size = static_cast<Index>(factors.exchanges.size());
  execute<LuPivot<T>>(variant, {factors.f.view(), {factors.exchanges.data(), size}});
  return factors;
}

/// The infinity norm of P A - L U over that of |L||U|, in units of min(m, n) eps; NaN where an element is.
template <class T>
double backward_error(Matrix<T> a, const Factors<T>& factors) {
  const auto& f = factors.f;
  const Index steps = std::min(a.rows, a.cols);
  for (Index i = 0; i < steps; ++i)
    for (Index j = 0; j < a.cols; ++j)
      std::swap(a(i, j), a(factors.exchanges[static_cast<std::size_t>(i)], j));
  double error = 0, magnitude = 0;
  for (Index i = 0; i < a.rows; ++i) {
    double row_error = 0, row = 0;
    for (Index j = 0; j < a.cols; ++j) {
      long double sum = -static_cast<long double>(a(i, j));
      for (Index l = 0; l <= std::min({i, j, steps - 1}); ++l) {
        const long double product = (l == i ? 1.0L : static_cast<long double>(f(i, l))) * f(l, j);
        sum += product;
        row += static_cast<double>(std::abs(product));
      }
      row_error += static_cast<double>(std::abs(sum));
    }
    if (!(row_error <= error)) error = row_error;
    magnitude = std::max(magnitude, row);
  }
  return error / magnitude / (static_cast<double>(steps) * Element<T>::epsilon);
}

/// The same of A - L L^T.
template <class T>
double backward_error(const Matrix<T>& a, const Matrix<T>& l) {
  double error = 0, magnitude = 0;
  for (Index i = 0; i < a.rows; ++i) {
    double row_error = 0, row = 0;
    for (Index j = 0; j <= i; ++j) {
      long double sum = -static_cast<long double>(a(i, j));
      for (Index k = 0; k <= j; ++k) sum += static_cast<long double>(l(i, k)) * l(j, k);
      row_error += static_cast<double>(std::abs(sum));
      row += std::abs(static_cast<double>(a(i, j)));
    }
    if (!(row_error <= error)) error = row_error;
    magnitude = std::max(magnitude, row);
  }
  return error / magnitude / (static_cast<double>(a.rows) * Element<T>::epsilon);
}

template <class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

template <class T>
Matrix<T> cholesky(Matrix<T> a) {
  execute<Cholesky<T>>("cholesky_gustavson", {a.view()});
  return a;
}

double hilbert(Index i, Index j) { return 1.0 / static_cast<double>(i + j + 1); }
double power(Index exponent) { return std::ldexp(1.0, static_cast<int>(exponent)); }

template <class T>
class Factor : public testing::Test {};
using Floating = testing::Types<double, float>;
TYPED_TEST_SUITE(Factor, Floating);

TYPED_TEST(Factor, LuOfHardMatricesHasASmallBackwardError) {
  using T = TypeParam;
  const std::vector<std::pair<std::string, Element2>> kinds{
      {"uniform", uniform},
      {"rows graded", [](Index i, Index j) { return uniform(i, j) * power(-(i * 7 % 30)); }},
      {"columns graded", [](Index i, Index j) { return uniform(i, j) * power(-(j * 11 % 30)); }},
      {"Hilbert", hilbert},
      {"nearly of rank 1", [](Index i, Index j) { return 1 + uniform(i, j) * power(-20); }},
      {"positive", [](Index i, Index j) { return std::abs(uniform(i, j)); }}};
  for (const auto& [name, element] : kinds)
    for (const auto& [m, n] :
         {std::pair<Index, Index>{1, 1}, {13, 13}, {50, 50}, {150, 150}, {170, 60}, {60, 170}, {30, 199}}) {
      SCOPED_TRACE(name + " " + std::to_string(m) + " x " + std::to_string(n));
      const Matrix<T> a(m, n, element);
      Factors<T> factors = factor(a);
      EXPECT_LT(backward_error(a, factors), 1);
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < std::min({i, m, n}); ++j)
          ASSERT_LE(std::abs(factors.f(i, j)), 1 + 2 * Element<T>::epsilon);
      // The bound would see one element that is wrong.
      T& element_of_l = factors.f(m - 1, 0);
      element_of_l = element_of_l * T{1.01} + T{0.01};
      EXPECT_GT(backward_error(a, factors), 1);
      element_of_l = std::numeric_limits<T>::quiet_NaN();
      EXPECT_FALSE(backward_error(a, factors) < 1);
    }
}

// Wilkinson, "Error analysis of direct methods of matrix inversion", 1961: the last column doubles in each
// step.
TYPED_TEST(Factor, GrowthIsThatOfWilkinsonsMatrix) {
  const Index n = std::numeric_limits<TypeParam>::digits;
  const Matrix<TypeParam> a(n, n, [](Index i, Index j) { return i == j || j == n - 1 ? 1 : i > j ? -1 : 0; });
  const Factors<TypeParam> factors = factor(a);
  for (Index i = 0; i < n; ++i) {
    EXPECT_EQ(factors.exchanges[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(factors.f(i, n - 1), static_cast<TypeParam>(power(i)));
  }
}

TYPED_TEST(Factor, SingularMatricesAreRefused) {
  for (const Index n : {5, 60, 130}) {
    EXPECT_EQ(error_of([&] { factor(Matrix<TypeParam>(n, n, [](Index, Index) { return 0; })); }),
              "lu_pivot: the matrix is singular: pivot 0 is 0");
    EXPECT_EQ(error_of([&] {
                factor(Matrix<TypeParam>(n, n, [](Index i, Index j) { return power(i % 5 + j % 3); }));
              }),
              "lu_pivot: the matrix is singular: pivot 1 is 0");
    // Of rank n - 1: the last column is the first one.
    EXPECT_EQ(error_of([&] {
                factor(Matrix<TypeParam>(n, n, [n](Index i, Index j) { return i == (j == n - 1 ? 0 : j); }));
              }),
              "lu_pivot: the matrix is singular: pivot " + std::to_string(n - 1) + " is 0");
  }
}

// 1 / pivot overflows.
TYPED_TEST(Factor, SubnormalPivotsDivide) {
  using T = TypeParam;
  const double unit = std::numeric_limits<T>::denorm_min();
  const Index n = 40;
  const Matrix<T> a(n, n, [unit](Index i, Index j) { return std::round(uniform(i, j) * 1000) * unit; });
  const Factors<T> factors = factor(a);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      ASSERT_TRUE(std::isfinite(factors.f(i, j)));
      ASSERT_TRUE(j >= i || std::abs(factors.f(i, j)) <= 1);
    }
  // Each product is rounded to a multiple of the unit.
  EXPECT_LT(backward_error(a, factors) * Element<T>::epsilon * 1000, 10);
}

TYPED_TEST(Factor, NanAndInfinityAreRefusedWhereTheySpread) {
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  for (const Index n : {9, 60, 130})
    for (const Index at : {Index{0}, n / 2, n - 1}) {
      Matrix<TypeParam> a(n, n, uniform);
      a(at, n - 1 - at) = std::numeric_limits<TypeParam>::quiet_NaN();
      EXPECT_NE(error_of([&] { factor(a); }).find("is NaN"), std::string::npos) << n << " " << at;
    }
  Matrix<TypeParam> a(30, 30, uniform);
  a(3, 0) = a(7, 0) = infinity;
  EXPECT_NE(error_of([&] { factor(a); }).find("pivot 1 is NaN"), std::string::npos);
  a(7, 0) = 1;
  EXPECT_EQ(factor(a).f(0, 0), infinity);  // all other elements of its column are 0 afterwards
}

TYPED_TEST(Factor, CholeskyOfHardMatricesHasASmallBackwardError) {
  using T = TypeParam;
  const bool wide = sizeof(T) == 8;
  const std::vector<std::pair<std::string, Element2>> kinds{
      {"dominant", [](Index i, Index j) { return i == j ? 200.0 : uniform(i, j); }},
      {"minimum", [](Index i, Index j) { return std::min(i, j) + 1; }},
      {"graded",
       [](Index i, Index j) {
         return (i == j ? 200.0 : uniform(i, j)) * power(-(i * 7 % 30) - (j * 7 % 30));
       }},
      {"tiny",
       [](Index i, Index j) { return (i == j ? 200.0 : uniform(i, j)) * power(wide ? -1020 : -124); }}};
  for (const auto& [name, element] : kinds)
    for (const Index n : {1, 7, 24, 25, 60, 150}) {
      SCOPED_TRACE(name + " " + std::to_string(n));
      const Matrix<T> a(n, n, element);
      Matrix<T> l = cholesky(a);
      EXPECT_LT(backward_error(a, l), 1);
      l(0, 0) *= T{1.1};  // the bound sees it
      EXPECT_GT(backward_error(a, l), 1);
    }
  const Index order = wide ? 10 : 5;
  const Matrix<T> a(order, order, hilbert);
  EXPECT_LT(backward_error(a, cholesky(a)), 1);
}

TYPED_TEST(Factor, MatricesThatAreNotPositiveDefiniteAreRefusedWithTheOrder) {
  const auto unit = [](Index i, Index j) { return i == j; };
  const std::string refused = "cholesky: the matrix is not positive definite: the leading minor of order ";
  for (const Index n : {1, 24, 60, 130})
    for (const Index at : {Index{0}, n / 2, n - 1})
      for (const TypeParam pivot :
           {TypeParam{0}, TypeParam{-1}, std::numeric_limits<TypeParam>::quiet_NaN()}) {
        Matrix<TypeParam> a(n, n, unit);
        a(at, at) = pivot;
        EXPECT_EQ(error_of([&] { cholesky(a); }).substr(0, refused.size() + 4),
                  (refused + std::to_string(at + 1) + " has the pivot").substr(0, refused.size() + 4));
      }
  // A NaN below the diagonal, and one above it, which is not read.
  Matrix<TypeParam> a(60, 60, unit);
  a(40, 3) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(error_of([&] { cholesky(a); }).substr(0, refused.size() + 2), refused + "41");
  a(40, 3) = 0, a(3, 40) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(error_of([&] { cholesky(a); }), "none");
}

}  // namespace
}  // namespace tallcache::test
