// The point updates of the operation `stencil`, each written once for all schedules on the CPU and the GPU.
//
// An update is a function of `at`: at(dx), at(dy, dx) or at(dz, dy, dx) is the neighbour at that offset, of a
// type whose arithmetic rounds every operation. It is constexpr, so that a device can call it, too.
#pragma once

#include "common/ops/stencil.hpp"

namespace tallcache::point_updates {

/// The sum of the neighbours along each of d dimensions, minus as many times the point.
template <int d>
[[gnu::always_inline]] constexpr auto star(const auto& at) {
  if constexpr (d == 1) return (at(-1) + at(1)) - 2 * at(0);
  if constexpr (d == 2) return ((at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1))) - 4 * at(0, 0);
  if constexpr (d == 3)
    return ((at(-1, 0, 0) + at(1, 0, 0)) + (at(0, -1, 0) + at(0, 1, 0)) + (at(0, 0, -1) + at(0, 0, 1))) -
           6 * at(0, 0, 0);
}

/// The same with the neighbours at the corners: 9 points, and 27 (O'Reilly, Beck 2006).
template <int d>
[[gnu::always_inline]] constexpr auto box(const auto& at) {
  if constexpr (d == 1) return star<1>(at);
  if constexpr (d == 2)
    return 4 * ((at(-1, 0) + at(1, 0)) + (at(0, -1) + at(0, 1))) +
           ((at(-1, -1) + at(-1, 1)) + (at(1, -1) + at(1, 1))) - 20 * at(0, 0);
  if constexpr (d == 3) {
    const auto corners_of = [&](int z) __attribute__((always_inline)) {
      return (at(z, -1, -1) + at(z, -1, 1)) + (at(z, 1, -1) + at(z, 1, 1));
    };
    const auto sides_of = [&](int z) __attribute__((always_inline)) {
      return (at(z, -1, 0) + at(z, 1, 0)) + (at(z, 0, -1) + at(z, 0, 1));
    };
    const auto faces = sides_of(0) + (at(-1, 0, 0) + at(1, 0, 0));
    const auto edges = corners_of(0) + (sides_of(-1) + sides_of(1));
    const auto corners = corners_of(-1) + corners_of(1);
    return ((14 * faces + 3 * edges) + corners) - 128 * at(0, 0, 0);
  }
}

template <int d>
[[gnu::always_inline]] constexpr auto center(const auto& at) {
  if constexpr (d == 1) return at(0);
  if constexpr (d == 2) return at(0, 0);
  if constexpr (d == 3) return at(0, 0, 0);
}

/// `star`: an update takes no neighbours at corners.
template <int d>
struct Heat {
  static constexpr bool star = true;

  [[gnu::always_inline]] constexpr auto operator()(const auto& at) const {
    constexpr double rate = tallcache::detail::heat_rates[d - 1];
    return center<d>(at) + rate * point_updates::star<d>(at);
  }
};
template <int d>
struct HeatBox {
  [[gnu::always_inline]] constexpr auto operator()(const auto& at) const {
    constexpr double rate = tallcache::detail::heat_box_rates[d - 1];
    return center<d>(at) + rate * box<d>(at);
  }
};
template <int d>
struct Wave {
  static constexpr bool star = true;

  [[gnu::always_inline]] constexpr auto operator()(const auto& at, const auto& before) const {
    constexpr double rate = tallcache::detail::wave_rates[d - 1];
    return (2 * center<d>(at) - before) + rate * point_updates::star<d>(at);
  }
};

}  // namespace tallcache::point_updates
