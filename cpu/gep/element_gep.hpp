// Gaussian elimination's paradigm over single elements, with an update and a set of updates of the user's:
// the loops G that define it, I-GEP, which is right for some updates, and C-GEP, which is for all.
#pragma once

#include <utility>

#include "common/ceil_div.hpp"
#include "common/view.hpp"
#include "cpu/gep/recursion.hpp"

namespace tallcache::cpu::gep {

/// The set of all updates.
struct AllUpdates {
  constexpr bool operator()(Index, Index, Index) const { return true; }
};

/// Whether any update of three ranges may be in a set; a set that knows says it by may_have(i, j, k).
template <class Set>
bool may_have(const Set& set, Range i, Range j, Range k) {
  if constexpr (requires { set.may_have(i, j, k); }) return set.may_have(i, j, k);
  return true;
}

/// Blocks of `base` indices of n, as ranges of elements.
struct Blocks {
  Index n, base;

  Range all() const { return {0, ceil_div(n, base)}; }
  Range elements(Range blocks) const {
    return {blocks.begin * base, blocks.end * base < n ? blocks.end * base : n};
  }
  Range elements(Index block) const { return elements(Range{block, block + 1}); }
};

/// G: the loops over k, i and j.
template <class M, class Update, class Set>
void gep_loops(M x, const Update& update, const Set& set, Range is, Range js, Range ks) {
  using T = typename M::value_type;
  for (Index k = ks.begin; k < ks.end; ++k)
    for (Index i = is.begin; i < is.end; ++i)
      for (Index j = js.begin; j < js.end; ++j)
        if (set(i, j, k)) x(i, j) = T(update(T(x(i, j)), T(x(i, k)), T(x(k, j)), T(x(k, k))));
}

/// The leaves of a recursion that does `body(i, j, k)` on ranges of elements.
template <class Set, class Body>
struct ElementLeaf {
  Blocks blocks;
  const Set& set;
  Body body;

  bool applies(Range i, Range j, Range k) const {
    return may_have(set, blocks.elements(i), blocks.elements(j), blocks.elements(k));
  }
  void diagonal(Index k) const { interior(k, k, k); }
  void row(Index k, Index j) const { interior(k, j, k); }
  void column(Index i, Index k) const { interior(i, k, k); }
  void interior(Index i, Index j, Index k) const {
    body(blocks.elements(i), blocks.elements(j), blocks.elements(k));
  }
};

/// I-GEP (Chowdhury and Ramachandran 2006) in place over the square `x`: x(i, j) = update(x(i, j), x(i, k),
/// x(k, j), x(k, k)) for all (i, j, k) in the set. base >= 1.
template <class Fork, class M, class Update, class Set>
void gep_in_place(Fork& fork, M x, const Update& update, const Set& set, Index base) {
  if (x.rows == 0) return;
  const Blocks blocks{x.rows, base};
  const auto body = [&](Range i, Range j, Range k) { gep_loops(x, update, set, i, j, k); };
  const ElementLeaf<Set, decltype(body)> leaf{blocks, set, body};
  Recursion(fork, leaf).diagonal(blocks.all());
}

/// The states that C-GEP saves of each element: those before and after the loops reach its column as step k,
/// and its row. n x n each.
template <class M>
struct SavedStates {
  M before_column, after_column, before_row, after_row;
};

/// C-GEP: what the loops would compute, to the byte, for every update and every set.
template <class Fork, class M, class Update, class Set>
void gep_complete(Fork& fork, M x, const SavedStates<M>& saved, const Update& update, const Set& set,
                  Index base) {
  using T = typename M::value_type;
  if (x.rows == 0) return;
  fork.loop(0, x.rows, 1, [=](Index i) {
    for (Index j = 0; j < x.cols; ++j) {
      const T old = x(i, j);
      saved.before_column(i, j) = old, saved.after_column(i, j) = old;
      saved.before_row(i, j) = old, saved.after_row(i, j) = old;
    }
  });
  const Blocks blocks{x.rows, base};
  const auto apply = [&](Index i, Index j, Index k) {
    // The loops reach (i, j) in step k after (i, k) if j > k, after (k, j) if i > k.
    const T u = j > k ? saved.after_column(i, k) : saved.before_column(i, k);
    const T v = i > k ? saved.after_row(k, j) : saved.before_row(k, j);
    const T w = i > k || (i == k && j > k) ? saved.after_column(k, k) : saved.before_column(k, k);
    const T now = update(T(x(i, j)), u, v, w);
    x(i, j) = now;
    if (k < j) saved.before_column(i, j) = now;
    if (k <= j) saved.after_column(i, j) = now;
    if (k < i) saved.before_row(i, j) = now;
    if (k <= i) saved.after_row(i, j) = now;
  };
  const auto body = [&](Range is, Range js, Range ks) {
    for (Index k = ks.begin; k < ks.end; ++k)
      for (Index i = is.begin; i < is.end; ++i)
        for (Index j = js.begin; j < js.end; ++j)
          if (set(i, j, k)) apply(i, j, k);
  };
  const ElementLeaf<Set, decltype(body)> leaf{blocks, set, body};
  Recursion(fork, leaf).diagonal(blocks.all());
}

}  // namespace tallcache::cpu::gep
