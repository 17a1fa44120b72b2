// LAPACK's routines of the drop-in library, by Fortran's names and by LAPACKE's in both orders, held against
// residuals in extended precision.
#include "tests/blas/lapack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/blas/matrix.hpp"

namespace {

using Long = long double;

/// Calls by LAPACKE in the matrices' order, or by Fortran.
template <class T>
class Factorizations : public RandomMatrices<T> {
 protected:
  using L = Lapack<T>;
  bool by_fortran = false;
  int order = column_major;

  void choose() {
    by_fortran = this->any(1);
    order = by_fortran || this->any(1) ? column_major : row_major;
  }
  Matrix<T> random_matrix(Int m, Int n) { return this->made(order, no, m, n); }
  /// Positive definite, with NaN in the other triangle.
  Matrix<T> definite(char uplo, Int n) {
    auto a = random_matrix(n, n);
    for (Int i = 0; i < n; ++i)
      for (Int j = 0; j < n; ++j) {
        if (i == j) a(i, j) += static_cast<T>(n);
        if (uplo == 'U' ? i > j : i < j) a(i, j) = std::numeric_limits<T>::quiet_NaN();
      }
    return a;
  }

  Int getrf(Matrix<T>& a, std::vector<Int>& pivots) {
    pivots.assign(static_cast<std::size_t>(std::min(a.rows, a.cols)) + 1, -7);
    Int info = -99;
    if (by_fortran)
      L::getrf_(&a.rows, &a.cols, a.data.data(), &a.ld, pivots.data(), &info);
    else
      info = L::getrf(order, a.rows, a.cols, a.data.data(), a.ld, pivots.data());
    EXPECT_EQ(pivots.back(), -7);
    pivots.pop_back();
    return info;
  }
  Int potrf(char uplo, Matrix<T>& a) {
    Int info = -99;
    if (by_fortran)
      L::potrf_(&uplo, &a.rows, a.data.data(), &a.ld, &info);
    else
      info = L::potrf(order, uplo, a.rows, a.data.data(), a.ld);
    return info;
  }
  Int geqrf(Matrix<T>& a, std::vector<T>& tau) {
    tau.assign(static_cast<std::size_t>(std::min(a.rows, a.cols)), 0);
    if (!by_fortran) return L::geqrf(order, a.rows, a.cols, a.data.data(), a.ld, tau.data());
    Int info = -99, lwork = std::max<Int>(1, a.cols);
    std::vector<T> work(static_cast<std::size_t>(lwork));
    L::geqrf_(&a.rows, &a.cols, a.data.data(), &a.ld, tau.data(), work.data(), &lwork, &info);
    return info;
  }
  Int orgqr(Matrix<T>& a, Int k, const std::vector<T>& tau) {
    if (!by_fortran) return L::orgqr(order, a.rows, a.cols, k, a.data.data(), a.ld, tau.data());
    Int info = -99, lwork = std::max<Int>(1, a.cols);
    std::vector<T> work(static_cast<std::size_t>(lwork));
    L::orgqr_(&a.rows, &a.cols, &k, a.data.data(), &a.ld, tau.data(), work.data(), &lwork, &info);
    return info;
  }
  Int ormqr(char side, char trans, Int k, const Matrix<T>& a, const std::vector<T>& tau, Matrix<T>& c) {
    if (!by_fortran)
      return L::ormqr(order, side, trans, c.rows, c.cols, k, a.data.data(), a.ld, tau.data(), c.data.data(),
                      c.ld);
    Int info = -99, lwork = std::max<Int>(1, side == 'L' ? c.cols : c.rows);
    std::vector<T> work(static_cast<std::size_t>(lwork));
    L::ormqr_(&side, &trans, &c.rows, &c.cols, &k, a.data.data(), &a.ld, tau.data(), c.data.data(), &c.ld,
              work.data(), &lwork, &info);
    return info;
  }

  static Long allowed(Int size) {
    return 8 * static_cast<Long>(size + 4) * std::numeric_limits<T>::epsilon();
  }
};
TYPED_TEST_SUITE(Factorizations, Elements);

/// Whether all that is not an element is as before.
template <class T>
bool is_kept_beside(const Matrix<T>& found, const Matrix<T>& before) {
  auto rest = before;
  for (Int i = 0; i < found.rows; ++i)
    for (Int j = 0; j < found.cols; ++j) rest(i, j) = found(i, j);
  return same_bytes(rest.data, found.data);
}

/// The rows in their order after the exchanges.
std::vector<Int> rows_of(const std::vector<Int>& pivots, Int m) {
  std::vector<Int> rows(static_cast<std::size_t>(m));
  for (Int i = 0; i < m; ++i) rows[static_cast<std::size_t>(i)] = i;
  for (std::size_t i = 0; i < pivots.size(); ++i)
    std::swap(rows[i], rows.at(static_cast<std::size_t>(pivots[i] - 1)));
  return rows;
}

/// The largest |P A - L U| over max(1, m, n) epsilons of its terms; infinite for a factor above 1.
template <class T>
Long lu_residual(const Matrix<T>& f, const std::vector<Int>& pivots, const Matrix<T>& a) {
  const auto rows = rows_of(pivots, a.rows);
  Long worst = 0, largest = 0;
  for (Int i = 0; i < a.rows; ++i)
    for (Int j = 0; j < a.cols; ++j) {
      if (i > j && !(std::abs(f(i, j)) <= 1 + std::numeric_limits<T>::epsilon()))
        return std::numeric_limits<Long>::infinity();
      Long sum = -static_cast<Long>(a(rows[static_cast<std::size_t>(i)], j));
      for (Int l = 0; l <= std::min(i, j); ++l) sum += (l == i ? Long{1} : Long{f(i, l)}) * f(l, j);
      if (!(std::abs(sum) <= worst)) worst = std::abs(sum);
      largest = std::max(largest, std::abs(Long{a(i, j)}));
    }
  return worst / std::max(largest, Long{1e-30L});
}

/// The largest |op(A) X - B| over the size of its terms.
template <class T>
Long system_residual(const Matrix<T>& a, bool transposed, const Matrix<T>& x, const Matrix<T>& b) {
  Long worst = 0;
  for (Int i = 0; i < x.rows; ++i)
    for (Int j = 0; j < x.cols; ++j) {
      Long sum = -static_cast<Long>(b(i, j)), size = 0;
      for (Int l = 0; l < x.rows; ++l) {
        const Long term = Long{transposed ? a(l, i) : a(i, l)} * x(l, j);
        sum += term;
        size += std::abs(term);
      }
      const Long relative = std::abs(sum) / std::max(size, Long{1e-30L});
      if (!(relative <= worst)) worst = relative;
    }
  return worst;
}

template <class T>
Matrix<T> symmetric(const Matrix<T>& a, char uplo) {
  auto full = a;
  for (Int i = 0; i < a.rows; ++i)
    for (Int j = 0; j < a.cols; ++j)
      if (uplo == 'U' ? i > j : i < j) full(i, j) = a(j, i);
  return full;
}

constexpr Int sides[] = {0, 1, 2, 5, 33, 65, 130};

TYPED_TEST(Factorizations, GetrfIsPAofLU) {
  using T = TypeParam;
  for (const Int m : sides)
    for (const Int n : sides) {
      this->choose();
      const auto before = this->random_matrix(m, n);
      auto f = before;
      std::vector<Int> pivots;
      ASSERT_EQ(this->getrf(f, pivots), 0);
      EXPECT_LE(lu_residual(f, pivots, before), this->allowed(std::max(m, n))) << m << " x " << n;
      EXPECT_TRUE(is_kept_beside(f, before));
      if (m > 2 && n > 2) {  // the check sees a wrong element
        f(2, 1) += T(0.01);
        EXPECT_GT(lu_residual(f, pivots, before), this->allowed(std::max(m, n)));
      }
    }
}

TYPED_TEST(Factorizations, GetrsAndGesvSolve) {
  using T = TypeParam;
  using L = Lapack<T>;
  for (const Int n : sides)
    for (const Int others : {0, 1, 20}) {
      this->choose();
      const auto a = this->random_matrix(n, n), b = this->random_matrix(n, others);
      auto f = a;
      std::vector<Int> pivots;
      ASSERT_EQ(this->getrf(f, pivots), 0);
      pivots.push_back(0);
      for (const char trans : {'N', 't', 'C'}) {
        auto x = b;
        Int info = -99;
        if (this->by_fortran)
          L::getrs_(&trans, &n, &others, f.data.data(), &f.ld, pivots.data(), x.data.data(), &x.ld, &info);
        else
          info = L::getrs(this->order, trans, n, others, f.data.data(), f.ld, pivots.data(), x.data.data(),
                          x.ld);
        ASSERT_EQ(info, 0);
        EXPECT_LE(system_residual(a, trans != 'N', x, b), 4 * this->allowed(n)) << n << trans << others;
        EXPECT_TRUE(is_kept_beside(x, b));
      }
      auto again = a, x = b;
      std::vector<Int> again_pivots(pivots.size());
      Int info = -99;
      if (this->by_fortran)
        L::gesv_(&n, &others, again.data.data(), &again.ld, again_pivots.data(), x.data.data(), &x.ld, &info);
      else
        info = L::gesv(this->order, n, others, again.data.data(), again.ld, again_pivots.data(),
                       x.data.data(), x.ld);
      ASSERT_EQ(info, 0);
      EXPECT_TRUE(same_bytes(again.data, f.data));
      EXPECT_EQ(again_pivots, pivots);
      EXPECT_LE(system_residual(a, false, x, b), 4 * this->allowed(n)) << n;
    }
}

TYPED_TEST(Factorizations, PotrfPotrsAndPosvReadOneTriangle) {
  using T = TypeParam;
  using L = Lapack<T>;
  for (const Int n : sides)
    for (const char uplo : {'U', 'L'})
      for (int round = 0; round < 3; ++round) {
        this->choose();
        const Int others = this->any(9);
        const auto a = this->definite(uplo, n), b = this->random_matrix(n, others);
        auto f = a;
        ASSERT_EQ(this->potrf(uplo, f), 0) << n << uplo;
        Long worst = 0;
        auto rest = a;
        for (Int i = 0; i < n; ++i)
          for (Int j = 0; j < n; ++j) {
            if (uplo == 'U' ? i > j : i < j) continue;
            rest(i, j) = f(i, j);
            Long sum = -static_cast<Long>(a(i, j));
            for (Int l = 0; l <= std::min(i, j); ++l)
              sum += uplo == 'U' ? Long{f(l, i)} * f(l, j) : Long{f(i, l)} * f(j, l);
            if (!(std::abs(sum) <= worst)) worst = std::abs(sum);
          }
        EXPECT_LE(worst, this->allowed(n) * (n + 1)) << n << uplo;
        EXPECT_TRUE(same_bytes(rest.data, f.data)) << "the other triangle has changed";
        const auto full = symmetric(a, uplo);
        auto x = b, again = a, y = b;
        Int info = -99, other_info = -99;
        if (this->by_fortran) {
          L::potrs_(&uplo, &n, &others, f.data.data(), &f.ld, x.data.data(), &x.ld, &info);
          L::posv_(&uplo, &n, &others, again.data.data(), &again.ld, y.data.data(), &y.ld, &other_info);
        } else {
          info = L::potrs(this->order, uplo, n, others, f.data.data(), f.ld, x.data.data(), x.ld);
          other_info =
              L::posv(this->order, uplo, n, others, again.data.data(), again.ld, y.data.data(), y.ld);
        }
        ASSERT_EQ(info, 0);
        ASSERT_EQ(other_info, 0);
        EXPECT_LE(system_residual(full, false, x, b), this->allowed(n)) << n << uplo;
        EXPECT_TRUE(same_bytes(x.data, y.data) && same_bytes(again.data, f.data));
      }
}

/// The product with Q, by Q's own elements; C is multiplied from the left, or the right.
template <class T>
Long q_residual(const Matrix<T>& q, char side, char trans, const Matrix<T>& c, const Matrix<T>& found) {
  Long worst = 0;
  for (Int i = 0; i < c.rows; ++i)
    for (Int j = 0; j < c.cols; ++j) {
      Long sum = -static_cast<Long>(found(i, j));
      for (Int l = 0; l < q.rows; ++l)
        sum += side == 'L' ? Long{trans == 'N' ? q(i, l) : q(l, i)} * c(l, j)
                           : Long{trans == 'N' ? q(l, j) : q(j, l)} * c(i, l);
      if (!(std::abs(sum) <= worst)) worst = std::abs(sum);
    }
  return worst;
}

TYPED_TEST(Factorizations, GeqrfOrgqrAndOrmqr) {
  using T = TypeParam;
  for (const Int m : {0, 1, 2, 5, 33, 65, 130})
    for (const Int n : {0, 1, 3, 8, 31, 100}) {
      this->choose();
      const auto a = this->random_matrix(m, n);
      auto f = a;
      std::vector<T> tau;
      ASSERT_EQ(this->geqrf(f, tau), 0);
      EXPECT_TRUE(is_kept_beside(f, a));
      const Int k = std::min(m, n);
      // All of Q, whose first columns are the reflectors'.
      auto q = this->random_matrix(m, m);
      for (Int i = 0; i < m; ++i)
        for (Int j = 0; j < k; ++j) q(i, j) = f(i, j);
      ASSERT_EQ(this->orgqr(q, k, tau), 0);
      Long orthogonal = 0, product = 0;
      for (Int i = 0; i < m; ++i)
        for (Int j = 0; j < m; ++j) {
          Long sum = i == j ? -1 : 0;
          for (Int l = 0; l < m; ++l) sum += Long{q(l, i)} * q(l, j);
          if (!(std::abs(sum) <= orthogonal)) orthogonal = std::abs(sum);
        }
      for (Int i = 0; i < m; ++i)
        for (Int j = 0; j < n; ++j) {
          Long sum = -static_cast<Long>(a(i, j));
          for (Int l = 0; l <= std::min(j, m - 1); ++l) sum += Long{q(i, l)} * f(l, j);
          if (!(std::abs(sum) <= product)) product = std::abs(sum);
        }
      EXPECT_LE(orthogonal, this->allowed(m)) << m << " x " << n;
      EXPECT_LE(product, this->allowed(m)) << m << " x " << n;
      for (const char side : {'L', 'R'})
        for (const char trans : {'N', 'T'}) {
          const Int others = this->any(40);
          const auto c = side == 'L' ? this->random_matrix(m, others) : this->random_matrix(others, m);
          auto found = c;
          ASSERT_EQ(this->ormqr(side, trans, k, f, tau, found), 0);
          EXPECT_LE(q_residual(q, side, trans, c, found), this->allowed(m))
              << m << " x " << n << side << trans;
          EXPECT_TRUE(is_kept_beside(found, c));
        }
    }
}

// The first zero pivot is reported, and the factorisation goes on: its product is still P A.
TYPED_TEST(Factorizations, SingularMatrices) {
  using T = TypeParam;
  for (const Int n : {1, 7, 40, 130})
    for (const Int zero : {Int{0}, n / 2, n - 1}) {
      this->choose();
      auto a = this->random_matrix(n, n);
      for (Int i = 0; i < n; ++i) a(i, zero) = a(i, n - 1) = 0;
      auto f = a;
      std::vector<Int> pivots;
      EXPECT_EQ(this->getrf(f, pivots), zero + 1) << n;
      EXPECT_LE(lu_residual(f, pivots, a), this->allowed(n)) << n << " " << zero;
      const Int one = 1;
      auto b = this->random_matrix(n, 1);
      const auto b_before = b;
      auto again = a;
      Int info = -99;
      if (this->order == column_major) {
        Lapack<T>::gesv_(&n, &one, again.data.data(), &again.ld, pivots.data(), b.data.data(), &b.ld, &info);
        EXPECT_EQ(info, zero + 1);
        EXPECT_TRUE(same_bytes(b.data, b_before.data)) << "there is no solution";
      }
    }
  for (const Int n : {1, 7, 40, 130})
    for (const Int minor : {Int{1}, (n + 1) / 2, n})
      for (const char uplo : {'U', 'L'}) {
        this->choose();
        auto a = this->definite(uplo, n);
        a(minor - 1, minor - 1) = -1;
        EXPECT_EQ(this->potrf(uplo, a), minor) << n << uplo;
        auto nan = this->definite(uplo, n);
        nan(minor - 1, minor - 1) = std::numeric_limits<T>::quiet_NaN();
        EXPECT_EQ(this->potrf(uplo, nan), this->by_fortran ? minor : -4) << n << uplo;
      }
}

// LAPACKE finds a NaN before; Fortran's routine computes, and has nothing to tell.
TYPED_TEST(Factorizations, NanInGetrf) {
  using T = TypeParam;
  for (int round = 0; round < 8; ++round) {
    this->choose();
    auto a = this->random_matrix(50, 50);
    a(20, 30) = std::numeric_limits<T>::quiet_NaN();
    const auto before = a;
    std::vector<Int> pivots;
    EXPECT_EQ(this->getrf(a, pivots), this->by_fortran ? 0 : -4);
    EXPECT_TRUE(this->by_fortran ? std::isnan(a(49, 49)) : same_bytes(a.data, before.data));
  }
}

TYPED_TEST(Factorizations, AWorkspaceQueryTellsASizeAndComputesNothing) {
  using T = TypeParam;
  using L = Lapack<T>;
  const Int m = 50, n = 30, others = 7, query = -1;
  std::vector<T> a(m * n, T{3}), tau(n, T{1}), c(m * others, T{2});
  const auto a_before = a, c_before = c;
  T size = 0;
  Int info = -99;
  L::geqrf_(&m, &n, a.data(), &m, tau.data(), &size, &query, &info);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(size, T{30 * 32});
  L::orgqr_(&m, &n, &n, a.data(), &m, tau.data(), &size, &query, &info);
  EXPECT_EQ(size, T{30 * 32});
  L::ormqr_("L", "N", &m, &others, &n, a.data(), &m, tau.data(), c.data(), &m, &size, &query, &info);
  EXPECT_EQ(info, 0);
  EXPECT_GE(size, T{7 * 32});
  EXPECT_TRUE(same_bytes(a, a_before) && same_bytes(c, c_before));
}

}  // namespace
