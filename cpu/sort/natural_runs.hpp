// Few natural runs are merged: records in order, in the opposite order, in pieces that are in order, or with
// some more appended to them.
#pragma once

#include <algorithm>
#include <memory>

#include "cpu/sort/merge_leaf.hpp"
#include "cpu/sort/number_kernels.hpp"
#include "cpu/sort/number_order.hpp"

namespace tallcache::cpu::sort {

/// The natural runs of a segment at home, if they are at most `allowed`. Those that fall are reversed, and
/// their equal records are turned back.
struct NaturalRuns {
  static constexpr Index most = 512, shortest = 16;

  Index end[most];
  Index count = 0;
  bool few =
      false;  ///< up to `allowed` runs, of at least `shortest` records on average, are all of the segment

  template <class Store, class Less, class T>
  NaturalRuns(const Store& store, const Less& less, const Segment<T>& s, Index allowed) {
    constexpr Index short_ones = 32;  // the first may be as short as they are
    const Index limit = std::min(allowed, s.size / shortest);
    for (Index begin = 0; begin < s.size; begin = end[count++]) {
      if (count == limit || count > begin / shortest + short_ones || less.failed()) return;
      end[count] = begin + length_of_first(store, less, s.home + begin, s.size - begin);
    }
    few = true;
  }

 private:
  // Some of the records behind the first one that ascend from it, of which `size` begin: by blocks of them
  // without a branch for each. Of numbers all, by halves of the block that falls.
  template <class Store, class Less, class T>
  static Index ascend(const Store& store, const Less& less, T* records, Index size) {
    Index i = 0;
    if constexpr (is_number_order<T, Less>) {
      by_number_kernels(records, size, store.access, [&](const auto& kernels, auto numbers) {
        constexpr Index least = 64, most = 4096;
        bool falls = false;
        for (Index step = least; (step = std::min(step, size - 1 - i)) > 0;) {
          const bool is_next = kernels.in_order(numbers.block(i, step + 1), false);
          i += is_next ? step : 0;
          falls |= !is_next;
          step = falls ? step / 2 : std::min(2 * step, most);
        }
      });
    } else {
      constexpr Index step = 8;
      for (bool falls = false; i + step < size; i += step) {
        for (Index k = i; k < i + step; ++k)
          falls |= less(store.read(records + k + 1), store.read(records + k));
        if (falls || less.failed()) break;
      }
    }
    return i;
  }

  // Of the run that begins at `records`, which then rises.
  template <class Store, class Less, class T>
  static Index length_of_first(const Store& store, const Less& less, T* records, Index size) {
    const auto is_less = [&](Index a, Index b) {
      return less(store.read(records + a), store.read(records + b));
    };
    Index i = 1;
    for (; i < size && !is_less(i, i - 1) && !less.failed(); ++i)
      if (i >= shortest) i += ascend(store, less, records + i, size - i);
    if (i >= size || (i > 1 && is_less(0, i - 1))) return i;
    bool repeats = i > 1;
    const auto falls = [&] {
      return is_less(i, i - 1) || (!is_less(i - 1, i) && !less.failed() && (repeats = true));
    };
    while (++i < size && falls()) {
    }
    store.reverse(records, records + i);
    for (Index first = 0, last; repeats && first < i; first = last) {
      for (last = first + 1; last < i && !is_less(first, last);) ++last;
      store.reverse(records + first, records + last);
    }
    return i;
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
