// Counting sort of keys in place.
#pragma once

#include "common/ops/counting_sort_in_place.hpp"
#include "cpu/counting_sort/bucketed_streaming.hpp"
#include "cpu/counting_sort/in_place_blocks.hpp"

namespace tallcache::cpu::counting_sort {

template <class Access, bool>
using InPlaceRoutes = ByRoute<InPlaceBlocks<Access>, Access, false>;

/// The extra memory is that of InPlaceBlocks, or of 2^16 counters for each thread: 1/64 of
/// the keys, and for each thread 2 KB a bucket, of which there are 2^8 up to ranges of 2^24, and 1 MB. Keys
/// in order or of a few values are only read, or rewritten.
struct in_place : KeySort<InPlaceRoutes> {
  static constexpr std::string_view idea =
      "the low half of each key written over the keys, a bucket's runs from its counts where room is free";
  static constexpr std::string_view source = "M8, varied; blocks over what was read: Axtmann et al. 2022";
  static constexpr std::string_view uses = "Highway: keys few in their range (vqsort)";
  using operations = OperationList<CountingSortInPlace>;
};

}  // namespace tallcache::cpu::counting_sort
