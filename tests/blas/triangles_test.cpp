// Products and systems with triangles and symmetric matrices, held against sums in extended precision. What
// a routine must not read is NaN: the other triangle, a unit diagonal, C where beta is 0.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/blas/matrix.hpp"

namespace {

template <class T>
class Triangles : public RandomMatrices<T> {
 protected:
  int one_of(int a, int b) { return this->any(1) ? a : b; }

  /// Of order n, with NaN in the other triangle, and on the diagonal if it is taken for 1. The condition is
  /// small.
  Matrix<T> triangle(int order, int uplo, int diagonal, Int n) {
    Matrix<T> a(order, n, n, this->any(3));
    a.fill(this->random);
    const T missing = std::numeric_limits<T>::quiet_NaN();
    for (Int i = 0; i < n; ++i)
      for (Int j = 0; j < n; ++j) {
        const bool within = uplo == upper ? i < j : i > j;
        if (i == j)
          a(i, j) = diagonal == unit ? missing : a(i, j) + (a(i, j) < 0 ? T{-2} : T{2});
        else
          a(i, j) = within ? a(i, j) * 2 / static_cast<T>(n) : missing;
      }
    return a;
  }
};
TYPED_TEST_SUITE(Triangles, Elements);

/// Element (i, j) of a triangle, or of a symmetric matrix of which that triangle is stored.
template <class T>
T of_triangle(const Matrix<T>& a, int uplo, int diagonal, Int i, Int j) {
  if (i == j) return diagonal == unit ? T{1} : a(i, i);
  return (uplo == upper ? i < j : i > j) ? a(i, j) : T{0};
}
template <class T>
T of_symmetric(const Matrix<T>& a, int uplo, Int i, Int j) {
  return (uplo == upper ? i <= j : i >= j) ? a(i, j) : a(j, i);
}

/// "" if alpha times the sums of factor(i, j, l) and old(i, j) are those in `found`, to a few roundings.
template <class T, class Terms, class Old>
std::string fault_of(const Matrix<T>& found, Int k, T alpha, const Terms& terms, const Old& old,
                     const Matrix<T>& before, int uplo = 0) {
  auto rest = before;
  for (Int i = 0; i < found.rows; ++i)
    for (Int j = 0; j < found.cols; ++j) {
      if (uplo != 0 && (uplo == upper ? i > j : i < j)) continue;
      long double sum = 0, size = 0;
      for (Int l = 0; alpha != 0 && l < k; ++l) {
        const long double term = terms(i, j, l);
        sum += term;
        size += std::abs(term);
      }
      const long double was = old(i, j), expected = alpha * sum + was;
      const long double allowed = (2 * static_cast<long double>(k) + 4) * std::numeric_limits<T>::epsilon() *
                                  (std::abs(alpha) * size + std::abs(was));
      if (!(std::abs(found(i, j) - expected) <= allowed))
        return "(" + std::to_string(i) + ", " + std::to_string(j) + ") is " + std::to_string(found(i, j)) +
               " for " + std::to_string(static_cast<double>(expected));
      rest(i, j) = found(i, j);
    }
  return same_bytes(rest.data, found.data) ? "" : "memory beside the result has changed";
}

TYPED_TEST(Triangles, SymmReadsOneTriangle) {
  using T = TypeParam;
  for (int round = 0; round < 120; ++round) {
    const Int m = size_of(this->random), n = size_of(this->random);
    const bool by_fortran = this->any(1);
    const int order = by_fortran ? column_major : this->one_of(row_major, column_major);
    const int side = this->one_of(left, right), uplo = this->one_of(upper, lower);
    const T alpha = this->scale(), beta = this->scale();
    const Int k = side == left ? m : n;
    const auto a = this->triangle(order, uplo, non_unit, k), b = this->made(order, no, m, n);
    const auto before = this->result(order, m, n, beta);
    auto c = before;
    const char s = side == left ? 'l' : 'R', u = uplo == upper ? 'U' : 'l';
    if (by_fortran)
      Blas<T>::symm_(&s, &u, &m, &n, &alpha, a.data.data(), &a.ld, b.data.data(), &b.ld, &beta, c.data.data(),
                     &c.ld);
    else
      Blas<T>::symm(order, side, uplo, m, n, alpha, a.data.data(), a.ld, b.data.data(), b.ld, beta,
                    c.data.data(), c.ld);
    const auto terms = [&](Int i, Int j, Int l) {
      return side == left ? static_cast<long double>(of_symmetric(a, uplo, i, l)) * b(l, j)
                          : static_cast<long double>(b(i, l)) * of_symmetric(a, uplo, l, j);
    };
    const auto old = [&](Int i, Int j) {
      return beta == 0 ? 0 : static_cast<long double>(beta) * before(i, j);
    };
    ASSERT_EQ(fault_of(c, k, alpha, terms, old, before), "") << m << " x " << n << ", " << s << u << alpha;
  }
}

TYPED_TEST(Triangles, SymmOfLargeMatrices) {
  using T = TypeParam;
  const Int n = 300, others = 5;
  for (const int side : {left, right})
    for (const int uplo : {upper, lower}) {
      const Int rows = side == left ? n : others, cols = side == left ? others : n;
      const auto a = this->triangle(row_major, uplo, non_unit, n), b = this->made(row_major, no, rows, cols);
      const auto before = this->result(row_major, rows, cols, T{1});
      auto c = before;
      Blas<T>::symm(row_major, side, uplo, rows, cols, 1, a.data.data(), a.ld, b.data.data(), b.ld, 1,
                    c.data.data(), c.ld);
      const auto terms = [&](Int i, Int j, Int l) {
        return side == left ? static_cast<long double>(of_symmetric(a, uplo, i, l)) * b(l, j)
                            : static_cast<long double>(b(i, l)) * of_symmetric(a, uplo, l, j);
      };
      const auto old = [&](Int i, Int j) { return static_cast<long double>(before(i, j)); };
      EXPECT_EQ(fault_of(c, n, T{1}, terms, old, before), "") << side << " " << uplo;
    }
}

TYPED_TEST(Triangles, Syr2kKeepsTheOtherTriangle) {
  using T = TypeParam;
  for (int round = 0; round < 120; ++round) {
    const Int n = size_of(this->random), k = size_of(this->random);
    const bool by_fortran = this->any(1);
    const int order = by_fortran ? column_major : this->one_of(row_major, column_major);
    const int trans = this->trans(), uplo = this->one_of(upper, lower);
    const T alpha = this->scale(), beta = this->scale();
    const auto a = this->made(order, trans, n, k), b = this->made(order, trans, n, k);
    const auto before = this->result(order, n, n, beta);
    auto c = before;
    const char u = uplo == upper ? 'U' : 'l', o = option(trans);
    if (by_fortran)
      Blas<T>::syr2k_(&u, &o, &n, &k, &alpha, a.data.data(), &a.ld, b.data.data(), &b.ld, &beta,
                      c.data.data(), &c.ld);
    else
      Blas<T>::syr2k(order, uplo, trans, n, k, alpha, a.data.data(), a.ld, b.data.data(), b.ld, beta,
                     c.data.data(), c.ld);
    const auto of = [&](const Matrix<T>& x, Int i, Int l) {
      return static_cast<long double>(trans == no ? x(i, l) : x(l, i));
    };
    const auto terms = [&](Int i, Int j, Int l) {
      return l < k ? of(a, i, l) * of(b, j, l) : of(b, i, l - k) * of(a, j, l - k);
    };
    const auto old = [&](Int i, Int j) {
      return beta == 0 ? 0 : static_cast<long double>(beta) * before(i, j);
    };
    ASSERT_EQ(fault_of(c, 2 * k, alpha, terms, old, before, uplo), "")
        << n << " x " << k << ", " << u << o << ", alpha " << alpha << ", beta " << beta;
  }
}

// trsm's result, multiplied, is alpha B; trmm's is compared with the sums.
TYPED_TEST(Triangles, TrmmAndTrsm) {
  using T = TypeParam;
  for (int round = 0; round < 300; ++round) {
    const Int m = size_of(this->random), n = size_of(this->random);
    const bool by_fortran = this->any(1), solves = this->any(1);
    const int order = by_fortran ? column_major : this->one_of(row_major, column_major);
    const int side = this->one_of(left, right), uplo = this->one_of(upper, lower), trans = this->trans(),
              diagonal = this->one_of(unit, non_unit);
    const T alpha = this->scale();
    const Int k = side == left ? m : n;
    const auto a = this->triangle(order, uplo, diagonal, k);
    auto before = Matrix<T>(order, m, n, this->any(3));
    if (alpha != 0) before.fill(this->random);
    auto b = before;
    const char s = side == left ? 'L' : 'r', u = uplo == upper ? 'U' : 'l', o = option(trans),
               d = diagonal == unit ? 'u' : 'N';
    const auto fortran = solves ? Blas<T>::trsm_ : Blas<T>::trmm_;
    const auto cblas = solves ? Blas<T>::trsm : Blas<T>::trmm;
    if (by_fortran)
      fortran(&s, &u, &o, &d, &m, &n, &alpha, a.data.data(), &a.ld, b.data.data(), &b.ld);
    else
      cblas(order, side, uplo, trans, diagonal, m, n, alpha, a.data.data(), a.ld, b.data.data(), b.ld);
    const auto op = [&](Int i, Int l) {
      return static_cast<long double>(trans == no ? of_triangle(a, uplo, diagonal, i, l)
                                                  : of_triangle(a, uplo, diagonal, l, i));
    };
    const auto product_with = [&](const Matrix<T>& x) {
      return [&](Int i, Int j, Int l) { return side == left ? op(i, l) * x(l, j) : x(i, l) * op(l, j); };
    };
    const auto what = std::to_string(m) + " x " + std::to_string(n) + (solves ? " trsm " : " trmm ") + s + u +
                      o + d + ", alpha " + std::to_string(alpha);
    if (!solves || alpha == 0) {
      ASSERT_EQ(fault_of(
                    b, k, alpha, product_with(before), [](Int, Int) { return 0.0L; }, before),
                "")
          << what;
      continue;
    }
    // op(A) X - alpha B, where the size of the terms includes that of alpha B.
    auto rest = before;
    for (Int i = 0; i < m; ++i)
      for (Int j = 0; j < n; ++j) {
        long double sum = -static_cast<long double>(alpha) * before(i, j), size = std::abs(sum);
        for (Int l = 0; l < k; ++l) {
          const long double term = product_with(b)(i, j, l);
          sum += term;
          size += std::abs(term);
        }
        ASSERT_LE(std::abs(sum), (2 * k + 20) * std::numeric_limits<T>::epsilon() * size) << what;
        rest(i, j) = b(i, j);
      }
    ASSERT_TRUE(same_bytes(rest.data, b.data)) << what;
  }
}

// A triangle whose inverse is huge, of condition 2^40 and more, is not inverted: the residual stays small.
TYPED_TEST(Triangles, TrsmOfAnIllConditionedTriangleHasASmallResidual) {
  using T = TypeParam;
  const Int n = 41;
  Matrix<T> a(row_major, n, n, 0), b(row_major, n, 1, 0), moderate(row_major, n, 1, 0);
  moderate.fill(this->random);
  for (Int i = 0; i < n; ++i)
    for (Int j = 0; j < n; ++j) a(i, j) = i == j ? 1 : i < j ? -1 : 0;  // the inverse doubles along a row
  for (Int i = 0; i < n; ++i) {
    b(i, 0) = 0;
    for (Int l = i; l < n; ++l) b(i, 0) += a(i, l) * moderate(l, 0);
  }
  auto x = b;
  Blas<T>::trsm(row_major, left, upper, no, non_unit, n, 1, 1, a.data.data(), n, x.data.data(), 1);
  for (Int i = 0; i < n; ++i) {
    long double sum = -static_cast<long double>(b(i, 0)), size = std::abs(sum);
    for (Int l = i; l < n; ++l) {
      sum += static_cast<long double>(a(i, l)) * x(l, 0);
      size += std::abs(static_cast<long double>(a(i, l)) * x(l, 0));
    }
    EXPECT_LE(std::abs(sum), 2 * n * std::numeric_limits<T>::epsilon() * size) << i;
  }
}

}  // namespace
