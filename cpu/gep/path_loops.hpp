// What the loops of shortest paths do in place: the weights before the first step, the diagonal before each,
// and the distances after the last.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/cache/ideal_misses.hpp"
#include "common/ops/shortest_paths.hpp"

namespace tallcache::cpu::gep {

/// A vertex reaches itself, and precedes those to which it has an edge.
template <class Fork, class Args>
void enter_weights(Fork& fork, const Args& args) {
  using T = typename Args::Number;
  using Weight = PathWeight<T>;
  fork.loop(0, args.a.rows, 1, [=](Index i) {
    for (Index j = 0; j < args.a.cols; ++j) {
      T weight = Weight::enter(args.a(i, j));
      if (i == j) weight = std::min(weight, T{});
      args.a(i, j) = weight;
      if constexpr (Args::has_predecessors)
        args.p(i, j) = i == j || weight == Weight::inner ? -1 : static_cast<typename Args::Vertex>(i);
    }
  });
}

/// Throws the Error of a negative cycle of which `k` is the last vertex.
template <class Args>
void require_no_cycle(const Args& args, Index k) {
  using T = typename Args::Number;
  if (T(args.a(k, k)) < T{}) throw_negative_cycle("shortest_paths", k);
}

/// Writes the caller's infinity where there is no path, and no predecessor.
template <class Fork, class Args>
void leave_weights(Fork& fork, const Args& args) {
  using T = typename Args::Number;
  using Weight = PathWeight<T>;
  if constexpr (Weight::inner != Weight::infinite)
    fork.loop(0, args.a.rows, 1, [=](Index i) {
      for (Index j = 0; j < args.a.cols; ++j) {
        const T distance = Weight::leave(args.a(i, j));
        args.a(i, j) = distance;
        if constexpr (Args::has_predecessors)
          if (distance == Weight::infinite) args.p(i, j) = -1;
      }
    });
}

/// Each step scans the matrix, where it exceeds the cache and two of its rows do not.
inline std::optional<cache::Prediction> loops_misses(cache::IdealCache c, const Shape& shape) {
  const double n = static_cast<double>(shape["n"]);
  if (n * (n + c.L) <= c.Z) return cache::Prediction{n * n / c.L, "n^2/L: the matrix fits"};
  if (2 * n + 2 * c.L > c.Z) return {};
  return cache::Prediction{n * n * n / c.L, "n^3/L: two rows fit, the matrix does not"};
}

/// Of the recursion, and the copies to tiles and back (Chowdhury and Ramachandran 2006).
inline cache::Prediction recursion_misses(cache::IdealCache c, const Shape& shape) {
  const double n = static_cast<double>(shape["n"]);
  return {n + n * n / c.L + n * n * n / (c.L * std::sqrt(c.Z)), "O(n + n^2/L + n^3/(L sqrt Z))", true};
}

}  // namespace tallcache::cpu::gep
