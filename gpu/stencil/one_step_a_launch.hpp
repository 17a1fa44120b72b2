// A step a launch, a point a thread: a state is read from memory, and the next one written, in every step.
#pragma once

#include "gpu/stencil/one_step.hpp"

namespace tallcache::gpu::stencil {

struct one_step_a_launch : OnGpu {
  static constexpr std::string_view idea =
      "a point a thread, a launch a step: both states pass through memory in every step; applies coalescing";
  static constexpr std::string_view source = "Micikevicius 2009";
  using operations = OperationList<Stencil<double>, Stencil<float>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    if (args.a.rows == 0 || args.a.cols == 0) return;
    with_dimensions(sizes_of(args), [&](auto dimensions) {
      for (Index t = 0; t < args.steps; ++t) step_points<dimensions()>(device, args, t);
    });
  }
};

}  // namespace tallcache::gpu::stencil
