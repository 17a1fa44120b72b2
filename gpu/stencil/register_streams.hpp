// Several steps a pass, with all steps of a strip in registers.
#pragma once

#include "gpu/stencil/strips.hpp"

namespace tallcache::gpu::stencil {

struct register_streams
    : OnSharedMemory<std::max(Strips<double>::Planes::shared_bytes, Strips<float>::Planes::shared_bytes)> {
  static constexpr std::string_view idea =
      "several steps a pass: overlapped strips, streamed through by rows or planes, two of every step in "
      "registers; neighbours by shuffles and, between warps, in shared memory; applies tiling, coarsening, "
      "coalescing";
  static constexpr std::string_view source = "Matsumura et al. 2020";
  static constexpr Index depths[] = {2, 3, 4, 6, 8, 16, 32};
  static constexpr ParamSpec params[] = {
      {"depth", 32, "steps of a pass, at most; no more than the dimensions allow", 2, depths}};
  using operations = OperationList<Stencil<double>, Stencil<float>>;

  static bool supports(const Shape& shape) { return fits_ints(shape); }
  template <class Device = Launch, class Op>
  static std::size_t scratch(Op op, const Shape& shape, const Params&) {
    return scratch_of_passes(op, shape);
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    using Widths = Strips<typename decltype(args.a)::value_type>;
    with_dimensions(sizes_of(args), [&](auto dimensions) {
      step_in_strips<dimensions(), Widths>(device, args, params["depth"]);
    });
  }
};

}  // namespace tallcache::gpu::stencil
