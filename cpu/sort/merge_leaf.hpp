// The leaf of a distribution sort: a stable merge sort whose comparisons select instead of branching. Any
// answers of the comparator leave each record in one place.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

#include "cpu/sort/records.hpp"

namespace tallcache::cpu::sort {

/// Two neighbouring sorted runs, and the place behind one another where they go.
template <class T>
struct Merge {
  T *a, *a_end, *b, *b_end, *to;

  Index size() const { return (a_end - a) + (b_end - b); }
};

/// Merges one record at a time from the front. Of equal records those of `a` come first.
template <class Store, class Less, class T>
void merge_front(const Store& store, const Less& less, Merge<T> m) {
  while (m.a != m.a_end && m.b != m.b_end) {
    const bool second = less(store.read(m.b), store.read(m.a));
    store.move(m.to++, second ? m.b : m.a);
    m.a += !second;
    m.b += second;
  }
  store.move_all(m.to, m.a, m.a_end - m.a);
  store.move_all(m.to + (m.a_end - m.a), m.b, m.b_end - m.b);
}

/// The same of `count` pairs of runs of records that are bytes, side by side and from both ends at once: two
/// chains of dependent steps a pair instead of one, and no run can be exhausted before as many steps as it
/// has records (van den Hoven's parity merge). If the ends meet in different places the comparator is no
/// order; the runs are still there then.
template <int count, class Store, class Less, class T>
void merge_ends(const Store& store, const Less& less, const Merge<T> (&pairs)[count]) {
  Merge<T> rest[count];
  T* back[count];
  Index steps = std::numeric_limits<Index>::max();
  for (int k = 0; k < count; ++k) {
    rest[k] = pairs[k];
    back[k] = pairs[k].to + pairs[k].size();
    steps = std::min({steps, pairs[k].a_end - pairs[k].a, pairs[k].b_end - pairs[k].b});
  }
  for (Index i = 0; i < steps; ++i)
    for (int k = 0; k < count; ++k) {
      Merge<T>& m = rest[k];
      const Index second = less(store.read(m.b), store.read(m.a));
      store.move(m.to++, second ? m.b : m.a);
      m.a += 1 - second;
      m.b += second;
      const Index first = less(store.read(m.b_end - 1), store.read(m.a_end - 1));
      store.move(--back[k], (first ? m.a_end : m.b_end) - 1);
      m.a_end -= first;
      m.b_end -= 1 - first;
    }
  for (int k = 0; k < count; ++k) {
    const Merge<T>& m = rest[k];
    if (m.a > m.a_end || m.b > m.b_end)
      merge_front(store, less, pairs[k]);
    else if (m.size() > 1 || steps == 0)
      merge_front(store, less, m);
    else  // the one that is left; or where none is, the last one again, as nobody could predict that
      store.move(m.to - (m.size() == 0), m.a < m.a_end ? m.a : m.b < m.b_end ? m.b : m.to - 1);
  }
}

/// The two halves of a merge: the middle record of the longer run is searched in the shorter one (Cormen,
/// Leiserson, Rivest, Stein, 27.3), so that of equal records those of `a` come first.
template <class Store, class Less, class T>
std::pair<Merge<T>, Merge<T>> halves_of(const Store& store, const Less& less, const Merge<T>& m) {
  const Index a = m.a_end - m.a, b = m.b_end - m.b;
  T *a_middle = m.a + a / 2, *b_middle = m.b + b / 2;
  if (a >= b)
    b_middle = std::partition_point(m.b, m.b_end, [&](const T& record) {
      return less(store.read(std::addressof(record)), store.read(a_middle));
    });
  else
    a_middle = std::partition_point(m.a, m.a_end, [&](const T& record) {
      return !less(store.read(b_middle), store.read(std::addressof(record)));
    });
  return {{m.a, a_middle, m.b, b_middle, m.to},
          {a_middle, m.a_end, b_middle, m.b_end, m.to + (a_middle - m.a) + (b_middle - m.b)}};
}

template <class Store, class Less, class T>
void merge_runs(const Store& store, const Less& less, const Merge<T>& m) {
  constexpr Index worth_halves = 256;
  if constexpr (!is_bytes<T>) {
    merge_front(store, less, m);
  } else if (m.size() < worth_halves) {
    merge_ends<1>(store, less, {m});
  } else {
    const auto [low, high] = halves_of(store, less, m);
    merge_ends<2>(store, less, {low, high});
  }
}

/// Sorts records from `from` to `to`, which are the same or do not overlap: few records, or some that are
/// nearly in order. Returns false, where they are the same, once records were moved over more than
/// `most_moves` others on average, and some.
template <class Store, class Less, class T>
bool insertion_sort(const Store& store, const Less& less, T* from, T* to, Index size, Index most_moves) {
  constexpr Index some = 32;
  alignas(T) std::byte room[sizeof(T)];
  T* const held = reinterpret_cast<T*>(room);
  Index moves = 0;
  for (Index i = 0; i < size; ++i) {
    T* record = from + i;
    if (from == to) {
      if (i == 0 || !less(store.read(record), store.read(record - 1))) continue;
      if (moves > most_moves * (i + some)) return false;
      store.move(held, record);
      record = held;
    }
    Index place = i;
    for (; place > 0 && less(store.read(record), store.read(to + place - 1)); --place)
      store.move(to + place, to + place - 1);
    store.move(to + place, record);
    moves += i - place;
  }
  return true;
}

/// Sorts `size` records that are bytes, or one less, by all comparisons of two: the rank of a record is the
/// number of those that come before it. No comparison waits for another one, and nothing branches on whether
/// the last record is one of them: if not, it stays, or is copied, behind them. Ranks that are no permutation
/// show that the comparator is no order.
template <int size, class Store, class Less, class T>
void sort_by_ranks(const Store& store, const Less& less, T* from, T* to, bool all) {
  unsigned rank[size] = {}, seen = 0;
  constexpr int last = size - 1;
  for (int i = 1; i < last; ++i)
    for (int j = 0; j < i; ++j) {
      const bool before = less(store.read(from + i), store.read(from + j));
      rank[i] += !before;
      rank[j] += before;
    }
  unsigned behind = 0;
  for (int j = 0; j < last; ++j) {
    const bool before = less(store.read(from + last), store.read(from + j)) & all;
    behind += before;
    rank[j] += before;
  }
  rank[last] = last - behind;
  for (int i = 0; i < size; ++i) seen |= 1u << rank[i];
  if (seen != (1u << size) - 1) return void(insertion_sort(store, less, from, to, size - !all, size));
  alignas(T) std::byte room[size * sizeof(T)];
  T* const held = reinterpret_cast<T*>(room);
  std::memcpy(room, from, sizeof room);
  for (int i = 0; i < size; ++i) store.move(to + rank[i], held + i);
}

/// Sorts any number of records by merging, bottom up.
template <class Store, class Less>
struct MergeLeaf {
  using T = typename Store::Record;
  static constexpr Index block_size = 8;

  Store store;
  Less less;

  /// The largest leaf of a sort of n records on `width` threads.
  static constexpr Index most(Index, Index) { return is_bytes<T> ? 1024 : 512; }
  /// The size of a part of a segment that is spread.
  static constexpr Index part(Index) { return 128; }
  /// It pays to merge so many natural runs. Records that are not bytes are merged by branches, each of which
  /// waits for the one before.
  static constexpr Index most_runs = is_bytes<T> ? 512 : 32;

  /// Sorts a segment where it lies, if its records are a few places from theirs.
  bool insert(const Segment<T>& s) const {
    constexpr Index few_places = 4;
    return insertion_sort(store, less, s.from, s.from, s.size, few_places);
  }

  void operator()(const Segment<T>& s) const {
    const int levels =
        s.size <= block_size
            ? 0
            : static_cast<int>(std::bit_width(static_cast<std::size_t>((s.size - 1) / block_size)));
    T *at = levels % 2 ? s.other : s.home, *next = levels % 2 ? s.home : s.other;
    // Powers of two of blocks that differ by one record, so that a merge is of runs that differ by one.
    const auto begin = [&](Index block) { return block * s.size >> levels; };
    const Index blocks = Index{1} << levels;
    sort_blocks(s.from, at, blocks, begin);
    for (Index width = 1; width < blocks; width *= 2, std::swap(at, next)) {
      const auto merge_of = [&](Index i) {
        T *const middle = at + begin(i + width), *const end = at + begin(i + 2 * width);
        return Merge<T>{at + begin(i), middle, middle, end, next + begin(i)};
      };
      Index i = 0;
      if constexpr (is_bytes<T>)
        for (; i + 2 * width < blocks; i += 4 * width)
          merge_ends<2>(store, less, {merge_of(i), merge_of(i + 2 * width)});
      for (; i < blocks; i += 2 * width) merge_runs(store, less, merge_of(i));
    }
  }

 private:
  template <class Begin>
  void sort_blocks(T* from, T* to, Index blocks, const Begin& begin) const {
    const auto by_ranks = [&]<int size>(std::integral_constant<int, size>) {
      for (Index i = 0; i < blocks; ++i)
        sort_by_ranks<size>(store, less, from + begin(i), to + begin(i), begin(i + 1) - begin(i) == size);
    };
    if constexpr (is_bytes<T>) switch (begin(blocks) - begin(blocks - 1)) {  // the last one is the longest
        case 4:
          return by_ranks(std::integral_constant<int, 4>{});
        case 5:
          return by_ranks(std::integral_constant<int, 5>{});
        case 6:
          return by_ranks(std::integral_constant<int, 6>{});
        case 7:
          return by_ranks(std::integral_constant<int, 7>{});
        case 8:
          return by_ranks(std::integral_constant<int, 8>{});
        default:
          break;
      }
    for (Index i = 0; i < blocks; ++i)
      insertion_sort(store, less, from + begin(i), to + begin(i), begin(i + 1) - begin(i), block_size);
  }
};

}  // namespace tallcache::cpu::sort
