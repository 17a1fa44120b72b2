// Stencils of one's own on the CPU: a grid of one, two or three dimensions is updated step by step, each
// point from its neighbours, by trapezoids in space and time that use every cache well.
//
//   const auto heat = [](auto at) {
//     return at(0, 0) + 0.1 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * at(0, 0));
//   };
//   StencilGrid<double, 2> grid{{even, odd}, {rows, cols}};  // the state of time 0 is in `even`
//   double* const last = stencil(grid, heat, steps);         // that of time `steps`: even or odd
//
// An update is a function of `at`: at(dx), at(dy, dx) or at(dz, dy, dx) is the neighbour at that offset, dx
// along the contiguous dimension. It is called with vectors of points as well as with single ones, so it is a
// generic lambda without branches on values: min, max, abs, sqrt and where_less(a, b, x, y) (x where a < b,
// else y) work on both. A function of (at, before) also gets the point one step ago, as the wave equation
// needs. Products and sums are rounded one by one: results are the same bytes for every schedule, number of
// threads and processor.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <type_traits>

#include "common/error.hpp"
#include "common/fork/parallel.hpp"
#include "common/stencil_grid.hpp"
#include "cpu/stencil/zoids.hpp"

namespace tallcache {

/// The elements of the grids that stencil() takes.
template <class T>
concept IsSteppedByStencil = std::same_as<T, float> || std::same_as<T, double>;

namespace detail {
template <class T, int d, class Access>
void validate_stencil(const StencilGrid<T, d, Access>& grid, Index steps, int reach) {
  validate_stencil_grid(grid, steps);
  for (const Index size : grid.sizes)
    if (grid.border != StencilBorder::constant && size > 0 && size < reach)
      throw Error("stencil: " + std::to_string(size) + " points of a dimension, but neighbours are up to " +
                  std::to_string(reach) + " beyond its border");
}
}  // namespace detail

/// `steps` steps of `grid` under any fork policy, in place: state[steps mod 2] becomes the state of that
/// time, the other one that of the time before. `update` takes neighbours of up to `reach` points away in
/// each dimension. A grid of N points in d dimensions has Theta(N T / (L Z^(1/d))) misses in T steps, in a
/// cache of Z words in lines of L. Throws Error where sizes or steps are negative or overflow, states
/// overlap, or a grid with a periodic or mirrored border has fewer than `reach` points in a dimension.
///
/// Source: Frigo, Strumpen, "Cache oblivious stencil computations", ICS 2005; Tang, Chowdhury, Kuszmaul, Luk,
/// Leiserson, "The Pochoir stencil compiler", SPAA 2011 (the parallel cuts).
template <int reach = 1, class Fork, IsSteppedByStencil T, int d, class Access, class Update>
T* stencil(Fork& fork, const StencilGrid<T, d, Access>& grid, const Update& update, Index steps) {
  static_assert(1 <= d && d <= 3 && reach >= 1, "a stencil has one to three dimensions");
  detail::validate_stencil(grid, steps, reach);
  using namespace cpu::stencil;
  const SteppedGrids<T, d, reach, VectorRows, Update, Access> grids(
      {grid.state, grid.sizes, grid.ld ? grid.ld : grid.sizes[d - 1], grid.border, grid.outside, grid.access},
      update);
  run_trapezoids(fork, AnySteppedGrids<d, reach>(grids), steps, default_leaf<T, d>());
  return grid.state[steps & 1];
}

/// The same on the caller's thread. Throws Error as above.
///
/// Source: Frigo, Strumpen 2005; Tang et al. 2011.
template <int reach = 1, IsSteppedByStencil T, int d, class Access, class Update>
T* stencil(const StencilGrid<T, d, Access>& grid, const Update& update, Index steps) {
  Serial fork;
  return stencil<reach>(fork, grid, update, steps);
}

/// The same on `threads` threads including the caller; the same bytes on any number of them. A sink is of one
/// thread, so that no traced grid has threads. Throws Error as above, and on fewer than one thread.
///
/// Source: Frigo, Strumpen 2005; Tang et al. 2011.
template <int reach = 1, IsSteppedByStencil T, int d, class Update>
T* stencil(const StencilGrid<T, d>& grid, const Update& update, Index steps, int threads) {
  require_threads(threads);
  if (threads == 1) return stencil<reach>(grid, update, steps);
  run_parallel(threads, [&](auto& fork) { stencil<reach>(fork, grid, update, steps); });
  return grid.state[steps & 1];
}

}  // namespace tallcache
