// Stencils of one's own on a GPU: steps of a grid in the device's memory, several of them in a pass over it.
//
//   struct Melt {  // the text of <tallcache/stencil.hpp>, for the CPU as well
//     constexpr auto operator()(const auto& at) const {
//       const auto u = at(0, 0);
//       return u + 0.1 / (1 + u * u) * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4 * u);
//     }
//   };
//
// is an update, and
//
//   DeviceStencilGrid<double, 2> grid{{even, odd}, {rows, cols}};  // pointers to the device's memory
//   Launch launch{1, stream};
//   double* const last = device_stencil(launch, grid, Melt{}, steps, scratch);
//
// An update is a class, as a kernel's type cannot be made of a host's lambda, and constexpr, for nvcc's
// --expt-relaxed-constexpr. It takes neighbours of one point away in each dimension; where it says `static
// constexpr bool star = true`, none at corners, which is faster in three dimensions. Its operations are those
// of an update on the CPU, each rounded as there: results are the same bytes, but for a sqrt or a division
// that nvcc is told to approximate. In a program without nvcc, the device may be a warp::HostDevice, the
// model of <tallcache/kernel.hpp>.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

#include "common/error.hpp"
#include "common/stencil_grid.hpp"
#include "gpu/stencil/strips.hpp"

namespace tallcache {

/// A grid whose states are in the device's memory.
template <class T, int d, class Access = Plain>
using DeviceStencilGrid = StencilGrid<T, d, Access>;

namespace detail {
template <class T>
concept StencilNumber = std::same_as<T, float> || std::same_as<T, double>;

template <class T, class Access, class Update>
struct DeviceStencilArgs {
  MatrixView<T, Access> a, b;
  gpu::stencil::OwnUpdate<Update, T> kind;
  Index planes, steps;
  Scratch<Access> scratch;

  Index rows() const { return planes ? a.rows / planes : 0; }
};

/// Planes, rows and columns.
template <class T, int d, class Access>
std::array<Index, 3> device_stencil_sizes(const DeviceStencilGrid<T, d, Access>& grid) {
  std::array<Index, 3> sizes{1, 1, 1};
  std::copy(grid.sizes.begin(), grid.sizes.end(), sizes.end() - d);
  return sizes;
}

template <class T, int d, class Access>
void validate_device_stencil(const DeviceStencilGrid<T, d, Access>& grid, Index steps) {
  validate_stencil_grid(grid, steps);
  for (const Index size : grid.sizes)
    if (d > 1 && size >= Index{1} << 30)
      throw Error("stencil: a size of " + std::to_string(size) + " is larger than 2^30 - 1");
}
}  // namespace detail

/// The bytes of scratch that device_stencil() takes for `steps` steps of the d-dimensional `grid`: two more
/// states, for two steps and more. Throws Error where they overflow.
///
/// Source: Matsumura et al. 2020.
template <class T, int d, class Access>
std::size_t device_stencil_scratch(const DeviceStencilGrid<T, d, Access>& grid, Index steps) {
  const auto [planes, rows, cols] = detail::device_stencil_sizes(grid);
  return gpu::stencil::scratch_of_passes(
      Stencil<T>{}, {{"cols", cols}, {"rows", rows}, {"planes", planes}, {"steps", steps}});
}

/// `steps` steps of the d-dimensional `grid` in place, in the stream of `device`, a Launch. state[steps mod
/// 2] becomes the state of that time, and the other one that of the time before. Returns it at once; the
/// stream is not waited for. A mirrored border takes a launch a step, as an update need not be symmetric;
/// others take a pass for up to 8 steps in two dimensions, 3 or 4 in three. Throws Error where sizes or
/// steps are negative or too large, the states overlap, or `scratch` is smaller than
/// device_stencil_scratch() says.
///
/// Source: Matsumura et al. 2020.
template <class Device, detail::StencilNumber T, int d, class Access, class Update>
T* device_stencil(Device& device, const DeviceStencilGrid<T, d, Access>& grid, const Update& update,
                  Index steps, Scratch<std::type_identity_t<Access>> scratch) {
  static_assert(1 <= d && d <= 3, "a stencil has one to three dimensions");
  detail::validate_device_stencil(grid, steps);
  const auto [planes, rows, cols] = detail::device_stencil_sizes(grid);
  const Index ld = grid.ld ? grid.ld : cols;
  const auto state = [&, all = planes * rows, columns = cols](int i) {
    return MatrixView<T>{grid.state[i], all, columns, ld}.with(grid.access);
  };
  const detail::DeviceStencilArgs<T, Access, Update> args{
      state(0), state(1), {update, grid.border, grid.outside}, planes, steps, scratch};
  if (planes * rows == 0 || cols == 0) return grid.state[steps & 1];
  if (grid.border == StencilBorder::mirrored)
    for (Index t = 0; t < steps; ++t) gpu::stencil::step_points<d>(device, args, t);
  else
    gpu::stencil::step_in_strips<d, gpu::stencil::Strips<T>>(device, args, std::numeric_limits<Index>::max());
  return grid.state[steps & 1];
}

}  // namespace tallcache
