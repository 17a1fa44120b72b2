// The layout over ranks: every element has one owner, every product of two elements one rank, and the gathers
// and sums of a plan, played on one process, give C.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <vector>

#include "common/random.hpp"
#include "cpu/matmul/recursive.hpp"
#include "ranks/matmul.hpp"
#include "ranks/text.hpp"

namespace tallcache::test {
namespace {

using namespace ranks;

struct Case {
  MatmulShape shape;
  Index ranks;
  int halvings = 0;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list{{{8, 8, 8}, 1},        {{8, 8, 8}, 8},      {{7, 5, 9}, 6},
                                      {{13, 11, 17}, 12},    {{1, 1, 40}, 8},     {{40, 1, 1}, 5},
                                      {{1, 64, 1}, 7},       {{9, 9, 9}, 27},     {{10, 20, 30}, 30},
                                      {{16, 16, 16}, 4, 2},  {{11, 13, 7}, 6, 3}, {{5, 40, 6}, 2, 1},
                                      {{31, 2, 33}, 31},     {{7, 7, 7}, 1, 3},   {{6, 50, 50}, 10, 1},
                                      {{17, 19, 23}, 16, 1}, {{3, 3, 100}, 9, 2}, {{64, 64, 2}, 16, 1}};
  return list;
}

TEST(RanksPlan, EveryElementHasOneOwner) {
  for (const auto& [shape, ranks, halvings] : cases()) {
    const Plan plan = plan_matmul(shape, ranks, halvings);
    EXPECT_EQ(plan.turns(), Index{1} << halvings);
    for (std::size_t v = 0; v < 3; ++v) {
      const Matrix& matrix = plan.matrices()[v];
      std::vector<int> owners(static_cast<std::size_t>(matrix.rows * matrix.cols));
      for (Index rank = 0; rank < ranks; ++rank)
        for (const Piece& piece : plan.pieces(v, rank))
          for (Index at = piece.stretch.begin; at < piece.stretch.begin + piece.stretch.size; ++at) {
            const Index i = piece.box.row + at / piece.box.cols, j = piece.box.col + at % piece.box.cols;
            ++owners.at(static_cast<std::size_t>(i * matrix.cols + j));
          }
      EXPECT_EQ(std::ranges::count(owners, 1), std::ssize(owners)) << matrix.name << " on " << ranks;
    }
  }
}

TEST(RanksPlan, EveryMultiplyAddHasOneRank) {
  for (const auto& [shape, ranks, halvings] : cases()) {
    const Plan plan = plan_matmul(shape, ranks, halvings);
    std::set<std::array<Index, 3>> done;
    Index count = 0;
    for (Index rank = 0; rank < ranks; ++rank)
      for (Index turn = 0; turn < plan.turns(); ++turn) {
        const Box c = plan.box(matrix_c, rank, turn), a = plan.box(matrix_a, rank, turn);
        EXPECT_EQ(plan.box(matrix_b, rank, turn), (Box{a.col, c.col, a.cols, c.cols}));
        EXPECT_EQ(a.row, c.row);
        EXPECT_EQ(a.rows, c.rows);
        for (Index i = c.row; i < c.row + c.rows; ++i)
          for (Index j = c.col; j < c.col + c.cols; ++j)
            for (Index l = a.col; l < a.col + a.cols; ++l) done.insert({i, j, l}), ++count;
      }
    EXPECT_EQ(count, shape.m * shape.n * shape.k);
    EXPECT_EQ(std::ssize(done), count);
  }
}

// Sizes of parts differ by one row or column at most, so that no rank waits for another.
TEST(RanksPlan, LeavesAreEqual) {
  for (const auto& [shape, ranks, halvings] : cases()) {
    const Plan plan = plan_matmul(shape, ranks, halvings);
    for (std::size_t v = 0; v < 3; ++v) {
      const Box first = plan.box(v, 0);
      for (Index rank = 0; rank < ranks; ++rank)
        for (Index turn = 0; turn < plan.turns(); ++turn) {
          const Box box = plan.box(v, rank, turn);
          EXPECT_TRUE(box.rows <= first.rows && box.rows + 1 >= first.rows);
          EXPECT_TRUE(box.cols <= first.cols && box.cols + 1 >= first.cols);
        }
    }
  }
}

// What ranks hold, as a map from the element of a rank's box to its value.
class Played {
 public:
  Played(const Plan& plan, std::size_t v)
      : plan_(plan), v_(v), held_(static_cast<std::size_t>(plan.ranks())) {}

  std::vector<double>& of(Index rank) { return held_[static_cast<std::size_t>(rank)]; }

  void gather(std::size_t level) {
    auto next = held_;
    for (Index rank = 0; rank < plan_.ranks(); ++rank)
      for (Index part = 0; part < plan_.cuts()[level].parts; ++part) {
        const Index partner = plan_.partner(level, rank, part);
        const Stretch theirs = stretch(partner, level);
        for (Index at = theirs.begin; at < theirs.begin + theirs.size; ++at)
          next[static_cast<std::size_t>(rank)].at(static_cast<std::size_t>(at)) =
              of(partner).at(static_cast<std::size_t>(at));
      }
    held_ = next;
  }
  void add_up(std::size_t level) {
    auto next = held_;
    for (Index rank = 0; rank < plan_.ranks(); ++rank) {
      const Stretch mine = stretch(rank, level);
      for (Index at = mine.begin; at < mine.begin + mine.size; ++at) {
        double sum = 0;
        for (Index part = 0; part < plan_.cuts()[level].parts; ++part)
          sum += of(plan_.partner(level, rank, part)).at(static_cast<std::size_t>(at));
        next[static_cast<std::size_t>(rank)][static_cast<std::size_t>(at)] = sum;
      }
    }
    held_ = next;
  }
  Stretch stretch(Index rank, std::size_t level) const {
    return plan_.stretch(v_, plan_.box(v_, rank, turn).size(), level, rank);
  }
  Index turn = 0;

 private:
  const Plan& plan_;
  std::size_t v_;
  std::vector<std::vector<double>> held_;
};

double value_at(std::size_t v, Index i, Index j) {
  return static_cast<double>(random_up_to(v, static_cast<std::uint64_t>(i * 1000 + j), 20)) - 10;
}

void play_turn(const Plan& plan, Index turn, std::vector<double>& c) {
  constexpr double poison = 1e300;
  std::array<Played, 3> held{Played(plan, 0), Played(plan, 1), Played(plan, 2)};
  for (std::size_t v = 0; v < 3; ++v) {
    held[v].turn = turn;
    for (Index rank = 0; rank < plan.ranks(); ++rank) {
      const Box box = plan.box(v, rank, turn);
      auto& values = held[v].of(rank);
      values.assign(static_cast<std::size_t>(box.size()), poison);
      const Stretch own = held[v].stretch(rank, 0);
      for (Index at = own.begin; v && at < own.begin + own.size; ++at)
        values[static_cast<std::size_t>(at)] = value_at(v, box.row + at / box.cols, box.col + at % box.cols);
    }
  }
  for (std::size_t level = 0; level < plan.levels(); ++level)
    for (std::size_t v = 1; v < 3; ++v)
      if (plan.moves(v, level)) held[v].gather(level);
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const Box a = plan.box(matrix_a, rank, turn), b = plan.box(matrix_b, rank, turn);
    auto& out = held[0].of(rank);
    std::ranges::fill(out, 0);
    cpu::matmul::multiply_leaf(MatrixView<double>{out.data(), a.rows, b.cols, b.cols},
                               MatrixView<double>{held[1].of(rank).data(), a.rows, a.cols, a.cols},
                               MatrixView<double>{held[2].of(rank).data(), b.rows, b.cols, b.cols});
  }
  for (std::size_t level = plan.levels(); level-- > 0;)
    if (plan.moves(matrix_c, level)) held[0].add_up(level);
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const Box box = plan.box(matrix_c, rank, turn);
    const Stretch own = held[0].stretch(rank, 0);
    for (Index at = own.begin; at < own.begin + own.size; ++at)
      c[static_cast<std::size_t>((box.row + at / box.cols) * plan.matrices()[0].cols + box.col +
                                 at % box.cols)] += held[0].of(rank)[static_cast<std::size_t>(at)];
  }
}

TEST(RanksPlan, PlayedOnOneProcessGivesTheProduct) {
  for (const auto& [shape, ranks, halvings] : cases()) {
    const Plan plan = plan_matmul(shape, ranks, halvings);
    std::vector<double> c(static_cast<std::size_t>(shape.m * shape.n));
    for (Index turn = 0; turn < plan.turns(); ++turn) play_turn(plan, turn, c);
    for (Index i = 0; i < shape.m; ++i)
      for (Index j = 0; j < shape.n; ++j) {
        double sum = 0;
        for (Index l = 0; l < shape.k; ++l) sum += value_at(1, i, l) * value_at(2, l, j);
        ASSERT_EQ(c[static_cast<std::size_t>(i * shape.n + j)], sum) << i << ", " << j << " on " << ranks;
      }
  }
}

TEST(RanksPlan, LargestPrimeFactorsCutFirst) {
  EXPECT_EQ(prime_factors(1), std::vector<Index>{});
  EXPECT_EQ(prime_factors(360), (std::vector<Index>{5, 3, 3, 2, 2, 2}));
  EXPECT_EQ(prime_factors(999983), std::vector<Index>{999983});
  const Grid grid = grid_of(plan_matmul({100, 100, 100}, 30));
  EXPECT_EQ((std::array{grid.m, grid.n, grid.k}), (std::array<Index, 3>{5, 2, 3}));
}

TEST(RanksPlan, RanksAreLeftIdleWhereThatIsFaster) {
  EXPECT_EQ(choose_matmul({8192, 8192, 8192}, 31).ranks(), 30);
  EXPECT_EQ(choose_matmul({8192, 8192, 8192}, 31, {.idle = false}).ranks(), 31);
  EXPECT_EQ(choose_matmul({8192, 8192, 8192}, 32).ranks(), 32);
}

TEST(RanksPlan, TurnsUntilTheMemorySuffices) {
  const MatmulShape shape{512, 512, 512};
  const std::size_t all = need_of(choose_matmul(shape, 8)).total();
  Index turns = 1;
  for (const double share : {1.0, 0.8, 0.6}) {
    const auto limit = static_cast<std::size_t>(static_cast<double>(all) * share);
    const Plan plan = choose_matmul(shape, 8, {.memory = limit});
    EXPECT_LE(need_of(plan).total(), limit);
    EXPECT_GE(plan.turns(), turns);
    turns = plan.turns();
  }
  EXPECT_GT(turns, 1);
  try {
    choose_matmul(shape, 8, {.memory = 1000});
    ADD_FAILURE() << "a rank has at least its part of the matrices";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::too_large);
    EXPECT_NE(std::string(error.what()).find("are missing"), std::string::npos) << error.what();
  }
}

// The panels of a leaf are those of its largest slice.
TEST(RanksPlan, PanelsOfDeepLeavesAreSmall) {
  const Plan deep = plan_matmul({256, 256, 65536}, 4), flat = plan_matmul({256, 256, 256}, 4);
  EXPECT_EQ(deep.box(matrix_a, 0).cols, 16384);
  EXPECT_EQ(leaf_slices(flat), 1);
  EXPECT_GT(leaf_slices(deep), 8);
  EXPECT_LT(packed_bytes(deep, 0), sizeof(double) * (256 + 256) * 16384 / 8);
  EXPECT_EQ(packed_bytes(deep, 4), 0u) << "an idle rank";
  EXPECT_EQ(need_of(deep).packed, packed_bytes(deep, 0));
}

TEST(RanksPlan, BadSizes) {
  EXPECT_THROW(plan_matmul({0, 1, 1}, 1), Error);
  EXPECT_THROW(plan_matmul({4, 4, 4}, 0), Error);
  EXPECT_THROW(plan_matmul({2, 2, 2}, 16), Error) << "16 ranks for 8 multiply-adds";
  EXPECT_NO_THROW(plan_matmul({2, 2, 2}, 8));
  EXPECT_THROW(plan_matmul({Index{1} << 40, 1, Index{1} << 40}, 2), Error) << "more bytes than addresses";
}

// A text that is not two halves of one problem is refused, and so is one that writes to a view in both
// branches.
TEST(RanksPlan, WrongForksAreRefused) {
  const std::vector<Matrix> matrices{{"C", 8, 8, true}};
  const View c = views_of(matrices)[0];
  const auto nothing = [](View) {};
  ranks::Layout layout(matrices, 4, 0);
  EXPECT_THROW(layout(Part(nothing, c), Part(nothing, c)), Error);
  EXPECT_THROW(layout(Part(nothing, c.block(0, 0, 4, 8)), Part(nothing, c.block(5, 0, 3, 8))), Error);
  EXPECT_NO_THROW(layout(Part(nothing, c.block(0, 0, 4, 8)), Part(nothing, c.block(4, 0, 4, 8))));
  EXPECT_THROW(c(0, 0) = 1, Error) << "a view without memory";
}

TEST(RanksPlan, OfRecTranspose) {
  const std::vector<Matrix> matrices{{"B", 30, 50, true}, {"A", 50, 30}};
  ranks::Layout layout(matrices, 12, 0);
  ranks::transpose(layout, matrices);
  Index elements = 0;
  for (Index rank = 0; rank < 12; ++rank) {
    const Box b = layout.plan().box(0, rank), a = layout.plan().box(1, rank);
    EXPECT_EQ(b, (Box{a.col, a.row, a.cols, a.rows}));
    elements += b.size();
  }
  EXPECT_EQ(elements, 1500);
}

}  // namespace
}  // namespace tallcache::test
