// The drop-in BLAS computes in its caller's floating-point mode, on any number of threads and whatever mode
// it was first called in. Each test is a process of its own under CTest.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "blas/tallcache_blas.h"
#include "tests/blas/blas.hpp"
#include "tests/floating_point_modes.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

constexpr Int n = 300;  // of a product that is shared

class BlasMode : public testing::TestWithParam<FloatingPointMode> {
 protected:
  void SetUp() override {
    tallcache_blas_set_threads(2);
    if (tallcache_blas_threads() < 2) GTEST_SKIP() << "needs 2 processors";
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> distribution(0.5, 1);
    // Products and their sums are subnormal where they are to be flushed.
    const double scale = mode.flushes ? 0x1p-520 : 1;
    for (double& x : a) x = scale * distribution(random);
  }

  std::vector<double> product(int threads) const {
    tallcache_blas_set_threads(threads);
    std::vector<double> c(a.size());
    cblas_dgemm(row_major, no, no, n, n, n, 1, a.data(), n, a.data(), n, 0, c.data(), n);
    return c;
  }
  std::vector<double> triangle(int threads) const {
    tallcache_blas_set_threads(threads);
    std::vector<double> c(a.size());
    cblas_dsyrk(row_major, upper, no, n, n, 1, a.data(), n, 0, c.data(), n);
    return c;
  }

  const FloatingPointMode mode = GetParam();
  std::vector<double> a = std::vector<double>(n * n);
};

TEST_P(BlasMode, OfTheFirstCallDoesNotStay) {
  std::vector<double> first;
  {
    const InMode in(mode);
    first = product(2);
    EXPECT_EQ(current_mode(), mode);
  }
  const auto nearest = product(2);
  EXPECT_TRUE(same_bytes(nearest, product(1)));
  EXPECT_FALSE(same_bytes(nearest, first));
  const InMode in(mode);
  EXPECT_TRUE(same_bytes(first, product(1)));
}

TEST_P(BlasMode, IsTheCallersOfEachCall) {
  const auto nearest = product(2), nearest_triangle = triangle(2);
  {
    const InMode in(mode);
    const auto serial = product(1);
    EXPECT_FALSE(same_bytes(serial, nearest));
    EXPECT_TRUE(same_bytes(product(2), serial));
    EXPECT_TRUE(same_bytes(triangle(2), triangle(1)));
    EXPECT_EQ(current_mode(), mode);
  }
  EXPECT_TRUE(same_bytes(product(2), nearest));
  EXPECT_TRUE(same_bytes(triangle(2), nearest_triangle));
  EXPECT_TRUE(same_bytes(nearest, product(1)));
}

TEST_P(BlasMode, OfSeveralCallersAtATime) {
  const auto nearest = product(1);
  std::vector<double> in_mode;
  {
    const InMode in(mode);
    in_mode = product(1);
  }
  tallcache_blas_set_threads(2);
  const auto caller = [&](const FloatingPointMode& own, const std::vector<double>& expected) {
    const InMode in(own);
    std::vector<double> c(a.size());
    for (int round = 0; round < (sanitized ? 3 : 10); ++round) {
      cblas_dgemm(row_major, no, no, n, n, n, 1, a.data(), n, a.data(), n, 0, c.data(), n);
      EXPECT_TRUE(same_bytes(c, expected)) << own << ", round " << round;
      EXPECT_EQ(current_mode(), own);
    }
  };
  std::vector<std::jthread> callers;
  for (int pair = 0; pair < 2; ++pair) {
    callers.emplace_back(caller, to_nearest, std::cref(nearest));
    callers.emplace_back(caller, mode, std::cref(in_mode));
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlasMode, testing::ValuesIn(odd_modes),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace tallcache::test
