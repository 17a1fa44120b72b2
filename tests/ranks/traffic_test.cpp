// Words of ranks: counted, formula, bound and clocks against each other and against sets of elements.
#include <gtest/gtest.h>

#include <cmath>

#include "common/random.hpp"
#include "ranks/clocks.hpp"
#include "ranks/counted.hpp"
#include "ranks/matmul.hpp"

namespace tallcache::test {
namespace {

using namespace ranks;

Index sum_of(const std::vector<Traffic>& levels, Index Traffic::*member) {
  Index sum = 0;
  for (const Traffic& level : levels) sum += level.*member;
  return sum;
}

// Without turns, a rank receives what its boxes of A and B have and it does not own, and of its stretch of C
// a sum from each other rank with the same box.
TEST(RanksTraffic, IsWhatTheBoxesLack) {
  for (const MatmulShape& shape : {MatmulShape{24, 24, 24}, {13, 29, 17}, {7, 100, 9}, {50, 3, 60}})
    for (Index ranks : {1, 2, 3, 5, 6, 8, 12, 16, 21}) {
      const Plan plan = plan_matmul(shape, ranks);
      Index received = 0, sent = 0;
      for (Index rank = 0; rank < ranks; ++rank) {
        Index lacks = 0;
        for (std::size_t v : {matrix_a, matrix_b}) lacks += plan.box(v, rank).size() - plan.owned(v, rank);
        Index sharing = 0;
        for (Index other = 0; other < ranks; ++other)
          sharing += other != rank && plan.box(matrix_c, other) == plan.box(matrix_c, rank);
        // A level's sums are of what the levels below have added up already.
        Index sums = 0, below = 1;
        for (std::size_t level = plan.levels(); level-- > 0;)
          if (plan.moves(matrix_c, level)) below *= plan.cuts()[level].parts;
        EXPECT_EQ(below, sharing + 1);
        const Index box = plan.box(matrix_c, rank).size();
        for (std::size_t level = 0; level < plan.levels(); ++level)
          if (plan.moves(matrix_c, level))
            sums += plan.stretch(matrix_c, box, level, rank).size * (plan.cuts()[level].parts - 1);
        const auto levels = count_rank(plan, rank);
        EXPECT_EQ(sum_of(levels, &Traffic::words_received), lacks + sums);
        received += sum_of(levels, &Traffic::words_received);
        sent += sum_of(levels, &Traffic::words_sent);
      }
      EXPECT_EQ(received, sent);
      EXPECT_EQ(count(plan).all_words, received);
    }
}

TEST(RanksTraffic, TheFormulaIsExactWhereSizesDivide) {
  for (const auto& [shape, ranks] : {std::pair{MatmulShape{64, 64, 64}, 8},
                                     {{8192, 8192, 8192}, 32},
                                     {{1024, 1024, 131072}, 32},
                                     {{3600, 3600, 3600}, 30},
                                     {{4096, 64, 64}, 16}}) {
    const Plan plan = plan_matmul(shape, ranks);
    const Counts counts = count(plan);
    EXPECT_EQ(static_cast<double>(counts.max_words), words_by_formula(shape, grid_of(plan)));
    for (const LevelTraffic& level : counts.levels) EXPECT_EQ(level.min_words, level.max_words);
  }
}

// Elsewhere each box has one row and one column more than the formula's at most.
TEST(RanksTraffic, AndWithinARowElsewhere) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto size = [&](std::uint64_t j) { return static_cast<Index>(64 + random_up_to(j, i, 200)); };
    const MatmulShape shape{size(1), size(2), size(3)};
    const Index ranks = 2 + static_cast<Index>(random_up_to(4, i, 60));
    const Plan plan = plan_matmul(shape, ranks);
    const Grid g = grid_of(plan);
    const auto up = [](Index size, Index parts) { return static_cast<double>(size / parts + 1); };
    const double a = up(shape.m, g.m) * up(shape.k, g.k), b = up(shape.k, g.k) * up(shape.n, g.n),
                 c = up(shape.m, g.m) * up(shape.n, g.n);
    const double owned = static_cast<double>(shape.m * shape.n + shape.m * shape.k + shape.n * shape.k) /
                         static_cast<double>(ranks);
    const auto most = static_cast<double>(count(plan).max_words);
    EXPECT_LE(most, a + b + c - owned + 3 * static_cast<double>(ranks)) << ranks;
    EXPECT_GE(most, words_by_formula(shape, g) - 1e-6);
  }
}

TEST(RanksTraffic, TheBound) {
  const MatmulShape cube{64, 64, 64};
  EXPECT_DOUBLE_EQ(accessed_bound(cube, 8), 3.0 * 32 * 32);
  EXPECT_DOUBLE_EQ(words_bound(cube, 1), 0);
  // One dimension, two dimensions, three: the cases meet at their ends.
  const MatmulShape flat{1 << 12, 1 << 8, 1 << 4};
  for (const double at : {16.0, 4096.0})
    EXPECT_NEAR(accessed_bound(flat, at) / accessed_bound(flat, at * (1 + 1e-9)), 1, 1e-8);
  EXPECT_DOUBLE_EQ(accessed_bound(flat, 4), 4096 + (1 << 20) / 4.0 + (1 << 16) / 4.0);
  EXPECT_DOUBLE_EQ(accessed_bound({1 << 4, 1 << 12, 1 << 8}, 4), accessed_bound(flat, 4));
  EXPECT_DOUBLE_EQ(count(plan_matmul(cube, 8)).max_words, words_bound(cube, 8));
}

double accessed(const MatmulShape& s, const Grid& g) {
  const auto ranks = static_cast<double>(g.m * g.n * g.k);
  return words_by_formula(s, g) + static_cast<double>(s.m * s.n + s.m * s.k + s.n * s.k) / ranks;
}

// Halving the largest dimension is the best of all grids of powers of two, and D is within 1.061 of the
// bound.
TEST(RanksTraffic, HalvingIsTheBestGridOfPowersOfTwo) {
  double worst = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto size = [&](std::uint64_t j) {
      return static_cast<Index>(std::exp2(10 + 10 * random_unit(j, i)));
    };
    const MatmulShape shape{size(1), size(2), size(3)};
    const Index ranks = Index{1} << random_up_to(4, i, 10);
    const double halved = accessed(shape, grid_of(plan_matmul(shape, ranks)));
    for (Index pm = 1; pm <= ranks; pm *= 2)
      for (Index pn = 1; pm * pn <= ranks; pn *= 2)
        ASSERT_LE(halved, accessed(shape, {pm, pn, ranks / pm / pn}) * (1 + 1e-12));
    worst = std::max(worst, halved / accessed_bound(shape, static_cast<double>(ranks)));
  }
  EXPECT_LE(worst, 1.061);
  EXPECT_GE(worst, 1.05) << "the shapes are too easy";
}

TEST(RanksTraffic, OfTheClocksIsTheCounted) {
  const Fabric fabric{.flops = 1e9, .levels = {{4, 1e-6, 1e9}, {4, 2e-6, 2e9}, {4, 3e-6, 4e9}}};
  for (const MatmulShape& shape : {MatmulShape{64, 64, 64}, {65, 97, 131}, {1000, 70, 70}})
    for (Index ranks = 1; ranks <= 64; ++ranks) {
      const Plan plan = plan_matmul(shape, ranks, ranks % 5 == 0 ? 1 : 0);
      const Clocks clocks = run_clocks(plan, fabric, matmul_flop);
      for (Index rank = 0; rank < ranks; ++rank)
        ASSERT_EQ(clocks.words[static_cast<std::size_t>(rank)],
                  sum_of(count_rank(plan, rank), &Traffic::words_received))
            << ranks;
    }
}

// Two ranks that multiply a cube of 2: each receives half of B, and no more.
TEST(RanksTraffic, TheClocksTellTheTime) {
  const Fabric fabric{.flops = 8, .levels = {{2, 0.5, 16}}};
  const Clocks clocks = run_clocks(plan_matmul({2, 2, 2}, 2), fabric, matmul_flop);
  EXPECT_DOUBLE_EQ(clocks.leaf_seconds, 1);                  // 8 flop
  EXPECT_DOUBLE_EQ(clocks.seconds, 0.5 + 2 * 8 / 16.0 + 1);  // latency, 2 words, flop
}

// Four ranks share a link to the upper switch: the same exchange takes four times as long.
TEST(RanksTraffic, ASharedLinkIsSlower) {
  const Fabric flat{.flops = 1e30, .levels = {{8, 0, 1e9}}};
  const Fabric shared{.flops = 1e30, .levels = {{4, 0, 1e9}, {2, 0, 1e9}}};
  const Plan plan = plan_matmul({4096, 8, 8}, 8);  // three cuts of m: gathers of B with ranks 4, 2 and 1 away
  const double alone = run_clocks(plan, flat, matmul_flop).seconds;
  const double together = run_clocks(plan, shared, matmul_flop).seconds;
  EXPECT_NEAR(alone, 8 * (8 + 16 + 32) / 1e9, 1e-15);
  EXPECT_NEAR(together, 8 * (4 * 8 + 16 + 32) / 1e9, 1e-15);
}

TEST(RanksTraffic, AMillionRanks) {
  const MatmulShape shape{1 << 20, 1 << 20, 1 << 20};
  const Plan plan = plan_matmul(shape, 1 << 20);
  EXPECT_EQ(static_cast<double>(count(plan).max_words), words_by_formula(shape, grid_of(plan)));
}

TEST(RanksTraffic, BadFabrics) {
  const Plan plan = plan_matmul({4, 4, 4}, 4);
  for (const Fabric& fabric : {Fabric{.flops = 0}, Fabric{.levels = {}}, Fabric{.levels = {{1, 0, 1}}},
                               Fabric{.levels = {{2, -1, 1}}}, Fabric{.levels = {{2, 0, 0}}},
                               Fabric{.flops = std::nan("")}, Fabric{.levels = {{2, 0, std::nan("")}}}})
    EXPECT_THROW(run_clocks(plan, fabric, matmul_flop), Error);
  EXPECT_THROW(run_clocks(plan_matmul({999983, 1, 1}, 999983), Fabric{}, matmul_flop), Error);
}

}  // namespace
}  // namespace tallcache::test
