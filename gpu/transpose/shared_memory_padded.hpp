// As shared_memory_tiled, without bank conflicts.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::transpose {

struct shared_memory_padded : OnGpu {
  static constexpr std::string_view idea =
      "as shared_memory_tiled, the tile's rows padded to 33 elements: no bank conflicts; applies tiling";
  static constexpr std::string_view source = "S4: transpose4";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    move_tiles<Transposed, 1, 1>(device, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
