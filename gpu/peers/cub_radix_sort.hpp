// CUB's radix sort. It is given the range. Its kernels are compiled once, in cub_radix_sort.cu: nvcc takes a
// minute for them.
#pragma once

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

  /// As CUB's own: without `memory` only sets `bytes`, of the memory that it needs. Throws Error.
  static void sort(void* memory, std::size_t& bytes, const CountingSort<false>::Args<>& args,
                   cudaStream_t stream);
  static void sort(void* memory, std::size_t& bytes, const CountingSort<true>::Args<>& args,
                   cudaStream_t stream);
};

}  // namespace tallcache::gpu::peers
