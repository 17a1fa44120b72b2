// Misses of the traced algorithms against the proven bounds, at many cache sizes and line lengths.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/cache/run_traced.hpp"
#include "common/cache/stack_distances.hpp"
#include "common/cache/tracer.hpp"
#include "cpu/counting_sort/bucketed.hpp"
#include "cpu/counting_sort/classical.hpp"
#include "cpu/matmul/naive.hpp"
#include "cpu/matmul/recursive.hpp"
#include "cpu/sort/funnelsort.hpp"
#include "cpu/sort/merge_sort.hpp"
#include "cpu/transpose/naive.hpp"
#include "cpu/transpose/recursive.hpp"

namespace tallcache::cache {
namespace {

/// Q(Z, L) of a variant at every Z, in elements of `element` bytes.
template <class V, class Op>
StackDistances misses_of(std::size_t line_elements, std::size_t element, const Shape& shape,
                         const Params& params) {
  StackDistances all;
  trace(line_elements * element, {&all}, [&](Tracer& tracer) { run_traced<V, Op>(tracer, shape, params); });
  return all;
}

// Frigo et al. 1999: Theta(n + n^2 / L + n^3 / (L sqrt Z)) for a tall cache. The constant is at most 7.9,
// where Z is only 8 L^2; naive has 27 or more at every Z with fewer lines than a column.
TEST(CacheTheory, RecMultKeepsItsBoundAndNaiveDoesNot) {
  constexpr double n = 150, constant = 8;
  const Shape shape{{"m", 150}, {"n", 150}, {"k", 150}, {"pad", 0}};
  for (const std::size_t line : {4, 8, 16}) {
    const auto recursive = misses_of<cpu::matmul::recursive, Matmul<double>>(line, 8, shape, {{"base", 1}});
    const auto naive = misses_of<cpu::matmul::naive, Matmul<double>>(line, 8, shape, {});
    for (std::size_t size = 8 * line * line; size <= 16384; size *= 2) {
      SCOPED_TRACE("Z = " + std::to_string(size) + ", L = " + std::to_string(line));
      const double L = static_cast<double>(line), Z = static_cast<double>(size);
      const double bound = n + n * n / L + n * n * n / (L * std::sqrt(Z));
      EXPECT_LE(static_cast<double>(recursive.misses(size / line)), constant * bound);
      EXPECT_GE(static_cast<double>(naive.misses(size / line)), 3 * constant * bound);
    }
  }
}

// Theta(1 + n^2 / L): at most 3.4 n^2 / L from Z = 4 L^2 on (the minimum is 2: each line of A and of B once).
// Naive misses at every element of B while a column needs more lines than there are.
TEST(CacheTheory, RecTransposeKeepsItsBoundAndNaiveDoesNot) {
  constexpr double n = 700, constant = 3.5;
  const Shape shape{{"m", 700}, {"n", 700}, {"pad", 0}};
  for (const std::size_t line : {4, 8, 16}) {
    const auto recursive =
        misses_of<cpu::transpose::recursive, Transpose<double>>(line, 8, shape, {{"base", 1}});
    const auto naive = misses_of<cpu::transpose::naive, Transpose<double>>(line, 8, shape, {});
    for (std::size_t size = 4 * line * line; size <= 16384; size *= 2) {
      SCOPED_TRACE("Z = " + std::to_string(size) + ", L = " + std::to_string(line));
      const double bound = 1 + n * n / static_cast<double>(line);
      EXPECT_LE(static_cast<double>(recursive.misses(size / line)), constant * bound);
      if (size / line < 700) {
        EXPECT_NEAR(static_cast<double>(naive.misses(size / line)), n * n + bound, 0.01 * n * n);
      }
    }
  }
}

// Frigo et al. 1999: Theta(1 + n/L (1 + log_Z n)) for a tall cache. The constant is at most 4.5, from
// Z = 4 L^2 on. Merge sort misses at each of its lg(n/Z) levels.
TEST(CacheTheory, FunnelsortKeepsItsBoundAndMergeSortDoesNot) {
  constexpr double n = 100000, constant = 5;
  constexpr std::size_t line = 16;
  const Shape shape{{"n", 100000}};
  const auto funnel = misses_of<cpu::sort::funnelsort, Sort>(line, 4, shape, {{"base", 16}});
  const auto merge = misses_of<cpu::sort::merge_sort, Sort>(line, 4, shape, {{"base", 2048}});
  for (std::size_t size = 4 * line * line; size <= 32768; size *= 2) {
    SCOPED_TRACE("Z = " + std::to_string(size));
    const cache::IdealCache ideal{static_cast<double>(size), static_cast<double>(line)};
    EXPECT_LE(static_cast<double>(funnel.misses(size / line)),
              constant * cache::optimal_sort_misses(ideal, n).misses);
    EXPECT_GE(static_cast<double>(merge.misses(size / line)),
              1.5 * static_cast<double>(funnel.misses(size / line)));
  }
}

// The slides (M8) bound bucketed counting sort by 9n/L + 3m/L + m + 2k/L, and charge the sort of a bucket as
// if it lay outside the cache: 3n/L to find k, count and place, and 3n/L for the random accesses. A bucket
// that fits is read once and written once, 2n/L, k is known, and one array of counts serves all buckets. That
// leaves 5n/L + 3m/L + m. The measurement is within 1 % of it.
TEST(CacheTheory, BucketedCountingSortMissesOnlyAsItScans) {
  constexpr double n = 200000, k = n, line = 16;
  const Shape shape{{"n", 200000}, {"range", 200000}};
  const auto classical = misses_of<cpu::counting_sort::classical, CountingSort<false>>(16, 4, shape, {});
  for (const Index buckets : {128, 256}) {
    const double m = static_cast<double>(buckets);
    const double slides = 9 * n / line + 3 * m / line + m + 2 * k / line,
                 fits = 5 * n / line + 3 * m / line + m;
    const auto all =
        misses_of<cpu::counting_sort::bucketed, CountingSort<false>>(16, 4, shape, {{"buckets", buckets}});
    for (const std::size_t lines : {512, 1024, 2048}) {
      SCOPED_TRACE(std::to_string(buckets) + " buckets, " + std::to_string(lines) + " lines");
      EXPECT_NEAR(static_cast<double>(all.misses(lines)), fits, 0.01 * fits);
      EXPECT_LE(static_cast<double>(all.misses(lines)), slides);
      // 3n + 3n/L + 2k/L at worst; 2n remain where the counts and the output are each far larger than
      // the cache.
      EXPECT_GE(static_cast<double>(classical.misses(lines)), 2 * n);
      EXPECT_LE(static_cast<double>(classical.misses(lines)), 3 * n + 3 * n / line + 2 * k / line);
    }
    EXPECT_GT(static_cast<double>(all.misses(64)), 2 * fits)
        << "with fewer lines than buckets there is no such bound";
  }
}

}  // namespace
}  // namespace tallcache::cache
