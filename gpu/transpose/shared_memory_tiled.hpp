// One thread for each element; tiles are transposed in shared memory.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::transpose {

struct shared_memory_tiled : OnGpu {
  static constexpr std::string_view idea =
      "one thread an element, tiles transposed in shared memory; applies coalescing";
  static constexpr std::string_view source = "S4: transpose3";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    move_tiles<Transposed, 1, 0>(device, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
