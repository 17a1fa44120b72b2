// b[i] = a[n - 1 - i] for every i.
#pragma once

#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"

namespace tallcache {

template <class T>
struct Reverse {
  static constexpr std::string_view name = "reverse", element = Element<T>::name;
  static constexpr std::string_view what = "b[i] = a[n - 1 - i]; n elements";
  static constexpr Rate rate = Rate::gb_per_s;
  static constexpr DimSpec dims[] = {{"n", "number of elements"}};
  static constexpr std::span<const std::string_view> inputs = matrix_inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<T, Access> b;
    VectorView<const T, Access> a;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {b.with(other), a.with(other), scratch.with(other)};
    }
  };

  static auto views(auto& args) { return std::tie(args.b, args.a); }

  static Shape shape_of(const Args<>& args) { return {{"n", args.a.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const std::size_t bytes = checked_product(s["n"], sizeof(T), "reverse");
    return {{"b", Role::output, bytes, Element<T>::poison}, {"a", Role::input, bytes}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {{reinterpret_cast<T*>(buffers[0]), s["n"]},
            {reinterpret_cast<const T*>(buffers[1]), s["n"]},
            scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    T* a = reinterpret_cast<T*>(buffers[1]);
    for (Index i = 0; i < s["n"]; ++i) a[i] = matrix_element<T>(input, seed, i);
  }

  static void validate(const Args<>& args) {
    if (args.a.size < 0) throw Error("a: negative size " + std::to_string(args.a.size));
    if (args.b.size != args.a.size) throw Error("reverse: a and b differ in size");
    if (args.a.size && (!args.a.data || !args.b.data)) throw Error("reverse: no data");
  }

  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    for (Index i = 0; i < s["n"]; ++i) {
      const T expected = matrix_element<T>(input, seed, s["n"] - 1 - i);
      if (!(args.b[i] == expected))
        return Check::wrong("b[" + std::to_string(i) + "]", digits(expected), digits(args.b[i]));
    }
    return {};
  }

  static Cost cost(const Shape& s) { return {.bytes = 2.0 * sizeof(T) * s["n"]}; }

  static std::vector<Shape> test_shapes() { return {{{"n", 0}}, {{"n", 1}}, {{"n", 2}}, {{"n", 1021}}}; }
  static std::vector<Shape> bench_shapes() { return {{{"n", 100000}}}; }
};

}  // namespace tallcache
