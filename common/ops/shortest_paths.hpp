// The shortest paths between all pairs of vertices of a directed graph that is given by its matrix of
// weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/compare.hpp"
#include "common/in_parts.hpp"
#include "common/operation.hpp"
#include "common/ops/path_weights.hpp"

namespace tallcache {

/// On entry d(i, j) is the weight of the edge from i to j, infinite where there is none; on return the least
/// weight of a path. The diagonal is taken as 0, unless it is negative: then it is a negative cycle, as any
/// other is an Error that names a vertex on it. With predecessors, p(i, j) is the vertex before j on such a
/// path from i; -1 where j is i or is not reached.
///
/// Infinite is the type's infinity, or its largest whole number. Whole weights from PathWeight::saturated on
/// are infinite, and so are distances of that size. n - 1 times the most negative of them may not be below
/// PathWeight::least, so that no sum overflows.
template <class T, bool predecessors>
struct ShortestPathsOf {
  using Vertex = std::int32_t;
  using Weight = PathWeight<T>;
  static constexpr std::string_view name = predecessors ? "shortest_path_trees" : "shortest_paths";
  static constexpr std::string_view element = Element<T>::name;
  static constexpr std::string_view what =
      predecessors ? "the distances of all pairs of vertices, and the vertex before the last on each path"
                   : "the distances of all pairs of vertices of a matrix of weights, in place";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec dims[] = {{"n", "vertices"}, {"pad", "leading dimension minus columns", 0}};
  static constexpr std::span<const std::string_view> inputs = path_inputs;

  template <class Access = Plain>
  struct Args {
    using Number = T;
    using Vertex = std::int32_t;
    static constexpr bool has_predecessors = predecessors;
    MatrixView<T, Access> a;       ///< weights, then distances
    MatrixView<Vertex, Access> p;  ///< n x n, or empty without predecessors
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), p.with(other), scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"n", args.a.cols}, {"pad", args.a.ld - args.a.cols}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    require_vertices(s["n"]);
    std::vector<BufferSpec> specs{
        {"distances", Role::inout, matrix_bytes<T>(s["n"], s["n"], s["pad"]), Element<T>::poison}};
    if (predecessors)
      specs.push_back({"predecessors", Role::output, matrix_bytes<Vertex>(s["n"], s["n"], s["pad"]),
                       Element<Vertex>::poison});
    return specs;
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    Args<> args{bind_matrix<T>(buffers[0], s["n"], s["n"], s["pad"]), {}, scratch};
    if (predecessors) args.p = bind_matrix<Vertex>(buffers[1], s["n"], s["n"], s["pad"]);
    return args;
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill_path_weights(bind_matrix<T>(buffers[0], s["n"], s["n"], s["pad"]), input, seed);
  }

  static void validate(const Args<>& args) {
    validate_view(args.a, "distances");
    require_square(args.a, "distances");
    require_vertices(args.a.rows);
    if (!predecessors) return;
    validate_view(args.p, "predecessors");
    require_square(args.p, "predecessors");
    if (args.p.rows != args.a.rows)
      throw Error("predecessors: " + std::to_string(args.p.rows) + " vertices, but there are " +
                  std::to_string(args.a.rows));
    validate_disjoint(args.p, "predecessors", args.a, "distances");
  }

  /// No weight is NaN or minus infinity, or so negative that a sum could overflow.
  static void validate_values(const Args<>& args) {
    const Index n = args.a.rows;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (const T weight = args.a(i, j); !Weight::is_valid(weight, n))
          throw Error(std::string(name) + ": the weight at " + position(i, j) + " is " + digits(weight) +
                      Weight::range(n));
  }

  /// Up to 140 vertices the distances from each, beyond that those from 16 of them, are compared with a
  /// search that corrects labels (Bellman 1958; Moore 1959) in wider numbers: exactly for whole weights,
  /// within (n + 2) eps of a distance otherwise. All others must keep the triangle inequality with the
  /// distances that were searched, and with one edge each. Every predecessor is that of a path, and its edge
  /// makes the distance.
  static Check check(const Shape&, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const MatrixView<const T> d = args.a;
    const Index n = d.rows;
    if (Check padding = check_padding(d); !padding) return padding;
    std::vector<T> original(n * n);
    const MatrixView<T> weights{original.data(), n, n, n};
    fill_path_weights(weights, input, seed);
    const Index sources = n <= 140 ? n : 16;
    const auto from_source = [&](Index s) -> Check {
      const Index source = sources == n ? s : static_cast<Index>(random_up_to(seed + 77, s, n - 1));
      std::vector<double> found(n);
      search_paths<T>(weights, source, found);
      for (Index j = 0; j < n; ++j)
        if (!is_close(d(source, j), found[j], n))
          return Check::wrong(position(source, j), std::to_string(found[j]), digits(T(d(source, j))));
      return sources < n ? check_all(d, weights, found, seed + s) : Check{};
    };
    const Check distances = first_wrong(sources, 1, [&](Index s, Index) { return from_source(s); });
    if (!distances) return distances;
    if constexpr (predecessors) return check_predecessors(args.p, d, weights);
    return {};
  }

  static Cost cost(const Shape& s) {
    const double n = static_cast<double>(s["n"]);
    return {.flops = 2 * n * n * n, .bytes = (2 * sizeof(T) + (predecessors ? sizeof(Vertex) : 0)) * n * n};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {0, 1, 2, 3, 7, 15, 16, 17, 33, 48, 49, 64, 65, 95, 96, 97, 131, 197})
      shapes.push_back({{"n", n}, {"pad", n % 3 * 5}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {256, 512, 1024}) shapes.push_back({{"n", n}, {"pad", 0}});
    return shapes;
  }

 private:
  template <class View>
  static void require_square(const View& view, const char* what_view) {
    if (view.rows != view.cols)
      throw Error(std::string(what_view) + ": " + std::to_string(view.rows) + " x " +
                  std::to_string(view.cols) + " is not square");
  }
  static void require_vertices(Index n) {
    if (n > std::numeric_limits<Vertex>::max())
      throw Error(std::string(name) + ": " + std::to_string(n) + " vertices exceed 32-bit numbers");
  }

  /// The slack of a distance for its rounding errors: each of the n - 1 sums of a path has one.
  static double slack(double distance, Index n) {
    return std::isfinite(distance) ? static_cast<double>(n + 2) * Element<T>::epsilon * std::abs(distance)
                                   : 0;
  }
  static bool is_close(T got, double expected, Index n) {
    if (expected >= Weight::saturated) return got == Weight::infinite;
    return within(static_cast<double>(got), expected, slack(expected, n));
  }

  /// d(i, j) is neither below what the distances from one source allow, nor above the weight of an edge, nor
  /// that of a path with one more edge.
  static Check check_all(MatrixView<const T> d, MatrixView<const T> weights, const std::vector<double>& found,
                         std::uint64_t seed) {
    const Index n = d.rows;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const double got = Weight::wide(d(i, j));
        const Index m = static_cast<Index>(random_up_to(seed, i * n + j, n - 1));
        const double direct = i == j ? 0 : Weight::wide(weights(i, j));
        const double by_edge = m == j ? direct : Weight::wide(d(i, m)) + Weight::wide(weights(m, j));
        const double most = std::min(direct, by_edge);
        if (!(got <= most + slack(most, n)) && most < Weight::saturated)
          return Check::wrong(position(i, j), "at most " + std::to_string(most), digits(T(d(i, j))));
        if (!std::isfinite(found[i])) continue;
        const double least = found[j] - found[i];
        if (!(got >= least - slack(found[j], n) - slack(found[i], n)))
          return Check::wrong(position(i, j), "at least " + std::to_string(least), digits(T(d(i, j))));
      }
    return {};
  }

  static Check check_predecessors(MatrixView<const Vertex> p, MatrixView<const T> d,
                                  MatrixView<const T> weights) {
    if (Check padding = check_padding(p); !padding) return padding;
    const Index n = p.rows;
    std::vector<Index> walk(n);
    for (Index i = 0; i < n; ++i) {
      std::ranges::fill(walk, Index{-1});  // the walk that came by a vertex first
      for (Index j = 0; j < n; ++j) {
        const std::string place = "predecessor " + position(i, j);
        const Vertex before = p(i, j);
        if (j == i || !(Weight::wide(d(i, j)) < Weight::saturated)) {
          if (before != -1) return Check::wrong(place, "-1", digits(before));
          continue;
        }
        if (before < 0 || before >= n) return Check::wrong(place, "a vertex", digits(before));
        const double sum =
            Weight::wide(d(i, before)) + (before == j ? INFINITY : Weight::wide(weights(before, j)));
        if (!within(sum, Weight::wide(d(i, j)), slack(d(i, j), n) + slack(d(i, before), n)))
          return Check::wrong(place, "a vertex at distance " + digits(T(d(i, j))) + " with its edge",
                              digits(before));
        Index at = j;
        while (at != i && walk[at] == -1 && p(i, at) >= 0 && p(i, at) < n) walk[at] = j, at = p(i, at);
        if (at != i && walk[at] == j) return Check::wrong(place, "one on the way to the source", "a cycle");
      }
    }
    return {};
  }
};

/// The distances alone.
template <class T>
using ShortestPaths = ShortestPathsOf<T, false>;
/// With predecessors.
template <class T>
using ShortestPathTrees = ShortestPathsOf<T, true>;

/// Throws the Error of a negative cycle.
[[noreturn]] inline void throw_negative_cycle(std::string_view operation, Index vertex) {
  throw Error(std::string(operation) + ": a negative cycle goes through vertex " + std::to_string(vertex));
}

}  // namespace tallcache
