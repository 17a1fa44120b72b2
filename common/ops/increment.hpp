// a[i] = a[i] + b for every i, in place.
#pragma once

#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"

namespace tallcache {

template <class T>
struct Increment {
  static constexpr std::string_view name = "increment", element = Element<T>::name;
  static constexpr std::string_view what = "a[i] = a[i] + b; n elements, b a scalar";
  static constexpr Rate rate = Rate::gb_per_s;
  static constexpr DimSpec dims[] = {{"n", "number of elements"}};
  static constexpr std::span<const std::string_view> inputs = matrix_inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<T, Access> a;
    T b{};
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), b, scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.a); }

  static Shape shape_of(const Args<>& args) { return {{"n", args.a.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"a", Role::inout, checked_product(s["n"], sizeof(T), "increment"), Element<T>::poison}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {{reinterpret_cast<T*>(buffers[0]), s["n"]}, scalar, scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    T* a = reinterpret_cast<T*>(buffers[0]);
    for (Index i = 0; i < s["n"]; ++i) a[i] = matrix_element<T>(input, seed, i);
  }

  static void validate(const Args<>& args) {
    if (args.a.size < 0) throw Error("a: negative size " + std::to_string(args.a.size));
    if (args.a.size && !args.a.data) throw Error("a: no data");
  }

  /// One addition has one rounding: the result is exact.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    for (Index i = 0; i < s["n"]; ++i) {
      const T expected = matrix_element<T>(input, seed, i) + scalar;
      if (!(args.a[i] == expected))
        return Check::wrong("a[" + std::to_string(i) + "]", digits(expected), digits(args.a[i]));
    }
    return {};
  }

  static Cost cost(const Shape& s) {
    return {.flops = static_cast<double>(s["n"]), .bytes = 2.0 * sizeof(T) * s["n"]};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {0, 1, 2, 3, 31, 32, 33, 127, 255, 256, 257, 1021, 65536, 100003})
      shapes.push_back({{"n", n}});
    return shapes;
  }
  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {100000, 10000000}) shapes.push_back({{"n", n}});
    return shapes;
  }

 private:
  static constexpr T scalar = T(3.25);
};

}  // namespace tallcache
