// The serial transposition with both loops parallel: one thread for each element.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::transpose {

struct thread_per_element : OnGpu {
  static constexpr std::string_view idea =
      "one thread an element, blocks of 32 x 32: reads coalesced, writes a row apart; applies occupancy";
  static constexpr std::string_view source = "S4: transpose2";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    move_elements<true, 1>(device, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
