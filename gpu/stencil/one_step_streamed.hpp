// A step a launch by strips: wide loads, and each point of a state loaded once by a strip.
#pragma once

#include "gpu/stencil/stream_pass.hpp"

namespace tallcache::gpu::stencil {

/// In place: a strip reads the state that it overwrites at its own points alone.
struct one_step_streamed : OnGpu {
  static constexpr std::string_view idea =
      "a launch a step: strips, streamed through by rows or planes, of which three are in registers; "
      "neighbours by shuffles and, between warps, in shared memory; applies coarsening, coalescing";
  static constexpr std::string_view source = "Micikevicius 2009";
  using operations = OperationList<Stencil<double>, Stencil<float>>;

  static bool supports(const Shape& shape) { return fits_ints(shape); }

  template <class T, int d>
  using Strip = StripOf<T, d, Chunk<T>::size, d == 3 ? 2 : 1, d == 3 ? 8 : 4, 1, d == 3 ? 2 : 8>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using T = typename decltype(args.a)::value_type;
    using Access = typename decltype(args.a)::access_type;
    if (args.a.rows == 0 || args.a.cols == 0) return;
    const GridSizes sizes = sizes_of(args);
    const StatePair<T, Access> states{{args.a, args.b}};
    with_dimensions(sizes, [&](auto dimensions) {
      for (Index time = 0; time < args.steps; ++time) {
        const Pass<T, Access> pass{states, states, time, 1, Before::none};
        if constexpr (dimensions() == 1)
          step_points<1>(device, args, time);
        else
          stream_pass<Strip<T, dimensions()>>(device, pass, args.kind, sizes);
      }
    });
  }
};

}  // namespace tallcache::gpu::stencil
