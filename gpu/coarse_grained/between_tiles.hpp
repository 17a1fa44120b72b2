// The other half of a transposition: tiles move to the transposed place unchanged.
#pragma once

#include "common/ops/grained_transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::coarse_grained {

struct between_tiles : OnGpu {
  static constexpr std::string_view idea =
      "tiles go through shared memory as they are to the transposed place; applies coalescing, tiling";
  static constexpr std::string_view source = "M16: transposeCoarseGrained";
  using operations = OperationList<CoarseGrained<float>, CoarseGrained<double>, CoarseGrained<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    transpose::move_tiles<transpose::CoarseGrainedMove, 4, 1>(device, args, params);
  }
};

}  // namespace tallcache::gpu::coarse_grained
