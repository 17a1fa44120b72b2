// Strings compared by bits: on each SIMD target, in bands of any width, and through the public header.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/fork/processors.hpp"
#include "cpu/edit_distance/bits_recursive.hpp"
#include "cpu/edit_distance/pairs_in_lanes.hpp"
#include "cpu/edit_distance/small_alignment.hpp"
#include "cpu/tallcache/edit_distance.hpp"
#include "tests/each_target.hpp"

namespace tallcache {
namespace {

using namespace cpu::edit_distance;
using Bytes = std::vector<std::uint8_t>;

VectorView<const std::uint8_t> view(const Bytes& bytes) {
  return {bytes.data(), static_cast<Index>(bytes.size())};
}

struct Pair {
  Bytes a, b;
  Pair(std::string_view input, std::uint64_t seed, Index m, Index n) : a(m), b(n) {
    fill_strings(input, seed, a.data(), m, b.data(), n);
  }
};

/// By the plain table: the edit distance, or m + n less twice the length of the longest common subsequence.
Index by_table(const Bytes& a, const Bytes& b, bool common) {
  std::vector<Index> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<Index>(j);
  for (std::size_t i = 0; i < a.size(); ++i) {
    Index diagonal = row[0];
    row[0] = static_cast<Index>(i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Index other = a[i] == b[j] ? diagonal : diagonal + (common ? 2 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, other});
    }
  }
  return row.back();
}

/// The distance by a tableau of the cells of the band of `threshold` alone, or by two from both ends.
template <class Recurrence>
Index in_band(const Pair& pair, Index threshold, const Blocks& blocks, bool both_ends) {
  const Index m = static_cast<Index>(pair.a.size()), n = static_cast<Index>(pair.b.size());
  std::vector<std::byte> memory(BothEnds<Recurrence, Plain>::bytes(m, n));
  Scratch<> scratch{std::span(memory)};
  Serial fork;
  const Alphabet alphabet(view(pair.a), view(pair.b));
  if (both_ends) {
    const BothEnds<Recurrence, Plain> ends(fork, alphabet, view(pair.a), view(pair.b), scratch);
    const Crossing cross = ends.crossing(fork, threshold, blocks);
    return cross.before + cross.behind;
  }
  const BitTableau<Recurrence, Plain> t(fork, alphabet, view(pair.a), view(pair.b), false, scratch);
  t.fill(fork, Band(m, n, threshold), blocks);
  return t.distance(m);
}

// A distance that is at most the threshold is found, and a band never shows one that is too small.
TEST(EditDistance, IsFoundInABandOfItsWidthOnEachTarget) {
  test::for_each_target([] {
    std::uint64_t seed = 1;
    for (const auto& [m, n] : {std::pair<Index, Index>{1, 1}, {70, 64}, {1100, 1030}, {2300, 1500}})
      for (const std::string_view input : {"random", "similar_20", "random_256"}) {
        const Pair pair(input, ++seed, m, n);
        const Index distance = by_table(pair.a, pair.b, false), indels = by_table(pair.a, pair.b, true);
        for (const Blocks& blocks : {Blocks{1, 2}, Blocks{1, 3}, Blocks{1100, 1000}})
          for (const bool both_ends : {false, true}) {
            EXPECT_EQ(in_band<Levenshtein>(pair, distance, blocks, both_ends), distance)
                << m << " " << n << " " << input;
            EXPECT_EQ(in_band<CommonSubsequence>(pair, indels, blocks, both_ends), indels)
                << m << " " << n << " " << input;
            EXPECT_GE(in_band<Levenshtein>(pair, std::abs(m - n), blocks, both_ends), distance);
            EXPECT_EQ(in_band<Levenshtein>(pair, m + n, blocks, both_ends), distance);
          }
      }
  });
}

TEST(EditDistance, OfBatchesOnEachTarget) {
  test::for_each_target([] {
    std::vector<std::string> a, b;
    for (std::uint64_t p = 0; p < 21; ++p) {
      const Pair pair(string_inputs[p % std::size(string_inputs)], p, static_cast<Index>(p * p),
                      static_cast<Index>(300 - 10 * p));
      a.emplace_back(pair.a.begin(), pair.a.end());
      b.emplace_back(pair.b.begin(), pair.b.end());
    }
    const std::vector<std::string_view> first(a.begin(), a.end()), second(b.begin(), b.end());
    const auto distances = edit_distances(first, second);
    for (std::size_t p = 0; p < a.size(); ++p)
      EXPECT_EQ(distances[p],
                by_table(Bytes(a[p].begin(), a[p].end()), Bytes(b[p].begin(), b[p].end()), false));
  });
}

// The references of the checks, by the plain table.
TEST(EditDistance, ReferencesAreThoseOfTheTable) {
  std::uint64_t seed = 1;
  for (const std::string_view input : string_inputs)
    for (const auto& [m, n] : {std::pair<Index, Index>{0, 3}, {3, 0}, {63, 64}, {64, 130}, {200, 129}}) {
      const Pair pair(input, ++seed, m, n);
      EXPECT_EQ(detail::edit_distance_by_rows(view(pair.a), view(pair.b)), by_table(pair.a, pair.b, false));
      EXPECT_EQ(m + n - 2 * detail::common_subsequence_by_rows(view(pair.a), view(pair.b)),
                by_table(pair.a, pair.b, true));
    }
}

// The columns that are kept of short strings suffice for all of them.
TEST(EditDistance, AlignsShortStringsOfEveryShape) {
  for (Index m = 0; m <= short_letters; m += 19) {
    const Index n = short_letters - m;
    const Pair pair("similar", static_cast<std::uint64_t>(m), m, n);
    const std::string_view a(reinterpret_cast<const char*>(pair.a.data()), pair.a.size()),
        b(reinterpret_cast<const char*>(pair.b.data()), pair.b.size());
    EXPECT_EQ(align(a, b).distance, by_table(pair.a, pair.b, false)) << m;
  }
}

TEST(EditDistance, PublicFunctionsOnAnyNumberOfThreads) {
  const Pair pair("similar", 5, 9000, 8800);
  const Index distance = edit_distance(pair.a, pair.b), common = longest_common_subsequence(pair.a, pair.b);
  const EditScript script = align(pair.a, pair.b);
  EXPECT_EQ(distance, detail::edit_distance_by_rows(view(pair.a), view(pair.b)));
  EXPECT_EQ(common, detail::common_subsequence_by_rows(view(pair.a), view(pair.b)));
  EXPECT_EQ(script.distance, distance);
  EXPECT_EQ(script.operations.size() - static_cast<std::size_t>(std::ranges::count(script.operations, '=')),
            static_cast<std::size_t>(distance));
  for (int threads = 2; threads <= std::min(3, usable_threads()); ++threads) {
    EXPECT_EQ(edit_distance(pair.a, pair.b, threads), distance);
    EXPECT_EQ(longest_common_subsequence(pair.a, pair.b, threads), common);
    EXPECT_EQ(align(pair.a, pair.b, threads).operations, script.operations);
  }
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(align("", "ab").operations, "II");
  EXPECT_EQ(align("ab", "").operations, "DD");
  EXPECT_TRUE(edit_distances({}, {}).empty());
}

TEST(EditDistance, RefusesBatchesThatDoNotFit) {
  const std::vector<std::string_view> one{"a"}, two{"a", "b"};
  EXPECT_THROW(edit_distances(one, two), Error);
  const std::uint8_t letters[4] = {};
  const std::uint32_t begin[] = {0, 3, 2}, right[] = {0, 2, 4}, far[] = {0, 2, 5};
  std::int32_t out[2];
  const auto run = [&](const std::uint32_t* a_begin, Index most) {
    execute<LevenshteinBatched>("pairs_in_lanes",
                                {{out, 2}, {letters, 4}, {letters, 4}, {a_begin, 3}, {right, 3}, most, 4});
  };
  run(right, 2);
  EXPECT_EQ(out[0], 0);
  EXPECT_THROW(run(begin, 4), Error);
  EXPECT_THROW(run(far, 4), Error);
  EXPECT_THROW(run(right, 1), Error);
}

}  // namespace
}  // namespace tallcache
