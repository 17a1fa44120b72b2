// All steps of a grid in passes through strips, of the sizes that TUNING.md tells of.
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

/// All steps of a grid of d dimensions, at most `depth` > 1 a pass, and no more than a strip allows.
template <int d, class Strips, class Device, class Args>
void step_in_strips(Device& device, const Args& args, Index depth) {
  using T = typename decltype(args.a)::value_type;
  if constexpr (d == 1) {
    run_passes<d>(device, args, std::min<Index>(depth, StepLines<T>::depth),
                  [&](const auto& pass) { line_pass(device, pass, args.kind); });
  } else {
    using Strip = std::conditional_t<d == 3, typename Strips::Planes, typename Strips::Rows>;
    run_passes<d>(device, args, std::min<Index>(depth, Strip::depth),
                  [&](const auto& pass) { stream_pass<Strip>(device, pass, args.kind, sizes_of(args)); });
  }
}

}  // namespace tallcache::gpu::stencil
