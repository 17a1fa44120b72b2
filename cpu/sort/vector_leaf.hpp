// The leaf of a distribution sort of numbers by their values: vqsort. Equal numbers cannot be told apart, so
// a sort that is not stable has the same result.
#pragma once

#include <concepts>
#include <type_traits>

#include "common/ceil_div.hpp"
#include "cpu/peers/vqsort_library.hpp"
#include "cpu/sort/doubles.hpp"
#include "cpu/sort/merge_leaf.hpp"
#include "cpu/sort/number_order.hpp"
#include "cpu/sort/quicksort.hpp"

namespace tallcache::cpu::sort {

/// As MergeLeaf. One thread makes no parts, as a level of vqsort costs less than a level of the spread
/// (TUNING.md); several share the parts.
template <class Store, class Less>
struct VectorLeaf {
  using T = typename Store::Record;

  Store store;
  Less less;

  static constexpr Index most(Index n, Index width) {
    constexpr Index cached = 1 << 15, parts_a_thread = 4;
    return width == 1 ? n : std::max(cached, n / (parts_a_thread * width));
  }
  /// The size of a part of a segment that is spread: of as many parts as vectors find.
  static constexpr Index part(Index size) { return ceil_div(size, few_splitters); }

  static constexpr Index most_runs = 2;
  bool insert(const Segment<T>&) const { return false; }  // it is no faster than a leaf

  void operator()(const Segment<T>& s) const {
    if (s.from != s.home) store.move_all(s.home, s.from, s.size);
    if constexpr (std::floating_point<T>) {
      const DoublesSeen seen(s.home, s.size);
      if (!seen.differ_by_value)
        return MergeLeaf<Store, Less>{store, less}({s.home, s.home, s.other, s.size});
      if (is_plain) return vqsort_by_value(s.home, s.size, seen.finite);
    }
    // Its loads and stores cannot be traced: any other access takes those of a quicksort, which it is.
    if constexpr (is_plain) {
      peers::vqsort_keys(s.home, s.size);
    } else {
      Serial fork;
      sample_qsort(fork, VectorView<T>{s.home, s.size}.with(store.access));
    }
  }

 private:
  static constexpr bool is_plain = std::is_same_v<decltype(Store::access), Plain>;
};

template <class Store, class Less>
using LeafOf = std::conditional_t<is_number_order<typename Store::Record, Less>, VectorLeaf<Store, Less>,
                                  MergeLeaf<Store, Less>>;

}  // namespace tallcache::cpu::sort
