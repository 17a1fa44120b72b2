// B = A by tiles of 32 x 32, element by element: the reference for transpositions.
#pragma once

#include "common/ops/copy.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::copy {

struct simple : OnGpu {
  static constexpr std::string_view idea =
      "blocks of 32 x 8 threads copy tiles of 32 x 32, 4 elements a thread; applies occupancy, coalescing";
  static constexpr std::string_view source = "M16: A simple copy kernel";
  using operations = OperationList<Copy<float>, Copy<double>, Copy<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    transpose::move_elements<false, 4>(device, args, params);
  }
};

}  // namespace tallcache::gpu::copy
