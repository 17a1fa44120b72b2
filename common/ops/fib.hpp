// The n-th Fibonacci number by its doubly recursive definition, which measures the cost of a fork.
#pragma once

#include <cstdint>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"

namespace tallcache {

struct Fib {
  using Number = std::uint64_t;
  static constexpr std::string_view name = "fib", element = Element<Number>::name;
  static constexpr std::string_view what = "the n-th Fibonacci number by its definition, F(n - 1) + F(n - 2)";
  static constexpr Rate rate = Rate::mcalls_per_s;
  static constexpr DimSpec dims[] = {{"n", "which one, from F(0) = 0 and F(1) = 1"}};
  static constexpr std::string_view inputs[] = {"none"};
  /// F(92) is the last one that fits into the slides' `long`.
  static constexpr Index largest = 92;

  template <class Access = Plain>
  struct Args {
    VectorView<Number, Access> out;  ///< one number
    Index n = 0;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), n, scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"n", args.n}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    require(s["n"]);
    return {{"F(n)", Role::output, sizeof(Number), Element<Number>::poison}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {{reinterpret_cast<Number*>(buffers[0]), 1}, s["n"], scratch};
  }

  static void fill(const Shape&, std::string_view, std::uint64_t, std::span<std::byte* const>) {}

  static void validate(const Args<>& args) {
    require(args.n);
    if (args.out.size != 1 || !args.out.data) throw Error("fib: the output is one number");
  }

  /// Compares with the result of n additions.
  static Check check(const Shape& s, std::string_view, std::uint64_t, const Args<>& args) {
    const Number expected = pair(s["n"]).current, got = args.out[0];
    return got == expected ? Check{} : Check::wrong("F(n)", digits(expected), digits(got));
  }

  /// The number of calls of the definition: 2 F(n + 1) - 1.
  static Cost cost(const Shape& s) {
    return {.bytes = sizeof(Number), .keys = 2 * static_cast<double>(pair(s["n"]).next) - 1};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n = 0; n <= 23; ++n) shapes.push_back({{"n", n}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {25, 30, 35}) shapes.push_back({{"n", n}});
    return shapes;
  }

 private:
  struct Pair {
    Number current, next;
  };
  static Pair pair(Index n) {
    Pair f{0, 1};
    for (; n > 0; --n) f = {f.next, f.current + f.next};
    return f;
  }

  static void require(Index n) {
    if (n < 0 || n > largest)
      throw Error("fib: n=" + std::to_string(n) + " is not from 0 to " + std::to_string(largest) +
                  (n < 0 ? "" : ": the result overflows"));
  }
};

}  // namespace tallcache
