// Counting sort on private histograms. Counts of all values fit into no multiprocessor, so the keys are
// sorted by a digit of 8 bits at a time, the lowest first: each pass is a stable counting sort with 256
// counts a block.
#pragma once

#include "gpu/counting_sort/digit_pass.hpp"

namespace tallcache::gpu::counting_sort {

struct privatised : OnGpu {
  static constexpr std::string_view idea =
      "private histograms in shared memory, a digit of 8 bits at a time, the lowest first: stable, no global "
      "atomics; applies privatisation, coarsening";
  static constexpr std::string_view source = "P7: Privatisation; M8: Counting sort";
  static constexpr std::string_view uses = "CUB: the prefix sums (DeviceScan)";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;

  template <class Device = const Launch, bool with_payload>
  static std::size_t scratch(CountingSort<with_payload>, const Shape& shape, const Params&) {
    const Index n = shape["n"];
    const std::size_t keys = digits_of(shape["range"]) > 1 ? checked_product(n, sizeof(Key), "keys") : 0;
    return scratch_bytes({keys, with_payload ? keys : 0, DigitPass<Device>::scratch_for(n)});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    const Index n = args.in.size;
    if (n == 0) return;
    const int passes = digits_of(args.range);
    auto scratch = args.scratch;
    const auto out = records_of(args.out, args.payload_out);
    const auto other_keys = scratch.template vector<Key>(passes > 1 ? n : 0);
    const auto other_payload = scratch.template vector<Key>(passes > 1 && Args::has_payload ? n : 0);
    const auto other = records_of(other_keys, other_payload);
    const DigitPass<Device, typename decltype(args.in)::access_type> digit(scratch, n);
    auto from = records_of(args.in, args.payload_in);
    for (int pass = 0; pass < passes; ++pass) {
      // The last pass ends in the output.
      const auto& to = (passes - pass) % 2 ? out : other;
      digit.template run<Args::has_payload>(device, from, to, pass * digit_bits);
      from = to;
    }
  }
};

}  // namespace tallcache::gpu::counting_sort
