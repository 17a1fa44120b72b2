// Stream-K: Osama, Merrill, Cecka, Garland, Owens, "Stream-K: Work-centric Parallel Decomposition for Dense
// Matrix-Matrix Multiplication on the GPU", PPoPP 2023.
#pragma once

#include <algorithm>

#include "common/ceil_div.hpp"
#include "common/named.hpp"

namespace tallcache::gpu::matmul {

/// What each block does, so that all multiprocessors end at the same time. The first `whole` blocks do a tile
/// of C each. The steps along k of the other tiles lie in a row, one tile behind the other, and `sharing`
/// blocks have equal parts of that row. The part of a tile goes to a slot of scratch; a second kernel adds
/// the parts of each tile in the order of k, so that results are the same in every run.
struct StreamPlan {
  int whole = 0;         ///< tiles, and blocks
  int shared_tiles = 0;  ///< tiles behind those
  int sharing = 0;       ///< blocks
  int steps = 1;         ///< of a tile along k, at least 1

  /// A tile for each block.
  static constexpr StreamPlan of_whole_tiles(Index tiles, Index steps) {
    return {static_cast<int>(tiles), 0, 0, static_cast<int>(std::max<Index>(steps, 1))};
  }

  /// The tiles that are left when every multiprocessor has had as many as any other, shared by a block on
  /// each. Whole tiles where there are none, or fewer steps than blocks.
  static constexpr StreamPlan of_remainder(Index tiles, Index steps, Index multiprocessors) {
    StreamPlan plan = of_whole_tiles(tiles, steps);
    const Index remainder = tiles % multiprocessors;
    if (remainder == 0 || remainder * plan.steps < multiprocessors) return plan;
    plan.whole -= static_cast<int>(remainder);
    plan.shared_tiles = static_cast<int>(remainder);
    plan.sharing = static_cast<int>(multiprocessors);
    return plan;
  }

  /// The first step of sharing block `block` in the row of steps.
  constexpr int first_step(int block) const {
    return static_cast<int>(static_cast<Index>(block) * shared_tiles * steps / sharing);
  }
  /// The sharing block that has step `step` of the row.
  constexpr int owner(int step) const {
    return static_cast<int>(((step + Index{1}) * sharing - 1) / (static_cast<Index>(shared_tiles) * steps));
  }
  /// Where the part of shared tile `tile` goes that `block` does. A block has at most two parts of tiles: it
  /// begins in the first, and ends in the second.
  constexpr int slot(int block, int tile) const {
    return 2 * block + (first_step(block) < tile * steps ? 1 : 0);
  }
  constexpr int slots() const { return 2 * sharing; }
  /// At least as many as the parts of any tile.
  constexpr int max_parts() const { return sharing == 0 ? 0 : ceil_div(sharing, shared_tiles) + 1; }
};

}  // namespace tallcache::gpu::matmul
