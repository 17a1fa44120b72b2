// The time of a plan on a fat tree: one clock a rank, level by level, every message with the links that it
// shares. It follows the messages, not the counts, so that its words check those.
#pragma once

#include <vector>

#include "ranks/fabric.hpp"
#include "ranks/plan.hpp"

namespace tallcache::ranks {

struct Clocks {
  double seconds = 0;         ///< when the last rank ends
  double leaf_seconds = 0;    ///< of the rank that works longest in its leaves
  std::vector<double> ended;  ///< when each rank ends
  std::vector<Index> words;   ///< received by each rank
};

/// The flop of a rank's leaf in a turn.
using LeafFlop = double (*)(const Plan&, Index rank, Index turn);
/// Those of a product: two for each multiplication of two elements.
double matmul_flop(const Plan&, Index rank, Index turn);

/// Runs the clocks, on words of `word` bytes. A rank takes part in a level when it and its partner are there.
/// All messages of a level are on the links at once and share each link's bandwidth. Throws Error as
/// validate(), and where the messages are too many to follow.
Clocks run_clocks(const Plan&, const Fabric&, LeafFlop, double word = sizeof(double));

}  // namespace tallcache::ranks
