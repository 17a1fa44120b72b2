// The product of two large integers.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// out = a b for integers of m and n limbs, digits to the base 2^32, the least significant first. The product
/// has m + n.
struct IntegerProduct {
  using Limb = std::uint32_t;
  static constexpr std::string_view name = "integer_product", element = Element<Limb>::name;
  static constexpr std::string_view what = "the product of two integers of m and n limbs of 32 bits";
  static constexpr Rate rate = Rate::mcells_per_s;
  static constexpr DimSpec dims[] = {{"m", "limbs of the first integer"},
                                     {"n", "limbs of the second integer"}};
  /// ones: the largest digits; ripple: one carry goes through most limbs of the product.
  static constexpr std::string_view inputs[] = {"random", "ones", "ripple"};

  template <class Access = Plain>
  struct Args {
    using Of = IntegerProduct;
    VectorView<Limb, Access> out;
    VectorView<const Limb, Access> a, b;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), a.with(other), b.with(other), scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.out, args.a, args.b); }

  static Shape shape_of(const Args<>& args) { return {{"m", args.a.size}, {"n", args.b.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const auto bytes = [](Index limbs) { return checked_product(limbs, sizeof(Limb), "limbs"); };
    return {
        {"product", Role::output, checked_sum(bytes(s["m"]), bytes(s["n"]), "limbs"), Element<Limb>::poison},
        {"first factor", Role::input, bytes(s["m"])},
        {"second factor", Role::input, bytes(s["n"])}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const auto limbs = [&](int i) { return reinterpret_cast<Limb*>(buffers[i]); };
    return {{limbs(0), s["m"] + s["n"]}, {limbs(1), s["m"]}, {limbs(2), s["n"]}, scratch};
  }

  /// ripple: (2^(32 m) - 1)(2^(32 (n - 1)) + 2).
  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Index m = s["m"], n = s["n"];
    Limb *a = reinterpret_cast<Limb*>(buffers[1]), *b = reinterpret_cast<Limb*>(buffers[2]);
    const auto random = [](std::uint64_t stream, Index i) {
      return static_cast<Limb>(random_bits(stream, i));
    };
    for (Index i = 0; i < m; ++i) a[i] = input == "random" ? random(seed, i) : ~Limb{};
    for (Index i = 0; i < n; ++i)
      b[i] = input == "random" ? random(seed + 1, i)
             : input == "ones" ? ~Limb{}
                               : 2 * (i == 0) + (i == n - 1);
  }

  static void validate(const Args<>& args) {
    for (const Index size : {args.out.size, args.a.size, args.b.size}) {
      if (size < 0) throw Error("integer_product: negative size " + std::to_string(size));
      checked_product(size, sizeof(Limb), "integer_product");
    }
    if (args.out.size != args.a.size + args.b.size)
      throw Error("integer_product: the product of " + std::to_string(args.a.size) + " and " +
                  std::to_string(args.b.size) + " limbs does not fit into " + std::to_string(args.out.size));
    if ((args.out.size && !args.out.data) || (args.a.size && !args.a.data) || (args.b.size && !args.b.data))
      throw Error("integer_product: no data");
    validate_disjoint(args.out, "product", args.a, "first factor");
    validate_disjoint(args.out, "product", args.b, "second factor");
  }

  /// Small products are compared with the schoolbook's, limb by limb. Of larger ones the remainders by four
  /// random numbers of 31 bits are.
  static Check check(const Shape&, std::string_view, std::uint64_t seed, const Args<>& args) {
    if (args.a.size <= most_checked_by_limb / (args.b.size + 1)) return check_limbs(args);
    for (std::uint64_t trial = 0; trial < 4; ++trial) {
      const std::uint64_t by = random_bits(seed ^ 0x1f7, trial) >> 33 | 1u << 30 | 1;
      const std::uint64_t expected = remainder(args.a, by) * remainder(args.b, by) % by;
      if (const std::uint64_t got = remainder(args.out, by); got != expected)
        return Check::wrong("product modulo " + std::to_string(by), std::to_string(expected),
                            std::to_string(got));
    }
    return {};
  }

  /// In cells, the products of two limbs that the schoolbook adds.
  static Cost cost(const Shape& s) {
    const double m = s["m"], n = s["n"];
    return {.bytes = 2 * sizeof(Limb) * (m + n), .keys = m * n};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index m, Index n) { shapes.push_back({{"m", m}, {"n", n}}); };
    for (Index n : {0, 1, 2, 3, 7, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129}) add(n, n);
    add(0, 5), add(5, 0), add(1, 2), add(7, 1), add(1, 31), add(97, 3), add(3, 61), add(255, 257),
        add(1, 3000);
    add(513, 129), add(700, 1500), add(2049, 2047), add(5003, 1000);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {64, 1000, 16384}) shapes.push_back({{"m", n}, {"n", n}});
    shapes.push_back({{"m", 40009}, {"n", 1009}});
    return shapes;
  }

 private:
  static constexpr Index most_checked_by_limb = Index{1} << 22;

  static Check check_limbs(const Args<>& args) {
    std::vector<Limb> expected(static_cast<std::size_t>(args.out.size), 0);
    for (Index i = 0; i < args.a.size; ++i) {
      std::uint64_t carry = 0;
      for (Index j = 0; j < args.b.size; ++j) {
        carry += std::uint64_t{args.a[i]} * args.b[j] + expected[i + j];
        expected[i + j] = static_cast<Limb>(carry);
        carry >>= 32;
      }
      expected[i + args.b.size] = static_cast<Limb>(carry);
    }
    for (Index i = 0; i < args.out.size; ++i)
      if (args.out[i] != expected[i])
        return Check::wrong("limb " + std::to_string(i), digits(expected[i]), digits(Limb{args.out[i]}));
    return {};
  }

  template <class Limbs>
  static std::uint64_t remainder(const Limbs& limbs, std::uint64_t by) {
    std::uint64_t rest = 0;
    for (Index i = limbs.size; i-- > 0;) rest = (rest << 32 | limbs[i]) % by;
    return rest;
  }
};

}  // namespace tallcache
