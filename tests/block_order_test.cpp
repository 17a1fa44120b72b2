// The orders in which blocks take the tiles of a product, and the plan that splits the last tiles.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "gpu/matmul/block_order.hpp"
#include "gpu/matmul/product_plan.hpp"
#include "gpu/matmul/stream_plan.hpp"

namespace tallcache::gpu::matmul {
namespace {

TileOrder order_of(BlockOrder order, int down, int across) { return {order, down, across, 128, 256}; }

TEST(BlockOrders, EachTileOnce) {
  for (const Index order : block_orders)
    for (int down : {1, 2, 3, 7, 8, 16, 17, 33, 40})
      for (int across : {1, 2, 5, 8, 13, 16, 31}) {
        const TileOrder tiles = order_of(static_cast<BlockOrder>(order), down, across);
        std::set<std::pair<int, int>> seen;
        for (int i = 0; i < tiles.tiles(); ++i) {
          const auto at = tiles.at(i);
          EXPECT_TRUE(at.row >= 0 && at.row < down && at.col >= 0 && at.col < across);
          seen.insert({at.row, at.col});
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(down) * across)
            << order << ", " << down << ", " << across;
      }
}

// Tiles are twice as wide as high: the recursion halves 4 columns of them before 4 rows.
TEST(BlockOrders, TheLongerSideIsHalved) {
  const TileOrder tiles = order_of(BlockOrder::recursive, 4, 4);
  const std::vector<TileOrder::At> first = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {3, 0}, {2, 1}, {3, 1}};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(tiles.at(i), first[i]) << i;
    EXPECT_EQ(tiles.at(i + 8), (TileOrder::At{first[i].row, first[i].col + 2})) << i;
  }
}

// Any 64 successive tiles of 64 x 64, from a multiple of 64 on, are a square of 8 x 8 of them.
TEST(BlockOrders, RecursionKeepsNeighboursTogether) {
  for (const BlockOrder order : {BlockOrder::recursive, BlockOrder::mirrored}) {
    const TileOrder tiles{order, 64, 64, 128, 128};
    for (int first = 0; first < tiles.tiles(); first += 64) {
      std::set<int> rows, cols;
      for (int i = first; i < first + 64; ++i) {
        rows.insert(tiles.at(i).row);
        cols.insert(tiles.at(i).col);
      }
      EXPECT_EQ(rows.size(), 8u);
      EXPECT_EQ(cols.size(), 8u);
    }
  }
}

// The steps of all tiles are done once, in slots that no two parts share.
void expect_complete(const StreamPlan& plan, Index tiles) {
  ASSERT_EQ(plan.whole + plan.shared_tiles, tiles);
  if (plan.sharing == 0) return;
  std::set<int> slots;
  int step = 0;
  for (int block = 0; block < plan.sharing; ++block) {
    EXPECT_EQ(plan.first_step(block), step);
    const int end = plan.first_step(block + 1);
    EXPECT_GT(end, step);
    while (step < end) {
      const int tile = step / plan.steps, stop = std::min(end, (tile + 1) * plan.steps);
      EXPECT_EQ(plan.owner(step), block);
      EXPECT_EQ(plan.owner(stop - 1), block);
      if (stop - step < plan.steps) {
        EXPECT_TRUE(slots.insert(plan.slot(block, tile)).second);
        EXPECT_LT(plan.slot(block, tile), plan.slots());
      }
      step = stop;
    }
  }
  EXPECT_EQ(step, plan.shared_tiles * plan.steps);
  for (int tile = 0; tile < plan.shared_tiles; ++tile)
    EXPECT_LE(plan.owner((tile + 1) * plan.steps - 1) - plan.owner(tile * plan.steps) + 1, plan.max_parts());
}

TEST(StreamPlans, EveryStepOnce) {
  for (Index processors : {1, 7, 132})
    for (Index tiles : {1, 2, 6, 7, 8, 100, 131, 132, 133, 263, 264, 265, 512, 2048})
      for (Index steps : {0, 1, 2, 3, 5, 16, 257}) {
        SCOPED_TRACE(testing::Message()
                     << tiles << " tiles of " << steps << " steps, " << processors << " multiprocessors");
        expect_complete(StreamPlan::of_remainder(tiles, steps, processors), tiles);
      }
}

TEST(StreamPlans, SharesWhatIsLeftOver) {
  for (Index tiles : {0, 132, 264}) EXPECT_EQ(StreamPlan::of_remainder(tiles, 100, 132).sharing, 0);
  const StreamPlan plan = StreamPlan::of_remainder(289, 33, 132);
  EXPECT_EQ(plan.whole, 264);
  EXPECT_EQ(plan.shared_tiles, 25);
  EXPECT_EQ(plan.sharing, 132);
  EXPECT_EQ(StreamPlan::of_remainder(1, 132, 132).sharing, 132);
  EXPECT_EQ(StreamPlan::of_remainder(1, 131, 132).sharing, 0) << "fewer steps than blocks";
}

constexpr TileTimes times{1000, 500, 10000, 10000, 800};
struct Tiles {
  static constexpr int rows = 64, cols = 64, depth = 16;
};

constexpr int with_clusters[] = {132, 132, 132, 120}, without[] = {132, 0, 0, 0};

ProductPlan of_clusters(Index tiles, Index k, std::span<const int> processors = with_clusters) {
  return ProductPlan::of_clusters(tiles, k, Tiles::depth, times, processors);
}

TEST(ProductPlans, ClustersFillIdleMultiprocessors) {
  EXPECT_EQ(of_clusters(30, 4096).parts, 4) << "120 blocks";
  EXPECT_EQ(of_clusters(31, 4096).parts, 3) << "124 blocks of clusters of 4 do not run at once";
  EXPECT_EQ(of_clusters(30, 4096, without).parts, 1);
  EXPECT_EQ(of_clusters(132, 4096).parts, 1) << "none is idle";
  EXPECT_EQ(of_clusters(88, 4096).parts, 3) << "two waves of a third each in place of one";
  EXPECT_EQ(of_clusters(16, 16).parts, 1) << "one step";
  EXPECT_EQ(of_clusters(16, 64).parts, 1) << "the sum of the parts takes longer";
  for (const Index tiles : {0, 1, 131, 132, 133, 5000})
    for (const Index k : {0, 1, 16, 17, 80, 1000}) {
      const ProductPlan quickest = of_clusters(tiles, k);
      const Index share = ProductPlan::share(k, Tiles::depth, quickest.parts);
      EXPECT_GE(quickest.parts * share, k);
      EXPECT_TRUE(quickest.parts == 1 || (quickest.parts - 1) * share < k) << "all blocks have steps";
      EXPECT_LE(quickest.time, of_clusters(tiles, k, without).time);
    }
}

TEST(ProductPlans, LongProductsOfFewTilesAreShared) {
  const auto time = [](Index k) { return ProductPlan::of_stream<Tiles>(1, k, times, 132).time; };
  EXPECT_EQ(time(16 * 131), std::numeric_limits<double>::infinity()) << "fewer steps than blocks";
  EXPECT_GT(time(16 * 132), of_clusters(1, 16 * 132).time);
  EXPECT_LT(time(100000), of_clusters(1, 100000).time);
}

}  // namespace
}  // namespace tallcache::gpu::matmul
