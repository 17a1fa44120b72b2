// I-GEP for shortest paths: the recursion in place. A sum may have a state of a later step than the loops
// would give it, which is the weight of a path as well: whole weights are those of the loops, rounded ones
// may differ from them by rounding.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"
#include "cpu/gep/path_loops.hpp"
#include "cpu/gep/path_tiles.hpp"

namespace tallcache::cpu::gep {

struct gep_recursive {
  static constexpr std::string_view idea =
      "I-GEP: by quadrants along the diagonal, rows, columns and the interior; leaves in registers";
  static constexpr std::string_view source = "Chowdhury and Ramachandran 2006";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>>;
  static constexpr ParamSpec params[] = {{"base", 96, "the side of a leaf", tile_sides[0], tile_sides}};
  static constexpr bool parallel = true;

  template <class T>
  static std::size_t scratch(ShortestPaths<T>, const Shape& shape, const Params& params) {
    return paths_scratch<T, false>(shape, params["base"], States::in_place);
  }

  template <class T>
  static cache::Prediction predicted_misses(ShortestPaths<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    return recursion_misses(ideal, shape);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    find_paths(fork, args, params["base"], States::in_place);
  }
};

}  // namespace tallcache::cpu::gep
