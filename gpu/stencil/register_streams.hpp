// Several steps a pass, with all steps of a strip in registers.
#pragma once

#include "gpu/stencil/line_tiles.hpp"
#include "gpu/stencil/stream_pass.hpp"

namespace tallcache::gpu::stencil {

template <class T>
struct StreamStrips;
template <>
struct StreamStrips<double> {
  using Rows = StripOf<double, 2, 4, 1, 4, 8, 2>;
  using Planes = StripOf<double, 3, 2, 4, 12, 3, 1>;
};
template <>
struct StreamStrips<float> {
  using Rows = StripOf<float, 2, 4, 1, 4, 8, 4>;
  using Planes = StripOf<float, 3, 2, 4, 12, 4, 1>;
};

/// All steps, at most `depth` a pass.
template <class Rows, class Planes, class Device, class Args>
void step_in_streams(Device& device, const Args& args, Index depth) {
  using T = typename Rows::T;
  const GridSizes sizes = sizes_of(args);
  const int dimensions = sizes.dimensions();
  const Index most = dimensions == 3 ? Planes::depth : dimensions == 2 ? Rows::depth : StepLines<T>::depth;
  run_passes(device, args, std::min(depth, most), [&](const auto& pass) {
    if (dimensions == 3)
      stream_pass<Planes>(device, pass, args.kind, sizes);
    else if (dimensions == 2)
      stream_pass<Rows>(device, pass, args.kind, sizes);
    else
      line_pass(device, pass, args.kind);
  });
}

struct register_streams : OnGpu {
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
    using T = typename decltype(args.a)::value_type;
    step_in_streams<typename StreamStrips<T>::Rows, typename StreamStrips<T>::Planes>(device, args,
                                                                                      params["depth"]);
  }
};

}  // namespace tallcache::gpu::stencil
