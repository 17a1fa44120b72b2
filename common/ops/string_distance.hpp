// Two strings compared, in O(m + n) memory: their edit distance (Levenshtein 1966), or the length of their
// longest common subsequence (Wagner and Fischer 1974).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/in_parts.hpp"
#include "common/ops/edit_distance.hpp"
#include "common/ops/strings.hpp"

namespace tallcache {

namespace detail {
/// The length of the longest common subsequence by Allison and Dix 1986: a row of the tableau as the bits of
/// where it grows. Each letter of `a` leads to the next row by a subtraction.
inline Index common_subsequence_by_rows(VectorView<const std::uint8_t> a, VectorView<const std::uint8_t> b) {
  const Index words = (b.size + 63) / 64;
  std::array<std::vector<std::uint64_t>, 256> equal;
  for (auto& letter : equal) letter.assign(words, 0);
  for (Index j = 0; j < b.size; ++j) equal[b[j]][j / 64] |= std::uint64_t{1} << (j % 64);
  std::vector<std::uint64_t> grows(words, 0);
  for (Index i = 0; i < a.size; ++i) {
    std::uint64_t shifted_in = 1, borrow = 0;
    for (Index w = 0; w < words; ++w) {
      const std::uint64_t any = equal[a[i]][w] | grows[w], shifted = grows[w] << 1 | shifted_in;
      shifted_in = grows[w] >> 63;
      const std::uint64_t difference = any - shifted - borrow;
      borrow = any < shifted || (borrow && any == shifted);
      grows[w] = any & (difference ^ any);
    }
  }
  Index length = 0;
  for (const std::uint64_t word : grows) length += std::popcount(word);
  return length;
}

/// The edit distance by BitParallelRows, the blocks of an anti-diagonal on all threads.
inline Index edit_distance_by_rows(VectorView<const std::uint8_t> a, VectorView<const std::uint8_t> b) {
  constexpr Index letters = 4096, words = 256;
  BitParallelRows row(b);
  std::vector<std::int8_t> carry(a.size, 1);
  const Index down = ceil_div(a.size, letters), along = ceil_div(row.words(), words);
  for (Index diagonal = 0; diagonal < down + along - 1; ++diagonal) {
    const Index first = std::max<Index>(0, diagonal - along + 1), last = std::min(down, diagonal + 1);
    in_parts(last - first, 1, [&](Index begin, Index end) {
      for (Index block = first + begin; block < first + end; ++block)
        for (Index i = block * letters; i < std::min(a.size, (block + 1) * letters); ++i)
          carry[i] = static_cast<std::int8_t>(row.next(a[i], (diagonal - block) * words,
                                                       std::min(row.words(), (diagonal - block + 1) * words),
                                                       carry[i]));
    });
  }
  Index distance = a.size;
  for (Index j = 0; j < b.size; ++j) distance += row.step(j);
  return distance;
}

/// Either of two strings by the plain table, a row at a time.
template <bool common>
Index by_plain_table(VectorView<const std::uint8_t> a, VectorView<const std::uint8_t> b) {
  std::vector<Index> row(b.size + 1);
  for (Index j = 0; j <= b.size; ++j) row[j] = common ? 0 : j;
  for (Index i = 0; i < a.size; ++i) {
    Index diagonal = row[0];
    row[0] = common ? 0 : i + 1;
    for (Index j = 0; j < b.size; ++j) {
      const Index above = row[j + 1], left = row[j];
      row[j + 1] = common ? (a[i] == b[j] ? diagonal + 1 : std::max(above, left))
                          : std::min({above + 1, left + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row[b.size];
}
}  // namespace detail

/// out[0] is the minimum number of insertions, deletions and substitutions that turn `a` into `b`, or with
/// `common` the length of the longest sequence of letters that both have in this order.
template <bool common>
struct StringDistance {
  static constexpr bool is_common_subsequence = common;
  static constexpr std::string_view name = common ? "longest_common_subsequence" : "levenshtein",
                                    element = Element<std::int32_t>::name;
  static constexpr std::string_view what =
      common ? "the length of the longest common subsequence of two strings of m and n letters"
             : "the edit distance of two strings of m and n letters";
  static constexpr Rate rate = Rate::mcells_per_s;
  static constexpr DimSpec dims[] = {{"m", "letters of the first string"},
                                     {"n", "letters of the second string"}};
  static constexpr std::span<const std::string_view> inputs = string_inputs;

  template <class Access = Plain>
  struct Args {
    using Of = StringDistance;
    VectorView<std::int32_t, Access> out;  ///< one element
    VectorView<const std::uint8_t, Access> a, b;
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
    return {{"result", Role::output, sizeof(std::int32_t), Element<std::int32_t>::poison},
            {"first string", Role::input, static_cast<std::size_t>(s["m"])},
            {"second string", Role::input, static_cast<std::size_t>(s["n"])}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const auto string = [&](int b, Index size) {
      return VectorView<const std::uint8_t>{reinterpret_cast<const std::uint8_t*>(buffers[b]), size};
    };
    return {{reinterpret_cast<std::int32_t*>(buffers[0]), 1}, string(1, s["m"]), string(2, s["n"]), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill_strings(input, seed, reinterpret_cast<std::uint8_t*>(buffers[1]), s["m"],
                 reinterpret_cast<std::uint8_t*>(buffers[2]), s["n"]);
  }

  static void validate(const Args<>& args) {
    validate_string(args.a, "first string");
    validate_string(args.b, "second string");
    if (args.out.size != 1 || !args.out.data) throw Error(std::string(name) + ": the result is no element");
    validate_disjoint(args.out, "result", args.a, "first string");
    validate_disjoint(args.out, "result", args.b, "second string");
  }

  /// Compares with the plain table of short strings, which takes less than the masks of all letters do, and
  /// with a row of bits at a time of others: in O(m n / 64) time.
  static Check check(const Shape&, std::string_view, std::uint64_t, const Args<>& args) {
    constexpr Index short_cells = 1 << 12;
    const auto expected = static_cast<std::int32_t>(
        args.a.size * args.b.size <= short_cells ? detail::by_plain_table<common>(args.a, args.b)
        : common                                 ? detail::common_subsequence_by_rows(args.a, args.b)
                                                 : detail::edit_distance_by_rows(args.a, args.b));
    if (args.out[0] == expected) return {};
    return Check::wrong("result", digits(expected), digits(std::int32_t(args.out[0])));
  }

  static Cost cost(const Shape& s) {
    const double m = s["m"], n = s["n"];
    return {.bytes = sizeof(std::int32_t) + m + n, .keys = m * n};
  }

  /// A tile of the fastest variant has 1024 rows, its words 64.
  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index m, Index n) { shapes.push_back({{"m", m}, {"n", n}}); };
    for (Index n : {0, 1, 2, 31, 63, 64, 65, 127, 129, 509, 1023, 1025, 2500}) add(n, n);
    add(0, 9), add(9, 0), add(1, 1000), add(1000, 1), add(3, 2200), add(2200, 3), add(1500, 2061);
    add(6007, 5003);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {1000, 10000, 100000}) shapes.push_back({{"m", n}, {"n", n}});
    shapes.push_back({{"m", 10007}, {"n", 40009}});
    return shapes;
  }
};

using LevenshteinDistance = StringDistance<false>;
using LongestCommonSubsequence = StringDistance<true>;

}  // namespace tallcache
