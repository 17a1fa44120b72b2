// Floyd's and Warshall's algorithm over tiles: for each tile of the diagonal itself, then the tiles of its
// row and its column, then all others. It is the recursion's leaves without the recursion: a tile's side is
// a cache parameter.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"
#include "cpu/gep/path_loops.hpp"
#include "cpu/gep/path_tiles.hpp"

namespace tallcache::cpu::gep {

struct floyd_warshall_blocked {
  static constexpr std::string_view idea = "loops over tiles: the diagonal's, its row and column, the others";
  static constexpr std::string_view source = "Venkataraman, Sahni, Mukhopadhyaya 2003";
  using operations = OperationList<ShortestPaths<float>, ShortestPaths<std::int32_t>>;
  static constexpr ParamSpec params[] = {{"tile", 96, "the side of a tile", tile_sides[0], tile_sides}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1.0 / 32;

  template <class T>
  static std::size_t scratch(ShortestPaths<T>, const Shape& shape, const Params& params) {
    return paths_scratch<T, false>(shape, params["tile"], States::in_place);
  }

  template <class T>
  static std::optional<cache::Prediction> predicted_misses(ShortestPaths<T>, const Shape& shape,
                                                           const Params& params, cache::IdealCache c) {
    const double n = static_cast<double>(shape["n"]), b = static_cast<double>(params["tile"]);
    if (3 * b * b + 3 * c.L > c.Z || n < b) return {};
    return cache::Prediction{n * n / c.L + n * n * n / (b * c.L),
                             "Theta(n^2/L + n^3/(bL)): three tiles of b x b fit", true};
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    const Index n = args.a.rows;
    if (n == 0) return;
    using Access = typename decltype(args.a)::access_type;
    const PathTileMatrix<typename Args::Number, false, Access> tiles(n, params["tile"], States::in_place,
                                                                     args.scratch);
    const Index count = tiles.range().end;
    tiles.load(fork, args.a);
    for (Index k = 0; k < count; ++k) {
      tiles.diagonal(k);
      fork.loop(0, 2 * count, 1, [=, &tiles](Index at) {
        const Index other = at / 2;
        if (other == k) return;
        if (at % 2 == 0) return tiles.row(k, other);
        tiles.column(other, k);
      });
      fork.loop(0, count * count, 1, [=, &tiles](Index at) {
        const Index i = at / count, j = at % count;
        if (i != k && j != k) tiles.interior(i, j, k);
      });
    }
    tiles.store(fork, args.a, args.p);
  }
};

}  // namespace tallcache::cpu::gep
