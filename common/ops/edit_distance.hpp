// Tableau construction: the edit distances of all prefixes of two strings (Levenshtein 1966; Wagner and
// Fischer 1974).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

namespace detail {
/// The same distances by bit-parallel arithmetic (Myers 1999; Hyyrö 2003). A row of the tableau is stored as
/// the bits of the differences along it, 64 to a word. Each letter of `a` leads from one row to the next.
class BitParallelRows {
 public:
  explicit BitParallelRows(VectorView<const std::uint8_t> b)
      : size_(b.size), words_((b.size + 63) / 64), rises_(words_, ~std::uint64_t{0}), falls_(words_, 0) {
    for (auto& letter : equal_) letter.assign(words_, 0);
    for (Index j = 0; j < size_; ++j) equal_[b[j]][j / 64] |= std::uint64_t{1} << (j % 64);
  }

  Index words() const { return words_; }

  /// Advances to the row of the next letter of `a`.
  void next(std::uint8_t letter) { next(letter, 0, words_, 1); }

  /// Advances words [begin, end) alone, in whose last column it returns the difference of the two rows, given
  /// that in the column before them: of the tableau's first column it is 1.
  int next(std::uint8_t letter, Index begin, Index end, int carry) {
    for (Index w = begin; w < end; ++w) {
      std::uint64_t &rise = rises_[w], &fall = falls_[w], equal = equal_[letter][w];
      const std::uint64_t across = equal | fall;
      equal |= carry < 0;
      const std::uint64_t down = (((equal & rise) + rise) ^ rise) | equal;
      std::uint64_t down_rise = fall | ~(down | rise), down_fall = rise & down;
      const int carry_out = static_cast<int>(down_rise >> 63) - static_cast<int>(down_fall >> 63);
      down_rise = down_rise << 1 | (carry > 0);
      down_fall = down_fall << 1 | (carry < 0);
      rise = down_fall | ~(across | down_rise);
      fall = down_rise & across;
      carry = carry_out;
    }
    return carry;
  }

  /// Distance j + 1 of the row minus distance j: -1, 0 or 1.
  int step(Index j) const {
    return static_cast<int>(rises_[j / 64] >> (j % 64) & 1) -
           static_cast<int>(falls_[j / 64] >> (j % 64) & 1);
  }

 private:
  Index size_, words_;
  std::vector<std::uint64_t> rises_, falls_;
  std::array<std::vector<std::uint64_t>, 256> equal_;
};
}  // namespace detail

/// out(i, j) is the minimum number of insertions, deletions and substitutions that turn the first i letters
/// of `a` into the first j letters of `b`.
struct EditDistance {
  using Cell = std::int32_t;
  using Letter = std::uint8_t;
  static constexpr std::string_view name = "edit_distance", element = Element<Cell>::name;
  static constexpr std::string_view what =
      "the (m+1) x (n+1) tableau of the edit distances of all prefixes of two strings of m and n letters";
  static constexpr Rate rate = Rate::mcells_per_s;
  static constexpr DimSpec dims[] = {{"m", "letters of the first string"},
                                     {"n", "letters of the second string"}};
  /// The strings have four letters each. similar: one edit in twenty letters; disjoint: no letter in common.
  static constexpr std::string_view inputs[] = {"random", "similar", "equal", "disjoint"};

  template <class Access = Plain>
  struct Args {
    MatrixView<Cell, Access> out;
    VectorView<const Letter, Access> a, b;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {out.with(other), a.with(other), b.with(other), scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"m", args.a.size}, {"n", args.b.size}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    require_sizes(s["m"], s["n"]);
    return {{"tableau", Role::output, matrix_bytes<Cell>(s["m"] + 1, s["n"] + 1, 0), Element<Cell>::poison},
            {"first string", Role::input, static_cast<std::size_t>(s["m"])},
            {"second string", Role::input, static_cast<std::size_t>(s["n"])}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const auto string = [&](int b, Index size) {
      return VectorView<const Letter>{reinterpret_cast<const Letter*>(buffers[b]), size};
    };
    return {bind_matrix<Cell>(buffers[0], s["m"] + 1, s["n"] + 1, 0), string(1, s["m"]), string(2, s["n"]),
            scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const auto letter = [](std::uint64_t stream, Index i) {
      return static_cast<Letter>('A' + random_up_to(stream, i, 3));
    };
    Letter *a = reinterpret_cast<Letter*>(buffers[1]), *b = reinterpret_cast<Letter*>(buffers[2]);
    for (Index i = 0; i < s["m"]; ++i) a[i] = letter(seed, i);
    Index from = 0;  // the position in the first string of the next letter of a similar one
    for (Index j = 0; j < s["n"]; ++j) {
      const Letter other = letter(seed + 1, j);
      if (input == "random") {
        b[j] = other;
      } else if (input == "disjoint") {
        b[j] = static_cast<Letter>(other + 4);
      } else if (input == "equal") {
        b[j] = letter(seed, j);
      } else {
        const std::uint64_t edit = random_up_to(seed + 2, j, 59);
        b[j] = edit < 2 ? other : letter(seed, from);  // 0: inserted, 1: substituted, 2: behind a deleted one
        from += edit == 0 ? 0 : edit == 2 ? 2 : 1;
      }
    }
  }

  static void validate(const Args<>& args) {
    validate_view(args.out, "tableau");
    for (const auto& string : {args.a, args.b}) {
      if (string.size < 0) throw Error("edit_distance: negative size " + std::to_string(string.size));
      if (string.size && !string.data) throw Error("edit_distance: a string of no data");
    }
    require_sizes(args.a.size, args.b.size);
    if (args.out.rows != args.a.size + 1 || args.out.cols != args.b.size + 1)
      throw Error("edit_distance: the tableau of strings of " + std::to_string(args.a.size) + " and " +
                  std::to_string(args.b.size) + " letters is not " + std::to_string(args.out.rows) + " x " +
                  std::to_string(args.out.cols));
    validate_disjoint(args.out, "tableau", args.a, "first string");
    validate_disjoint(args.out, "tableau", args.b, "second string");
  }

  /// Compares every cell with the bit-parallel distances.
  static Check check(const Shape&, std::string_view, std::uint64_t, const Args<>& args) {
    detail::BitParallelRows row(args.b);
    for (Index i = 0; i < args.out.rows; ++i) {
      if (i) row.next(args.a[i - 1]);
      Cell expected = static_cast<Cell>(i);
      for (Index j = 0; j < args.out.cols; ++j) {
        if (j) expected += row.step(j - 1);
        if (args.out(i, j) != expected)
          return Check::wrong(position(i, j), digits(expected), digits(static_cast<Cell>(args.out(i, j))));
      }
    }
    return {};
  }

  static Cost cost(const Shape& s) {
    const double m = s["m"], n = s["n"];
    return {.bytes = sizeof(Cell) * (m + 1) * (n + 1) + m + n, .keys = m * n};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index m, Index n) { shapes.push_back({{"m", m}, {"n", n}}); };
    for (Index n : {0, 1, 2, 3, 7, 16, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 257, 509}) add(n, n);
    add(0, 9), add(9, 0), add(1, 1000), add(1000, 1), add(3, 200), add(200, 3), add(31, 65), add(129, 33);
    add(300, 200), add(65, 640);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {500, 2000, 5000}) shapes.push_back({{"m", n}, {"n", n}});
    shapes.push_back({{"m", 1009}, {"n", 4001}});
    return shapes;
  }

 private:
  static void require_sizes(Index m, Index n) {
    constexpr Index max = std::numeric_limits<Cell>::max() - 1;
    if (m > max || n > max) throw Error("edit_distance: m and n are at most " + std::to_string(max));
  }
};

}  // namespace tallcache
