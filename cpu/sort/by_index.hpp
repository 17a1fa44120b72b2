// Records that a sort should not move often are sorted by their indices, and then moved once.
#pragma once

#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "common/named.hpp"

namespace tallcache::cpu::sort {

/// Records that the sort moves itself. Others are sorted by their indices: those whose move may throw, as
/// each of them has to be somewhere when it does, those that are expensive to move, and those behind
/// iterators that are no pointers.
template <class Iterator, class T = std::iter_value_t<Iterator>>
inline constexpr bool moves_often =
    std::contiguous_iterator<Iterator>&& std::is_nothrow_move_constructible_v<T>&&
        std::is_nothrow_destructible_v<T> &&
    sizeof(T) <= 64 && alignof(T) <= 64;

/// first[i] = first[order[i]] for all i, along the cycles of the permutation, each of which holds one record.
/// Where an assignment throws, that record takes the place that is free, if its own assignment does not
/// throw.
template <class Iterator>
void permute(Iterator first, std::span<Index> order) {
  for (Index i = 0; i < static_cast<Index>(order.size()); ++i) {
    if (order[i] == i) continue;
    std::iter_value_t<Iterator> held = std::move(first[i]);
    Index free = i;
    try {
      for (Index next = order[free]; next != i; next = order[free]) {
        first[free] = std::move(first[next]);
        order[free] = free;
        free = next;
      }
      first[free] = std::move(held);
    } catch (...) {
      first[free] = std::move(held);
      throw;
    }
    order[free] = free;
  }
}

}  // namespace tallcache::cpu::sort
