// Half of a transposition: elements are transposed within the tiles, which stay in place.
#pragma once

#include "common/ops/grained_transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::fine_grained {

struct within_tiles : OnGpu {
  static constexpr std::string_view idea =
      "tiles are transposed in shared memory and written back to their own place; applies coalescing, tiling";
  static constexpr std::string_view source = "M16: transposeFineGrained";
  using operations = OperationList<FineGrained<float>, FineGrained<double>, FineGrained<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    transpose::move_tiles<transpose::FineGrainedMove, 4, 1>(device, args, params);
  }
};

}  // namespace tallcache::gpu::fine_grained
