// The leaf of a distribution sort of integers by their values: vqsort. Equal integers cannot be told apart, so
// a sort that is not stable has the same result.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>

#include "cpu/peers/vqsort_library.hpp"
#include "cpu/sort/comparator.hpp"
#include "cpu/sort/merge_leaf.hpp"
#include "cpu/sort/quicksort.hpp"

namespace tallcache::cpu::sort {

/// Whether records of type T by `Less` are integers by their values, and of a type that vqsort knows.
template <class T, class Less>
inline constexpr bool is_integer_order = false;
template <class T, class Value>
inline constexpr bool is_integer_order<T, Caught<std::less<Value>>> =
    (std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>)&&(std::same_as<Value, void> ||
                                                                         std::same_as<Value, T>);

/// As MergeLeaf. One thread makes no parts, as a level of vqsort costs less than a level of the spread
/// (TUNING.md); several share the parts.
template <class Store, class Less>
struct VectorLeaf {
  using T = typename Store::Record;

  Store store;
  Less less;

  static constexpr Index most(Index n, Index width) {
    constexpr Index cached = 1 << 15, parts_a_thread = 16;
    return width == 1 ? n : std::max(cached, n / (parts_a_thread * width));
  }

  /// vqsort's loads and stores cannot be traced. Any other access than Plain takes those of a quicksort, which
  /// it is.
  void operator()(const Segment<T>& s) const {
    if (s.from != s.home) store.move_all(s.home, s.from, s.size);
    if constexpr (std::is_same_v<decltype(Store::access), Plain>) {
      peers::vqsort_keys(s.home, s.size);
    } else {
      Serial fork;
      sample_qsort(fork, VectorView<T>{s.home, s.size}.with(store.access));
    }
  }
};

template <class Store, class Less>
using LeafOf = std::conditional_t<is_integer_order<typename Store::Record, Less>, VectorLeaf<Store, Less>,
                                  MergeLeaf<Store, Less>>;

}  // namespace tallcache::cpu::sort
