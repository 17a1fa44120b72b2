// B = A^T, and the same in place for a square matrix. A is m x n, B n x m, row-major with padded
// leading dimensions.
#pragma once

#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"

namespace tallcache {

namespace detail {
/// Checks that out(j, i) is the seeded input's element (i, j).
template <class T>
Check check_transposed(MatrixView<const T> out, std::string_view input, std::uint64_t seed) {
  return check_elements(out,
                        [&](Index i, Index j) { return matrix_element<T>(input, seed, j * out.rows + i); });
}
}  // namespace detail

template <class T>
struct Transpose {
  static constexpr std::string_view name = "transpose", element = Element<T>::name;
  static constexpr std::string_view what = "B = A^T; A is m x n, B n x m, row-major";
  static constexpr Rate rate = Rate::gb_per_s;
  static constexpr DimSpec dims[] = {
      {"m", "rows of A"}, {"n", "columns of A"}, {"pad", "leading dimension minus columns", 0}};
  static constexpr std::span<const std::string_view> inputs = matrix_inputs;

  template <class Access = Plain>
  struct Args {
    MatrixView<T, Access> b;
    MatrixView<const T, Access> a;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {b.with(other), a.with(other), scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.b, args.a); }

  static Shape shape_of(const Args<>& args) {
    return {{"m", args.a.rows}, {"n", args.a.cols}, {"pad", args.a.ld - args.a.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"B", Role::output, matrix_bytes<T>(s["n"], s["m"], s["pad"]), Element<T>::poison},
            {"A", Role::input, matrix_bytes<T>(s["m"], s["n"], s["pad"])}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {bind_matrix<T>(buffers[0], s["n"], s["m"], s["pad"]),
            bind_matrix<T>(buffers[1], s["m"], s["n"], s["pad"]), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill_matrix(bind_matrix<T>(buffers[1], s["m"], s["n"], s["pad"]), input, seed);
  }

  static void validate(const Args<>& args) {
    validate_view(args.b, "B");
    validate_view(args.a, "A");
    if (args.b.rows != args.a.cols || args.b.cols != args.a.rows)
      throw Error("transpose: the transpose of " + std::to_string(args.a.rows) + " x " +
                  std::to_string(args.a.cols) + " does not fit into " + std::to_string(args.b.rows) + " x " +
                  std::to_string(args.b.cols));
    validate_disjoint(args.b, "B", args.a, "A");
  }

  static Check check(const Shape&, std::string_view input, std::uint64_t seed, const Args<>& args) {
    return detail::check_transposed<T>(args.b, input, seed);
  }

  static Cost cost(const Shape& s) { return {.bytes = 2.0 * sizeof(T) * s["m"] * s["n"]}; }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index m, Index n, Index pad = 0) {
      shapes.push_back({{"m", m}, {"n", n}, {"pad", pad}});
    };
    for (Index n : {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 127, 128, 129, 255, 256, 257, 509})
      add(n, n);
    add(0, 9), add(9, 0), add(1, 257), add(257, 1), add(2, 1000), add(1000, 2), add(31, 65), add(129, 33);
    add(64, 256), add(300, 200), add(16, 16, 1), add(33, 65, 7), add(128, 128, 16), add(1, 1, 3),
        add(67, 41, 9);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {256, 1024, 4096, 5000}) shapes.push_back({{"m", n}, {"n", n}, {"pad", 0}});
    shapes.push_back({{"m", 2003}, {"n", 6007}, {"pad", 0}});
    return shapes;
  }
};

/// A = A^T for a square A.
template <class T>
struct TransposeInPlace {
  static constexpr std::string_view name = "transpose_in_place", element = Element<T>::name;
  static constexpr std::string_view what = "A = A^T; A is n x n, row-major";
  static constexpr Rate rate = Rate::gb_per_s;
  static constexpr DimSpec dims[] = {{"n", "rows and columns of A"},
                                     {"pad", "leading dimension minus columns", 0}};
  static constexpr std::span<const std::string_view> inputs = matrix_inputs;

  template <class Access = Plain>
  struct Args {
    MatrixView<T, Access> a;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), scratch.with(other)};
    }
  };

  static auto views(auto& args) { return std::tie(args.a); }

  static Shape shape_of(const Args<>& args) { return {{"n", args.a.rows}, {"pad", args.a.ld - args.a.cols}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"A", Role::inout, matrix_bytes<T>(s["n"], s["n"], s["pad"]), Element<T>::poison}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {bind_matrix<T>(buffers[0], s["n"], s["n"], s["pad"]), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill_matrix(bind_matrix<T>(buffers[0], s["n"], s["n"], s["pad"]), input, seed);
  }

  static void validate(const Args<>& args) {
    validate_view(args.a, "A");
    if (args.a.rows != args.a.cols)
      throw Error("transpose_in_place: " + std::to_string(args.a.rows) + " x " + std::to_string(args.a.cols) +
                  " is not square");
  }

  static Check check(const Shape&, std::string_view input, std::uint64_t seed, const Args<>& args) {
    return detail::check_transposed<T>(args.a, input, seed);
  }

  static Cost cost(const Shape& s) { return {.bytes = 2.0 * sizeof(T) * s["n"] * s["n"]}; }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 127, 128, 129, 255, 256, 257, 509})
      for (Index pad : {0, 5}) shapes.push_back({{"n", n}, {"pad", pad}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {256, 1024, 4096, 5000}) shapes.push_back({{"n", n}, {"pad", 0}});
    return shapes;
  }
};

}  // namespace tallcache
