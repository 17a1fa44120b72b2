// Breadth-first search level by level. The edges out of a level are cut into blocks of equal size, also
// within a vertex's edges, so that a star is as parallel as a grid. The blocks claim the vertices that they
// find, in parallel. Prefix sums over the vertices found by each block form the next level (compare
// Leiserson and Schardl 2010 and Ligra by Shun and Blelloch, 2013). The levels do not depend on which block
// claims a vertex.
#pragma once

#include "common/ceil_div.hpp"
#include "cpu/bfs/bfs_queue.hpp"

namespace tallcache::cpu::bfs {

struct bfs_frontier {
  static constexpr std::string_view idea =
      "level by level: blocks of a level's edges side by side, prefix sums make the next";
  static constexpr std::string_view source = "M11: breadth-first search";
  using operations = OperationList<Bfs>;
  static constexpr ParamSpec params[] = {{"block", 2048, "edges of a block"}};
  static constexpr bool parallel = true;

  static std::size_t scratch(Bfs, const Shape& shape, const Params& params) {
    const std::size_t n = shape["vertices"], m = Bfs::edges_of(shape), vertex = sizeof(Bfs::Vertex);
    const std::size_t blocks = ceil_div(m, params["block"]);
    return scratch_bytes({n * vertex, n * vertex, m * vertex, blocks * vertex, blocks * vertex});
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    start_search(fork, args);
    const Index n = args.out.size, m = args.target.size, block = params["block"];
    if (n == 0) return;
    auto scratch = args.scratch;
    const auto vector = [&scratch](Index size) { return scratch.template vector<Bfs::Vertex>(size); };
    const auto frontier = vector(n);    // the vertices of a level that have edges
    const auto first_edge = vector(n);  // the number of edges before each of them
    const auto found = vector(m);       // the vertices found by each block, from its first edge's index on
    const auto found_vertices = vector(ceil_div(m, block)), found_edges = vector(ceil_div(m, block));
    const auto degree = degree_of(args.offset);

    Index edges = degree(args.source);
    Index vertices = 1;
    frontier[0] = args.source;
    first_edge[0] = 0;
    for (Bfs::Level level = 1; edges > 0; ++level) {
      const Index blocks = ceil_div(edges, block);
      fork.loop(0, blocks, 1, [=, &args](Index b) {
        const Index begin = b * block, end = std::min(begin + block, edges);
        Index out = begin, out_edges = 0;
        Index i = holder_of(first_edge.block(0, vertices), begin);
        for (Index e = begin; e < end; ++i) {
          const Index u = frontier[i];
          const Index skipped = e - first_edge[i];
          const Index from = args.offset[u] + skipped,
                      to = std::min<Index>(args.offset[u + 1], from + end - e);
          for (Index k = from; k < to; ++k) {
            const Bfs::Vertex v = args.target[k];
            if (!args.out.claim(v, unreached, level)) continue;
            const Index d = degree(v);
            if (d == 0) continue;  // it has no edges
            found[out++] = v;
            out_edges += d;
          }
          e += to - from;
        }
        found_vertices[b] = static_cast<Bfs::Vertex>(out - begin);
        found_edges[b] = static_cast<Bfs::Vertex>(out_edges);
      });

      vertices = edges = 0;
      for (Index b = 0; b < blocks; ++b) {
        vertices += replace(found_vertices[b], vertices);
        edges += replace(found_edges[b], edges);
      }
      fork.loop(0, blocks, 1, [=](Index b) {
        const Index begin = found_vertices[b];
        Index end = vertices, edge = found_edges[b];
        if (b + 1 < blocks) end = found_vertices[b + 1];
        for (Index i = begin; i < end; ++i) {
          const Bfs::Vertex v = found[b * block + i - begin];
          frontier[i] = v;
          first_edge[i] = static_cast<Bfs::Vertex>(edge);
          edge += degree(v);
        }
      });
    }
  }

 private:
  /// The number of edges of a vertex.
  template <class Offset>
  static auto degree_of(Offset offset) {
    return [offset](Index v) {
      const Index begin = offset[v], end = offset[v + 1];
      return end - begin;
    };
  }

  /// The last position whose first edge is not behind `edge`.
  template <class View>
  static Index holder_of(View first_edge, Index edge) {
    Index low = 0, high = first_edge.size;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      (first_edge[middle] <= edge ? low : high) = middle;
    }
    return low;
  }

  /// Sets the element to `value` and returns the old one.
  template <class Element>
  static Index replace(Element&& element, Index value) {
    const Bfs::Vertex old = element;
    element = static_cast<Bfs::Vertex>(value);
    return old;
  }
};

}  // namespace tallcache::cpu::bfs
