// Which memory node touches which part of a problem's arrays first.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/fork/by_node.hpp"
#include "common/operation.hpp"

namespace tallcache {
class Topology;
}

namespace tallcache::cpu {

/// A block of a buffer, in elements.
struct TouchedBlock {
  std::size_t buffer = 0;  ///< its number in Operation::buffers
  Index row = 0, col = 0, rows = 0, cols = 0;
  Index ld = 0;          ///< of the buffer
  Index element = 1;     ///< bytes
  std::size_t node = 0;  ///< its place in the list of nodes
  friend bool operator==(const TouchedBlock&, const TouchedBlock&) = default;
};

/// The blocks of all buffers of a problem, in the order of the program. A transposition and a product are
/// divided among the nodes as their recursion forks (ByNode). What parts of several nodes read is divided
/// among those by rows. The arrays of any other operation are rows of bytes, which each node has a share of,
/// in order. Where two blocks overlap the first one counts.
std::vector<TouchedBlock> first_touches(const Operation&, const Shape&, std::span<const MemoryNode> nodes);

/// Writes a zero to each page of these blocks, from threads that stay near their nodes: first_touches() of
/// topology.memory_nodes().
void touch_first(std::span<const TouchedBlock>, std::span<std::byte* const> buffers,
                 const Topology& topology);

}  // namespace tallcache::cpu
