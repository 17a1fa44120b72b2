// Counting sort: a histogram of the keys, its prefix sums as positions, one pass that places every key.
#pragma once

#include "common/ops/counting_sort.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::counting_sort {

/// Sorts `in` into `out` stably, with its payload when Args has one. Keys lie in [first, first + count.size).
/// Random accesses to `count` and to `out`: up to 3n misses when they exceed the cache.
template <class Args, class Count>
void classical_sort(const Args& args, std::uint32_t first, Count count) {
  for (Index key = 0; key < count.size; ++key) count[key] = 0;
  for (Index i = 0; i < args.in.size; ++i) count[args.in[i] - first] += 1;
  std::uint32_t total = 0;
  for (Index key = 0; key < count.size; ++key) {
    const std::uint32_t c = count[key];
    count[key] = total;
    total += c;
  }
  for (Index i = 0; i < args.in.size; ++i) {
    const std::uint32_t key = args.in[i];
    const std::uint32_t position = count[key - first]++;
    args.out[position] = key;
    if constexpr (Args::has_payload)
      args.payload_out[position] = static_cast<std::uint32_t>(args.payload_in[i]);
  }
}

struct classical {
  static constexpr std::string_view idea =
      "histogram, prefix sums, place: one random access a key in each pass";
  static constexpr std::string_view source = "M8: Counting sort: the algorithm";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    return scratch_bytes({checked_product(shape["range"] + 1, sizeof(std::uint32_t), "counts")});
  }

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    auto scratch = args.scratch;
    classical_sort(args, 0, scratch.template vector<std::uint32_t>(static_cast<Index>(args.range) + 1));
  }
};

}  // namespace tallcache::cpu::counting_sort
