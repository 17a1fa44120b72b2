// Tableau construction by tiles, one anti-diagonal of them after another. The span Theta((m + n) tile) is
// below the n^lg 3 of the quadrants, but the tile has to be chosen.
#pragma once

#include "common/ceil_div.hpp"
#include "cpu/edit_distance/tableau_rows.hpp"

namespace tallcache::cpu::edit_distance {

struct tableau_wavefront {
  static constexpr std::string_view idea =
      "square tiles, those of one anti-diagonal side by side: span Theta(n)";
  static constexpr std::string_view source = "Lamport 1974, the hyperplane method";
  using operations = OperationList<EditDistance>;
  static constexpr ParamSpec params[] = {{"tile", 128, "side of a tile"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 1.3;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    const auto [d, a, b, scratch] = args;
    const Index tile = params["tile"];
    const Index rows = ceil_div(a.size, tile), cols = ceil_div(b.size, tile);
    tableau_borders(fork, d);
    if (rows == 0 || cols == 0) return;
    for (Index diagonal = 0; diagonal < rows + cols - 1; ++diagonal)
      fork.loop(std::max<Index>(0, diagonal - cols + 1), std::min(rows, diagonal + 1), 1,
                [=, d = d, a = a, b = b](Index row) {
                  const Index i = row * tile, j = (diagonal - row) * tile;
                  const Index height = std::min(tile, a.size - i), width = std::min(tile, b.size - j);
                  tableau_block(d.block(i, j, height + 1, width + 1), a.block(i, height), b.block(j, width));
                });
  }
};

}  // namespace tallcache::cpu::edit_distance
