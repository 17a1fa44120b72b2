#include <bit>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <limits>

#include "gpu/peers/cub_radix_sort.hpp"

namespace tallcache::gpu::peers {

namespace {

int end_bit_of(std::uint32_t range) { return std::max(1, static_cast<int>(std::bit_width(range))); }

template <class Number>
void sort_pairs(void* memory, std::size_t& bytes, const CountingSort<true>::Args<>& args, Number n,
                cudaStream_t stream) {
  TALLCACHE_CUDA(cub::DeviceRadixSort::SortPairs(memory, bytes, args.in.data, args.out.data,
                                                 args.payload_in.data, args.payload_out.data, n, 0,
                                                 end_bit_of(args.range), stream));
}

}  // namespace

// CUB's tiles depend on the type of the number of items. Pairs are faster with 32 bits, keys with 64.
void cub_radix_sort::sort(void* memory, std::size_t& bytes, const CountingSort<false>::Args<>& args,
                          cudaStream_t stream) {
  TALLCACHE_CUDA(cub::DeviceRadixSort::SortKeys(memory, bytes, args.in.data, args.out.data, args.in.size, 0,
                                                end_bit_of(args.range), stream));
}

void cub_radix_sort::sort(void* memory, std::size_t& bytes, const CountingSort<true>::Args<>& args,
                          cudaStream_t stream) {
  if (args.in.size <= std::numeric_limits<std::uint32_t>::max())
    sort_pairs(memory, bytes, args, static_cast<std::uint32_t>(args.in.size), stream);
  else
    sort_pairs(memory, bytes, args, args.in.size, stream);
}

}  // namespace tallcache::gpu::peers
