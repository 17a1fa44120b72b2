// CUB's radix sort. It is given the range.
#pragma once

#include <bit>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <limits>

#include "common/ops/counting_sort.hpp"
#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::peers {

struct cub_radix_sort : OnGpu {
  static constexpr std::string_view idea =
      "cub::DeviceRadixSort, which leaves out the bits that the range does not have; stable";
  static constexpr std::string_view source = "CUB; Adinets and Merrill 2022, arXiv:2206.01784 (onesweep)";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;

  template <bool with_payload>
  static std::size_t scratch(CountingSort<with_payload>, const Shape& shape, const Params&) {
    typename CountingSort<with_payload>::template Args<> args{};
    args.in.size = shape["n"];
    args.range = static_cast<std::uint32_t>(shape["range"]);
    std::size_t bytes = 0;
    sort(nullptr, bytes, args, nullptr);
    return scratch_bytes({bytes});
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if (args.in.size == 0) return;
    // All of the scratch, whose size CUB told: asking again takes the host as long as starting the sort.
    auto scratch = args.scratch;
    std::size_t bytes = scratch.bytes_left();
    std::byte* memory = scratch.template vector<std::byte>(static_cast<Index>(bytes)).data;
    sort(memory, bytes, args, stream_of(launch));
  }

 private:
  // CUB's tiles depend on the type of the number of items. Pairs are faster with 32 bits, keys with 64.
  template <class Args>
  static void sort(void* memory, std::size_t& bytes, const Args& args, cudaStream_t stream) {
    if (Args::has_payload && args.in.size <= std::numeric_limits<std::uint32_t>::max())
      sort_items(memory, bytes, args, static_cast<std::uint32_t>(args.in.size), stream);
    else
      sort_items(memory, bytes, args, args.in.size, stream);
  }

  template <class Args, class Number>
  static void sort_items(void* memory, std::size_t& bytes, const Args& args, Number n, cudaStream_t stream) {
    const int end_bit = std::max(1, static_cast<int>(std::bit_width(args.range)));
    if constexpr (Args::has_payload)
      TALLCACHE_CUDA(cub::DeviceRadixSort::SortPairs(memory, bytes, args.in.data, args.out.data,
                                                     args.payload_in.data, args.payload_out.data, n, 0,
                                                     end_bit, stream));
    else
      TALLCACHE_CUDA(
          cub::DeviceRadixSort::SortKeys(memory, bytes, args.in.data, args.out.data, n, 0, end_bit, stream));
  }
};

}  // namespace tallcache::gpu::peers
