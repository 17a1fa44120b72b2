// Distributions of a matrix over ranks: every element is in one rectangle and has a place of its own.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "ranks/distribution.hpp"
#include "ranks/matmul.hpp"

namespace tallcache::test {
namespace {

using namespace ranks;

void expect_whole(const Distribution& d, const char* what) {
  std::set<std::pair<Index, Index>> elements, places;
  Index count = 0;
  for (const Rectangle& r : d.all()) {
    EXPECT_TRUE(r.row_stride == 1 || r.col_stride == 1);
    for (Index i = 0; i < r.box.rows; ++i)
      for (Index j = 0; j < r.box.cols; ++j, ++count) {
        const Index at = r.offset + i * r.row_stride + j * r.col_stride;
        EXPECT_LT(at, d.words(r.rank)) << what;
        EXPECT_TRUE(places.emplace(r.rank, at).second) << what << ": a place for two elements";
        EXPECT_TRUE(elements.emplace(r.box.row + i, r.box.col + j).second) << what << ": an element twice";
      }
  }
  EXPECT_EQ(count, d.rows() * d.cols()) << what;
  // A look at a part finds its elements and no others.
  const Box box{d.rows() / 3, d.cols() / 4, d.rows() / 2, d.cols() / 2};
  Index found = 0;
  d.in(box, [&](const Rectangle& r) {
    found += r.box.size();
    EXPECT_TRUE(r.box.row >= box.row && r.box.row + r.box.rows <= box.row + box.rows);
    EXPECT_TRUE(r.box.col >= box.col && r.box.col + r.box.cols <= box.col + box.cols);
  });
  EXPECT_EQ(found, box.size()) << what;
}

TEST(RanksDistribution, HasEveryElementOnce) {
  expect_whole(row_blocks(13, 7, 5), "row blocks");
  expect_whole(column_blocks(13, 7, 5), "column blocks");
  expect_whole(blocks(13, 7, 3, 2), "blocks");
  for (const bool by_columns : {false, true})
    expect_whole(block_cyclic({.rows = 29,
                               .cols = 23,
                               .row_block = 3,
                               .col_block = 4,
                               .first_row = 1,
                               .first_col = 2,
                               .grid_rows = 2,
                               .grid_cols = 3,
                               .by_columns = by_columns},
                              7),
                 "block-cyclic");
  for (const auto& [ranks, halvings] : {std::pair{1, 0}, {6, 0}, {8, 2}, {31, 0}, {12, 1}}) {
    const Plan plan = plan_matmul({33, 35, 34}, ranks, halvings);
    for (std::size_t v = 0; v < 3; ++v) {
      expect_whole(recursive_layout(plan, v, ranks + 1), "recursive");
      expect_whole(recursive_layout(plan, v, ranks + 1).transposed(), "recursive, transposed");
    }
  }
}

// numroc of ScaLAPACK, by counting.
TEST(RanksDistribution, LocalSizes) {
  for (Index size : {0, 1, 7, 64, 65})
    for (Index block : {1, 3, 64})
      for (Index places : {1, 2, 5})
        for (Index first = 0; first < places; ++first)
          for (Index place = 0; place < places; ++place) {
            Index count = 0;
            for (Index i = 0; i < size; ++i) count += (i / block + first) % places == place;
            EXPECT_EQ(local_size(size, block, place, first, places), count);
          }
}

TEST(RanksDistribution, TransposedTwiceIsItself) {
  const Distribution d =
      block_cyclic({.rows = 20, .cols = 30, .row_block = 4, .col_block = 7, .grid_cols = 3}, 3);
  const Distribution once = d.transposed(), twice = once.transposed();
  EXPECT_EQ(once.rows(), 30);
  ASSERT_EQ(d.all().size(), twice.all().size());
  for (std::size_t i = 0; i < d.all().size(); ++i) {
    EXPECT_EQ(d.all()[i].box, twice.all()[i].box);
    EXPECT_EQ(d.all()[i].offset, twice.all()[i].offset);
    EXPECT_EQ(d.all()[i].row_stride, twice.all()[i].row_stride);
  }
}

TEST(RanksDistribution, ByName) {
  EXPECT_EQ(named_distribution("rows", 12, 8, 4).all()[1].box, (Box{3, 0, 3, 8}));
  EXPECT_EQ(named_distribution("columns", 12, 8, 4).all()[1].box, (Box{0, 2, 12, 2}));
  EXPECT_EQ(named_distribution("blocks", 12, 8, 6).all()[1].box, (Box{0, 3, 6, 3}));
  EXPECT_EQ(named_distribution("blocks:3x2", 12, 8, 6).all()[1].box, (Box{0, 4, 4, 4}));
  EXPECT_EQ(named_distribution("cyclic:2x3x4", 12, 8, 6).all()[1].box, (Box{0, 4, 4, 4}));
  EXPECT_EQ(square_grid(32), (std::pair<Index, Index>{4, 8}));
  EXPECT_EQ(square_grid(7), (std::pair<Index, Index>{1, 7}));
  for (const char* name : {"", "row", "rows:2", "blocks:", "blocks:2", "blocks:2x2", "blocks:0x4",
                           "blocks:2xx2", "cyclic:2x2x0", "cyclic:2x2x4x4", "blocks:2x2x2", "cyclic:-1x4"})
    EXPECT_THROW(named_distribution(name, 12, 8, 6), Error) << name;
  EXPECT_THROW(named_distribution("rows", 3, 8, 4), Error) << "more ranks than rows";
  EXPECT_THROW(row_blocks(0, 8, 1), Error);
  EXPECT_THROW(block_cyclic({.rows = 4, .cols = 4, .grid_rows = 2, .grid_cols = 2}, 3), Error);
}

}  // namespace
}  // namespace tallcache::test
