// The rule of halving, and that the texts which state it in the slides' words follow it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "common/fork/fork.hpp"
#include "common/halve.hpp"
#include "common/random.hpp"
#include "cpu/gep/recursion.hpp"
#include "cpu/matmul/recursive.hpp"
#include "cpu/transpose/recursive.hpp"
#include "gpu/matmul/block_order.hpp"

namespace tallcache::test {
namespace {

TEST(Halve, CutsTheLongestSideInTheMiddle) {
  constexpr auto cut = halve<int>({3, 9, 7}, {10, 1, 2}, {1, 1, 1});
  static_assert(cut && cut.side == 0 && cut.first == 1);
  EXPECT_EQ(halve<int>({3, 9, 7}, {1, 1, 2}, {1, 1, 1}).side, 2);
  EXPECT_EQ(halve<int>({3, 9, 7}, {1, 1, 2}, {1, 1, 1}).first, 3);
  EXPECT_EQ(halve<Index>({8, 8}, {1, 1}, {1, 1}).side, 0) << "of equal ones the first";
}

TEST(Halve, LeavesASideThatALeafHas) {
  EXPECT_EQ(halve<int>({9, 4}, {1, 1}, {9, 1}).side, 1);
  EXPECT_FALSE(halve<int>({9, 4}, {1, 1}, {9, 4}));
  EXPECT_FALSE(halve<int>({0, 1}, {5, 5}, {1, 1}));
}

/// Holds each fork of a text against halve().
struct Checked {
  Index base;
  int forks = 0;

  template <class Body, class C, class A, class B>
  void operator()(Part<Body, C, A, B> f, Part<Body, C, A, B> g) {
    const auto& [c1, a1, b1] = f.views;
    const auto& [c2, a2, b2] = g.views;
    const bool rows = b1.data == b2.data && b1.cols == b2.cols;
    const Index m = rows ? c1.rows + c2.rows : c1.rows, n = rows ? c1.cols : c1.cols + c2.cols;
    follows(halve<Index>({m, a1.cols, n}, {1, 1, 1}, {base, base, base}), rows ? 0 : 2,
            rows ? c1.rows : c1.cols);
    f(), g();
  }
  template <class F, class G>
  void adding(F f, G g) {
    const auto& [c1, a1, b1] = f.views;
    const Index k = a1.cols + std::get<1>(g.views).cols;
    follows(halve<Index>({c1.rows, k, c1.cols}, {1, 1, 1}, {base, base, base}), 1, a1.cols);
    f(), g();
  }
  template <class Body, class B, class A>
  void operator()(Part<Body, B, A> f, Part<Body, B, A> g) {
    const auto &a1 = std::get<1>(f.views), &a2 = std::get<1>(g.views);
    const bool across = a1.data + a1.cols == a2.data && a1.rows == a2.rows;
    const Index cols = across ? a1.cols + a2.cols : a1.cols, rows = across ? a1.rows : a1.rows + a2.rows;
    follows(halve<Index>({cols, rows}, {1, 1}, {base, base}), across ? 0 : 1, across ? a1.cols : a1.rows);
    f(), g();
  }
  void follows(Halving<Index> cut, int side, Index first) {
    ++forks;
    EXPECT_EQ(cut.side, side);
    EXPECT_EQ(cut.first, first);
  }
};

TEST(Halve, IsTheRuleOfRecMult) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    const auto size = [i](std::uint64_t which) { return 1 + Index(random_up_to(which, i, 40)); };
    const Index m = size(1), k = size(2), n = size(3);
    std::vector<double> a(m * k), b(k * n), c(m * n);
    Checked fork{1 + static_cast<Index>(i % 5)};
    cpu::matmul::rec_mult(fork, MatrixView<double>{c.data(), m, n, n},
                          ConstantMatrix<double, Plain>{a.data(), m, k, k},
                          ConstantMatrix<double, Plain>{b.data(), k, n, n}, fork.base);
    EXPECT_EQ(fork.forks > 0, std::max({m, k, n}) > fork.base);
  }
}

TEST(Halve, IsTheRuleOfRecTranspose) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    // A row is longer than the matrix, so that a block to the right is not one below.
    const Index rows = 1 + Index(random_up_to(1, i, 40)), cols = 1 + Index(random_up_to(2, i, 40)), ld = 50;
    std::vector<double> a(rows * ld), b(cols * ld);
    Checked fork{1 + static_cast<Index>(i % 5)};
    cpu::transpose::rec_transpose(fork, MatrixView<double>{b.data(), cols, rows, ld},
                                  ConstantMatrix<double, Plain>{a.data(), rows, cols, ld}, fork.base);
    EXPECT_EQ(fork.forks > 0, std::max(rows, cols) > fork.base);
  }
}

/// A leaf that holds the ranges which a recursion comes to, each before its parts, against halve().
struct CheckedRanges {
  using Box = std::array<cpu::gep::Range, 3>;
  std::vector<Box>& expected;  ///< the last one is next
  int& leaves;

  bool applies(cpu::gep::Range i, cpu::gep::Range j, cpu::gep::Range k) const {
    if (expected.empty()) return false;
    Box low = expected.back();
    expected.pop_back();
    const Box at{i, j, k};
    for (std::size_t side = 0; side < 3; ++side) {
      EXPECT_EQ(at[side].begin, low[side].begin);
      EXPECT_EQ(at[side].end, low[side].end);
    }
    if (const auto cut = halve<Index>({i.size(), j.size(), k.size()}, {1, 1, 1}, {1, 1, 1})) {
      Box high = low;
      const auto side = static_cast<std::size_t>(cut.side);
      low[side].end = high[side].begin = low[side].begin + cut.first;
      expected.push_back(high), expected.push_back(low);
    }
    return true;
  }
  void interior(Index, Index, Index) const { ++leaves; }
};

TEST(Halve, IsTheRuleOfGaussianElimination) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    CheckedRanges::Box box;
    for (std::size_t side = 0; side < 3; ++side) {
      const Index begin = Index(random_up_to(side, i, 9));
      box[side] = {begin, begin + 1 + Index(random_up_to(3 + side, i, 12))};
    }
    std::vector<CheckedRanges::Box> expected{box};
    int leaves = 0;
    const CheckedRanges leaf{expected, leaves};
    Serial fork;
    cpu::gep::Recursion(fork, leaf).interior(box[0], box[1], box[2]);
    EXPECT_TRUE(expected.empty());
    EXPECT_EQ(leaves, box[0].size() * box[1].size() * box[2].size());
  }
}

/// The tiles of a box in the order of the recursion.
void recurse(int row, int col, int rows, int cols, unsigned height, unsigned width,
             std::vector<std::array<int, 2>>& tiles) {
  const auto cut = halve<unsigned>({unsigned(rows), unsigned(cols)}, {height, width}, {1, 1});
  if (!cut) return tiles.push_back({row, col});
  const int first = static_cast<int>(cut.first);
  const bool down = cut.side == 0;
  recurse(row, col, down ? first : rows, down ? cols : first, height, width, tiles);
  recurse(down ? row + first : row, down ? col : col + first, down ? rows - first : rows,
          down ? cols : cols - first, height, width, tiles);
}

TEST(Halve, IsTheOrderInWhichBlocksTakeTheTilesOfC) {
  for (const auto [rows, cols] : {std::array{1, 1}, {7, 3}, {3, 16}, {13, 13}}) {
    std::vector<std::array<int, 2>> expected;
    recurse(0, 0, rows, cols, 128, 256, expected);
    const gpu::matmul::TileOrder order{gpu::matmul::BlockOrder::recursive, rows, cols, 128, 256};
    for (int i = 0; i < order.tiles(); ++i) {
      EXPECT_EQ(order.at(i).row, expected[i][0]);
      EXPECT_EQ(order.at(i).col, expected[i][1]);
    }
  }
}

}  // namespace
}  // namespace tallcache::test
