// B = A^T of any shape, by the kernel that suits its rows.
#pragma once

#include "gpu/transpose/narrow_strips.hpp"
#include "gpu/transpose/sixteen_bytes.hpp"
#include "gpu/transpose/whole_sectors.hpp"

namespace tallcache::gpu::transpose {

struct any_shape : OnGpu {
  static constexpr std::string_view idea =
      "narrow_strips where A has few rows or columns, sixteen_bytes where rows "
      "are whole 16 bytes, "
      "whole_sectors otherwise; applies coalescing, tiling, coarsening";
  static constexpr std::string_view source = "M6: REC-TRANSPOSE, on the GPU";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    const Index across = std::min(args.a.rows, args.a.cols);
    const bool has_chunks = rows_are_chunks(args.a) && rows_are_chunks(args.b);
    if (across < tuning_of(device).transpose_narrow || (across <= narrow && !has_chunks && args.a.cols != 64))
      narrow_strips::call(device, args, params);
    else if (has_chunks)
      sixteen_bytes::call(device, args, params);
    else
      whole_sectors::call(device, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
