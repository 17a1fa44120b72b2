// Few natural runs are merged: records in order, in the opposite order, in pieces that are in order, or with
// some more appended to them.
#pragma once

#include <algorithm>
#include <memory>

#include "cpu/sort/merge_leaf.hpp"

namespace tallcache::cpu::sort {

/// The natural runs of a segment at home, if they are at most `allowed`. Runs that strictly descend are
/// reversed.
struct NaturalRuns {
  static constexpr Index most = 512, shortest = 16;

  Index end[most];
  Index count = 0;
  bool few =
      false;  ///< up to `allowed` runs, of at least `shortest` records on average, are all of the segment

  template <class Store, class Less, class T>
  NaturalRuns(const Store& store, const Less& less, const Segment<T>& s, Index allowed) {
    T* const records = s.home;
    const Index limit = std::min(allowed, s.size / shortest);
    // The records behind one, without a branch for each.
    constexpr Index step = 8;
    const auto ascend = [&](const T* record) {
      bool descent = false;
      for (Index k = 0; k < step; ++k) descent |= less(store.read(record + k + 1), store.read(record + k));
      return !descent && !less.failed();
    };
    for (Index begin = 0, i; begin < s.size; begin = i) {
      if (count == limit || less.failed()) return;
      const auto descends = [&] { return less(store.read(records + i), store.read(records + i - 1)); };
      i = begin + 1;
      if (i < s.size && descends()) {
        while (++i < s.size && descends()) {
        }
        store.reverse(records + begin, records + i);
      } else if (i < s.size) {
        while (++i < s.size && !descends() && !less.failed())
          while (i - begin >= shortest && i + step < s.size && ascend(records + i)) i += step;
      }
      end[count++] = i;
    }
    few = true;
  }
};

/// Merges in parallel.
template <class Fork, class Store, class Less, class T>
void fork_merge(Fork& fork, const Store& store, const Less& less, Merge<T> m) {
  constexpr Index leaf = 8192;
  if (less.failed()) {
    const Index a = m.a_end - m.a;
    store.move_all(m.to, m.a, a);
    return store.move_all(m.to + a, m.b, m.b_end - m.b);
  }
  if (m.size() <= leaf) return merge_runs(store, less, m);
  const auto [low, high] = halves_of(store, less, m);
  fork([&, low = low] { fork_merge(fork, store, less, low); },
       [&, high = high] { fork_merge(fork, store, less, high); });
}

/// Merges the runs first ... last - 1 of a segment, which are at home, to its buffer or to its range.
template <class Fork, class Store, class Less, class T>
void merge_natural(Fork& fork, const Store& store, const Less& less, const Segment<T>& s,
                   const NaturalRuns& runs, Index first, Index last, bool to_home) {
  const auto begin_of = [&](Index run) { return run ? runs.end[run - 1] : 0; };
  const Index begin = begin_of(first), end = begin_of(last);
  if (last - first == 1) {
    if (!to_home) store.move_all(s.other + begin, s.home + begin, end - begin);
    return;
  }
  // Halves of nearly as many records, so that a long run takes part in few merges.
  Index middle = first + 1;
  while (middle + 1 < last && begin_of(middle + 1) - begin <= end - begin_of(middle)) ++middle;
  fork([&] { merge_natural(fork, store, less, s, runs, first, middle, !to_home); },
       [&] { merge_natural(fork, store, less, s, runs, middle, last, !to_home); });
  T *const from = to_home ? s.other : s.home, *const to = to_home ? s.home : s.other;
  T* const cut = from + begin_of(middle);
  fork_merge(fork, store, less, Merge<T>{from + begin, cut, cut, from + end, to + begin});
}

}  // namespace tallcache::cpu::sort
