// REC-MULT over ranks: its plan, what it needs and what it moves, beside the bound. C is m x n, A m x k, B k
// x n. REC-MULT whose forks hand parts to ranks is CARMA (Demmel, Eliahu, Fox, Kamil, Lipshitz, Schwartz,
// Spillinger, Communication-optimal parallel recursive rectangular matrix multiplication, IPDPS 2013).
#pragma once

#include <cstddef>
#include <optional>

#include "ranks/fabric.hpp"
#include "ranks/plan.hpp"

namespace tallcache::ranks {

struct MatmulShape {
  Index m = 0, n = 0, k = 0;
};

/// The places of the matrices in a plan.
inline constexpr std::size_t matrix_c = 0, matrix_a = 1, matrix_b = 2;

/// Lays REC-MULT out over `ranks`, after `halvings` halvings in turn. Throws Error when a size is below 1, or
/// the shape has too few rows for so many ranks.
Plan plan_matmul(const MatmulShape&, Index ranks, int halvings = 0);

/// The ranks of a plan along each dimension, P = m n k. Turns are left out.
struct Grid {
  Index m = 1, n = 1, k = 1;
};
/// The grid that the cuts of a plan make.
Grid grid_of(const Plan&);

/// Bytes of memory of the rank that needs the most, for matrices of double.
struct Need {
  std::size_t matrices = 0;  ///< the rank's part of C, A and B
  std::size_t boxes = 0;     ///< the blocks that it multiplies
  std::size_t sums = 0;      ///< the parts of C that it receives in messages
  std::size_t packed = 0;    ///< the panels of a slice of the leaf
  std::size_t total() const { return matrices + boxes + sums + packed; }
};
/// `one_machine`: all ranks are on one, and add up in place what others computed.
Need need_of(const Plan&, bool one_machine = false);

/// The elements of the rank's copy of a box of matrix `v`; 0 where the rank's own piece is the box.
Index copied_words(const Plan&, std::size_t v, Index rank);
/// Leaves are computed in so many slices along k, one after the other, so that their packed panels are small.
Index leaf_slices(const Plan&);
/// Bytes of the packed panels of the largest slice of a rank's leaves.
std::size_t packed_bytes(const Plan&, Index rank);
/// The elements that a rank receives at once to add them up.
Index summed_words(const Plan&, Index rank);

/// Ranks are left idle where that takes at most this share of the modelled time. The model does not see how
/// the links of the fabric are shared.
inline constexpr double idle_share = 0.98;

struct MatmulOptions {
  std::optional<std::size_t> memory{};  ///< bytes that a rank may use
  bool one_machine = false;             ///< has all ranks, which then need less
  bool idle = true;                     ///< leave up to a tenth of the ranks idle where that is faster
  Fabric fabric{};                      ///< on which it is faster
};

/// The time of a product on a grid, by its largest leaf, its messages and its words on the fabric's highest
/// links.
double modelled_seconds(const MatmulShape&, const Plan&, const Fabric&);

/// The plan for up to `ranks` ranks: all of them, or a number in [0.9 P, P] with less modelled time, and the
/// fewest halvings in turn that fit the memory. Throws Error, which says what is needed and what is missing,
/// when none does.
Plan choose_matmul(const MatmulShape&, Index ranks, const MatmulOptions& = {});

/// The words that a rank receives on a grid that divides the sizes, without turns: (mnk/P) (pm/m + pn/n +
/// pk/k)
/// - (mn + mk + nk)/P.
double words_by_formula(const MatmulShape&, const Grid&);

/// The least number of words that some rank receives, whatever the algorithm, when each rank begins and ends
/// with 1/P of the matrices (Al Daas, Ballard, Grigori, Kumar, Rouse, Tight memory-independent parallel
/// matrix multiplication communication lower bounds, SPAA 2022, theorem 3).
double words_bound(const MatmulShape&, double ranks);

/// D of the bound: words_bound() and what the rank has already.
double accessed_bound(const MatmulShape&, double ranks);

}  // namespace tallcache::ranks
