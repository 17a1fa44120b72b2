// LAPACK's routines of the drop-in library give the same bytes on any number of threads.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "blas/tallcache_blas.h"
#include "tests/blas/lapack.hpp"
#include "tests/blas/matrix.hpp"

namespace {

template <class T>
class Threads : public testing::Test {};
TYPED_TEST_SUITE(Threads, Elements);

template <class T>
std::vector<T> large_factors(int threads) {
  tallcache_blas_set_threads(threads);
  std::mt19937_64 random(7);
  const Int n = 331, others = 120, ld = n;
  Matrix<T> a(column_major, n, n, 0), b(column_major, n, others, 0);
  a.fill(random);
  b.fill(random);
  auto s = a, q = a, x = b, y = b, all = a;
  for (Int i = 0; i < n; ++i) s(i, i) += static_cast<T>(n);
  std::vector<Int> pivots(n);
  std::vector<T> tau(n);
  using L = Lapack<T>;
  EXPECT_EQ(L::gesv(column_major, n, others, a.data.data(), ld, pivots.data(), x.data.data(), ld), 0);
  EXPECT_EQ(L::posv(column_major, 'L', n, others, s.data.data(), ld, y.data.data(), ld), 0);
  EXPECT_EQ(L::geqrf(column_major, n, n, q.data.data(), ld, tau.data()), 0);
  EXPECT_EQ(L::ormqr(column_major, 'L', 'T', n, others, n, q.data.data(), ld, tau.data(), b.data.data(), ld),
            0);
  std::vector<T> found;
  for (const auto* m : {&a, &s, &q, &x, &y, &b})
    found.insert(found.end(), m->data.begin(), m->data.end() - 1);
  return found;
}

TYPED_TEST(Threads, TheSameBytesOnAnyNumberOfThreads) {
  const auto one = large_factors<TypeParam>(1);
  const int most = static_cast<int>(std::thread::hardware_concurrency());
  for (int threads = 2; threads <= std::max(2, std::min(most, 3)); ++threads)
    EXPECT_TRUE(same_bytes(one, large_factors<TypeParam>(threads))) << threads;
  tallcache_blas_set_threads(most);
}

}  // namespace
