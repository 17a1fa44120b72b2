// Keys that are few in their range are compared, as counters for the range would be most of the work.
#pragma once

#include "cpu/counting_sort/easy_keys.hpp"
#include "cpu/sort/distribution_sort.hpp"

namespace tallcache::cpu::counting_sort {

/// The distribution sort of `keys`, with scratch for as many.
template <class Fork, class Access>
void sort_by_comparisons(Fork& fork, VectorView<Word, Access> keys, Scratch<Access> scratch) {
  sort::Failure failure;
  std::less<> less;
  const auto taken = sort::take_distribution_scratch<Word>(scratch, keys.size);
  const sort::DistributionSort sort(sort::Records<Word, Access>{keys.access()},
                                    sort::Caught<std::less<>>{&less, &failure}, keys.data, taken);
  sort(fork, keys.size);
}

/// The same from `in` to `out`.
template <class Fork, class Access>
void sort_by_comparisons(Fork& fork, VectorView<const Word, Access> in, VectorView<Word, Access> out,
                         Scratch<Access> scratch) {
  const Index chunks = chunks_of(in.size, 1, fork.width());
  fork.blocks(chunks, [=](Index c) {
    const Index begin = block_begin(in.size, chunks, c), size = block_begin(in.size, chunks, c + 1) - begin;
    reads(in.block(begin, size)), writes(out.block(begin, size));
    copy_words(in.data + begin, size, out.data + begin, false, false);
  });
  sort_by_comparisons(fork, out, scratch);
}

}  // namespace tallcache::cpu::counting_sort
