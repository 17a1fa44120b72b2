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

template <class T>
CUtensorMap map_of(const MatrixView<const T>& a, CUtensorMapDataType type, int box_rows, int box_cols) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(a.cols), static_cast<cuuint64_t>(a.rows)};
  const cuuint64_t pitch[] = {a.ld * sizeof(T)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_cols), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t strides[] = {1, 1};
  const CUresult result = encode()(
      &map, type, 2, const_cast<T*>(a.data), sizes, pitch, box, strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
      box_cols * sizeof(T) == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error(fmt::format("cuTensorMapEncodeTiled: error {} for {} x {} elements, rows {} apart",
                            static_cast<int>(result), a.rows, a.cols, a.ld));
  return map;
}

}  // namespace

CUtensorMap tensor_map(const MatrixView<const Bfloat16>& a, int box_rows, int box_cols) {
  return map_of(a, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, box_rows, box_cols);
}
CUtensorMap tensor_map(const MatrixView<const float>& a, int box_rows, int box_cols) {
  return map_of(a, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, box_rows, box_cols);
}

}  // namespace tallcache::gpu
