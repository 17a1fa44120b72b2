// A user's graph from a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tallcache {

/// A directed graph as Bfs::Args takes it: offset.size() - 1 vertices, target.size() edges.
struct GraphFile {
  std::vector<std::uint32_t> offset, target;
};

/// Called now and then with the bytes of the file that are read.
using ReadProgress = std::function<void(std::uint64_t bytes)>;

/// Reads a graph. The edges of a vertex keep their order.
///
/// - An edge list: a line `u v` for each edge from vertex u to vertex v, counted from 0, in any order, as
///   SNAP distributes its graphs; an undirected edge is two lines. Empty lines and lines that begin with # or
///   % are passed over. There are as many vertices as the largest number says.
/// - A Matrix Market file of coordinates (Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats",
///   1996), whose first line says so: entry (i, j) is an edge from vertex i - 1 to vertex j - 1, whatever its
///   value, and of a symmetric matrix one back, too.
///
/// Throws Error that names the file, and the line where one is malformed or out of range.
GraphFile read_graph(const std::string& path, const ReadProgress& progress = {});

}  // namespace tallcache
