// Counting sort: one distribution with a counter for every possible key.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "cpu/counting_sort/distribute.hpp"

namespace tallcache::cpu::counting_sort {

struct classical {
  static constexpr std::string_view idea =
      "histogram, prefix sums, place: one random access a key in each pass";
  static constexpr std::string_view source = "M8: Counting sort: the algorithm";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;
  static constexpr bool parallel = true;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&, Index width) {
    return counter_bytes(shape["range"] + 1, chunks_of(shape["n"], shape["range"] + 1, width));
  }

  /// M5: Counting sort: cache complexity analysis.
  template <class Op>
  static cache::Prediction predicted_misses(Op, const Shape& shape, const Params&, cache::IdealCache ideal) {
    const auto n = static_cast<double>(shape["n"]), values = static_cast<double>(shape["range"]) + 1;
    return counting_misses(ideal, n, values, Op::template Args<>::has_payload);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    auto scratch = args.scratch;
    const Index values = static_cast<Index>(args.range) + 1;
    const Index chunks = chunks_of(args.in.size, values, fork.width());
    const auto count = scratch.template matrix<std::uint32_t>(chunks, values);
    const auto total = scratch.template vector<std::uint32_t>(chunks);
    distribute(fork, args, count, total, [](std::uint32_t key) { return static_cast<Index>(key); });
  }
};

}  // namespace tallcache::cpu::counting_sort
