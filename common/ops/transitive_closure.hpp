// The transitive closure of a relation, or of a directed graph, whose matrix is stored as bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// The 64-bit words of a row of n bits.
constexpr Index words_of_bits(Index n) { return ceil_div(n, Index{64}); }

/// Bit j % 64 of word j / 64 of row i says whether an edge leads from i to j; on return, whether a path of at
/// least one edge does. The bits behind the last column are 0 and stay so.
struct TransitiveClosure {
  using Word = std::uint64_t;
  static constexpr std::string_view name = "transitive_closure", element = Element<Word>::name;
  static constexpr std::string_view what =
      "which vertices reach which; the matrix of the graph's edges as bits, 64 to a word, in place";
  static constexpr Rate rate = Rate::mcells_per_s;
  static constexpr DimSpec dims[] = {{"n", "vertices"}, {"pad", "words of a row behind its bits", 0}};
  /// random: 1.2 edges from each vertex; dense: half of all edges; grid: right and down; path: to the next.
  static constexpr std::string_view inputs[] = {"random", "dense", "grid", "path"};

  template <class Access = Plain>
  struct Args {
    MatrixView<Word, Access> a;  ///< n rows of words_of_bits(n) words
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) { return {{"n", args.a.rows}, {"pad", args.a.ld - args.a.cols}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"bits", Role::inout, matrix_bytes<Word>(s["n"], words_of_bits(s["n"]), s["pad"]),
             Element<Word>::poison}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {bind_matrix<Word>(buffers[0], s["n"], words_of_bits(s["n"]), s["pad"]), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill(bind_matrix<Word>(buffers[0], s["n"], words_of_bits(s["n"]), s["pad"]), input, seed);
  }

  static void validate(const Args<>& args) {
    validate_view(args.a, "bits");
    if (args.a.cols != words_of_bits(args.a.rows))
      throw Error("transitive_closure: rows of " + std::to_string(args.a.cols) + " words, but " +
                  std::to_string(args.a.rows) + " vertices have " +
                  std::to_string(words_of_bits(args.a.rows)));
  }

  static void validate_values(const Args<>& args) {
    const Index n = args.a.rows;
    if (n % 64 == 0) return;
    for (Index i = 0; i < n; ++i)
      if (args.a(i, args.a.cols - 1) >> (n % 64))
        throw Error("transitive_closure: row " + std::to_string(i) + " has a bit behind column " +
                    std::to_string(n - 1));
  }

  /// Compares the row of every vertex, beyond 4096 vertices those of 256, with a search from it.
  static Check check(const Shape&, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const MatrixView<const Word> bits = args.a;
    const Index n = bits.rows, words = bits.cols;
    if (Check padding = check_padding(bits); !padding) return padding;
    std::vector<Word> original(n * words), reached(words), searched(words);
    const MatrixView<Word> edges{original.data(), n, words, words};
    fill(edges, input, seed);
    const Index sources = n <= 4096 ? n : 256;
    for (Index s = 0; s < sources; ++s) {
      const Index i = sources == n ? s : static_cast<Index>(random_up_to(seed + 9, s, n - 1));
      search(edges, i, reached, searched);
      for (Index w = 0; w < words; ++w)
        if (const Word differs = reached[w] ^ Word(bits(i, w))) {
          const Index j = 64 * w + std::countr_zero(differs);
          const bool expected = reached[w] >> (j % 64) & 1;
          return Check::wrong(position(i, j), expected ? "1" : "0", expected ? "0" : "1");
        }
    }
    return {};
  }

  static Cost cost(const Shape& s) {
    const double n = static_cast<double>(s["n"]);
    return {.bytes = 2 * sizeof(Word) * n * static_cast<double>(words_of_bits(s["n"])), .keys = n * n};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {0, 1, 2, 3, 7, 63, 64, 65, 100, 127, 128, 129, 257, 511, 512, 513, 700, 1031})
      shapes.push_back({{"n", n}, {"pad", n % 3}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {512, 1024, 2048}) shapes.push_back({{"n", n}, {"pad", 0}});
    return shapes;
  }

 private:
  static bool has_edge(std::string_view input, std::uint64_t seed, Index n, Index i, Index j) {
    if (input == "dense") return random_bits(seed, i * n + j) & 1;
    if (input == "path") return j == i + 1;
    if (input == "grid") {
      const auto width = static_cast<Index>(std::sqrt(static_cast<double>(n)));
      return j == i + width || (j == i + 1 && j % width != 0);
    }
    return random_up_to(seed, i * n + j, 10 * n - 1) < 12;
  }

  static void fill(MatrixView<Word> bits, std::string_view input, std::uint64_t seed) {
    fill_matrix(bits, "uniform", seed);
    const Index n = bits.rows;
    for (Index i = 0; i < n; ++i)
      for (Index w = 0; w < bits.cols; ++w) {
        Word word = 0;
        for (Index j = 64 * w; j < std::min(64 * w + 64, n); ++j)
          word |= Word{has_edge(input, seed, n, i, j)} << (j % 64);
        bits(i, w) = word;
      }
  }

  /// What a path leads to from `source`: the rows of all that is reached, until nothing is new.
  static void search(MatrixView<const Word> edges, Index source, std::vector<Word>& reached,
                     std::vector<Word>& searched) {
    const Index words = edges.cols;
    std::ranges::fill(searched, Word{});
    for (Index w = 0; w < words; ++w) reached[w] = edges(source, w);
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (Index w = 0; w < words; ++w)
        while (const Word open = reached[w] & ~searched[w]) {
          searched[w] |= open & -open;
          is_new = true;
          const Index from = 64 * w + std::countr_zero(open);
          for (Index to = 0; to < words; ++to) reached[to] |= edges(from, to);
        }
    }
  }
};

}  // namespace tallcache
