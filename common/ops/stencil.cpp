// The reference rounds each product and each sum.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif
#include "common/ops/stencil.hpp"

#include "common/in_parts.hpp"
#include "common/operation_record.hpp"

namespace tallcache {
namespace detail {
namespace {

/// A grid with a rim of one point on every side.
template <class T>
struct Rimmed {
  std::array<Index, 3> sizes, distance;
  std::vector<T> points;

  explicit Rimmed(const std::array<Index, 3>& inner) : sizes(inner) {
    distance = {(sizes[1] + 2) * (sizes[2] + 2), sizes[2] + 2, 1};
    points.assign(static_cast<std::size_t>((sizes[0] + 2) * distance[0]), static_cast<T>(stencil_outside));
  }

  Index at(Index z, Index y, Index x) const { return (z + 1) * distance[0] + (y + 1) * distance[1] + x + 1; }

  /// The rim from the points inside: dimension by dimension, with the rims of those before.
  void fill_rim(StencilBorder border) {
    if (border == StencilBorder::constant) return;
    for (int dimension = 0; dimension < 3; ++dimension) {
      const int u = (dimension + 1) % 3, v = (dimension + 2) % 3;
      const Index last = sizes[dimension], low = border == StencilBorder::periodic ? last : 1;
      const Index high = border == StencilBorder::periodic ? 1 : last;
      for (Index i = 0; i < sizes[u] + 2; ++i)
        for (Index j = 0; j < sizes[v] + 2; ++j) {
          T* const line = points.data() + i * distance[u] + j * distance[v];
          line[0] = line[low * distance[dimension]];
          line[(last + 1) * distance[dimension]] = line[high * distance[dimension]];
        }
    }
  }
};

/// The sum of the neighbours along each dimension, minus as many times the point: the points at `u`, whose
/// neighbours in dimension i are distance[i] away.
template <int d, class T>
T star(const T* u, const std::array<Index, 3>& distance) {
  const Index z = distance[0], y = distance[1];
  if constexpr (d == 1) return (u[-1] + u[1]) - 2 * u[0];
  if constexpr (d == 2) return ((u[-y] + u[y]) + (u[-1] + u[1])) - 4 * u[0];
  if constexpr (d == 3) return ((u[-z] + u[z]) + (u[-y] + u[y]) + (u[-1] + u[1])) - 6 * u[0];
}

/// The same with the corners: of nine points, and of 27.
template <int d, class T>
T box(const T* u, const std::array<Index, 3>& distance) {
  const Index z = distance[0], y = distance[1];
  if constexpr (d == 1) return star<1>(u, distance);
  if constexpr (d == 2)
    return 4 * ((u[-y] + u[y]) + (u[-1] + u[1])) + ((u[-y - 1] + u[-y + 1]) + (u[y - 1] + u[y + 1])) -
           20 * u[0];
  if constexpr (d == 3) {
    const auto corners_of = [&](Index plane) {
      const T* const v = u + plane;
      return (v[-y - 1] + v[-y + 1]) + (v[y - 1] + v[y + 1]);
    };
    const auto sides_of = [&](Index plane) {
      const T* const v = u + plane;
      return (v[-y] + v[y]) + (v[-1] + v[1]);
    };
    const T faces = sides_of(0) + (u[-z] + u[z]);
    const T edges = corners_of(0) + (sides_of(-z) + sides_of(z));
    const T corners = corners_of(-z) + corners_of(z);
    return ((14 * faces + 3 * edges) + corners) - 128 * u[0];
  }
}

template <class T, class Point>
void all_steps(std::array<Rimmed<T>, 2>& grids, Index steps, StencilBorder border, const Point& point) {
  for (Index t = 0; t < steps; ++t) {
    Rimmed<T>&from = grids[t & 1], &to = grids[(t + 1) & 1];
    from.fill_rim(border);
    const auto [planes, rows, cols] = from.sizes;
    in_parts(planes * rows, rows_of_part(cols), [&, rows = rows, cols = cols](Index begin, Index end) {
      for (Index row = begin; row < end; ++row)
        for (Index x = 0, first = from.at(row / rows, row % rows, 0); x < cols; ++x)
          to.points[first + x] = point(from.points.data() + first + x, to.points[first + x]);
    });
  }
}

template <int d, class T>
void steps_of(std::array<Rimmed<T>, 2>& grids, Index steps, StencilUpdate update, StencilBorder border) {
  const std::array<Index, 3> distance = grids[0].distance;
  const T heat = static_cast<T>(heat_rates[d - 1]), wave = static_cast<T>(wave_rates[d - 1]);
  const T heat_box = static_cast<T>(heat_box_rates[d - 1]);
  if (update == StencilUpdate::heat)
    all_steps(grids, steps, border, [=](const T* u, T) { return u[0] + heat * star<d>(u, distance); });
  else if (update == StencilUpdate::heat_box)
    all_steps(grids, steps, border, [=](const T* u, T) { return u[0] + heat_box * box<d>(u, distance); });
  else
    all_steps(grids, steps, border,
              [=](const T* u, T before) { return (2 * u[0] - before) + wave * star<d>(u, distance); });
}

}  // namespace

template <class T>
void reference_steps(std::array<std::vector<T>, 2>& state, const std::array<Index, 3>& sizes, Index steps,
                     StencilUpdate update, StencilBorder border) {
  if (state[0].empty()) return;
  std::array<Rimmed<T>, 2> grids{Rimmed<T>(sizes), Rimmed<T>(sizes)};
  const auto copy = [&](bool back) {
    for (int t = 0; t < 2; ++t)
      for (Index z = 0, i = 0; z < sizes[0]; ++z)
        for (Index y = 0; y < sizes[1]; ++y)
          for (Index x = 0; x < sizes[2]; ++x, ++i)
            (back ? state[t][i] : grids[t].points[grids[t].at(z, y, x)]) =
                back ? grids[t].points[grids[t].at(z, y, x)] : state[t][i];
  };
  copy(false);
  if (sizes[0] > 1)
    steps_of<3>(grids, steps, update, border);
  else if (sizes[1] > 1)
    steps_of<2>(grids, steps, update, border);
  else
    steps_of<1>(grids, steps, update, border);
  copy(true);
}
template void reference_steps<float>(std::array<std::vector<float>, 2>&, const std::array<Index, 3>&, Index,
                                     StencilUpdate, StencilBorder);
template void reference_steps<double>(std::array<std::vector<double>, 2>&, const std::array<Index, 3>&, Index,
                                      StencilUpdate, StencilBorder);

}  // namespace detail

template struct OperationRecord<Stencil<float>>;
template struct OperationRecord<Stencil<double>>;
}  // namespace tallcache
