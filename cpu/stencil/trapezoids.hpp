// A stencil by recursion over trapezoids in space and time, which has no cache parameter: those of `params`
// only pay for the recursion.
#pragma once

#include <cmath>

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"
#include "cpu/stencil/updates.hpp"

namespace tallcache::cpu::stencil {

struct trapezoids {
  static constexpr std::string_view idea =
      "recursion over trapezoids in space and time, cut in all dimensions at once; no cache parameter";
  static constexpr std::string_view source = "Frigo and Strumpen 2005; Tang et al. 2011 (parallel cuts)";
  using operations = OperationList<tallcache::Stencil<double>, tallcache::Stencil<float>>;
  static constexpr bool parallel = true;
  static constexpr ParamSpec params[] = {
      {"height", leaf_height, "steps of a leaf"},
      {"row_bytes", leaf_row_bytes, "of a row of a leaf; times rows where the grid has one dimension"},
      {"rows", leaf_rows, "rows of a leaf"},
      {"planes", leaf_planes, "planes of a leaf"}};

  template <class T>
  static cache::Prediction predicted_misses(tallcache::Stencil<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    const double n = static_cast<double>(shape["planes"]) * static_cast<double>(shape["rows"]) *
                     static_cast<double>(shape["cols"]);
    const double steps = static_cast<double>(shape["steps"]);
    const int d = tallcache::Stencil<T>::dimensions(shape);
    if (2 * n <= ideal.Z) return {2 * n / ideal.L, "2 N/L: both states fit"};
    return {n / ideal.L + n * steps / (ideal.L * std::pow(ideal.Z, 1.0 / d)), "Theta(N/L + N T/(L Z^(1/d)))",
            true};
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    with_stencil<VectorGrids>(args, [&](const auto& stencil) {
      constexpr int d = std::remove_cvref_t<decltype(stencil)>::dimensions;
      const Index cols =
          params["row_bytes"] / static_cast<Index>(sizeof(typename decltype(args.a)::value_type));
      run_trapezoids(fork, stencil, args.steps,
                     Leaf<d>{params["height"], widths<d>(cols, params["rows"], params["planes"])});
    });
  }
};

}  // namespace tallcache::cpu::stencil
