// Keys that are few in their range are compared, as counters for the range would be most of the work.
#pragma once

#include "cpu/counting_sort/easy_keys.hpp"
#include "cpu/sort/distribution_sort.hpp"

namespace tallcache::cpu::counting_sort {

/// Whether n keys in [0, range] are so few: several values a key. A range of which one histogram has all
/// counters is walked over faster.
constexpr bool are_few_in_range(Index n, std::uint64_t range) {
  return range / (range < 1 << 16 ? 4 : 8) >= static_cast<std::uint64_t>(n);
}

/// Calls sort(store, less) for integers.
template <class T, class Access, class Sort>
void by_value(Access access, Sort sort) {
  sort::Failure failure;  // there is none
  std::less<> less;
  sort(sort::Records<T, Access>{access}, sort::Caught<std::less<>>{&less, &failure});
}

/// Sorts keys that are few in their range, or their pairs. A pair is sorted as one integer: its key, and
/// below it its position, so that equal keys keep their order. In place one thread sorts, without scratch.
template <class Access, bool with_payload, bool in_place>
struct ByComparisons {
  using Element = std::conditional_t<with_payload, std::uint64_t, Word>;

  static std::size_t scratch(Index n, std::uint64_t, Index) {
    if (in_place) return 0;
    return scratch_bytes({sort::distribution_scratch_bytes<Element>(n),
                          with_payload ? checked_product(n, sizeof(Element), "pairs") : 0});
  }

  template <class Fork>
  static void sort(Fork& fork, Records<const Word, Access> in, Records<Word, Access> out, std::uint64_t,
                   Scratch<Access> scratch) {
    const Index n = in.keys.size, chunks = chunks_of(n, 1, fork.width());
    if constexpr (in_place)
      return by_value<Word>(out.keys.access(), [&](auto store, auto less) {
        Word* const keys = out.keys.data;
        sort::VectorLeaf<decltype(store), decltype(less)>{store, less}({keys, keys, keys, n});
      });
    const auto taken = sort::take_distribution_scratch<Element>(scratch, n);
    VectorView<Element, Access> elements;
    if constexpr (with_payload)
      elements = scratch.template vector<Element>(n);
    else
      elements = out.keys;
    fork_chunks(fork, n, chunks, [=](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Element key = in.keys[i];
        elements[i] = with_payload ? key << 32 * with_payload | static_cast<Element>(i) : key;
      }
    });
    by_value<Element>(elements.access(), [&](auto store, auto less) {
      sort::DistributionSort(store, less, elements.data, taken)(fork, n);
    });
    if constexpr (with_payload)
      fork_chunks(fork, n, chunks, [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const Element element = elements[i];
          out.keys[i] = static_cast<Word>(element >> 32);
          out.payload[i] = static_cast<Word>(in.payload[static_cast<Word>(element)]);
        }
      });
  }
};

}  // namespace tallcache::cpu::counting_sort
