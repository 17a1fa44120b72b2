// StringDistance of each of a batch of pairs of strings.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "common/ops/string_distance.hpp"

namespace tallcache {

/// out[p] is the result of StringDistance for pair p. The letters of the first strings lie one behind the
/// other, those of pair p from a_begin[p] up to a_begin[p + 1], and so do those of the second strings.
template <bool common>
struct StringDistanceBatched {
  using One = StringDistance<common>;
  static constexpr bool is_common_subsequence = common;
  static constexpr std::string_view name =
      common ? "longest_common_subsequence_batched" : "levenshtein_batched";
  static constexpr std::string_view element = One::element;
  static constexpr std::string_view what =
      common ? "the length of the longest common subsequence of each pair of strings of a batch"
             : "the edit distance of each pair of strings of a batch";
  static constexpr Rate rate = Rate::mcells_per_s;
  static constexpr DimSpec dims[] = {
      {"m", "the most letters of a first string; the least are three quarters"},
      {"n", "the most letters of a second string"},
      {"pairs", "pairs of strings", 1}};
  static constexpr std::span<const std::string_view> inputs = string_inputs;

  template <class Access = Plain>
  struct Args {
    using Of = StringDistanceBatched;
    VectorView<std::int32_t, Access> out;
    VectorView<const std::uint8_t, Access> a, b;
    VectorView<const std::uint32_t, Access> a_begin, b_begin;  ///< one more than there are pairs
    Index m, n;  ///< no first string has more than m letters, no second one more than n
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {
          out.with(other),    a.with(other), b.with(other), a_begin.with(other), b_begin.with(other), m, n,
          scratch.with(other)};
    }

    VectorView<const std::uint8_t, Access> first(Index p) const { return string(a, a_begin, p); }
    VectorView<const std::uint8_t, Access> second(Index p) const { return string(b, b_begin, p); }

   private:
    static auto string(auto letters, auto begin, Index p) {
      const std::uint32_t from = begin[p], to = begin[p + 1];
      return letters.block(from, Index{to} - from);
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.out, args.a, args.b, args.a_begin, args.b_begin); }

  static Shape shape_of(const Args<>& args) {
    return {{"m", args.m}, {"n", args.n}, {"pairs", args.out.size}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const Index pairs = s["pairs"];
    const auto letters = [&](Index size) {
      const std::size_t all = checked_product(pairs, size, "letters");
      if (all > std::numeric_limits<std::uint32_t>::max())
        throw Error(std::string(name) + ": more than 2^32 letters");
      return all;
    };
    const std::size_t begins = static_cast<std::size_t>(pairs + 1) * sizeof(std::uint32_t);
    return {{"results", Role::output, pairs * sizeof(std::int32_t), Element<std::int32_t>::poison},
            {"first strings", Role::input, letters(s["m"])},
            {"second strings", Role::input, letters(s["n"])},
            {"beginnings of first strings", Role::input, begins},
            {"beginnings of second strings", Role::input, begins}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const Index pairs = s["pairs"], m = s["m"], n = s["n"];
    const auto letters = [&](int b, Index size) {
      return VectorView<const std::uint8_t>{reinterpret_cast<const std::uint8_t*>(buffers[b]), pairs * size};
    };
    const auto begins = [&](int b) {
      return VectorView<const std::uint32_t>{reinterpret_cast<const std::uint32_t*>(buffers[b]), pairs + 1};
    };
    return {{reinterpret_cast<std::int32_t*>(buffers[0]), pairs},
            letters(1, m),
            letters(2, n),
            begins(3),
            begins(4),
            m,
            n,
            scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const auto letters = [&](int b) { return reinterpret_cast<std::uint8_t*>(buffers[b]); };
    const auto begins = [&](int b) { return reinterpret_cast<std::uint32_t*>(buffers[b]); };
    std::uint32_t *a_begin = begins(3), *b_begin = begins(4);
    a_begin[0] = b_begin[0] = 0;
    for (Index p = 0; p < s["pairs"]; ++p) {
      // Both strings of a pair are shortened by the same part.
      constexpr Index whole = 1 << 16;
      const auto cut = static_cast<Index>(random_up_to(seed, p, whole / 4));
      const Index m = s["m"] - s["m"] * cut / whole, n = s["n"] - s["n"] * cut / whole;
      fill_strings(input, random_bits(seed + 1, p), letters(1) + a_begin[p], m, letters(2) + b_begin[p], n);
      a_begin[p + 1] = a_begin[p] + static_cast<std::uint32_t>(m);
      b_begin[p + 1] = b_begin[p] + static_cast<std::uint32_t>(n);
    }
  }

  static void validate(const Args<>& args) {
    validate_string({args.a.data, std::min<Index>(args.a.size, args.m)}, "first strings");
    validate_string({args.b.data, std::min<Index>(args.b.size, args.n)}, "second strings");
    if (args.m < 0 || args.n < 0) throw Error(std::string(name) + ": negative sizes");
    if (args.out.size < 0 || (args.out.size && !args.out.data))
      throw Error(std::string(name) + ": results of no data");
    const VectorView<const std::uint32_t> begins[] = {args.a_begin, args.b_begin};
    for (const auto& begin : begins)
      if (begin.size != args.out.size + 1 || !begin.data)
        throw Error(std::string(name) + ": " + std::to_string(args.out.size) + " pairs have " +
                    std::to_string(args.out.size + 1) + " beginnings, not " + std::to_string(begin.size));
    validate_disjoint(args.out, "results", args.a, "first strings");
    validate_disjoint(args.out, "results", args.b, "second strings");
    validate_disjoint(args.out, "results", args.a_begin, "beginnings of first strings");
    validate_disjoint(args.out, "results", args.b_begin, "beginnings of second strings");
  }

  static void validate_values(const Args<>& args) {
    validate_begins(args.a_begin, args.a.size, args.m, "first string ");
    validate_begins(args.b_begin, args.b.size, args.n, "second string ");
  }

  /// Each pair as StringDistance's.
  static Check check(const Shape& s, std::string_view input, std::uint64_t seed, const Args<>& args) {
    return first_wrong(args.out.size, rows_of_part(s["m"]), [&](Index first, Index last) -> Check {
      for (Index p = first; p < last; ++p) {
        const typename One::template Args<> one{args.out.block(p, 1), args.first(p), args.second(p)};
        if (Check check = One::check(s, input, seed, one); !check) {
          check.where = "pair " + std::to_string(p);
          return check;
        }
      }
      return {};
    });
  }

  /// The strings are as long as they may be.
  static Cost cost(const Shape& s) {
    const Cost one = One::cost(s);
    const auto pairs = static_cast<double>(s["pairs"]);
    return {.bytes = pairs * (one.bytes + 2 * sizeof(std::uint32_t)), .keys = pairs * one.keys};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index m, Index n, Index pairs) {
      shapes.push_back({{"m", m}, {"n", n}, {"pairs", pairs}});
    };
    for (Index pairs : {1, 7, 8, 9, 67, 0}) add(100, 100, pairs);
    add(0, 5, 9), add(5, 0, 9), add(1, 1, 300), add(64, 65, 17), add(129, 63, 33), add(1000, 1000, 20);
    add(500, 1200, 9);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {100, 300, 1000}) shapes.push_back({{"m", n}, {"n", n}, {"pairs", 2000}});
    return shapes;
  }

 private:
  static void validate_begins(VectorView<const std::uint32_t> begin, Index letters, Index most,
                              std::string_view what) {
    for (Index p = 0; p + 1 < begin.size; ++p)
      if (begin[p] > begin[p + 1] || begin[p + 1] > letters || begin[p + 1] - begin[p] > most)
        throw Error(std::string(name) + ": " + std::string(what) + std::to_string(p) + " is from letter " +
                    std::to_string(begin[p]) + " to " + std::to_string(begin[p + 1]) + " of " +
                    std::to_string(letters) + ", and may have " + std::to_string(most));
  }
};

using LevenshteinBatched = StringDistanceBatched<false>;
using LongestCommonSubsequenceBatched = StringDistanceBatched<true>;

}  // namespace tallcache
