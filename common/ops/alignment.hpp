// Two strings aligned: the edits that turn one into the other, as few as can be (Wagner and Fischer 1974).
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "common/ops/string_distance.hpp"

namespace tallcache {

/// The operations of an edit script, as in extended CIGAR strings. Those that take a letter of `b` that `a`
/// has not are insertions.
enum class Edit : std::uint8_t { match = '=', substitution = 'X', insertion = 'I', deletion = 'D' };

/// out[0] is the edit distance of `a` and `b`; the first out[1] elements of `script` are the
/// operations that turn `a` into `b`, from their first letters on. What is behind them is unspecified.
struct Alignment {
  static constexpr std::string_view name = "alignment", element = Element<std::int32_t>::name;
  static constexpr std::string_view what =
      "the edit distance of two strings of m and n letters, and the edits, in O(m + n) memory";
  static constexpr Rate rate = Rate::mcells_per_s;
  static constexpr DimSpec dims[] = {{"m", "letters of the first string"},
                                     {"n", "letters of the second string"}};
  static constexpr std::span<const std::string_view> inputs = string_inputs;

  template <class Access = Plain>
  struct Args {
    VectorView<std::int32_t, Access> out;     ///< two elements
    VectorView<std::uint8_t, Access> script;  ///< m + n elements
    VectorView<const std::uint8_t, Access> a, b;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), script.with(other), a.with(other), b.with(other), scratch.with(other)};
    }
  };

  /// The views onto buffers(), in their order.
  static auto views(auto& args) { return std::tie(args.out, args.script, args.a, args.b); }

  static Shape shape_of(const Args<>& args) { return {{"m", args.a.size}, {"n", args.b.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const auto m = static_cast<std::size_t>(s["m"]), n = static_cast<std::size_t>(s["n"]);
    return {{"result", Role::output, 2 * sizeof(std::int32_t), Element<std::int32_t>::poison},
            {"script", Role::output, checked_sum(m, n, "script")},
            {"first string", Role::input, m},
            {"second string", Role::input, n}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const auto letters = [&](int b) { return reinterpret_cast<std::uint8_t*>(buffers[b]); };
    return {{reinterpret_cast<std::int32_t*>(buffers[0]), 2},
            {letters(1), s["m"] + s["n"]},
            {letters(2), s["m"]},
            {letters(3), s["n"]},
            scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill_strings(input, seed, reinterpret_cast<std::uint8_t*>(buffers[2]), s["m"],
                 reinterpret_cast<std::uint8_t*>(buffers[3]), s["n"]);
  }

  static void validate(const Args<>& args) {
    validate_string(args.a, "first string");
    validate_string(args.b, "second string");
    if (args.out.size != 2 || !args.out.data) throw Error("alignment: the result is not two elements");
    if (args.script.size != args.a.size + args.b.size || (args.script.size && !args.script.data))
      throw Error("alignment: the script of strings of " + std::to_string(args.a.size) + " and " +
                  std::to_string(args.b.size) + " letters is not one of " + std::to_string(args.script.size));
    validate_disjoint(args.out, "result", args.script, "script");
    for (const auto& string : {args.a, args.b}) {
      validate_disjoint(args.out, "result", string, "string");
      validate_disjoint(args.script, "script", string, "string");
    }
  }

  /// Replays the script, and compares its cost with the distance that a row of bits at a time finds.
  static Check check(const Shape&, std::string_view, std::uint64_t, const Args<>& args) {
    const Index operations = args.out[1], m = args.a.size, n = args.b.size;
    if (operations < 0 || operations > m + n)
      return Check::wrong("number of operations", "at most " + std::to_string(m + n),
                          std::to_string(operations));
    Index i = 0, j = 0, cost = 0;
    for (Index s = 0; s < operations; ++s) {
      const auto edit = static_cast<Edit>(args.script[s]);
      const bool takes_a = edit != Edit::insertion, takes_b = edit != Edit::deletion;
      const bool diagonal = edit == Edit::match || edit == Edit::substitution;
      const std::string at = "operation " + std::to_string(s), got(1, static_cast<char>(edit));
      if (!diagonal && takes_a && takes_b) return Check::wrong(at, "one of =XID", got);
      if (i + takes_a > m || j + takes_b > n) return Check::wrong(at, "one that has a letter", got);
      if (diagonal && (args.a[i] == args.b[j]) != (edit == Edit::match))
        return Check::wrong(at, args.a[i] == args.b[j] ? "=" : "X", got);
      i += takes_a, j += takes_b, cost += edit != Edit::match;
    }
    if (i != m || j != n) return Check::wrong("end of the script", position(m, n), position(i, j));
    const Index expected = detail::edit_distance_by_rows(args.a, args.b);
    if (cost != expected) return Check::wrong("edits", std::to_string(expected), std::to_string(cost));
    if (args.out[0] != expected)
      return Check::wrong("distance", std::to_string(expected), std::to_string(args.out[0]));
    return {};
  }

  static Cost cost(const Shape& s) {
    const double m = s["m"], n = s["n"];
    return {.bytes = 2 * sizeof(std::int32_t) + 2 * (m + n), .keys = m * n};
  }

  static std::vector<Shape> test_shapes() { return LevenshteinDistance::test_shapes(); }
  static std::vector<Shape> bench_shapes() { return LevenshteinDistance::bench_shapes(); }
};

}  // namespace tallcache
