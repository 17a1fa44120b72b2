// The leaf of a distribution sort: a stable merge sort whose comparisons select instead of branching. Any
// answers of the comparator leave each record in one place.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "cpu/sort/records.hpp"

namespace tallcache::cpu::sort {

/// Two neighbouring sorted runs, and the place behind one another where they go.
template <class T>
struct Merge {
  T *a, *a_end, *b, *b_end, *to;
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

/// The same for records that are bytes, from both ends at once: two chains of dependent steps instead of one,
/// and no run can be exhausted before as many steps as it has records (van den Hoven's parity merge). If the
/// ends meet in different places the comparator is no order; the runs are still there then.
template <class Store, class Less, class T>
void merge_ends(const Store& store, const Less& less, Merge<T> m) {
  const Index steps = std::min(m.a_end - m.a, m.b_end - m.b);
  Merge<T> rest = m;
  T* back = m.to + (m.a_end - m.a) + (m.b_end - m.b);
  for (Index i = 0; i < steps; ++i) {
    const bool second = less(store.read(rest.b), store.read(rest.a));
    store.move(rest.to++, second ? rest.b : rest.a);
    rest.a += !second;
    rest.b += second;
    const bool first = less(store.read(rest.b_end - 1), store.read(rest.a_end - 1));
    store.move(--back, (first ? rest.a_end : rest.b_end) - 1);
    rest.a_end -= first;
    rest.b_end -= !first;
  }
  merge_front(store, less, rest.a <= rest.a_end && rest.b <= rest.b_end ? rest : m);
}

template <class Store, class Less, class T>
void merge_runs(const Store& store, const Less& less, Merge<T> m) {
  if constexpr (is_bytes<T>)
    merge_ends(store, less, m);
  else
    merge_front(store, less, m);
}

/// Sorts few records from `from` to `to`, which are the same or do not overlap.
template <class Store, class Less, class T>
void insertion_sort(const Store& store, const Less& less, T* from, T* to, Index size) {
  alignas(T) std::byte room[sizeof(T)];
  T* const held = reinterpret_cast<T*>(room);
  for (Index i = 0; i < size; ++i) {
    T* record = from + i;
    if (from == to) {
      if (i == 0 || !less(store.read(record), store.read(record - 1))) continue;
      store.move(held, record);
      record = held;
    }
    Index place = i;
    for (; place > 0 && less(store.read(record), store.read(to + place - 1)); --place)
      store.move(to + place, to + place - 1);
    store.move(to + place, record);
  }
}

/// Sorts `size` records that are bytes by all comparisons of two: the rank of a record is the number of those
/// that come before it. No comparison waits for another one. Ranks that are no permutation show that the
/// comparator is no order.
template <int size, class Store, class Less, class T>
void sort_by_ranks(const Store& store, const Less& less, T* from, T* to) {
  unsigned rank[size] = {}, seen = 0;
  for (int i = 1; i < size; ++i)
    for (int j = 0; j < i; ++j) {
      const bool before = less(store.read(from + i), store.read(from + j));
      rank[i] += !before;
      rank[j] += before;
    }
  for (int i = 0; i < size; ++i) seen |= 1u << rank[i];
  if (seen != (1u << size) - 1) return insertion_sort(store, less, from, to, size);
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
  static constexpr Index most(Index, Index) { return 512; }
  /// It pays to merge so many natural runs. Records that are not bytes are merged by branches, each of which
  /// waits for the one before.
  static constexpr Index most_runs = is_bytes<T> ? 512 : 32;

  void operator()(const Segment<T>& s) const {
    const int levels =
        s.size <= block_size
            ? 0
            : static_cast<int>(std::bit_width(static_cast<std::size_t>((s.size - 1) / block_size)));
    T *at = levels % 2 ? s.other : s.home, *next = levels % 2 ? s.home : s.other;
    // Powers of two of blocks that differ by one record, so that a merge is of runs that differ by one.
    const auto begin = [&](Index block) { return block * s.size >> levels; };
    const Index blocks = Index{1} << levels;
    for (Index i = 0; i < blocks; ++i) sort_block(s.from + begin(i), at + begin(i), begin(i + 1) - begin(i));
    for (Index width = 1; width < blocks; width *= 2, std::swap(at, next))
      for (Index i = 0; i < blocks; i += 2 * width) {
        T *const middle = at + begin(i + width), *const end = at + begin(i + 2 * width);
        merge_runs(store, less, Merge<T>{at + begin(i), middle, middle, end, next + begin(i)});
      }
  }

 private:
  void sort_block(T* from, T* to, Index size) const {
    if constexpr (is_bytes<T>) switch (size) {
        case 4:
          return sort_by_ranks<4>(store, less, from, to);
        case 5:
          return sort_by_ranks<5>(store, less, from, to);
        case 6:
          return sort_by_ranks<6>(store, less, from, to);
        case 7:
          return sort_by_ranks<7>(store, less, from, to);
        case 8:
          return sort_by_ranks<8>(store, less, from, to);
        default:
          break;
      }
    insertion_sort(store, less, from, to, size);
  }
};

}  // namespace tallcache::cpu::sort
