// A network as a fat tree.
#pragma once

#include <vector>

#include "common/named.hpp"

namespace tallcache::ranks {

/// A level of switches. Each has `children` ranks, or switches of the level below, and one link to each of
/// them, in both directions at once.
struct FabricLevel {
  Index children = 2;
  double latency = 0;    ///< seconds of a message whose highest switch is of this level
  double bandwidth = 0;  ///< bytes a second of a link to a child, each way; all that use it share it
};

struct Fabric {
  double flops = 4e10;  ///< of a rank, each second
  /// From the ranks upward. The last level has as many children as are needed.
  std::vector<FabricLevel> levels{{.children = 2, .latency = 1e-6, .bandwidth = 4e9}};
};

/// Throws Error, which names what is wrong, unless every figure is positive and the tree has a level.
void validate(const Fabric&);

}  // namespace tallcache::ranks
