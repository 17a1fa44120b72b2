// A stencil as its user would write it for speed: step by step over the whole grid, in vectors.
#pragma once

#include "common/variant.hpp"
#include "cpu/stencil/updates.hpp"

namespace tallcache::cpu::stencil {

struct vector_loops {
  static constexpr std::string_view idea = "all points of a step, then the next step; rows in vectors";
  static constexpr std::string_view source = "Frigo and Strumpen 2005 (its standard loops)";
  using operations = OperationList<tallcache::Stencil<double>, tallcache::Stencil<float>>;
  static constexpr bool parallel = true;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    with_stencil<VectorGrids>(args, [&](const auto& stencil) { run_loops(fork, stencil, args.steps); });
  }
};

}  // namespace tallcache::cpu::stencil
