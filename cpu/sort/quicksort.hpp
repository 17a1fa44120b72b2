// Quicksort as in the slides: partition around the last key, fork on the two sides. The partition is serial,
// so the span is Theta(n) and the parallelism no more than Theta(lg n), however many keys there are.
//
// Three things differ from the slides' text, which is quadratic, with a recursion as deep as there are keys,
// on input that is sorted or all equal. A key from a random position is moved to the end before the
// partition. The keys equal to the pivot are set aside where it is the minimum. Sides of very different sizes
// are not forked.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "common/fork/fork.hpp"
#include "common/ops/sort.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::sort {

using Key = Sort::Key;

template <class Keys>
void swap_keys(Keys keys, Index i, Index j) {
  const typename Keys::value_type key = keys[i];
  keys[i] = keys[j];
  keys[j] = key;
}

template <class Keys>
void insertion_sort(Keys keys) {
  using Key = typename Keys::value_type;
  for (Index i = 1; i < keys.size; ++i) {
    const Key key = keys[i];
    Index j = i;
    for (; j > 0; --j) {
      const Key before = keys[j - 1];
      if (!(key < before)) break;
      keys[j] = before;
    }
    keys[j] = key;
  }
}

/// std::partition: moves the keys for which `first` holds to the front and returns their number.
template <class Keys, class First>
Index partition(Keys keys, First first) {
  Index i = 0, j = keys.size;
  while (true) {
    while (i < j && first(keys[i])) ++i;
    while (i < j && !first(keys[j - 1])) --j;
    if (i == j) return i;
    swap_keys(keys, i++, --j);
  }
}

/// The median of three keys at random positions; for many keys the median of nine (Tukey's ninther). The
/// positions are a function of the number of keys alone, so that every run takes the same. Only an input
/// designed for it can defeat them. size >= 1.
template <class Keys>
Index pivot_position(Keys keys) {
  const auto size = static_cast<std::uint64_t>(keys.size);
  std::uint64_t drawn = 0;
  const auto median = [&](auto draw) {
    Index a = draw(), b = draw(), c = draw();
    if (keys[b] < keys[a]) std::swap(a, b);
    if (!(keys[c] < keys[b])) return b;
    return keys[c] < keys[a] ? a : c;
  };
  const auto position = [&] { return static_cast<Index>(random_bits(size, drawn++) % size); };
  if (size < 1024) return median(position);
  return median([&] { return median(position); });
}

/// Fewer keys than this are sorted by insertion.
inline constexpr Index insertion_size = 24;

/// Partitions `keys`, of which there is at least one, and returns the two sides that are left to sort.
template <class Keys>
std::pair<Keys, Keys> two_sides(Keys keys) {
  using Key = typename Keys::value_type;
  const Index last = keys.size - 1;
  swap_keys(keys, pivot_position(keys), last);
  const Key pivot = keys[last];
  const Index middle = partition(keys.block(0, last), [pivot](Key key) { return key < pivot; });
  swap_keys(keys, middle, last);
  auto right = keys.block(middle + 1, last - middle);
  if (middle == 0) {
    const Index equal = partition(right, [pivot](Key key) { return !(pivot < key); });
    right = right.block(equal, right.size - equal);
  }
  return {keys.block(0, middle), right};
}

/// A side below so large a part of the keys is sorted at once: a fork would not pay. The other side follows
/// in the same call, so that the recursion is at most log (n/24) / log (8/7) deep, whatever the keys: 137
/// calls of some 900 bytes for 2^31 keys (quadratic work is still possible: McIlroy, "A killer adversary for
/// quicksort", 1999).
inline constexpr Index small_side = 8;

template <class Fork, class Keys>
void sample_qsort(Fork& fork, Keys keys) {
  while (keys.size >= insertion_size) {
    const auto [left, right] = two_sides(keys);
    if (std::min(left.size, right.size) >= keys.size / small_side) {
      const auto sort = [&fork](Keys side) { sample_qsort(fork, side); };
      return fork(Part(sort, left), Part(sort, right));
    }
    const bool left_is_small = left.size < right.size;
    sample_qsort(fork, left_is_small ? left : right);
    keys = left_is_small ? right : left;
  }
  insertion_sort(keys);
}

struct quicksort {
  static constexpr std::string_view idea = "partition around one key, fork on the two sides";
  static constexpr std::string_view source = "M13: Quicksort (sample_qsort)";
  using operations = OperationList<Sort>;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 48;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    sample_qsort(fork, args.keys);
  }
};

}  // namespace tallcache::cpu::sort
