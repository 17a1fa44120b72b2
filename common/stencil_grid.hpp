// Grids of a stencil of one's own, in the memory of a CPU or of a GPU.
#pragma once

#include <array>
#include <limits>
#include <string>

#include "common/error.hpp"
#include "common/ops/stencil.hpp"
#include "common/view.hpp"

namespace tallcache {

/// Two states of a grid of d dimensions, each row-major with the last dimension contiguous. State t mod 2 is
/// that of time t. `access` sees the accesses to both: Plain, or Traced for their misses.
template <class T, int d, class Access = Plain>
struct StencilGrid {
  std::array<T*, 2> state;
  std::array<Index, d> sizes;
  StencilBorder border = StencilBorder::constant;
  T outside = 0;  ///< the value beyond a constant border
  Index ld = 0;   ///< elements from a row to the next one; 0: the size of the last dimension
  [[no_unique_address]] Access access{};
};

namespace detail {
/// Throws Error where `steps` or a size is negative, rows are longer than what is between them, the bytes of
/// a state overflow, or the states overlap.
template <class T, int d, class Access>
void validate_stencil_grid(const StencilGrid<T, d, Access>& grid, Index steps) {
  if (steps < 0) throw Error("stencil: " + std::to_string(steps) + " steps");
  std::size_t rows = 1;
  for (int i = 0; i < d; ++i) {
    const Index size = grid.sizes[i];
    if (size < 0) throw Error("stencil: negative size " + std::to_string(size));
    if (i + 1 < d) rows = checked_product(rows, static_cast<std::size_t>(size), "stencil");
  }
  const Index cols = grid.sizes[d - 1];
  if (grid.ld != 0 && grid.ld < cols)
    throw Error("stencil: leading dimension " + std::to_string(grid.ld) + " is smaller than " +
                std::to_string(cols) + " points of a row");
  const Index ld = grid.ld ? grid.ld : cols;
  const std::size_t bytes =
      checked_product(checked_product(rows, static_cast<std::size_t>(ld), "stencil"), sizeof(T), "stencil");
  constexpr Index most_steps = std::numeric_limits<Index>::max() / 64;
  if (steps > most_steps || bytes > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw Error("stencil: " + std::to_string(bytes) + " bytes x " + std::to_string(steps) +
                " steps overflow");
  if (rows == 0 || cols == 0) return;
  if (!grid.state[0] || !grid.state[1]) throw Error("stencil: a state has no data");
  const std::size_t extent = bytes - static_cast<std::size_t>(ld - cols) * sizeof(T);
  if (overlap(grid.state[0], extent, grid.state[1], extent)) throw Error("stencil: the states overlap");
}
}  // namespace detail

}  // namespace tallcache
