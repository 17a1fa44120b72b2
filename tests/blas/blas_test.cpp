// The drop-in BLAS held against sums in extended precision, through both of its interfaces.
#include "tests/blas/blas.hpp"

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "blas/tallcache_blas.h"
#include "tests/blas/matrix.hpp"

namespace {

std::atomic<int> openmp_asked = 0;  // by workers too
std::atomic<bool> in_openmp_region = false;

}  // namespace

// What a program may define: the library calls it.
extern "C" __attribute__((visibility("default"))) int omp_in_parallel() {
  ++openmp_asked;
  return in_openmp_region;
}

namespace {

/// C after C = alpha op(A) op(B) + beta C on the elements that kept(i, j) names: "" if it is right, and the
/// rest of its memory is as before.
template <class T, class Kept>
std::string fault_of(const Matrix<T>& c, const Matrix<T>& before, int ta, int tb, T alpha, const Matrix<T>& a,
                     const Matrix<T>& b, T beta, const Kept& kept) {
  const Int k = ta == no ? a.cols : a.rows;
  auto rest = before;
  for (Int i = 0; i < c.rows; ++i)
    for (Int j = 0; j < c.cols; ++j) {
      if (!kept(i, j)) continue;
      long double sum = 0, size = 0;
      for (Int l = 0; l < k; ++l) {
        const long double term =
            static_cast<long double>(ta == no ? a(i, l) : a(l, i)) * (tb == no ? b(l, j) : b(j, l));
        sum += term;
        size += std::abs(term);
      }
      const long double old = beta == 0 ? 0 : static_cast<long double>(beta) * before(i, j);
      const long double expected = (alpha == 0 ? 0 : alpha * sum) + old;
      const long double allowed = (static_cast<long double>(k) + 3) * std::numeric_limits<T>::epsilon() *
                                  (std::abs(alpha) * size + std::abs(old));
      if (!(std::abs(c(i, j) - expected) <= allowed))
        return "(" + std::to_string(i) + ", " + std::to_string(j) + ") is " + std::to_string(c(i, j)) +
               " for " + std::to_string(static_cast<double>(expected));
      rest(i, j) = c(i, j);
    }
  return same_bytes(rest.data, c.data) ? "" : "memory beside the result has changed";
}

template <class T>
class Level3 : public RandomMatrices<T> {};
TYPED_TEST_SUITE(Level3, Elements);

TYPED_TEST(Level3, Gemm) {
  using T = TypeParam;
  for (int round = 0; round < 600; ++round) {
    const Int m = size_of(this->random), n = size_of(this->random), k = size_of(this->random);
    const bool by_fortran = this->any(1);
    const int order = by_fortran || this->any(1) ? column_major : row_major, ta = this->trans(),
              tb = this->trans();
    const T alpha = this->scale(), beta = this->scale();
    const auto a = this->made(order, ta, m, k), b = this->made(order, tb, k, n);
    const auto before = this->result(order, m, n, beta);
    auto c = before;
    const char a_option = option(ta), b_option = option(tb);
    if (by_fortran)
      Blas<T>::gemm_(&a_option, &b_option, &m, &n, &k, &alpha, a.data.data(), &a.ld, b.data.data(), &b.ld,
                     &beta, c.data.data(), &c.ld);
    else
      Blas<T>::gemm(order, ta, tb, m, n, k, alpha, a.data.data(), a.ld, b.data.data(), b.ld, beta,
                    c.data.data(), c.ld);
    ASSERT_EQ(fault_of(c, before, ta, tb, alpha, a, b, beta, [](Int, Int) { return true; }), "")
        << m << " x " << n << " x " << k << ", " << a_option << b_option << ", alpha " << alpha << ", beta "
        << beta;
  }
}

TYPED_TEST(Level3, GemmtAndSyrkKeepTheOtherTriangle) {
  using T = TypeParam;
  for (int round = 0; round < 600; ++round) {
    const Int n = size_of(this->random), k = size_of(this->random);
    const bool by_fortran = this->any(1), symmetric = this->any(1);
    const int order = by_fortran || this->any(1) ? column_major : row_major, ta = this->trans();
    const int tb = symmetric ? (ta == no ? yes : no) : this->trans(), uplo = this->any(1) ? upper : lower;
    const T alpha = this->scale(), beta = this->scale();
    const auto a = this->made(order, ta, n, k), b = symmetric ? a : this->made(order, tb, k, n);
    const auto before = this->result(order, n, n, beta);
    auto c = before;
    const char u = uplo == upper ? 'u' : 'L', a_option = option(ta), b_option = option(tb);
    const T *pa = a.data.data(), *pb = b.data.data();
    T* const pc = c.data.data();
    if (symmetric && by_fortran)
      Blas<T>::syrk_(&u, &a_option, &n, &k, &alpha, pa, &a.ld, &beta, pc, &c.ld);
    else if (symmetric)
      Blas<T>::syrk(order, uplo, ta, n, k, alpha, pa, a.ld, beta, pc, c.ld);
    else if (by_fortran)
      Blas<T>::gemmt_(&u, &a_option, &b_option, &n, &k, &alpha, pa, &a.ld, pb, &b.ld, &beta, pc, &c.ld);
    else
      Blas<T>::gemmt(order, uplo, ta, tb, n, k, alpha, pa, a.ld, pb, b.ld, beta, pc, c.ld);
    const auto kept = [&](Int i, Int j) { return uplo == upper ? i <= j : i >= j; };
    ASSERT_EQ(fault_of(c, before, ta, tb, alpha, a, b, beta, kept), "")
        << n << " x " << k << ", " << u << a_option << b_option << ", alpha " << alpha << ", beta " << beta;
  }
}

// The check itself finds a wrong element, a NaN, and a byte that changed beside the result.
TYPED_TEST(Level3, SabotageIsFound) {
  using T = TypeParam;
  const auto a = this->made(row_major, no, 20, 30), b = this->made(row_major, no, 30, 10);
  const auto before = this->result(row_major, 20, 10, T{0});
  auto c = before;
  Blas<T>::gemm(row_major, no, no, 20, 10, 30, 1, a.data.data(), a.ld, b.data.data(), b.ld, 0, c.data.data(),
                c.ld);
  const auto fault = [&] {
    return fault_of(c, before, no, no, T{1}, a, b, T{0}, [](Int, Int) { return true; });
  };
  ASSERT_EQ(fault(), "");
  const T right = c(7, 3);
  c(7, 3) += T(1e-3);
  EXPECT_NE(fault(), "");
  c(7, 3) = std::numeric_limits<T>::quiet_NaN();
  EXPECT_NE(fault(), "");
  c(7, 3) = right;
  c.data.back() = 1;
  EXPECT_NE(fault(), "");
}

template <class T>
std::vector<T> large_products(int threads) {
  tallcache_blas_set_threads(threads);
  std::mt19937_64 random(7);
  Matrix<T> a(row_major, 301, 257, 1), b(row_major, 257, 311, 2), c(row_major, 301, 311, 3),
      s(row_major, 301, 301, 1);
  a.fill(random);
  b.fill(random);
  Blas<T>::gemm(row_major, no, no, 301, 311, 257, T(1.5), a.data.data(), a.ld, b.data.data(), b.ld, 0,
                c.data.data(), c.ld);
  Blas<T>::syrk(row_major, upper, no, 301, 257, 1, a.data.data(), a.ld, 0, s.data.data(), s.ld);
  std::vector<T> all;
  for (Int i = 0; i < 301; ++i) {
    for (Int j = 0; j < 311; ++j) all.push_back(c(i, j));
    for (Int j = i; j < 301; ++j) all.push_back(s(i, j));
  }
  return all;
}

TYPED_TEST(Level3, TheSameBytesOnAnyNumberOfThreads) {
  const auto one = large_products<TypeParam>(1);
  const int most = static_cast<int>(std::thread::hardware_concurrency());
  for (int threads = 2; threads <= std::max(2, std::min(most, 4)); ++threads)
    EXPECT_TRUE(same_bytes(one, large_products<TypeParam>(threads))) << threads;
  tallcache_blas_set_threads(most);
  // From several threads at once, and from inside of oneTBB's own loops.
  std::vector<std::vector<TypeParam>> found(6);
  std::vector<std::thread> threads;
  for (auto& one_found : found) threads.emplace_back([&] { one_found = large_products<TypeParam>(most); });
  for (auto& thread : threads) thread.join();
  for (const auto& one_found : found) EXPECT_TRUE(same_bytes(one, one_found));
  tbb::parallel_for(std::size_t{0}, found.size(),
                    [&](std::size_t i) { found[i] = large_products<TypeParam>(most); });
  for (const auto& one_found : found) EXPECT_TRUE(same_bytes(one, one_found));
}

TEST(Control, CountsCallsAndCutsThreads) {
  const auto before = tallcache_blas_calls();
  const double a = 3, b = 5;
  double c = 7;
  cblas_dgemm(row_major, no, no, 1, 1, 1, 1, &a, 1, &b, 1, 2, &c, 1);
  EXPECT_EQ(c, 29);
  EXPECT_EQ(tallcache_blas_calls(), before + 1);
  const int most = tallcache_blas_threads();
  tallcache_blas_set_threads(0);
  EXPECT_EQ(tallcache_blas_threads(), 1);
  tallcache_blas_set_threads(1 << 30);
  EXPECT_GE(tallcache_blas_threads(), 1);
  EXPECT_LE(tallcache_blas_threads(), static_cast<int>(std::thread::hardware_concurrency()));
  tallcache_blas_set_threads(most);
}

TEST(Control, AnOpenMpRegionIsAskedForOnlyWhereThreadsWouldBeUsed) {
  tallcache_blas_set_threads(2);
  if (tallcache_blas_threads() < 2) GTEST_SKIP() << "there is one processor";
  openmp_asked = 0;
  const auto outside = large_products<double>(2);
  EXPECT_GT(openmp_asked, 0);
  in_openmp_region = true;
  EXPECT_TRUE(same_bytes(outside, large_products<double>(2)));
  in_openmp_region = false;
  openmp_asked = 0;
  const double a = 3, b = 5;
  double c = 7;
  cblas_dgemm(row_major, no, no, 1, 1, 1, 1, &a, 1, &b, 1, 2, &c, 1);
  EXPECT_EQ(openmp_asked, 0);
}

// The library's threads do not exist in a child of fork().
TEST(Control, AChildOfForkComputesOnOneThread) {
  const auto expected = large_products<double>(2);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool one = tallcache_blas_threads() == 1;
    _exit(one && same_bytes(expected, large_products<double>(tallcache_blas_threads())) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
