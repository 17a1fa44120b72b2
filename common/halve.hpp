// The rule by which the recursions cut a box of work: its longest side, in the middle (Frigo, Leiserson,
// Prokop, Ramachandran, "Cache-oblivious algorithms", FOCS 1999: REC-MULT, REC-TRANSPOSE).
//
// Three kinds of driver follow it. A recursion calls itself on both parts, under a fork. A list of tiles, or
// of a GPU's blocks, descends to its i-th part. A plan follows the larger part, to know the leaves' size.
#pragma once

namespace tallcache {

/// Where halve() cuts a box. A box that is a leaf is not cut.
template <class Int>
struct Halving {
  int side = -1;  ///< the place of the side in the list
  Int first = 0;  ///< units of the first part; the second one has as many or one more

  constexpr explicit operator bool() const { return side >= 0; }
};

/// Cuts the longest of the sides that have more units than a leaf has; of equal ones the first in the list.
/// A side is counts[i] units of length units[i]. leaves[i] >= 1.
template <class Int, int sides>
constexpr Halving<Int> halve(const Int (&counts)[sides], const Int (&units)[sides],
                             const Int (&leaves)[sides]) {
  Halving<Int> cut;
  Int longest = 0;
  for (int side = 0; side < sides; ++side) {
    const Int length = counts[side] > leaves[side] ? counts[side] * units[side] : 0;
    if (length <= longest) continue;
    longest = length;
    cut = {side, counts[side] / 2};
  }
  return cut;
}

}  // namespace tallcache
