// Merges of sorted runs in a block's shared memory, by merge paths (Green, McColl and Bader 2012): every
// thread finds by a binary search which keys of the two runs its outputs are, and merges these.
#pragma once

#include "gpu/sort/networks.hpp"

namespace tallcache::gpu::sort {

/// The threads of a block, the neighbouring keys that each of them merges, and the blocks that share a
/// multiprocessor. An odd number of keys keeps the threads of a warp in different banks.
template <int block_threads, int keys_a_thread, int blocks, bool network = false>
struct BlockShape {
  static_assert(keys_a_thread % 2 == 1 && keys_a_thread < 64);
  static constexpr int threads = block_threads, keys = keys_a_thread, min_blocks = blocks;
  static constexpr int tile = threads * keys;
  static constexpr bool by_network = network;  ///< merges of numbers; other keys are merged one after another
};

/// The work of a thread in a merge: outputs [diagonal, diagonal + number) of the runs of `size_a` keys from
/// slot `a` on and of `size_b` keys from slot `b` on; among equal keys those of a come first.
struct MergePart {
  int a, size_a, b, size_b, diagonal, number;
};

/// How many of the first `diagonal` keys of the merged runs are of a.
template <class T, class Keys, class Less>
TALLCACHE_DEVICE int merge_path(const Keys& keys, const MergePart& part, Less less) {
  int low = larger(part.diagonal - part.size_b, 0), high = smaller(part.diagonal, part.size_a);
  while (low < high) {
    const int middle = (low + high) >> 1;
    const bool is_before =
        !less(load_key<T>(keys[part.b + part.diagonal - 1 - middle]), load_key<T>(keys[part.a + middle]));
    low = is_before ? middle + 1 : low;
    high = is_before ? high : middle;
  }
  return low;
}

/// Merges one key after another, stably. The keys of a that it has come to, where the next part's split is.
template <class T, int n, class Keys, class Less>
TALLCACHE_DEVICE int merge_serially(const Keys& keys, const MergePart& part, int split, T (&out)[n],
                                    Less less) {
  int i = part.a + split, j = part.b + part.diagonal - split;
  const int end_a = part.a + part.size_a, end_b = part.b + part.size_b;
  T key_a{}, key_b{};
  if (i < end_a) key_a = load_key<T>(keys[i]);
  if (j < end_b) key_b = load_key<T>(keys[j]);
#pragma unroll
  for (int e = 0; e < n; ++e) {
    const bool from_b = i >= end_a || (j < end_b && less(key_b, key_a));
    out[e] = from_b ? key_b : key_a;
    i += !from_b, j += from_b;
    if (!from_b && i < end_a) key_a = load_key<T>(keys[i]);
    if (from_b && j < end_b) key_b = load_key<T>(keys[j]);
  }
  return i - part.a;  // behind both runs it counts those of b
}

/// Loads the part's keys, those of a backwards, so that they fall and then rise, and merges them by a
/// network. `split_end` is the split of the diagonal behind the part.
template <class T, int n, class Keys, class Less>
TALLCACHE_DEVICE void merge_by_network(const Keys& keys, const MergePart& part, int split, int split_end,
                                       T (&out)[n], Less less) {
  const int of_a = split_end - split;
  const int last_a = part.a + split_end - 1, first_b = part.b + part.diagonal - split - of_a;
#pragma unroll
  for (int e = 0; e < n; ++e) out[e] = load_key<T>(keys[e < of_a ? last_a - e : first_b + e]);
  run_network<merging_network<n>, n>(out, less);
}

/// A barrier of the warp, where no more than that takes part in a merge, or of the block.
template <class Thread>
TALLCACHE_DEVICE void sync_part(const Thread& t, bool within_warp) {
  if (within_warp)
    t.sync_warp();
  else
    t.sync();
}

/// Whether a thread's keys are merged by a network.
template <class Shape, class T, class Less>
inline constexpr bool merges_by_network = may_exchange_equals<T, Less> && (Shape::by_network);

/// A round of merges of the runs in `keys` by all threads of a block. `part` is the part of this thread,
/// whose outputs go to slots [own * n, own * n + number); by a network, number is n or 0. `splits` has room
/// for the threads. All threads have synchronised on `keys`, and synchronise before this returns; threads
/// of a warp alone, where it says that merges lie `within_warp`. Returns whether this thread's part ends
/// where the next one begins, as by every strict weak order: where it does not, keys are lost.
template <class Shape, class T, class Thread, class Keys, class Splits, class Less>
TALLCACHE_DEVICE bool merge_round(const Thread& t, Keys&& keys, Splits&& splits, const MergePart& part,
                                  Less less, bool within_warp = false) {
  constexpr int n = Shape::keys;
  constexpr bool network = merges_by_network<Shape, T, Less>;
  const int own = static_cast<int>(t.thread().x);
  T out[n];
  const int split = part.number > 0 ? merge_path<T>(keys, part, less) : 0;
  const bool last = part.diagonal + n >= part.size_a + part.size_b;
  const auto end = [&] { return last ? part.size_a : static_cast<int>(splits[own + 1]); };
  splits[own] = split;
  bool is_whole = true;
  if constexpr (network) {
    sync_part(t, within_warp);
    if (part.number > 0) merge_by_network<T>(keys, part, split, end(), out, less);
    sync_part(t, within_warp);
  } else {
    const int reached = part.number > 0 ? merge_serially<T>(keys, part, split, out, less) : 0;
    sync_part(t, within_warp);
    if (part.number > 0) is_whole = reached == end();
  }
  if (network ? part.number > 0 : part.number == n) {
#pragma unroll
    for (int e = 0; e < n; ++e) store_key<T>(keys[own * n + e], out[e]);
  } else if constexpr (!network) {
#pragma unroll
    for (int e = 0; e < n; ++e)
      if (e < part.number) store_key<T>(keys[own * n + e], out[e]);
  }
  sync_part(t, within_warp);
  return is_whole;
}

/// Sorts the first `number` keys of a thread's n, and leaves the others anywhere.
template <class T, int n, class Less>
TALLCACHE_DEVICE void sort_in_registers(T (&keys)[n], int number, Less less) {
  if constexpr (may_exchange_equals<T, Less>) {
#pragma unroll
    for (int e = 0; e < n; ++e)
      if (e >= number) keys[e] = last_key<T>();
    run_network<sorting_network<n>, n>(keys, less);
  } else {
    run_network<stable_network<n>, n>(keys, less, number);
  }
}

/// Sorts the `size` keys in slots [0, size) of `keys`, at most a tile of them. For a network, last keys come
/// behind them up to a multiple of a thread's. The block has synchronised on them, and synchronises before
/// this returns. Returns whether all keys are there for the threads of the block: by an order that is none,
/// some may be lost.
template <class Shape, class T, class Thread, class Keys, class Splits, class Less>
TALLCACHE_DEVICE bool sort_tile(const Thread& t, Keys&& keys, Splits&& splits, int size, Less less) {
  constexpr int n = Shape::keys;
  constexpr bool network = merges_by_network<Shape, T, Less>;
  const int own = static_cast<int>(t.thread().x);
  const int number = smaller(larger(size - own * n, 0), n);
  if (number > 0) {
    T key[n];
#pragma unroll
    for (int e = 0; e < n; ++e) {
      key[e] = load_key<T>(keys[own * n + (e < number ? e : 0)]);
      if constexpr (sorts_codes<Less>) key[e] = less.first ? Less::code(key[e]) : key[e];
    }
    sort_in_registers(key, number, less);
#pragma unroll
    for (int e = 0; e < n; ++e)
      if (network || e < number) store_key<T>(keys[own * n + e], key[e]);
  }
  if constexpr (network) size = round_up(size, n);
  t.sync();
  bool is_whole = true;
  for (int run = 1; run < Shape::threads && run * n < size; run *= 2) {
    const int first = own & ~(2 * run - 1), a = first * n, b = a + run * n;
    const int size_a = smaller(larger(size - a, 0), run * n), size_b = smaller(larger(size - b, 0), run * n);
    const int diagonal = (own - first) * n;
    is_whole &= merge_round<Shape, T>(
        t, keys, splits, {a, size_a, b, size_b, diagonal, smaller(larger(size_a + size_b - diagonal, 0), n)},
        less, 2 * run <= 32);
    if (2 * run == 32) t.sync();
  }
  if constexpr (may_exchange_equals<T, Less>) {
    t.sync();
    return true;
  }
  return t.sync_and(is_whole);
}

}  // namespace tallcache::gpu::sort
