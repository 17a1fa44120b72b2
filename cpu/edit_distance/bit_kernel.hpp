// The innermost text of the tableaux whose cells are bits: the differences between neighbouring cells, 64 of
// a column to a word (Myers 1999; Hyyrö 2003; for common subsequences Crochemore et al. 2001). Its vectors
// are dispatched at run time by Google Highway.
//
// Words of a column lie side by side in a vector, each a column behind the one above it: an anti-diagonal of
// words depends on those before it alone.
#pragma once

#include <cstdint>

#include "common/traced.hpp"
#include "common/view.hpp"

namespace tallcache::cpu::edit_distance {

using Word = std::uint64_t;
inline constexpr Index word_bits = 64;
/// The words of a column that a kernel may take at once. Columns are stored in a multiple of them.
inline constexpr Index stripe_words = 16, stripe_rows = stripe_words * word_bits;
/// The bits of a letter's code.
inline constexpr int most_planes = 8;
/// The least number of planes for which a kernel is compiled that holds `planes` of them.
constexpr int code_planes(int planes) {
  return planes <= 2 ? 2 : planes <= 3 ? 3 : planes <= 5 ? 5 : most_planes;
}

/// The differences of neighbouring cells of the tableau of edit distances, in two planes: whether the second
/// one is one more, and whether it is one less.
struct Levenshtein {
  static constexpr int planes = 2;
  /// The differences down a column and along a row where the distance grows by one with each letter.
  static constexpr Word down[planes] = {~Word{0}, 0}, along[planes] = {~Word{0}, 0};
};

/// The same for the lengths of longest common subsequences, in one plane: down a column the complement of
/// whether the second cell is one more, along a row whether it is.
struct CommonSubsequence {
  static constexpr int planes = 1;
  /// Where a letter adds nothing to the length.
  static constexpr Word down[planes] = {~Word{0}}, along[planes] = {0};
};

/// A block of a tableau: `words` words of rows, a multiple of stripe_words, and `width` columns. Plane p of
/// any of its parts is `ld` words behind plane p - 1.
///
/// `down` has the differences down the block's left border, and then those down its right border; `along`
/// those along its top border, and then those along its bottom border. Row i is bit i % 64 of word i / 64;
/// column j is bit 63 - j % 64 of word j / 64, so that the bit of the next column is the uppermost.
struct BitBlock {
  const Word* rows;  ///< the codes of the letters of the rows, in planes of bits
  Index rows_ld;
  const std::uint8_t* columns;  ///< the codes of the letters of the columns
  Word *down, *along;
  Index down_ld, along_ld;
  Index words, width;
  /// Cells with least <= column - row <= most are wanted; others need not be computed. They are computed in
  /// pieces of stripe_words words and 64 columns.
  Index least, most;
};

/// All accesses to the block go through the policy.
template <class Recurrence, class Access>
struct BitText {
  /// `planes`: those of the letters' codes, a value of code_planes().
  void (*block)(const BitBlock&, int planes, Access);
};

template <class Recurrence>
struct BitKernel {
  template <class Access>
  using Text = BitText<Recurrence, Access>;
  CompiledTexts<Text> text;
};

/// Of the target that this processor dispatches to.
template <class Recurrence>
const BitKernel<Recurrence>& bit_kernel();
template <>
const BitKernel<Levenshtein>& bit_kernel<Levenshtein>();
template <>
const BitKernel<CommonSubsequence>& bit_kernel<CommonSubsequence>();

}  // namespace tallcache::cpu::edit_distance
