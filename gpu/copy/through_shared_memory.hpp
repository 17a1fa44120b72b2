// B = A by tiles that pass through shared memory: the cost of the detour and its barrier.
#pragma once

#include "common/ops/copy.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::copy {

struct through_shared_memory : OnGpu {
  static constexpr std::string_view idea =
      "each tile goes through shared memory and a barrier, for no use: the cost of both";
  static constexpr std::string_view source = "M16: copySharedMem";
  using operations = OperationList<Copy<float>, Copy<double>, Copy<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    transpose::move_tiles<transpose::Copied, 4, 0>(device, args, params);
  }
};

}  // namespace tallcache::gpu::copy
