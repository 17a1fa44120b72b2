// The choice of the update of the operation `stencil`, and of the grids that it steps.
#pragma once

#include "common/ops/stencil.hpp"
#include "common/point_updates.hpp"
#include "cpu/stencil/zoids.hpp"

namespace tallcache::cpu::stencil {

using point_updates::Heat, point_updates::HeatBox, point_updates::Wave;

/// Grids that are updated point by point.
struct PointGrids {
  /// body(AnySteppedGrids) of the grids.
  template <class T, int d, class Update, class Access, class Body>
  static void step(const Grids<T, d, Access>& grids, const Body& body) {
    const SteppedGrids<T, d, 1, PointRows, Update, Access> stepped(grids, Update{});
    body(AnySteppedGrids<d, 1>(stepped));
  }
};

/// Grids whose rows are updated in vectors, compiled once (cpu/stencil/rows.hpp).
struct VectorGrids {
  template <class T, int d, class Update, class Access, class Body>
  static void step(const Grids<T, d, Access>& grids, const Body& body) {
    compiled<T, d, Update, Access>(grids, &body,
                                   [](const void* erased, const AnySteppedGrids<d, 1>& stepped) {
                                     (*static_cast<const Body*>(erased))(stepped);
                                   });
  }

  /// call(body, stepped)
  template <class T, int d, class Update, class Access>
  static void compiled(const Grids<T, d, Access>& grids, const void* body,
                       void (*call)(const void*, const AnySteppedGrids<d, 1>&));
};

namespace detail {
template <class Stepping, int d, class Update, class Args, class Body>
void with_grids(const Args& args, const Body& body) {
  using T = typename decltype(args.a)::value_type;
  CompiledApart<typename decltype(args.a)::access_type> apart(args.a.access());
  const auto access = apart.policy();
  const std::array<Index, 3> sizes{args.planes, args.rows(), args.a.cols};
  Grids<T, d, std::remove_const_t<decltype(access)>> grids{.state = {args.a.data, args.b.data},
                                                           .sizes = {},
                                                           .ld = args.a.ld,
                                                           .border = args.border(),
                                                           .outside = static_cast<T>(stencil_outside),
                                                           .access = access};
  std::copy(sizes.end() - d, sizes.end(), grids.sizes.begin());
  Stepping::template step<T, d, Update, std::remove_const_t<decltype(access)>>(grids, body);
}

template <class Stepping, int d, class Args, class Body>
void with_dimensions(const Args& args, const Body& body) {
  switch (args.update()) {
    case StencilUpdate::heat:
      return with_grids<Stepping, d, Heat<d>>(args, body);
    case StencilUpdate::heat_box:
      return with_grids<Stepping, d, HeatBox<d>>(args, body);
    case StencilUpdate::wave:
      return with_grids<Stepping, d, Wave<d>>(args, body);
  }
}
}  // namespace detail

/// body(stencil) for the AnySteppedGrids of an operation's arguments.
template <class Stepping, class Args, class Body>
void with_stencil(const Args& args, const Body& body) {
  if (args.a.rows == 0 || args.a.cols == 0) return;
  if (args.planes > 1) return detail::with_dimensions<Stepping, 3>(args, body);
  if (args.rows() > 1) return detail::with_dimensions<Stepping, 2>(args, body);
  detail::with_dimensions<Stepping, 1>(args, body);
}

}  // namespace tallcache::cpu::stencil
