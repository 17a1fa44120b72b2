// All steps of a grid in passes through strips, of the sizes that TUNING.md tells of; the tuning of the
// device decides how many steps a pass has.
#pragma once

#include <algorithm>

#include "gpu/stencil/line_tiles.hpp"
#include "gpu/stencil/stream_pass.hpp"

namespace tallcache::gpu::stencil {

template <class T>
struct Strips;
template <>
struct Strips<double> {
  using Rows = StripOf<double, 2, 4, 1, 4, 6, 3>;
  using Planes = StripOf<double, 3, 2, 2, 16, 3, 1>;
};
template <>
struct Strips<float> {
  using Rows = StripOf<float, 2, 4, 1, 4, 8, 4>;
  using Planes = StripOf<float, 3, 2, 4, 16, 4, 1>;
};

/// The steps of a pass of T in d dimensions for which a device is tuned; a strip allows `depth`.
template <class T, int d>
Index tuned_steps(const Tuning& tuning, Index depth) {
  const Index steps =
      d == 1   ? tuning.stencil_line_steps
      : d == 2 ? by_element<T>(tuning.stencil_row_steps_double, tuning.stencil_row_steps_float)
               : by_element<T>(tuning.stencil_plane_steps_double, tuning.stencil_plane_steps_float);
  return std::min(steps, depth);
}

/// All steps of a grid of d dimensions, at most `depth` > 1 a pass, and no more than suits the device.
template <int d, class Strips, class Device, class Args>
void step_in_strips(Device& device, const Args& args, Index depth) {
  using T = typename decltype(args.a)::value_type;
  if constexpr (d == 1) {
    run_passes<d>(device, args, std::min(depth, tuned_steps<T, d>(tuning_of(device), StepLines<T>::depth)),
                  [&](const auto& pass) { line_pass(device, pass, args.kind); });
  } else {
    using Strip = std::conditional_t<d == 3, typename Strips::Planes, typename Strips::Rows>;
    run_passes<d>(device, args, std::min(depth, tuned_steps<T, d>(tuning_of(device), Strip::depth)),
                  [&](const auto& pass) { stream_pass<Strip>(device, pass, args.kind, sizes_of(args)); });
  }
}

}  // namespace tallcache::gpu::stencil
