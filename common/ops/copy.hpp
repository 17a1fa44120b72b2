// B = A, the reference of every operation that moves data. A and B are m x n, row-major with padded
// leading dimensions.
#pragma once

#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/ops/transpose.hpp"

namespace tallcache {

template <class T>
struct Copy {
  static constexpr std::string_view name = "copy", element = Element<T>::name;
  static constexpr std::string_view what = "B = A; A and B are m x n, row-major";
  static constexpr Rate rate = Rate::gb_per_s;
  static constexpr DimSpec dims[] = {
      {"m", "rows"}, {"n", "columns"}, {"pad", "leading dimension minus columns", 0}};
  static constexpr std::span<const std::string_view> inputs = matrix_inputs;

  template <class Access = Plain>
  using Args = typename Transpose<T>::template Args<Access>;

  static auto views(auto& args) { return Transpose<T>::views(args); }
  static Shape shape_of(const Args<>& args) { return Transpose<T>::shape_of(args); }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const std::size_t bytes = matrix_bytes<T>(s["m"], s["n"], s["pad"]);
    return {{"B", Role::output, bytes, Element<T>::poison}, {"A", Role::input, bytes}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {bind_matrix<T>(buffers[0], s["m"], s["n"], s["pad"]),
            bind_matrix<T>(buffers[1], s["m"], s["n"], s["pad"]), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    Transpose<T>::fill(s, input, seed, buffers);
  }

  static void validate(const Args<>& args) {
    validate_view(args.b, "B");
    validate_view(args.a, "A");
    if (args.b.rows != args.a.rows || args.b.cols != args.a.cols)
      throw Error("copy: " + std::to_string(args.a.rows) + " x " + std::to_string(args.a.cols) +
                  " does not fit into " + std::to_string(args.b.rows) + " x " + std::to_string(args.b.cols));
    validate_disjoint(args.b, "B", args.a, "A");
  }

  static Check check(const Shape&, std::string_view input, std::uint64_t seed, const Args<>& args) {
    return check_elements<T>(
        args.b, [&](Index i, Index j) { return matrix_element<T>(input, seed, i * args.b.cols + j); });
  }

  static Cost cost(const Shape& s) { return Transpose<T>::cost(s); }
  static std::vector<Shape> test_shapes() { return Transpose<T>::test_shapes(); }
  static std::vector<Shape> bench_shapes() { return Transpose<T>::bench_shapes(); }
};

}  // namespace tallcache
