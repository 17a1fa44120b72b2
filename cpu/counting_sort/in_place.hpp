// Counting sort of keys in place.
#pragma once

#include "common/ops/counting_sort_in_place.hpp"
#include "cpu/counting_sort/bucketed_streaming.hpp"
#include "cpu/counting_sort/in_place_blocks.hpp"

namespace tallcache::cpu::counting_sort {

/// The extra memory is that of InPlaceBlocks, or of 2^16 counters for each thread: 1/64 of
/// the keys, and for each thread 2 KB a bucket, of which there are 2^8 up to ranges of 2^24, and 1 MB. Keys
/// in order or of a few values are only read, or rewritten.
struct in_place {
  static constexpr std::string_view idea =
      "residues of half a key written over the keys, a bucket's runs from its counts where room is free";
  static constexpr std::string_view source = "M8, varied; blocks over what was read: Axtmann et al. 2022";
  static constexpr std::string_view uses = "Highway: keys few in their range (vqsort)";
  using operations = OperationList<CountingSortInPlace>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&, Index width) {
    const Index n = shape["n"];
    const auto range = static_cast<std::uint64_t>(shape["range"]);
    return by_route<InPlaceBlocks<Plain>, Plain, false>(
        n, range, [=](auto route) { return decltype(route)::type::scratch(n, range, width); });
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    CompiledApart<typename decltype(args.keys)::access_type> apart(args.keys.access());
    const auto to = args.with(apart.policy());
    using Access = typename decltype(to.keys)::access_type;
    const Records<Word, Access> keys{to.keys};
    sort_by_route<InPlaceBlocks<Access>, false>(fork, Records<const Word, Access>(keys), keys, to.range,
                                                to.scratch);
  }
};

}  // namespace tallcache::cpu::counting_sort
