// Counting sort with the counts in global memory, one atomic addition a key in each of its two passes.
#pragma once

#include "common/ops/counting_sort.hpp"
#include "gpu/scan.hpp"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

inline __global__ void count_keys(VectorView<const Key> in, VectorView<Key> count) {
  const Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < in.size) atomicAdd(&count[in[i]], 1u);
}

/// next[key] is where the next key of that value goes.
inline __global__ void place_keys(VectorView<const Key> in, VectorView<Key> out, VectorView<Key> next) {
  const Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < in.size) out[atomicAdd(&next[in[i]], 1u)] = in[i];
}

struct global_atomics : OnGpu {
  static constexpr std::string_view idea =
      "histogram, prefix sums, place, one thread a key: an atomic addition to global memory a key in each "
      "pass, "
      "which gives equal keys no order, so keys only; applies occupancy";
  static constexpr std::string_view source = "M8: Counting sort: the algorithm, on the GPU";
  using operations = OperationList<CountingSort<false>>;

  static std::size_t scratch(CountingSort<false>, const Shape& shape, const Params&) {
    const Index counts = shape["range"] + 1;
    return scratch_bytes({checked_product(counts, sizeof(Key), "counts"), scan_bytes(counts)});
  }

  static void call(const Launch& launch, const CountingSort<false>::Args<>& args, const Params&) {
    constexpr int threads = 256;
    if (args.in.size == 0) return;
    auto scratch = args.scratch;
    const auto counts = scratch.vector<Key>(Index{args.range} + 1);
    const auto scan = scratch.vector<std::byte>(static_cast<Index>(scan_bytes(counts.size)));
    const unsigned blocks = grid_of(blocks_of(args.in.size, threads));
    TALLCACHE_CUDA(cudaMemsetAsync(counts.data, 0, counts.size * sizeof(Key), stream_of(launch)));
    count_keys<<<blocks, threads, 0, stream_of(launch)>>>(args.in, counts);
    check_launch();
    exclusive_scan(counts, scan, launch);
    place_keys<<<blocks, threads, 0, stream_of(launch)>>>(args.in, args.out, counts);
    check_launch();
  }
};

}  // namespace tallcache::gpu::counting_sort
