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

/// Sorts keys, or pairs, by comparisons. A pair is sorted as one integer: its key, and below it its position,
/// so that equal keys keep their order. One thread needs no scratch to sort integers, and sorts in place.
template <class Access, bool with_payload, bool in_place>
struct ByComparisons {
  using Element = std::conditional_t<with_payload, std::uint64_t, Word>;

  static std::size_t scratch(Index n, std::uint64_t, Index width) {
    return scratch_bytes({is_alone(width) ? 0 : sort::distribution_scratch_bytes<Element>(n),
                          with_payload ? checked_product(n, sizeof(Element), "pairs") : 0});
  }

  template <class Fork>
  static void sort(Fork& fork, Records<const Word, Access> in, Records<Word, Access> out, std::uint64_t,
                   Scratch<Access> scratch) {
    const Index n = in.keys.size, chunks = chunks_of(n, 1, fork.width());
    VectorView<Element, Access> elements;
    if constexpr (with_payload)
      elements = scratch.template vector<Element>(n);
    else
      elements = out.keys;
    if (with_payload || in.keys.data != out.keys.data)
      fork_chunks(fork, n, chunks, [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const Element key = in.keys[i];
          elements[i] = with_payload ? key << 32 * with_payload | static_cast<Element>(i) : key;
        }
      });
    sort::Failure failure;  // there is none
    std::less<> less;
    const sort::Records<Element, Access> store{elements.access()};
    const sort::Caught<std::less<>> by_value{&less, &failure};
    Element* const all = elements.data;
    if (is_alone(fork.width()))
      sort::VectorLeaf<sort::Records<Element, Access>, sort::Caught<std::less<>>>{
          store, by_value}({all, all, all, n});
    else
      sort::DistributionSort(store, by_value, all, sort::take_distribution_scratch<Element>(scratch, n))(fork,
                                                                                                         n);
    if constexpr (with_payload)
      fork_chunks(fork, n, chunks, [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
          const Element element = elements[i];
          out.keys[i] = static_cast<Word>(element >> 32);
          out.payload[i] = static_cast<Word>(in.payload[static_cast<Word>(element)]);
        }
      });
  }

 private:
  static bool is_alone(Index width) { return in_place || width == 1; }
};

}  // namespace tallcache::cpu::counting_sort
