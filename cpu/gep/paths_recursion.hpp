// What the recursions for shortest paths share: I-GEP and C-GEP differ in the states that their leaves read.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"
#include "cpu/gep/path_loops.hpp"
#include "cpu/gep/path_tiles.hpp"

namespace tallcache::cpu::gep {

template <States states>
struct PathsRecursion {
  static constexpr std::string_view source = "Chowdhury and Ramachandran 2006";
  static constexpr ParamSpec params[] = {{"base", 96, "the side of a leaf", tile_sides[0], tile_sides}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.045;

  template <class T, bool predecessors>
  static std::size_t scratch(ShortestPathsOf<T, predecessors>, const Shape& shape, const Params& params) {
    return paths_scratch<T, predecessors>(shape, params["base"], states);
  }

  template <class T>
  static cache::Prediction predicted_misses(ShortestPaths<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    return recursion_misses(ideal, shape);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    find_paths(fork, args, params["base"], states);
  }
};

}  // namespace tallcache::cpu::gep
