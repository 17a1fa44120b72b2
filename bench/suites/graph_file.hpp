// A user's graph from a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tallcache {

/// A directed graph as Bfs::Args takes it: offset.size() - 1 vertices, target.size() edges.
struct GraphFile {
  std::vector<std::uint32_t> offset, target;
};

/// Reads an edge list: a line `u v` for each edge from vertex u to vertex v, counted from 0 and sorted by u,
/// as SNAP distributes its graphs; an undirected edge is two lines. Empty lines and lines that begin with #
/// or % are passed over. There are as many vertices as the largest number says. Throws Error that names the
/// file, and the line where one is malformed, out of order or out of range.
GraphFile read_graph(const std::string& path);

}  // namespace tallcache
