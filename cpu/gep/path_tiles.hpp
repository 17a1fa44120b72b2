// A matrix of weights as tiles for the recursion of Gaussian elimination's paradigm, and that recursion.
#pragma once

#include <algorithm>

#include "common/ceil_div.hpp"
#include "common/ops/shortest_paths.hpp"
#include "cpu/gep/path_kernel.hpp"
#include "cpu/gep/recursion.hpp"

namespace tallcache::cpu::gep {

/// The sides that a tile may have.
inline constexpr Index tile_sides[] = {16, 32, 48, 64, 96, 128, 192};

/// How a leaf reads what others write. `in_place`, I-GEP: as it is, so that a sum may have a state of a later
/// step than the loops would give it. `saved`, C-GEP: the state of the loops' step k, of which each leaf on a
/// diagonal, a row or a column keeps a copy; every sum is then that of the loops.
enum class States { in_place, saved };

/// The matrix in tiles, with what C-GEP saves.
template <class T, bool has_predecessors, class Access>
class PathTileMatrix {
  using Vertex = std::int32_t;
  using Weight = PathWeight<T>;

 public:
  static std::size_t bytes(Index n, Index side, States states) {
    const std::size_t tiles = checked_product(ceil_div(n, side), ceil_div(n, side), "tiles");
    const std::size_t elements = checked_product(tiles, side * side, "tiles");
    const std::size_t distances = checked_product(elements, sizeof(T), "tiles");
    const std::size_t vertices = has_predecessors ? checked_product(elements, sizeof(Vertex), "tiles") : 0;
    if (states == States::in_place) return scratch_bytes({distances, vertices});
    return scratch_bytes({distances, vertices, distances, distances, vertices});
  }

  PathTileMatrix(Index n, Index side, States states, Scratch<Access> scratch)
      : n_(n), side_(side), count_(ceil_div(n, side)) {
    const Index elements = count_ * count_ * side * side;
    x_ = scratch.template vector<T>(elements);
    if constexpr (has_predecessors) p_ = scratch.template vector<Vertex>(elements);
    u_ = v_ = x_, q_ = p_;
    if (states == States::saved) {
      u_ = scratch.template vector<T>(elements);
      v_ = scratch.template vector<T>(elements);
      if constexpr (has_predecessors) q_ = scratch.template vector<Vertex>(elements);
    }
    access_ = x_.access();
  }

  Range range() const { return {0, count_}; }

  /// Copies the weights; a vertex reaches itself, and is the predecessor of those to which it has an edge.
  template <class Fork>
  void load(Fork& fork, MatrixView<T, Access> d) const {
    fork.loop(0, count_ * count_, 1, [=, this](Index tile) {
      const Index first = tile / count_ * side_, left = tile % count_ * side_;
      const Index rows = rounded(extent(tile / count_)), cols = rounded(extent(tile % count_));
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j) {
          const Index row = first + i, col = left + j, to = tile * side_ * side_ + i * side_ + j;
          T weight = Weight::inner;
          if (row < n_ && col < n_) weight = Weight::enter(d(row, col));
          if (row == col) weight = std::min(weight, T{});
          x_[to] = weight;
          if constexpr (has_predecessors)
            p_[to] = row == col || weight == Weight::inner ? -1 : static_cast<Vertex>(row);
        }
    });
  }

  /// Copies the distances back, and the predecessors.
  template <class Fork>
  void store(Fork& fork, MatrixView<T, Access> d, MatrixView<Vertex, Access> p) const {
    fork.loop(0, count_ * count_, 1, [=, this](Index tile) {
      const Index first = tile / count_ * side_, left = tile % count_ * side_;
      const Index rows = extent(tile / count_), cols = extent(tile % count_);
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j) {
          const Index from = tile * side_ * side_ + i * side_ + j;
          const T distance = Weight::leave(x_[from]);
          d(first + i, left + j) = distance;
          if constexpr (has_predecessors)
            p(first + i, left + j) = distance == Weight::infinite ? -1 : Vertex(p_[from]);
        }
    });
  }

  // The leaves of the recursion.
  static bool applies(Range, Range, Range) { return true; }
  void diagonal(Index k) const {
    const Index vertex = run(k, k, k, &Text::diagonal);
    if (vertex >= 0) throw_negative_cycle("shortest_paths", k * side_ + vertex);
  }
  void row(Index k, Index j) const { run(k, j, k, &Text::row); }
  void column(Index i, Index k) const { run(i, k, k, &Text::column); }
  void interior(Index i, Index j, Index k) const { run(i, j, k, &Text::interior); }

 private:
  using Text = PathText<T, typename CompiledApart<Access>::Policy>;

  /// The rows, or the columns, of a tile that belong to the matrix.
  Index extent(Index tile) const { return std::min(side_, n_ - tile * side_); }
  static Index rounded(Index extent) { return ceil_div(extent, tile_unit) * tile_unit; }

  template <class Member>
  auto run(Index i, Index j, Index k, Member leaf) const {
    CompiledApart<Access> apart(access_);
    const auto policy = apart.policy();
    const PathKernel<T>& kernel = path_kernel<T>();
    const Text& text = (has_predecessors ? kernel.predecessors : kernel.distances).under(policy);
    const auto at = [&](Index row, Index col) { return (row * count_ + col) * side_ * side_; };
    PathTiles<T> tiles{.x = x_.data + at(i, j),
                       .u = u_.data + at(i, k),
                       .v = v_.data + at(k, j),
                       .side = side_,
                       .rows = rounded(extent(i)),
                       .cols = rounded(extent(j)),
                       .depth = extent(k)};
    if constexpr (has_predecessors) tiles.p = p_.data + at(i, j), tiles.q = q_.data + at(k, j);
    return (text.*leaf)(tiles, policy);
  }

  Index n_, side_, count_;
  VectorView<T, Access> x_, u_, v_;
  VectorView<Vertex, Access> p_, q_;
  [[no_unique_address]] Access access_{};
};

/// All pairs' shortest paths by the recursion over tiles of `side` x `side`. Throws the Error of a negative
/// cycle; the matrix is then as it was.
template <class Fork, class Args>
void find_paths(Fork& fork, const Args& args, Index side, States states) {
  using T = typename decltype(args.a)::value_type;
  using Access = typename decltype(args.a)::access_type;
  const Index n = args.a.rows;
  if (n == 0) return;
  const PathTileMatrix<T, Args::has_predecessors, Access> tiles(n, side, states, args.scratch);
  tiles.load(fork, args.a);
  Recursion(fork, tiles).diagonal(tiles.range());
  tiles.store(fork, args.a, args.p);
}

/// The scratch of find_paths().
template <class T, bool has_predecessors>
std::size_t paths_scratch(const Shape& shape, Index side, States states) {
  return PathTileMatrix<T, has_predecessors, Plain>::bytes(shape["n"], side, states);
}

}  // namespace tallcache::cpu::gep
