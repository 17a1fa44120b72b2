// B = A^T by tiles that are transposed in shared memory, so that rows are read and rows are written.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::transpose {

struct coalesced : OnGpu {
  static constexpr std::string_view idea =
      "tiles are transposed in shared memory, reads and writes run along rows; applies coalescing";
  static constexpr std::string_view source = "M16: transposeCoalesced";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    move_tiles<Transposed, 4, 0>(device, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
