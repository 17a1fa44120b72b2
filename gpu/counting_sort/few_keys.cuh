// The counting sort of few keys of a small range in one block: a counter for each value in shared memory.
#pragma once

#include "gpu/counting_sort/residue_counts.cuh"
#include "gpu/kernel_limits.hpp"

namespace tallcache::gpu::counting_sort {

/// What one block sorts sooner than several kernels start.
struct FewKeys {
  static constexpr int threads = 1024, counter_bits = 16;
  static constexpr Index most = 16384, most_values = 65536;
  static_assert(most < Index{1} << counter_bits);  // no counter overflows

  static bool suits(Index n, Index range) { return n <= most && range < most_values; }
  static Index words(Index range) { return range / Counters<counter_bits>::in_word + 1; }
  static std::size_t shared_bytes(Index range) {
    return (threads / 32 * strip_keys + words(range)) * sizeof(Key);
  }
};

/// `out` = the n keys of `in` from `begin` on, sorted. in is a multiple of 16 bytes, begin less than 4.
static __global__ void __launch_bounds__(FewKeys::threads)
    sort_few_keys(const Key* in, Index begin, Index n, Key* out, bool out_aligned, Key range) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ Key warp_sums[64];
  Key* const words = memory + FewKeys::threads / 32 * strip_keys;
  const BucketSort<Key, FewKeys::threads> keys{in,     begin,     begin + n, out,        words,
                                               memory, warp_sums, 0,         out_aligned};
  keys.sort_uneven_part<FewKeys::counter_bits>(0, range + 1, 0);
}

inline void sort_few(const Launch& launch, const CountingSort<false>::Args<>& args) {
  const auto misaligned = reinterpret_cast<std::uintptr_t>(args.in.data) % 16 / sizeof(Key);
  const std::size_t bytes = FewKeys::shared_bytes(args.range);
  allow_dynamic_shared(reinterpret_cast<const void*>(sort_few_keys), bytes);
  sort_few_keys<<<1, FewKeys::threads, bytes, stream_of(launch)>>>(
      args.in.data - misaligned, static_cast<Index>(misaligned), args.in.size, args.out.data,
      reinterpret_cast<std::uintptr_t>(args.out.data) % 16 == 0, args.range);
  check_launch();
}

}  // namespace tallcache::gpu::counting_sort
