// The innermost text of a batch of pairs of strings: each lane of a vector has a pair of its own, so that no
// lane waits for another. The recurrences are those of bit_kernel.hpp.
#pragma once

#include "cpu/edit_distance/bit_kernel.hpp"

namespace tallcache::cpu::edit_distance {

/// The most pairs that a kernel computes at once.
inline constexpr Index most_lanes = 8;

/// A pair in each lane. Its parts lie lane by lane: lane l of plane p of word w is element
/// (w planes + p) lanes + l.
struct PairsInLanes {
  const Word* others;  ///< the complements of the codes of the letters of the rows, in planes of bits
  Word* down;          ///< the differences down the columns before `begin`, and then before `end`
  const std::uint8_t* columns;  ///< lane l of column j is element j lanes + l
  Index words;                  ///< of the rows
  Index begin, end;             ///< the columns to compute
  Index least, most;            ///< the cells: those with least <= column - row <= most
};

/// All accesses go through the policy.
template <class Recurrence, class Access>
struct PairsText {
  /// `planes`: those of the letters' codes, a value of code_planes().
  void (*columns)(const PairsInLanes&, int planes, Access);
};

template <class Recurrence>
struct PairsKernel {
  template <class Access>
  using Text = PairsText<Recurrence, Access>;
  CompiledTexts<Text> text;
  Index lanes;  ///< at most most_lanes
};

/// Of the target that this processor dispatches to.
template <class Recurrence>
const PairsKernel<Recurrence>& pairs_kernel();
template <>
const PairsKernel<Levenshtein>& pairs_kernel<Levenshtein>();
template <>
const PairsKernel<CommonSubsequence>& pairs_kernel<CommonSubsequence>();

}  // namespace tallcache::cpu::edit_distance
