// Counting sort with the counts in global memory, one atomic addition a key in each of its two passes.
#pragma once

#include "common/ops/counting_sort.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/scan.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

struct CountKeys {
  template <class Thread, class In, class Count>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Count count) const {
    const Index i = Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (i < in.size) t.atomic_add(count[in[i]], 1u);
  }
};

/// next[key] is where the next key of that value goes.
struct PlaceKeys {
  template <class Thread, class In, class Out, class Next>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Out out, Next next) const {
    const Index i = Index{t.block().x} * t.block_dim().x + t.thread().x;
    if (i < in.size) out[t.atomic_add(next[in[i]], 1u)] = in[i];
  }
};

struct global_atomics : OnGpu {
  static constexpr std::string_view idea =
      "histogram, prefix sums, place, one thread a key: an atomic addition to global memory a key in each "
      "pass, "
      "which gives equal keys no order, so keys only; applies occupancy";
  static constexpr std::string_view source = "M8: Counting sort: the algorithm, on the GPU";
  static constexpr std::string_view uses = "CUB: the prefix sums (DeviceScan)";
  using operations = OperationList<CountingSort<false>>;

  template <class Device = const Launch>
  static std::size_t scratch(CountingSort<false>, const Shape& shape, const Params&) {
    const Index counts = shape["range"] + 1;
    return scratch_bytes({checked_product(counts, sizeof(Key), "counts"), scan_bytes<Device>(counts)});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    constexpr int threads = 256;
    if (args.in.size == 0) return;
    auto scratch = args.scratch;
    const auto counts = scratch.template vector<Key>(Index{args.range} + 1);
    const auto scan = scratch.template vector<std::byte>(static_cast<Index>(scan_bytes<Device>(counts.size)));
    const unsigned blocks = grid_of(ceil_div(args.in.size, threads));
    const LaunchShape thread_per_key({blocks}, {threads});
    set_zero(device, counts);
    launch_kernel(device, CountKeys{}, thread_per_key, args.in, counts);
    exclusive_scan(device, counts, scan);
    launch_kernel(device, PlaceKeys{}, thread_per_key, args.in, args.out, counts);
  }
};

}  // namespace tallcache::gpu::counting_sort
