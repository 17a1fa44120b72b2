// A stencil as it is taught: step by step over the whole grid, point by point.
#pragma once

#include "common/variant.hpp"
#include "cpu/stencil/updates.hpp"

namespace tallcache::cpu::stencil {

struct loops {
  static constexpr std::string_view idea = "all points of a step, then the next step; one point at a time";
  static constexpr std::string_view source = "Frigo and Strumpen 2005 (its standard loops)";
  using operations = OperationList<tallcache::Stencil<double>, tallcache::Stencil<float>>;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    with_stencil<PointGrids>(args, [&](const auto& stencil) { run_loops(fork, stencil, args.steps); });
  }
};

}  // namespace tallcache::cpu::stencil
