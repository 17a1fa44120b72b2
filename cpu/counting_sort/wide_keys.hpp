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

/// The distribution sort of integers; sort::distribution_scratch_bytes.
template <class Fork, class T, class Access>
void sort_by_comparisons(Fork& fork, VectorView<T, Access> keys, Scratch<Access>& scratch) {
  const auto taken = sort::take_distribution_scratch<T>(scratch, keys.size);
  by_value<T>(keys.access(), [&](auto store, auto less) {
    sort::DistributionSort(store, less, keys.data, taken)(fork, keys.size);
  });
}

/// Its leaf alone, on one thread and without scratch.
template <class Access>
void sort_by_comparisons(VectorView<Word, Access> keys) {
  by_value<Word>(keys.access(), [&](auto store, auto less) {
    sort::VectorLeaf<decltype(store), decltype(less)>{store,
                                                      less}({keys.data, keys.data, keys.data, keys.size});
  });
}

/// Sorts keys that are few in their range, or their pairs, from args.in to args.out. A pair is sorted as one
/// integer: its key, and below it its position, so that equal keys keep their order.
template <bool with_payload>
struct ByComparisons {
  using Element = std::conditional_t<with_payload, std::uint64_t, Word>;

  static std::size_t scratch(Index n) {
    return scratch_bytes({sort::distribution_scratch_bytes<Element>(n),
                          with_payload ? checked_product(n, sizeof(Element), "pairs") : 0});
  }

  template <class Fork, class Args>
  static void sort(Fork& fork, const Args& args) {
    const Index n = args.in.size, chunks = chunks_of(n, 1, fork.width());
    auto scratch = args.scratch;
    VectorView<Element, typename decltype(args.out)::access_type> elements;
    if constexpr (with_payload)
      elements = scratch.template vector<Element>(n);
    else
      elements = args.out;
    fork_chunks(fork, n, chunks, [=](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const Element key = args.in[i];
        elements[i] = with_payload ? key << 32 * with_payload | static_cast<Element>(i) : key;
      }
    });
    sort_by_comparisons(fork, elements, scratch);
    if constexpr (with_payload)
      fork_chunks(fork, n, chunks, [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const Element element = elements[i];
          args.out[i] = static_cast<Word>(element >> 32);
          args.payload_out[i] = static_cast<Word>(args.payload_in[static_cast<Word>(element)]);
        }
      });
  }
};

}  // namespace tallcache::cpu::counting_sort
