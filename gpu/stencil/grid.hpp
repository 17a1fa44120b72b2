// What the kernels of stencils share: the grid and its border, and the choice of the update on the device.
#pragma once

#include <concepts>

#include "common/ops/stencil.hpp"
#include "common/point_updates.hpp"
#include "gpu/stencil/number.hpp"

namespace tallcache::gpu::stencil {

inline constexpr int warp_lanes = 32;

/// The sizes of a grid. One of one plane has two dimensions, and one of one row has one.
struct GridSizes {
  Index planes, rows, cols;
};

template <class Args>
GridSizes sizes_of(const Args& args) {
  return {args.planes, args.rows(), args.a.cols};
}

/// body(std::integral_constant<int, d>) for the dimensions of a grid.
template <class Body>
void with_dimensions(const GridSizes& sizes, const Body& body) {
  if (sizes.planes > 1) return body(std::integral_constant<int, 3>{});
  if (sizes.rows > 1) return body(std::integral_constant<int, 2>{});
  body(std::integral_constant<int, 1>{});
}

/// The point of 0 <= i < size that has the value of point j, which may be any number of points beyond the
/// border. -1 for the value outside a constant one.
template <std::signed_integral I>
TALLCACHE_BOTH I inside(StencilBorder border, std::type_identity_t<I> j, I size) {
  if (j >= 0 && j < size) return j;
  if (border == StencilBorder::constant) return -1;
  const bool periodic = border == StencilBorder::periodic;
  const I near = periodic ? (j < 0 ? j + size : j - size) : (j < 0 ? -1 - j : 2 * size - 1 - j);
  if (near >= 0 && near < size) return near;
  const I period = periodic ? size : 2 * size;
  j %= period;
  if (j < 0) j += period;
  return j < size ? j : period - 1 - j;
}

/// update(at), or update(at, before) where `before` is the point one step ago.
template <class T, class Update, class At>
TALLCACHE_INLINE T updated(const Update& update, const At& at, T before) {
  if constexpr (std::is_invocable_v<const Update&, const At&, Number<T>>)
    return update(at, Number<T>(before)).v;
  else
    return update(at).v;
}
/// Whether an update takes the point one step ago.
template <class T, class Update, class At>
inline constexpr bool takes_before = std::is_invocable_v<const Update&, const At&, Number<T>>;

/// body(update) for the update that `kind`, on the device, names.
template <int d, class Kind, class Body>
TALLCACHE_INLINE void with_update(const Kind& kind, const Body& body) {
  const auto update = static_cast<StencilUpdate>(static_cast<std::int32_t>(kind[0]));
  if (update == StencilUpdate::heat)
    body(point_updates::Heat<d>{});
  else if (update == StencilUpdate::heat_box)
    body(point_updates::HeatBox<d>{});
  else
    body(point_updates::Wave<d>{});
}
template <class Kind>
TALLCACHE_INLINE StencilBorder border_of(const Kind& kind) {
  return static_cast<StencilBorder>(static_cast<std::int32_t>(kind[1]));
}
template <class T, class Kind>
TALLCACHE_INLINE T outside_of(const Kind&) {
  return static_cast<T>(stencil_outside);
}

/// An update that the host names, in place of a kind: one of a user's own.
template <class Update, class T>
struct OwnUpdate {
  Update update;
  StencilBorder border;
  T outside;
};
template <int d, class Update, class T, class Body>
TALLCACHE_INLINE void with_update(const OwnUpdate<Update, T>& own, const Body& body) {
  body(own.update);
}
template <class Update, class T>
TALLCACHE_INLINE StencilBorder border_of(const OwnUpdate<Update, T>& own) {
  return own.border;
}
template <class T, class Update>
TALLCACHE_INLINE T outside_of(const OwnUpdate<Update, T>& own) {
  return own.outside;
}

}  // namespace tallcache::gpu::stencil
