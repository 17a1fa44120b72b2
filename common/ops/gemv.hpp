// y = A x. A is m x n, row-major with a padded leading dimension.
#pragma once

#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"

namespace tallcache {

template <class T>
struct Gemv {
  static constexpr std::string_view name = "gemv", element = Element<T>::name;
  static constexpr std::string_view what = "y = A x; A is m x n, row-major";
  static constexpr Rate rate = Rate::gb_per_s;
  static constexpr DimSpec dims[] = {
      {"m", "rows"}, {"n", "columns"}, {"pad", "leading dimension minus columns", 0}};
  static constexpr std::span<const std::string_view> inputs = matrix_inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<T, Access> y;
    MatrixView<const T, Access> a;
    VectorView<const T, Access> x;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {y.with(other), a.with(other), x.with(other), scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.y, args.a, args.x); }

  static Shape shape_of(const Args<>& args) {
    return {{"m", args.a.rows}, {"n", args.a.cols}, {"pad", args.a.ld - args.a.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"y", Role::output, checked_product(s["m"], sizeof(T), "y"), Element<T>::poison},
            {"A", Role::input, matrix_bytes<T>(s["m"], s["n"], s["pad"])},
            {"x", Role::input, checked_product(s["n"], sizeof(T), "x")}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {{reinterpret_cast<T*>(buffers[0]), s["m"]},
            bind_matrix<T>(buffers[1], s["m"], s["n"], s["pad"]),
            {reinterpret_cast<T*>(buffers[2]), s["n"]},
            scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill_matrix(bind_matrix<T>(buffers[1], s["m"], s["n"], s["pad"]), input, seed);
    T* x = reinterpret_cast<T*>(buffers[2]);
    for (Index j = 0; j < s["n"]; ++j) x[j] = matrix_element<T>(input, seed + 1, j);
  }

  static void validate(const Args<>& args) {
    validate_view(args.a, "A");
    if (args.y.size != args.a.rows || args.x.size != args.a.cols)
      throw Error("gemv: y has " + std::to_string(args.y.size) + " elements and x " +
                  std::to_string(args.x.size) + ", A is " + std::to_string(args.a.rows) + " x " +
                  std::to_string(args.a.cols));
    if ((args.y.size && !args.y.data) || (args.x.size && !args.x.data)) throw Error("gemv: no data");
    validate_disjoint(args.y, "y", args.a, "A");
    validate_disjoint(args.y, "y", args.x, "x");
  }

  /// Compares every element with a sum of wider type. The bound is that of a sum of n products in any order,
  /// (n + 2) eps |A| |x|; it is zero for whole numbers.
  static Check check(const Shape&, std::string_view input, std::uint64_t, const Args<>& args) {
    using Wide = typename Element<T>::Wide;
    const bool exact = Element<T>::is_exact || input == "integers";
    for (Index i = 0; i < args.a.rows; ++i) {
      Wide sum{}, magnitude{};
      for (Index j = 0; j < args.a.cols; ++j) {
        const Wide product = static_cast<Wide>(args.a(i, j)) * args.x[j];
        sum += product;
        magnitude += product < 0 ? -product : product;
      }
      const double bound =
          exact ? 0 : (args.a.cols + 2) * Element<T>::epsilon * static_cast<double>(magnitude);
      if (!within(args.y[i], static_cast<double>(sum), bound))
        return Check::wrong("y[" + std::to_string(i) + "]", digits(static_cast<T>(sum)), digits(args.y[i]));
    }
    return {};
  }

  static Cost cost(const Shape& s) {
    const double m = s["m"], n = s["n"];
    return {.flops = 2 * m * n, .bytes = (m * n + m + n) * sizeof(T)};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index m, Index n, Index pad = 0) {
      shapes.push_back({{"m", m}, {"n", n}, {"pad", pad}});
    };
    for (Index n : {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 509}) add(n, n);
    add(0, 9), add(9, 0), add(1, 1000), add(1000, 1), add(300, 200, 5), add(33, 65, 7), add(7, 4097),
        add(4097, 7);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {256, 1024, 4096}) shapes.push_back({{"m", n}, {"n", n}, {"pad", 0}});
    return shapes;
  }
};

}  // namespace tallcache
