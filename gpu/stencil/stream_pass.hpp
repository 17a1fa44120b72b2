// The launches of passes that stream through strips (stream.hpp).
#pragma once

#include <algorithm>
#include <limits>

#include "gpu/stencil/passes.hpp"
#include "gpu/stencil/stream.hpp"
#include "gpu/tuning/tuned.hpp"

namespace tallcache::gpu::stencil {

/// The segments of `extent` rows or planes of `strips` strips, of which `resident` are on the device at once,
/// so that the longest series of rows or planes is the shortest. A segment costs `halo` more at both ends.
/// There are `waves` times as many as are on the device at once, at most.
inline Index segments_of(Index strips, Index extent, Index halo, Index resident, Index waves) {
  Index best = 1, least = std::numeric_limits<Index>::max();
  const Index most = std::min(extent, std::max<Index>(1, waves * resident / strips + 1));
  for (Index segments = 1; segments <= most; ++segments) {
    const Index cost = ceil_div(strips * segments, resident) * (ceil_div(extent, segments) + 2 * halo + 2);
    if (cost < least) best = segments, least = cost;
  }
  return best;
}

/// A pass over a grid of two or three dimensions, as Strip says.
template <class Strip, class Device, class Pass, class Kind>
void stream_pass(Device& device, const Pass& pass, const Kind& kind, const GridSizes& sizes) {
  const int halo = Strip::halo(pass.steps);
  const Index across = ceil_div<Index>(sizes.cols, Strip::cols - 2 * halo);
  const Index down = Strip::d == 3 ? ceil_div<Index>(sizes.rows, Strip::height - 2 * pass.steps) : 1;
  const Index extent = Strip::d == 3 ? sizes.planes : sizes.rows;
  const Index per_block = Strip::d == 3 ? 1 : Strip::warps;
  const Index resident = Index{multiprocessors_of(device)} * Strip::blocks * per_block;
  const Index wanted =
      segments_of(across * down, extent, pass.steps, resident, tuning_of(device).stencil_waves);
  const Index length = ceil_div(extent, wanted), segments = ceil_div(extent, length);
  const StreamPlan plan{static_cast<int>(sizes.planes),
                        static_cast<int>(length),
                        grid_of(across),
                        grid_of(down),
                        grid_of(segments),
                        pass.steps,
                        halo,
                        pass.wide(),
                        pass.before};
  launch_kernel(
      device, StreamSteps<Strip>{},
      {{grid_of(ceil_div(across * down * segments, per_block))}, {Strip::threads}, Strip::shared_bytes},
      pass.result(), pass.result_before(), pass.now(), pass.past(), kind, plan);
}

}  // namespace tallcache::gpu::stencil
