// B = A^T by tiles of 32 x 32, element by element: rows of A are read, columns of B written.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::transpose {

struct naive : OnGpu {
  static constexpr std::string_view idea =
      "element by element: a warp reads a row of A and writes a column of B, 32 rows apart; applies "
      "occupancy";
  static constexpr std::string_view source = "M16: transposeNaive";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    move_elements<true, 4>(device, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
