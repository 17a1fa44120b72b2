// How a program is laid out over ranks: the forks on the way from all ranks to one, and where each rank's
// part of every matrix lies. A plan follows from the sizes and the number of ranks alone. It has no data.
//
// A cut divides ranks [0, P) into equal intervals, one for each part of a fork. A view that the parts split
// becomes smaller. One that they share is gathered before the cut and one that they add to is reduced after
// it, in both cases among the ranks that have the same place in their intervals. Partners are computed. All
// parts of a cut make the same further cuts: the largest part decides, and sizes differ by one at most.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "common/named.hpp"

namespace tallcache::ranks {

/// What a cut does to a view.
enum class Role : unsigned char { rows, cols, shared, added };

inline constexpr std::size_t max_views = 4;

struct Cut {
  Index parts = 1;
  bool in_turn = false;  ///< one part after the other on all ranks, for lack of memory
  std::array<Role, max_views> roles{};
};

/// A block of a matrix.
struct Box {
  Index row = 0, col = 0, rows = 0, cols = 0;
  Index size() const { return rows * cols; }
  friend bool operator==(const Box&, const Box&) = default;
};

/// Consecutive elements of a box, by rows.
struct Stretch {
  Index begin = 0, size = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// Part `part` of `parts` nearly equal ones of [begin, begin + size).
Stretch part_of(Stretch whole, Index parts, Index part);

struct Matrix {
  std::string_view name;
  Index rows = 0, cols = 0;
  bool written = false;
};

/// What a rank keeps of a matrix in the recursion's own layout: a stretch of one of its boxes, at `offset` of
/// its memory.
struct Piece {
  Index turn = 0;
  Box box;
  Stretch stretch;
  Index offset = 0;
};

class Plan {
 public:
  Plan(std::vector<Matrix> matrices, Index ranks);

  /// Adds the next cut. Throws Error when it needs more ranks or turns than are left.
  void add(const Cut& cut);

  Index ranks() const { return ranks_; }
  Index turns() const { return turns_; }
  std::span<const Matrix> matrices() const { return matrices_; }
  std::span<const Cut> cuts() const { return cuts_; }
  std::size_t levels() const { return cuts_.size(); }

  /// The number of ranks of one part of the cut `level`.
  Index group(std::size_t level) const { return groups_[level]; }
  /// The part of the cut `level` that a rank, or a turn, is in.
  Index digit(std::size_t level, Index rank, Index turn = 0) const;
  /// The rank in the same place of part `part`.
  Index partner(std::size_t level, Index rank, Index part) const;
  /// Whether ranks exchange elements of matrix `v` at this cut.
  bool moves(std::size_t v, std::size_t level) const;
  bool splits(std::size_t v, std::size_t level) const;

  /// The block of matrix `v` that a rank works on in a turn.
  Box box(std::size_t v, Index rank, Index turn = 0) const;
  /// What the rank holds of that box before the gathers (after the sums) of the cut `level`; all of it at
  /// level = levels().
  Stretch stretch(std::size_t v, Index box_size, std::size_t level, Index rank) const;

  /// The recursion's own layout of matrix `v`. Empty for a rank that is idle.
  std::vector<Piece> pieces(std::size_t v, Index rank) const;
  /// The piece that a turn works on.
  std::size_t piece_of_turn(std::size_t v, Index turn) const;
  /// The elements of all pieces.
  Index owned(std::size_t v, Index rank) const;

  /// The product of the parts of all cuts, in turn or not, with which view `v` has this role.
  Index parts(std::size_t v, Role role) const;

 private:
  std::vector<Matrix> matrices_;
  Index ranks_, turns_ = 1;
  std::vector<Cut> cuts_;
  std::vector<Index> groups_;  ///< of ranks; of turns for a cut in turn
};

/// The prime factors of n >= 1, the largest first.
std::vector<Index> prime_factors(Index n);

}  // namespace tallcache::ranks
