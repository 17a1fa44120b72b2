// A stencil by tiles of space and time, whose sizes are for one cache.
#pragma once

#include "common/variant.hpp"
#include "cpu/stencil/updates.hpp"

namespace tallcache::cpu::stencil {

struct tiles {
  static constexpr std::string_view idea =
      "tiles of several steps: upright trapezoids in every dimension, then the inverted ones between them";
  static constexpr std::string_view source = "Grosser et al. 2013 (split tiling)";
  using operations = OperationList<tallcache::Stencil<double>, tallcache::Stencil<float>>;
  static constexpr bool parallel = true;
  static constexpr ParamSpec params[] = {
      {"height", 16, "steps of a tile"},
      {"cols", 1024, "points in a row of a tile; times rows where the grid has one dimension"},
      {"rows", 64, "rows of a tile"},
      {"planes", 32, "planes of a tile"}};

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    with_stencil<VectorGrids>(args, [&](const auto& stencil) {
      run_tiles(fork, stencil, args.steps, params["height"],
                widths<std::remove_cvref_t<decltype(stencil)>::dimensions>(params["cols"], params["rows"],
                                                                           params["planes"]));
    });
  }
};

}  // namespace tallcache::cpu::stencil
