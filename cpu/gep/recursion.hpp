// The recursion of Gaussian elimination's paradigm (Chowdhury and Ramachandran, "Cache-oblivious dynamic
// programming", SODA 2006; "The cache-oblivious Gaussian elimination paradigm", 2010). It computes
//
//   for k: for i: for j: x(i, j) = f(x(i, j), u(i, k), v(k, j), w(k, k))
//
// over an n x n matrix in which u, v and w are x itself. Four functions call one another, by how the rows and
// the columns of a block lie to the range of k:
//
//   A, diagonal   rows and columns are the range     A B C D A B C D on the quadrants, B beside C
//   B, row        the rows are the range, the columns are apart from it
//   C, column     the columns are the range, the rows are apart from it
//   D, interior   both are apart from it             all four quadrants side by side, twice
//
// Work Theta(n^3), span O(n lg^2 n), misses O(n^3 / (L sqrt Z)).
#pragma once

#include "common/fork/fork.hpp"

namespace tallcache::cpu::gep {

/// Indices [begin, end), of blocks or of elements.
struct Range {
  Index begin, end;

  Index size() const { return end - begin; }
  Range low() const { return {begin, begin + size() / 2}; }
  Range high() const { return {begin + size() / 2, end}; }
};

/// The recursion over a `Leaf`, which has
///
///   leaf.diagonal(k), leaf.row(k, j), leaf.column(i, k), leaf.interior(i, j, k)   on one index of each range
///   leaf.applies(i, j, k)   whether any update of these ranges may be in the set of updates
template <class Fork, class Leaf>
class Recursion {
 public:
  Recursion(Fork& fork, const Leaf& leaf) : fork_(fork), leaf_(leaf) {}

  /// A.
  void diagonal(Range k) const {
    if (k.size() == 0 || !leaf_.applies(k, k, k)) return;
    if (k.size() == 1) return leaf_.diagonal(k.begin);
    const Range low = k.low(), high = k.high();
    diagonal(low);
    fork_([&] { row(low, high); }, [&] { column(high, low); });
    interior(high, high, low);
    diagonal(high);
    fork_([&] { row(high, low); }, [&] { column(low, high); });
    interior(low, low, high);
  }

  /// B: rows k, columns j.
  void row(Range k, Range j) const {
    if (!leaf_.applies(k, j, k)) return;
    if (j.size() > 1 && j.size() >= k.size())
      return fork_([&] { row(k, j.low()); }, [&] { row(k, j.high()); });
    if (k.size() == 1) return leaf_.row(k.begin, j.begin);
    row(k.low(), j);
    interior(k.high(), j, k.low());
    row(k.high(), j);
    interior(k.low(), j, k.high());
  }

  /// C: rows i, columns k.
  void column(Range i, Range k) const {
    if (!leaf_.applies(i, k, k)) return;
    if (i.size() > 1 && i.size() >= k.size())
      return fork_([&] { column(i.low(), k); }, [&] { column(i.high(), k); });
    if (k.size() == 1) return leaf_.column(i.begin, k.begin);
    column(i, k.low());
    interior(i, k.high(), k.low());
    column(i, k.high());
    interior(i, k.low(), k.high());
  }

  /// D: the longest of the three ranges is halved; the halves of k follow one another.
  void interior(Range i, Range j, Range k) const {
    if (!leaf_.applies(i, j, k)) return;
    if (i.size() > 1 && i.size() >= j.size() && i.size() >= k.size())
      return fork_([&] { interior(i.low(), j, k); }, [&] { interior(i.high(), j, k); });
    if (j.size() > 1 && j.size() >= k.size())
      return fork_([&] { interior(i, j.low(), k); }, [&] { interior(i, j.high(), k); });
    if (k.size() == 1) return leaf_.interior(i.begin, j.begin, k.begin);
    interior(i, j, k.low());
    interior(i, j, k.high());
  }

 private:
  Fork& fork_;
  const Leaf& leaf_;
};

}  // namespace tallcache::cpu::gep
