// The weights of edges of shortest paths: their limits, seeded inputs, and a search that serves as reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/compare.hpp"
#include "common/random.hpp"
#include "common/view.hpp"

namespace tallcache {

/// The numbers that a path's weight may be. While paths are computed, infinity is `inner`, so that the sum of
/// two weights never overflows: enter() and leave() go from one to the other.
template <class T>
struct PathWeight {
  static constexpr T infinite = std::numeric_limits<T>::infinity(), inner = infinite;
  static constexpr double saturated = std::numeric_limits<double>::infinity();

  static constexpr T enter(T weight) { return weight; }
  static constexpr T leave(T distance) { return distance; }
  static constexpr double wide(T weight) { return static_cast<double>(weight); }
  static bool is_valid(T weight, Index) { return weight > -infinite; }
  static std::string range(Index) { return ", which is no weight"; }
};

template <>
struct PathWeight<std::int32_t> {
  static constexpr std::int32_t infinite = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int32_t inner = (1 << 30) - 1;
  static constexpr std::int32_t saturated = 1 << 29;
  /// Of the sum of the negative weights of a path.
  static constexpr std::int64_t least = -(1 << 28);

  static constexpr std::int32_t enter(std::int32_t weight) { return weight < saturated ? weight : inner; }
  static constexpr std::int32_t leave(std::int32_t distance) {
    return distance < saturated ? distance : infinite;
  }
  static constexpr double wide(std::int32_t weight) {
    return weight < saturated ? weight : std::numeric_limits<double>::infinity();
  }
  static bool is_valid(std::int32_t weight, Index n) {
    return weight >= 0 || weight * std::max<std::int64_t>(n - 1, 1) >= least;
  }
  static std::string range(Index n) {
    return ": with " + std::to_string(n) + " vertices, weights are from " +
           std::to_string(least / std::max<Index>(n - 1, 1)) + " on";
  }
};

/// The kinds of graph.
///
/// - dense: all edges, with uniform weights
/// - sparse: about four edges from each vertex
/// - grid: about square, four edges from each vertex
/// - path: from each vertex to the next
/// - negative: half of all edges; each weight is that of a graph without negative ones, plus the potential of
///   its first vertex, minus that of its second. Their sums are exact.
inline constexpr std::string_view path_inputs[] = {"dense", "sparse", "grid", "path", "negative"};

/// Whether the graph of a kind has the edge from i to j.
inline bool has_path_edge(std::string_view input, std::uint64_t seed, Index n, Index i, Index j) {
  if (i == j) return false;
  const auto place = static_cast<std::uint64_t>(i * n + j);
  if (input == "sparse") return random_up_to(seed + 1, place, n - 1) < 4;
  if (input == "negative") return random_bits(seed + 1, place) & 1;
  if (input == "path") return j == i + 1;
  if (input == "grid") {
    const auto width = static_cast<Index>(std::sqrt(static_cast<double>(n)));
    return std::abs(i - j) == width || (std::abs(i - j) == 1 && std::max(i, j) % width != 0);
  }
  return true;
}

/// The weight of that edge.
template <class T>
T path_weight(std::string_view input, std::uint64_t seed, Index n, Index i, Index j) {
  const auto place = static_cast<std::uint64_t>(i * n + j);
  const auto whole = static_cast<int>(random_up_to(seed, place, 1000));
  const auto potential = [&](Index v) { return static_cast<int>(random_up_to(seed + 2, v, 1000)); };
  if (input == "negative") {
    const int weight = whole + potential(i) - potential(j);
    if constexpr (Element<T>::is_exact)
      return weight;
    else
      return static_cast<T>(weight) / 1024;
  }
  if constexpr (Element<T>::is_exact)
    return whole;
  else
    return static_cast<T>(random_unit(seed, place));
}

/// A seeded matrix of weights: 0 on the diagonal, infinite where there is no edge. Its padding keeps the
/// poison.
template <class T>
void fill_path_weights(MatrixView<T> weights, std::string_view input, std::uint64_t seed) {
  fill_matrix(weights, "uniform", seed);
  const Index n = weights.rows;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      weights(i, j) = i == j                                ? T{}
                      : has_path_edge(input, seed, n, i, j) ? path_weight<T>(input, seed, n, i, j)
                                                            : PathWeight<T>::infinite;
}

/// The distances from `source`, infinite where there is no path: labels are corrected, first in first out,
/// until none falls. No cycle may be negative.
template <class T>
void search_paths(MatrixView<const T> weights, Index source, std::vector<double>& distances) {
  const Index n = weights.rows;
  std::ranges::fill(distances, std::numeric_limits<double>::infinity());
  distances[source] = 0;
  std::vector<Index> queue{source}, next;
  std::vector<bool> waits(n);
  while (!queue.empty()) {
    next.clear();
    for (const Index i : queue) {
      waits[i] = false;
      const double distance = distances[i];
      for (Index j = 0; j < n; ++j) {
        const double sum = distance + PathWeight<T>::wide(weights(i, j));
        if (!(sum < distances[j]) || i == j) continue;
        distances[j] = sum;
        if (!waits[j]) next.push_back(j);
        waits[j] = true;
      }
    }
    std::swap(queue, next);
  }
}

}  // namespace tallcache
