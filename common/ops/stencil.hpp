// T steps of a heat or wave equation on a grid of one, two or three dimensions: stencils of 3, 5, 7, 9 and 27
// points.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// What a step makes of a point: heat (the neighbours along each dimension), heat_box (those at the corners,
/// too), wave (heat's neighbours, and the point one step ago).
enum class StencilUpdate : std::int32_t { heat, heat_box, wave };
/// What lies beyond the grid: one value; the other end; the grid mirrored, where point -1 - i is point i.
enum class StencilBorder : std::int32_t { constant, periodic, mirrored };

/// An update with its border.
struct StencilKind {
  std::string_view name;
  StencilUpdate update;
  StencilBorder border;
};
inline constexpr StencilKind stencil_kinds[] = {
    {"heat", StencilUpdate::heat, StencilBorder::constant},
    {"heat_periodic", StencilUpdate::heat, StencilBorder::periodic},
    {"heat_mirrored", StencilUpdate::heat, StencilBorder::mirrored},
    {"heat_box", StencilUpdate::heat_box, StencilBorder::constant},
    {"heat_box_periodic", StencilUpdate::heat_box, StencilBorder::periodic},
    {"wave", StencilUpdate::wave, StencilBorder::constant},
    {"wave_mirrored", StencilUpdate::wave, StencilBorder::mirrored},
};

/// The value beyond a constant border.
inline constexpr double stencil_outside = 0.5;

namespace detail {
/// The rates of the equations in one, two and three dimensions, for which they are stable.
inline constexpr std::array<double, 3> heat_rates{0.2, 0.1, 0.07}, heat_box_rates{0.2, 0.03, 0.005},
    wave_rates{0.4, 0.2, 0.15};

/// `steps` steps of state[0], and of state[1] one step before it, by loops over a grid with a rim. state[t
/// mod 2] is that of time t.
template <class T>
void reference_steps(std::array<std::vector<T>, 2>& state, const std::array<Index, 3>& sizes, Index steps,
                     StencilUpdate update, StencilBorder border);
}  // namespace detail

/// A grid of one plane has two dimensions, and of one row one. Every step rounds alike in every order of the
/// points, so that results are compared for equality.
template <class T>
struct Stencil {
  static constexpr std::string_view name = "stencil", element = Element<T>::name;
  static constexpr std::string_view what =
      "steps of a heat or wave equation on a grid of one to three dimensions, in two states by turns";
  static constexpr Rate rate = Rate::mcells_per_s;
  static constexpr DimSpec dims[] = {{"cols", "points in a row"},
                                     {"rows", "rows of a plane"},
                                     {"planes", "planes", 1},
                                     {"steps", "steps in time", 100},
                                     {"pad", "leading dimension minus columns", 0}};
  static constexpr std::string_view inputs[] = {
      "heat", "heat_periodic", "heat_mirrored", "heat_box", "heat_box_periodic", "wave", "wave_mirrored"};

  /// a is the state of time 0, and b that of time -1, which the wave equation alone reads. The results are
  /// those of the last two times: that of time t is in a where t is even, and in b where it is odd.
  template <class Access = Plain>
  struct Args {
    MatrixView<T, Access> a, b;                   ///< planes * rows x cols
    VectorView<const std::int32_t, Access> kind;  ///< a StencilUpdate and a StencilBorder
    Index planes, steps;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), b.with(other), kind.with(other), planes, steps, scratch.with(other)};
    }
    Index rows() const { return planes ? a.rows / planes : 0; }
    StencilUpdate update() const { return static_cast<StencilUpdate>(kind.data[0]); }
    StencilBorder border() const { return static_cast<StencilBorder>(kind.data[1]); }
  };

  static Shape shape_of(const Args<>& args) {
    return {{"cols", args.a.cols},
            {"rows", args.rows()},
            {"planes", args.planes},
            {"steps", args.steps},
            {"pad", args.a.ld - args.a.cols}};
  }

  static auto views(Args<>& args) { return std::tie(args.a, args.b, args.kind); }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const std::size_t bytes = matrix_bytes<T>(all_rows(s), s["cols"], s["pad"]);
    require_steps(checked_product(all_rows(s), s["cols"], "grid"), s["steps"]);
    return {{"state of even times", Role::inout, bytes, Element<T>::poison},
            {"state of odd times", Role::inout, bytes, Element<T>::poison},
            {"kind", Role::input, 2 * sizeof(std::int32_t)}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {bind_matrix<T>(buffers[0], all_rows(s), s["cols"], s["pad"]),
            bind_matrix<T>(buffers[1], all_rows(s), s["cols"], s["pad"]),
            {reinterpret_cast<const std::int32_t*>(buffers[2]), 2},
            s["planes"],
            s["steps"],
            scratch};
  }

  /// Both states are uniform; that of time -1 is NaN where the equation does not read it.
  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const StencilKind& kind = find_kind(input);
    const Args<> args = bind(s, buffers, {});
    fill_matrix(args.a, "uniform", seed);
    if (kind.update == StencilUpdate::wave)
      fill_matrix(args.b, "uniform", seed + 1);
    else
      for (Index i = 0; i < args.b.rows; ++i)
        std::memset(static_cast<void*>(args.b.data + i * args.b.ld), Element<T>::poison,
                    args.b.ld * sizeof(T));
    const std::int32_t words[] = {static_cast<std::int32_t>(kind.update),
                                  static_cast<std::int32_t>(kind.border)};
    std::memcpy(buffers[2], words, sizeof words);
  }

  static void validate(const Args<>& args) {
    validate_view(args.a, "state of even times");
    validate_view(args.b, "state of odd times");
    if (args.b.rows != args.a.rows || args.b.cols != args.a.cols || args.b.ld != args.a.ld)
      throw Error("stencil: the two states have the same sizes and leading dimension");
    if (args.planes < 0 || args.steps < 0)
      throw Error("stencil: negative planes or steps: " + std::to_string(args.planes) + ", " +
                  std::to_string(args.steps));
    if (args.planes == 0 ? args.a.rows != 0 : args.a.rows % args.planes != 0)
      throw Error("stencil: " + std::to_string(args.a.rows) + " rows are not " + std::to_string(args.planes) +
                  " planes");
    if (args.kind.size != 2 || !args.kind.data) throw Error("stencil: the kind is an update and a border");
    require_steps(static_cast<std::size_t>(args.a.rows * args.a.cols), args.steps);
    validate_disjoint(args.a, "state of even times", args.b, "state of odd times");
    validate_disjoint(args.a, "state of even times", args.kind, "kind");
    validate_disjoint(args.b, "state of odd times", args.kind, "kind");
  }

  static void validate_values(const Args<>& args) {
    for (int i = 0; i < 2; ++i)
      if (args.kind[i] < 0 || args.kind[i] > 2)
        throw Error("stencil: kind " + std::to_string(args.kind[i]) + " is neither an update nor a border");
  }

  /// Compares both states with those of loops over a grid with a rim, for equality.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const StencilKind& kind = find_kind(input);
    const Index points = all_rows(s) * s["cols"];
    std::array<std::vector<T>, 2> state;
    for (int t = 0; t < 2; ++t) {
      state[t].assign(static_cast<std::size_t>(points), std::numeric_limits<T>::quiet_NaN());
      if (t == 0 || kind.update == StencilUpdate::wave)
        for (Index i = 0; i < points; ++i) state[t][i] = matrix_element<T>("uniform", seed + t, i);
    }
    detail::reference_steps<T>(state, {s["planes"], s["rows"], s["cols"]}, s["steps"], kind.update,
                               kind.border);
    // No step writes the state of time 1 where there is none.
    for (int t = 0; t < (s["steps"] > 0 || kind.update == StencilUpdate::wave ? 2 : 1); ++t)
      if (Check result = check_elements<T>(t ? args.b : args.a,
                                           [&](Index i, Index j) { return state[t][i * s["cols"] + j]; });
          !result) {
        result.where = (t ? "odd times " : "even times ") + result.where;
        return result;
      }
    return {};
  }

  /// The unit is a point in a step.
  static Cost cost(const Shape& s) {
    const double points = static_cast<double>(all_rows(s)) * static_cast<double>(s["cols"]);
    const double steps = static_cast<double>(s["steps"]), neighbours = 2 * dimensions(s);
    return {
        .flops = points * steps * (neighbours + 3), .bytes = 3 * sizeof(T) * points, .keys = points * steps};
  }

  static int dimensions(const Shape& s) { return s["planes"] > 1 ? 3 : s["rows"] > 1 ? 2 : 1; }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index cols, Index rows, Index planes, Index steps) {
      shapes.push_back({{"cols", cols},
                        {"rows", rows},
                        {"planes", planes},
                        {"steps", steps},
                        {"pad", (cols + rows) % 3 * 5}});
    };
    for (Index n : {0, 1, 2, 3, 5, 16, 17, 67}) add(n, 1, 1, 5), add(n, n, 1, 4);
    for (Index n : {2, 3, 7, 19}) add(n, n, n, 6);
    add(9, 7, 2, 0), add(9, 8, 1, 1), add(1000, 1, 1, 37), add(1, 300, 1, 9), add(5, 2, 70, 8);
    add(131, 67, 1, 41), add(300, 20, 3, 7), add(64, 64, 1, 64), add(33, 21, 18, 13);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {200, 1000, 4000}) shapes.push_back({{"cols", n}, {"rows", n}, {"steps", 50}});
    shapes.push_back({{"cols", 200}, {"rows", 200}, {"planes", 200}, {"steps", 20}});
    return shapes;
  }

 private:
  static Index all_rows(const Shape& s) {
    return static_cast<Index>(checked_product(s["rows"], s["planes"], "rows"));
  }
  static const StencilKind& find_kind(std::string_view input) {
    for (const StencilKind& kind : stencil_kinds)
      if (kind.name == input) return kind;
    throw Error("stencil: no input is called '" + std::string(input) + "'");
  }
  static void require_steps(std::size_t points, Index steps) {
    const std::size_t updates = checked_product(points, static_cast<std::size_t>(steps), "points x steps");
    if (updates > static_cast<std::size_t>(std::numeric_limits<Index>::max()) ||
        steps > std::numeric_limits<Index>::max() / 64)
      throw Error("stencil: " + std::to_string(points) + " points x " + std::to_string(steps) +
                  " steps overflow");
  }
};

}  // namespace tallcache
