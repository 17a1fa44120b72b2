// Breadth-first search: the level of every vertex, its distance from the source in edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// The level of a vertex that no path reaches.
inline constexpr std::int32_t unreached = -1;

/// Throws Error unless a graph of this size can be stored: vertices in int32, edges in uint32.
inline void require_graph_size(std::size_t vertices, std::size_t edges) {
  constexpr std::size_t max_vertices = std::numeric_limits<std::int32_t>::max() - 1;
  constexpr std::size_t max_edges = std::numeric_limits<std::uint32_t>::max();
  if (vertices > max_vertices)
    throw Error("a graph has at most " + std::to_string(max_vertices) + " vertices");
  if (edges > max_edges) throw Error("a graph has at most " + std::to_string(max_edges) + " edges");
}

/// Builds compressed sparse rows of the edges that `edge_at(e)` gives as (from, to) for e in [0, edges). The
/// edges of a vertex keep that order. `offset` has room for vertices + 1, `target` for edges.
template <class EdgeAt>
void build_graph(Index vertices, Index edges, EdgeAt edge_at, std::uint32_t* offset, std::uint32_t* target) {
  std::fill_n(offset, vertices + 1, 0);
  for (Index e = 0; e < edges; ++e) ++offset[edge_at(e).first];
  // First the ends of the rows. Placing the edges from the last one on moves them to the beginnings.
  for (Index v = 0; v < vertices; ++v) offset[v + 1] += offset[v];
  for (Index e = edges; e-- > 0;) {
    const auto [from, to] = edge_at(e);
    target[--offset[from]] = to;
  }
}

/// The kinds of graph that a search is tested on. Edges 2i and 2i + 1 are the two directions of one edge. A
/// grid, a path or a star repeats its edges where more are asked for than it has.
///
/// - random: both ends uniform (Erdős and Rényi 1959)
/// - power_law: R-MAT with Graph500's weights (Chakrabarti et al. 2004); vertex 0 has the most edges
/// - grid: about square, row by row
inline constexpr std::string_view graph_inputs[] = {"random", "power_law", "grid", "path", "star"};

/// The seeded edges of one kind.
class Edges {
 public:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;

  /// `vertices` >= 1.
  Edges(std::string_view input, std::uint64_t seed, Index vertices)
      : kind_(std::ranges::find(graph_inputs, input) - std::begin(graph_inputs)),
        seed_(seed),
        n_(static_cast<std::uint64_t>(vertices)),
        width_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n_))))) {
    while (n_ > std::uint64_t{1} << levels_) ++levels_;
  }

  Edge operator()(Index e) const {
    const auto [u, v] = undirected(static_cast<std::uint64_t>(e) / 2);
    const auto from = static_cast<std::uint32_t>(u), to = static_cast<std::uint32_t>(v);
    return e % 2 ? Edge{to, from} : Edge{from, to};
  }

 private:
  using Pair = std::pair<std::uint64_t, std::uint64_t>;

  Pair undirected(std::uint64_t i) const {
    switch (kind_) {
      case 1:
        return power_law(i);
      case 2:
        return grid(i);
      case 3:
        return n_ == 1 ? Pair{0, 0} : Pair{i % (n_ - 1), i % (n_ - 1) + 1};
      case 4:
        return n_ == 1 ? Pair{0, 0} : Pair{0, i % (n_ - 1) + 1};
      default:
        return {random_up_to(seed_, 2 * i, n_ - 1), random_up_to(seed_, 2 * i + 1, n_ - 1)};
    }
  }

  // Selects a quadrant of the adjacency matrix on each level with 16 bits: 0.57, 0.19, 0.19, 0.05.
  Pair power_law(std::uint64_t i) const {
    std::uint64_t u = 0, v = 0, bits = 0;
    for (int level = 0; level < levels_; ++level) {
      bits = level % 4 ? bits >> 16 : random_bits(seed_, 8 * i + static_cast<std::uint64_t>(level) / 4);
      const double quadrant = static_cast<double>(bits & 0xffff) / 0x10000;
      u = 2 * u + (quadrant >= 0.76);
      v = 2 * v + ((quadrant >= 0.57 && quadrant < 0.76) || quadrant >= 0.95);
    }
    return {u % n_, v % n_};
  }

  Pair grid(std::uint64_t i) const {
    const std::uint64_t across = n_ / width_ * (width_ - 1) + (n_ % width_ ? n_ % width_ - 1 : 0);
    const std::uint64_t down = n_ - width_;
    if (across + down == 0) return {0, 0};
    i %= across + down;
    // Edges across and down alternate while there are both, so that the first edges are those of the
    // first rows.
    const std::uint64_t pairs = std::min(across, down);
    const bool is_down = i < 2 * pairs ? i % 2 : down > across;
    const std::uint64_t k = i < 2 * pairs ? i / 2 : i - pairs;
    if (is_down) return {k, k + width_};
    const std::uint64_t u = k / (width_ - 1) * width_ + k % (width_ - 1);
    return {u, u + 1};
  }

  std::ptrdiff_t kind_;
  std::uint64_t seed_, n_, width_;
  int levels_ = 0;
};

/// A directed graph in compressed sparse rows: the edges of vertex u lead to target[offset[u]], ...,
/// target[offset[u + 1] - 1].
struct Bfs {
  using Vertex = std::uint32_t;
  using Level = std::int32_t;
  static constexpr std::string_view name = "bfs", element = Element<Level>::name;
  static constexpr std::string_view what =
      "the distance of every vertex of a graph from the first, -1 where there is no path";
  static constexpr Rate rate = Rate::medges_per_s;
  static constexpr DimSpec dims[] = {
      {"vertices", "vertices of the graph"},
      {"edges", "its edges, each direction counted; a graph of no vertices has none"}};
  static constexpr std::span<const std::string_view> inputs = graph_inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<Level, Access> out;
    VectorView<const Vertex, Access> offset, target;
    Vertex source = 0;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), offset.with(other), target.with(other), source, scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) {
    return {{"vertices", args.out.size}, {"edges", args.target.size}};
  }

  static Index edges_of(const Shape& s) { return s["vertices"] ? s["edges"] : 0; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    require_graph_size(s["vertices"], s["edges"]);
    return {{"levels", Role::output, s["vertices"] * sizeof(Level), Element<Level>::poison},
            {"offsets", Role::input, (s["vertices"] + 1) * sizeof(Vertex)},
            {"targets", Role::input, edges_of(s) * sizeof(Vertex)}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const auto vertices = [&](int b, Index size) {
      return VectorView<const Vertex>{reinterpret_cast<const Vertex*>(buffers[b]), size};
    };
    return {{reinterpret_cast<Level*>(buffers[0]), s["vertices"]},
            vertices(1, s["vertices"] + 1),
            vertices(2, edges_of(s)),
            0,
            scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    build_graph(s["vertices"], edges_of(s), Edges(input, seed, std::max<Index>(1, s["vertices"])),
                reinterpret_cast<Vertex*>(buffers[1]), reinterpret_cast<Vertex*>(buffers[2]));
  }

  static void validate(const Args<>& args) {
    const Index n = args.out.size;
    if (n < 0 || args.target.size < 0) throw Error("bfs: negative size");
    require_graph_size(n, args.target.size);
    if (args.offset.size != n + 1)
      throw Error("bfs: " + std::to_string(args.offset.size) + " offsets for " + std::to_string(n) +
                  " vertices");
    if ((n && !args.out.data) || !args.offset.data || (args.target.size && !args.target.data))
      throw Error("bfs: no data");
    validate_disjoint(args.out, "levels", args.offset, "offsets");
    validate_disjoint(args.out, "levels", args.target, "targets");
    if (n && args.source >= static_cast<Vertex>(n))
      throw Error("bfs: the source " + std::to_string(args.source) + " is none of " + std::to_string(n) +
                  " vertices");
    if (args.offset[0] != 0 || args.offset[n] != args.target.size)
      throw Error("bfs: the offsets do not go from 0 to the number of edges");
    for (Index v = 0; v < n; ++v)
      if (args.offset[v] > args.offset[v + 1])
        throw Error("bfs: the offset of vertex " + std::to_string(v) + " is above the next");
    for (Index e = 0; e < args.target.size; ++e)
      if (args.target[e] >= static_cast<Vertex>(n))
        throw Error("bfs: edge " + std::to_string(e) + " leads to " + std::to_string(args.target[e]) +
                    ", which is no vertex");
  }

  /// The levels are correct exactly when the source's is 0, no edge leads more than one level up or out of
  /// the reached vertices, and every other reached vertex has an edge from one level below.
  static Check check(const Shape&, std::string_view, std::uint64_t, const Args<>& args) {
    const Index n = args.out.size;
    if (n == 0) return {};
    const auto level_of = [](Index v) { return "level of vertex " + std::to_string(v); };
    std::vector<bool> has_parent(n);
    has_parent[args.source] = true;
    if (args.out[args.source] != 0)
      return Check::wrong(level_of(args.source), "0", digits(args.out[args.source]));
    for (Index u = 0; u < n; ++u) {
      const Level level = args.out[u];
      if (level < unreached || level >= n)
        return Check::wrong(level_of(u), "a distance or -1", digits(level));
      if (level == unreached) continue;
      if (level == 0 && u != args.source) return Check::wrong(level_of(u), "above 0", "0");
      for (Index e = args.offset[u]; e < args.offset[u + 1]; ++e) {
        const Vertex v = args.target[e];
        if (args.out[v] == level + 1) has_parent[v] = true;
        if (args.out[v] == unreached || args.out[v] > level + 1)
          return Check::wrong(
              level_of(v),
              "at most " + digits(level + 1) + ", as an edge leads there from vertex " + std::to_string(u),
              digits(args.out[v]));
      }
    }
    for (Index v = 0; v < n; ++v)
      if (args.out[v] != unreached && !has_parent[v])
        return Check::wrong(level_of(v), "one more than that of a vertex with an edge to it",
                            digits(args.out[v]));
    return {};
  }

  static Cost cost(const Shape& s) {
    const double n = s["vertices"], edges = edges_of(s);
    return {.bytes = sizeof(Level) * n + sizeof(Vertex) * (n + 1 + edges), .keys = edges};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index n, Index edges) { shapes.push_back({{"vertices", n}, {"edges", edges}}); };
    for (Index n : {0, 1, 2, 3, 7, 16, 33, 64, 65, 100, 127}) add(n, 4 * n);
    add(1, 0), add(50, 0), add(0, 9), add(1, 9), add(2, 1), add(64, 63), add(65, 1000), add(100, 198);
    add(1000, 1001), add(1021, 2 * 1020), add(1024, 16 * 1024), add(5000, 30011), add(20011, 50000);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {10000, 100000, 1000000}) shapes.push_back({{"vertices", n}, {"edges", 8 * n}});
    return shapes;
  }
};

}  // namespace tallcache
