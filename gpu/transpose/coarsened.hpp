// As shared_memory_padded, with several elements a thread: more loads in flight from fewer threads.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::transpose {

inline constexpr Index elements_per_thread[] = {2, 4, 8, 16};

struct coarsened : OnGpu {
  static constexpr std::string_view idea =
      "as shared_memory_padded, several elements a thread: more loads under way; applies coarsening";
  static constexpr std::string_view source = "S4: transpose5";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {
      {.name = "elements", .default_value = 8, .what = "elements a thread", .choices = elements_per_thread},
      repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    switch (params["elements"]) {
      case 2:
        return move_tiles<Transposed, 2, 1>(device, args, params);
      case 4:
        return move_tiles<Transposed, 4, 1>(device, args, params);
      case 8:
        return move_tiles<Transposed, 8, 1>(device, args, params);
      default:
        return move_tiles<Transposed, 16, 1>(device, args, params);
    }
  }
};

}  // namespace tallcache::gpu::transpose
