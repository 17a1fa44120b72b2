// CUB's merge sort.
#pragma once

#include <cub/device/device_merge_sort.cuh>

#include "common/ops/sort.hpp"
#include "gpu/check.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::peers {

struct cub_merge_sort : OnGpu {
  static constexpr std::string_view idea =
      "cub::DeviceMergeSort, in place: StableSortKeys for records, SortKeys for keys (which run the same)";
  static constexpr std::string_view source = "CUB";
  using operations = OperationList<Sort, SortOf<std::uint64_t>, SortOf<double>, SortOf<KeyAndPosition>>;

  struct Less {
    template <class T>
    __device__ bool operator()(const T& x, const T& y) const {
      if constexpr (SortOf<T>::is_record)
        return x.key < y.key;
      else
        return x < y;
    }
  };

  template <class T>
  static std::size_t scratch(SortOf<T>, const Shape& shape, const Params&) {
    std::size_t bytes = 0;
    sort(nullptr, bytes, static_cast<T*>(nullptr), shape["n"], nullptr);
    return scratch_bytes({bytes});
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if (args.keys.size == 0) return;
    // All of the scratch, whose size CUB told.
    auto scratch = args.scratch;
    std::size_t bytes = scratch.bytes_left();
    std::byte* memory = scratch.template vector<std::byte>(static_cast<Index>(bytes)).data;
    sort(memory, bytes, args.keys.data, args.keys.size, stream_of(launch));
  }

 private:
  template <class T>
  static void sort(void* memory, std::size_t& bytes, T* keys, Index n, cudaStream_t stream) {
    if constexpr (SortOf<T>::is_record)
      TALLCACHE_CUDA(cub::DeviceMergeSort::StableSortKeys(memory, bytes, keys, n, Less{}, stream));
    else
      TALLCACHE_CUDA(cub::DeviceMergeSort::SortKeys(memory, bytes, keys, n, Less{}, stream));
  }
};

}  // namespace tallcache::gpu::peers
