// C-GEP for shortest paths: the recursion with the states that its leaves read saved at the loops' steps. All
// sums are those of the loops, and so are all bytes; predecessors are valid where cycles weigh 0.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"
#include "cpu/gep/path_loops.hpp"
#include "cpu/gep/path_tiles.hpp"

namespace tallcache::cpu::gep {

struct cgep_recursive {
  static constexpr std::string_view idea =
      "C-GEP: the recursion on saved rows and columns, every sum that of the loops";
  static constexpr std::string_view source = "Chowdhury and Ramachandran 2006";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>,
                                   ShortestPathTrees<float>, ShortestPathTrees<std::int32_t>>;
  static constexpr ParamSpec params[] = {{"base", 96, "the side of a leaf", tile_sides[0], tile_sides}};
  static constexpr bool parallel = true;

  template <class T, bool predecessors>
  static std::size_t scratch(ShortestPathsOf<T, predecessors>, const Shape& shape, const Params& params) {
    return paths_scratch<T, predecessors>(shape, params["base"], States::saved);
  }

  template <class T>
  static cache::Prediction predicted_misses(ShortestPaths<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    return recursion_misses(ideal, shape);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    find_paths(fork, args, params["base"], States::saved);
  }
};

}  // namespace tallcache::cpu::gep
