// The distance of two strings by tiles of a tableau whose borders are bits. The span of an anti-diagonal
// after another is below that of the quadrants, but the tile has to be chosen.
#pragma once

#include "cpu/edit_distance/bits_recursive.hpp"

namespace tallcache::cpu::edit_distance {

struct bits_wavefront {
  static constexpr std::string_view idea =
      "differences of cells as bits, the tiles of an anti-diagonal side by side, in a band that widens";
  static constexpr std::string_view source = "Myers 1999; Hyyrö 2003; Ukkonen 1985; Lamport 1974";
  using operations = OperationList<LevenshteinDistance, LongestCommonSubsequence>;
  static constexpr ParamSpec params[] = {{"tile", 2048, "side of a tile"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1.0 / 64;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&) {
    return distance_scratch<Op>(shape);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    const Index tile = params["tile"];
    write_distance(fork, args,
                   [&](const auto& tableau, const Band& band) { by_tiles(fork, tableau, band, tile); });
  }
};

}  // namespace tallcache::cpu::edit_distance
