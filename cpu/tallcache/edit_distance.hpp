// Strings compared on the CPU: edit distances, alignments and longest common subsequences, in O(m + n) memory
// for strings of m and n letters. A letter is a byte.
//
//   using namespace std::literals;
//   const auto distance = tallcache::edit_distance("kitten"sv, "sitting"sv);             // 3
//   const auto edits = tallcache::align("kitten"sv, "sitting"sv).operations;             // "X===X=I"
//   const auto common = tallcache::longest_common_subsequence("kitten"sv, "sitting"sv);  // 4: "ittn"
//   const std::vector reads{"GATTACA"sv, "CAT"sv}, others{"GATACA"sv, "ACT"sv};
//   const auto distances = tallcache::edit_distances(reads, others);  // 1, 2
//
// Similar strings take less time than others: about that of their distance times their length. Scratch is
// kept for the next call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/execute.hpp"
#include "common/ops/alignment.hpp"
#include "common/ops/string_distance_batched.hpp"

namespace tallcache {

/// A string that is only read: a std::string_view or a std::span of bytes, and what converts to them.
struct Letters {
  VectorView<const std::uint8_t> view;

  Letters(std::string_view text)  // NOLINT(google-explicit-constructor)
      : view{reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<Index>(text.size())} {}
  Letters(const char* text) : Letters(std::string_view(text)) {}         // NOLINT
  Letters(const std::string& text) : Letters(std::string_view(text)) {}  // NOLINT
  Letters(std::span<const std::uint8_t> bytes)                           // NOLINT
      : view{bytes.data(), static_cast<Index>(bytes.size())} {}
  Letters(const std::vector<std::uint8_t>& bytes) : Letters(std::span(bytes)) {}  // NOLINT
};

/// What turns a string into another.
struct EditScript {
  Index distance;
  /// From the first letters on, as in extended CIGAR strings: '=' keeps a letter, 'X' substitutes it, 'D'
  /// deletes it, 'I' inserts a letter of the other string.
  std::string operations;
};

namespace detail {
template <class Op>
Index compare_strings(Letters a, Letters b, int threads) {
  std::int32_t result = 0;
  execute<Op>("bits_recursive", {{&result, 1}, a.view, b.view}, {}, threads);
  return result;
}

/// Strings one behind the other.
struct JoinedLetters {
  std::vector<std::uint8_t> letters;
  std::vector<std::uint32_t> begin{0};
  Index most = 0;

  explicit JoinedLetters(std::span<const std::string_view> strings) {
    std::size_t all = 0;
    for (const auto& string : strings) all = checked_sum(all, string.size(), "letters");
    if (all > std::numeric_limits<std::uint32_t>::max())
      throw Error("edit_distances: more than 2^32 letters");
    letters.reserve(all);
    for (const auto& string : strings) {
      letters.insert(letters.end(), string.begin(), string.end());
      begin.push_back(static_cast<std::uint32_t>(letters.size()));
      most = std::max(most, static_cast<Index>(string.size()));
    }
  }
  VectorView<const std::uint8_t> view() const { return {letters.data(), static_cast<Index>(letters.size())}; }
  VectorView<const std::uint32_t> begins() const { return {begin.data(), static_cast<Index>(begin.size())}; }
};
}  // namespace detail

/// The least number of letters inserted, deleted and substituted that turn `a` into `b`, of m and n letters,
/// on `threads` threads including the caller. Throws Error when a string has 2^30 letters or more.
///
/// Source: Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", Nordic
/// Journal of Computing 10(1), 2003; Ukkonen, "Algorithms for approximate string matching", Information and
/// Control 64, 1985.
inline Index edit_distance(Letters a, Letters b, int threads = 1) {
  return detail::compare_strings<LevenshteinDistance>(a, b, threads);
}

/// The length of the longest sequence of letters that `a` and `b`, of m and n letters, both have in this
/// order, on `threads` threads including the caller. Throws Error when a string has 2^30 letters or more.
///
/// Source: Crochemore, Iliopoulos, Pinzon, Reid, "A fast and practical bit-vector algorithm for the longest
/// common subsequence problem", Information Processing Letters 80(6), 2001.
inline Index longest_common_subsequence(Letters a, Letters b, int threads = 1) {
  return detail::compare_strings<LongestCommonSubsequence>(a, b, threads);
}

/// The edit distance of `a` and `b`, of m and n letters, and operations of that cost that turn `a` into `b`,
/// on `threads` threads including the caller: the same ones on any number of them. Throws Error when a string
/// has 2^30 letters or more.
///
/// Source: Hirschberg, "A linear space algorithm for computing maximal common subsequences", Communications
/// of the ACM 18(6), 1975.
inline EditScript align(Letters a, Letters b, int threads = 1) {
  std::int32_t out[2] = {};
  std::string script(static_cast<std::size_t>(a.view.size + b.view.size), ' ');
  execute<Alignment>("alignment_recursive",
                     {{out, 2},
                      {reinterpret_cast<std::uint8_t*>(script.data()), static_cast<Index>(script.size())},
                      a.view,
                      b.view},
                     {}, threads);
  script.resize(static_cast<std::size_t>(out[1]));
  return {out[0], std::move(script)};
}

/// The edit distance of each pair, `first[p]` and `second[p]` of m and n letters, on `threads` threads
/// including the caller. It is meant for many pairs of up to some thousand letters. Throws Error when there
/// are not as many second strings as first ones, or when all of either have 2^32 letters or more.
///
/// Source: Hyyrö 2003, as for edit_distance().
inline std::vector<std::int32_t> edit_distances(std::span<const std::string_view> first,
                                                std::span<const std::string_view> second, int threads = 1) {
  if (first.size() != second.size())
    throw Error("edit_distances: " + std::to_string(first.size()) + " first strings, but " +
                std::to_string(second.size()) + " second ones");
  const detail::JoinedLetters a(first), b(second);
  std::vector<std::int32_t> distances(first.size());
  execute<LevenshteinBatched>("pairs_in_lanes",
                              {{distances.data(), static_cast<Index>(distances.size())},
                               a.view(),
                               b.view(),
                               a.begins(),
                               b.begins(),
                               a.most,
                               b.most},
                              {}, threads);
  return distances;
}

}  // namespace tallcache
