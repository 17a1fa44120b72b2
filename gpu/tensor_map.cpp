#include "gpu/tensor_map.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "gpu/check.hpp"

namespace tallcache::gpu {
namespace {

// The driver's function, asked for at run time: the program is not linked with the driver's library, which a
// machine without a GPU does not have.
using Encode = decltype(&cuTensorMapEncodeTiled);

Encode encode() {
  static const Encode function = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    TALLCACHE_CUDA(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
#else
    TALLCACHE_CUDA(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
#endif
    if (found != cudaDriverEntryPointSuccess || !entry)
      throw Error("the driver has no cuTensorMapEncodeTiled");
    return reinterpret_cast<Encode>(entry);
  }();
  return function;
}

}  // namespace

bool has_tensor_map(const MatrixView<const Bfloat16>& a) {
  return reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0 && a.ld * sizeof(Bfloat16) % 16 == 0;
}

CUtensorMap tensor_map(const MatrixView<const Bfloat16>& a, int box_rows, int box_cols) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(a.cols), static_cast<cuuint64_t>(a.rows)};
  const cuuint64_t pitch[] = {a.ld * sizeof(Bfloat16)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_cols), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t strides[] = {1, 1};
  const CUresult result =
      encode()(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<Bfloat16*>(a.data), sizes, pitch, box,
               strides, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error(fmt::format("cuTensorMapEncodeTiled: error {} for {} x {} elements, rows {} apart",
                            static_cast<int>(result), a.rows, a.cols, a.ld));
  return map;
}

}  // namespace tallcache::gpu
