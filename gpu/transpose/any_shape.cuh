// B = A^T of any shape, by the kernel that suits its rows.
#pragma once

#include "gpu/transpose/narrow_strips.cuh"
#include "gpu/transpose/sixteen_bytes.cuh"
#include "gpu/transpose/whole_sectors.cuh"

namespace tallcache::gpu::transpose {

struct any_shape : OnGpu {
  static constexpr std::string_view idea =
      "narrow_strips where A has few rows or columns, sixteen_bytes where rows are whole 16 bytes, "
      "whole_sectors otherwise; applies coalescing, tiling, coarsening";
  static constexpr std::string_view source = "M6: REC-TRANSPOSE, on the GPU";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    const Index across = std::min(args.a.rows, args.a.cols);
    const bool has_chunks = rows_are_chunks(args.a) && rows_are_chunks(args.b);
    if (across < 64 || (across <= narrow && !has_chunks && args.a.cols != 64))
      narrow_strips::call(launch, args, params);
    else if (has_chunks)
      sixteen_bytes::call(launch, args, params);
    else
      whole_sectors::call(launch, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
