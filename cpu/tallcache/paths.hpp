// Shortest paths between all pairs of vertices, transitive closures, and Gaussian elimination's paradigm over
// an update of your own, on the CPU. An n x n matrix d has the weight of the edge from i to j in d(i, j).
//
//   tallcache::shortest_paths(d);               // d(i, j): the weight of the shortest path
//   tallcache::shortest_paths(d, before);       // before(i, j): the vertex before j on it
//   const auto path = tallcache::path_between(before, 0, 7);  // 0, ..., 7
//   tallcache::transitive_closure(bits);        // of 64 bits to a word
//   tallcache::gep(d, [](float x, float u, float v, float) { return std::min(x, std::max(u, v)); });
//
// Scratch is kept for the next call: up to four times the size of the matrix.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "common/execute.hpp"
#include "common/fork/parallel.hpp"
#include "common/ops/shortest_paths.hpp"
#include "common/ops/transitive_closure.hpp"
#include "cpu/gep/element_gep.hpp"

namespace tallcache {

/// The weights of edges: float, or std::int32_t.
template <class T>
concept IsPathWeight = std::same_as<T, float> || std::same_as<T, std::int32_t>;

/// The weight of an edge that is not there, and the distance where there is no path: the type's infinity, or
/// its largest whole number.
template <IsPathWeight T>
inline constexpr T no_path = PathWeight<T>::infinite;

/// The distances of all pairs of vertices, in place, on `threads` threads including the caller: the same
/// bytes on any number of them, and those of Floyd's and Warshall's loops. `d` is n x n with the weights of
/// edges, no_path where there is none; the diagonal is taken as 0. Weights may be negative. Whole weights
/// from 2^29 on are no edge, distances of that size no path, and n - 1 times the most negative whole weight
/// is at least -2^28. The scratch is one matrix for whole weights, three for others. Throws Error that names
/// a vertex on it where a cycle is negative (`d` is then as it was), where `d` is not square, and where a
/// weight is NaN, minus infinity or too negative.
///
/// Source: Chowdhury, Ramachandran, "Cache-oblivious dynamic programming", SODA 2006; Floyd, "Algorithm 97:
/// Shortest path", Communications of the ACM 5(6), 1962.
template <IsPathWeight T>
void shortest_paths(MatrixView<T> d, int threads = 1) {
  execute<ShortestPaths<T>>(std::same_as<T, float> ? "cgep_recursive" : "gep_recursive", {d, {}}, {},
                            threads);
}

/// The same with predecessors: `before`(i, j) is the vertex before j on a shortest path from i; -1 where j is
/// i or is not reached. `before` is n x n, and is not read. It is that of Floyd's and Warshall's loops.
/// Throws Error as above, and where the sizes differ or the matrices overlap.
///
/// Source: as above; Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", 3rd edition, 25.2.
template <IsPathWeight T>
void shortest_paths(MatrixView<T> d, std::type_identity_t<MatrixView<std::int32_t>> before, int threads = 1) {
  execute<ShortestPathTrees<T>>("cgep_recursive", {d, before}, {}, threads);
}

/// The vertices of the path from i to j, both included, that the predecessors of shortest_paths() give, the
/// n x n matrix `before`; empty where j is not reached. Throws Error where i or j is no vertex, or where
/// `before` leads round a cycle or out of the vertices.
///
/// Source: Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", 3rd edition, 25.
inline std::vector<Index> path_between(MatrixView<const std::int32_t> before, Index i, Index j) {
  const Index n = before.rows;
  if (i < 0 || j < 0 || i >= n || j >= n)
    throw Error("path_between: " + std::to_string(i) + " or " + std::to_string(j) + " is none of " +
                std::to_string(n) + " vertices");
  if (i != j && before(i, j) == -1) return {};
  std::vector<Index> path{j};
  while (path.back() != i) {
    const Index next = before(i, path.back());
    if (next < 0 || next >= n || static_cast<Index>(path.size()) == n)
      throw Error("path_between: the predecessors of row " + std::to_string(i) + " make no path to " +
                  std::to_string(j));
    path.push_back(next);
  }
  std::ranges::reverse(path);
  return path;
}

/// The transitive closure of a relation of n elements, in place, on `threads` threads including the caller.
/// Bit j % 64 of word j / 64 of row i says that i is related to j. `bits` is n x ceil(n / 64) words; bits
/// behind the last column are 0. The scratch is one such matrix, of n rounded up to 512. Throws Error
/// where the words are not so many, and where a bit is set behind the last column.
///
/// Source: Warshall, "A theorem on Boolean matrices", Journal of the ACM 9(1), 1962; Chowdhury, Ramachandran
/// 2006.
inline void transitive_closure(MatrixView<std::uint64_t> bits, int threads = 1) {
  execute<TransitiveClosure>("closure_recursive", {bits}, {}, threads);
}

namespace detail {
template <class Program>
void run_gep(Index rows, Index cols, int threads, const Program& program) {
  require_threads(threads);
  if (rows != cols)
    throw Error("gep: " + std::to_string(rows) + " x " + std::to_string(cols) + " is not square");
  if (threads == 1) {
    Serial fork;
    return program(fork);
  }
  run_parallel(threads, [&](auto& fork) { program(fork); });
}
}  // namespace detail

/// The set of all updates (i, j, k) of gep().
using cpu::gep::AllUpdates;

/// The side of the blocks at which the recursion of gep() ends.
inline constexpr Index gep_base = 32;

/// Gaussian elimination's paradigm by C-GEP, on `threads` threads including the caller: what the loops
///
///   for k: for i: for j: if in_set(i, j, k): x(i, j) = update(x(i, j), x(i, k), x(k, j), x(k, k))
///
/// compute over the n x n matrix `x`, to the byte, for any update and any set, with O(n^3 / (L sqrt Z))
/// misses. `update` and `in_set` are called from several threads at once, and may not throw there. Four
/// matrices of the states that are read later are allocated. Throws Error where `x` is not square.
///
/// Source: Chowdhury, Ramachandran, "The cache-oblivious Gaussian elimination paradigm: theoretical
/// framework, parallelization and experimental evaluation", Theory of Computing Systems 47(4), 2010.
template <class T, class Update, class Set = AllUpdates>
void gep(MatrixView<T> x, Update update, Set in_set = {}, int threads = 1) {
  validate_view(x, "x");
  const Index n = x.rows;
  detail::run_gep(n, x.cols, threads, [&](auto& fork) {
    const auto states = std::make_unique_for_overwrite<T[]>(checked_product(4, n * n, "gep"));
    const auto state = [&](Index s) { return MatrixView<T>{states.get() + s * n * n, n, n, n}; };
    const cpu::gep::SavedStates<MatrixView<T>> saved{state(0), state(1), state(2), state(3)};
    cpu::gep::gep_complete(fork, x, saved, update, in_set, gep_base);
  });
}

/// The same by I-GEP on `threads` threads, which allocates nothing and reads the states that the n x n matrix
/// `x` happens to have: right for an `update` over `in_set` that does not mind a later state, as Gaussian
/// elimination, shortest paths in exact numbers and transitive closure, and wrong for others, as x + u + v +
/// w. Throws Error where `x` is not square.
///
/// Source: Chowdhury, Ramachandran 2010, as for gep().
template <class T, class Update, class Set = AllUpdates>
void gep_in_place(MatrixView<T> x, Update update, Set in_set = {}, int threads = 1) {
  validate_view(x, "x");
  detail::run_gep(x.rows, x.cols, threads,
                  [&](auto& fork) { cpu::gep::gep_in_place(fork, x, update, in_set, gep_base); });
}

}  // namespace tallcache
