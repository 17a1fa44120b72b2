// Sorting networks over the keys in a thread's registers. Every index is a constant.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "gpu/sort/order.hpp"

namespace tallcache::gpu::sort {

struct Comparator {
  int low, high;
};

/// The comparators of a network, at most `most`.
template <int most>
struct Network {
  std::array<Comparator, most> at{};
  int size = 0;

  constexpr void add(int low, int high) { at[static_cast<std::size_t>(size++)] = {low, high}; }
};

/// Batcher's odd-even merge sort of n keys.
template <int n>
constexpr auto odd_even_merge_sort() {
  Network<n * 8> network;
  for (int p = 1; p < n; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j + k < n; j += 2 * k)
        for (int i = 0; i < k && i + j + k < n; ++i)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) network.add(i + j, i + j + k);
  return network;
}

/// Odd-even transposition sort of n keys, which compares neighbours alone and so is stable.
template <int n>
constexpr auto odd_even_transposition() {
  Network<n * n / 2 + 1> network;
  for (int round = 0; round < n; ++round)
    for (int i = round % 2; i + 1 < n; i += 2) network.add(i, i + 1);
  return network;
}

/// The bitonic merge of n keys that fall, and then rise. Where n is no power of two, the keys that lack are
/// those at the end, which no comparator would move.
template <int n>
constexpr auto bitonic_merge() {
  Network<n * 5> network;
  for (int distance = 1 << log2_up(n) >> 1; distance; distance /= 2)
    for (int i = 0; i + distance < n; ++i)
      if ((i & distance) == 0) network.add(i, i + distance);
  return network;
}

template <int n>
inline constexpr auto sorting_network = odd_even_merge_sort<n>();
template <int n>
inline constexpr auto stable_network = odd_even_transposition<n>();
template <int n>
inline constexpr auto merging_network = bitonic_merge<n>();

/// The smaller key to x, the larger to y; equal ones stay. By `sum`, the larger of two words is their sum
/// less the smaller: additions have a pipe that minima and maxima, which bind a network, do not take.
template <class T, class Less>
TALLCACHE_INLINE void compare_exchange(T& x, T& y, Less less, bool may_exchange, bool sum) {
  const bool exchange = may_exchange && less(y, x);
  const T low = exchange ? y : x;
  if constexpr (std::is_same_v<T, std::uint32_t> && may_exchange_equals<T, Less>)
    y = sum ? x + y - low : exchange ? x : y;
  else
    y = exchange ? x : y;
  x = low;
}

/// The comparators of the first `number` keys.
template <const auto& network, int n, class T, class Less>
TALLCACHE_INLINE void run_network(T (&keys)[n], Less less, int number = n) {
  [&]<std::size_t... c>(std::index_sequence<c...>) {
    (..., compare_exchange(keys[std::integral_constant<int, network.at[c].low>::value],
                           keys[std::integral_constant<int, network.at[c].high>::value], less,
                           network.at[c].high < number, c % 2 == 0));
  }
  (std::make_index_sequence<static_cast<std::size_t>(network.size)>{});
}

}  // namespace tallcache::gpu::sort
