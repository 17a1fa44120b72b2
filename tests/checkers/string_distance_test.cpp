// Wrong distances of strings, and wrong edit scripts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/ops/alignment.hpp"
#include "common/ops/string_distance_batched.hpp"
#include "tests/checkers/checker.hpp"

namespace tallcache {
namespace {

// The plain table: of edit distances, or of lengths of common subsequences.
template <bool common>
std::vector<std::vector<Index>> table(auto a, auto b) {
  std::vector cells(a.size + 1, std::vector<Index>(b.size + 1));
  for (Index i = 0; i <= a.size; ++i)
    for (Index j = 0; j <= b.size; ++j) {
      if (i == 0 || j == 0)
        cells[i][j] = common ? 0 : i + j;
      else if (common)
        cells[i][j] =
            a[i - 1] == b[j - 1] ? cells[i - 1][j - 1] + 1 : std::max(cells[i - 1][j], cells[i][j - 1]);
      else
        cells[i][j] = std::min(
            {cells[i - 1][j] + 1, cells[i][j - 1] + 1, cells[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
    }
  return cells;
}

}  // namespace

template <bool common>
static void solve(StringDistance<common>, const auto& args) {
  args.out[0] = static_cast<std::int32_t>(table<common>(args.a, args.b).back().back());
}

template <bool common>
static void solve(StringDistanceBatched<common>, const auto& args) {
  for (Index p = 0; p < args.out.size; ++p)
    args.out[p] = static_cast<std::int32_t>(table<common>(args.first(p), args.second(p)).back().back());
}

static void solve(Alignment, const auto& args) {
  const auto cells = table<false>(args.a, args.b);
  std::vector<Edit> edits;
  for (Index i = args.a.size, j = args.b.size; i > 0 || j > 0;) {
    if (i > 0 && j > 0 && cells[i][j] == cells[i - 1][j - 1] + (args.a[i - 1] != args.b[j - 1])) {
      --i, --j;
      edits.push_back(args.a[i] == args.b[j] ? Edit::match : Edit::substitution);
    } else if (i > 0 && cells[i][j] == cells[i - 1][j] + 1) {
      --i;
      edits.push_back(Edit::deletion);
    } else {
      --j;
      edits.push_back(Edit::insertion);
    }
  }
  std::reverse(edits.begin(), edits.end());
  for (std::size_t s = 0; s < edits.size(); ++s) args.script[s] = static_cast<std::uint8_t>(edits[s]);
  args.out[0] = static_cast<std::int32_t>(cells.back().back());
  args.out[1] = static_cast<std::int32_t>(edits.size());
}

namespace test {
namespace {

template <int amount>
struct last_off_by {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[args.out.size - 1] += amount;
  }
};
struct negated {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[0] = -args.out[0];
  }
};
struct neighbours_swapped {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index p = 1; p < args.out.size; ++p)
      if (args.out[p] != args.out[p - 1]) return std::swap(args.out[p], args.out[p - 1]);
  }
};

TEST_F(Checker, StringDistance) {
  const std::vector<Shape> shapes{{{"m", 77}, {"n", 67}}, {{"m", 64}, {"n", 65}}, {{"m", 200}, {"n", 129}}};
  for (std::string_view kind : {"random", "similar", "random_256"}) {
    rejected<LevenshteinDistance, no_op, all_zero, changes_input, writes_before, writes_behind,
             last_off_by<1>, last_off_by<-1>, negated>(shapes, kind);
    rejected<LongestCommonSubsequence, no_op, all_zero, changes_input, writes_before, writes_behind,
             last_off_by<1>, last_off_by<-1>, negated>(shapes, kind);
  }
}

TEST_F(Checker, StringDistanceOfABatch) {
  const std::vector<Shape> shapes{{{"m", 77}, {"n", 67}, {"pairs", 9}},
                                  {{"m", 64}, {"n", 65}, {"pairs", 30}}};
  for (std::string_view kind : {"random", "similar"}) {
    rejected<LevenshteinBatched, no_op, all_zero, changes_input, writes_before, writes_behind, last_off_by<1>,
             last_off_by<-1>, negated, neighbours_swapped>(shapes, kind);
    rejected<LongestCommonSubsequenceBatched, no_op, all_zero, last_off_by<1>, last_off_by<-1>,
             neighbours_swapped>(shapes, kind);
  }
}

template <Edit from, Edit to>
struct one_operation_is {
  static void run(auto op, const auto& args) {
    solve(op, args);
    const auto end = args.script.data + args.out[1];
    const auto found = std::find(args.script.data, end, static_cast<std::uint8_t>(from));
    ASSERT_NE(found, end) << "a script without the operation";
    *found = static_cast<std::uint8_t>(to);
  }
};
struct no_operation_of_the_kind {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.script[0] = 'M';
  }
};
struct one_operation_less {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[1] -= 1;
  }
};
struct distance_off_by_one {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out[0] += 1;
  }
};
// Right, but not the least: all of one string is deleted, and all of the other inserted.
struct everything_anew {
  static void run(auto, const auto& args) {
    const Index m = args.a.size, n = args.b.size;
    std::fill_n(args.script.data, m, static_cast<std::uint8_t>(Edit::deletion));
    std::fill_n(args.script.data + m, n, static_cast<std::uint8_t>(Edit::insertion));
    args.out[0] = args.out[1] = static_cast<std::int32_t>(m + n);
  }
};

TEST_F(Checker, Alignment) {
  const std::vector<Shape> shapes{{{"m", 77}, {"n", 67}}, {{"m", 200}, {"n", 129}}};
  for (std::string_view kind : {"random", "similar"})
    rejected<Alignment, no_op, all_zero, changes_input, writes_before, writes_behind,
             one_operation_is<Edit::match, Edit::substitution>,
             one_operation_is<Edit::deletion, Edit::insertion>,
             one_operation_is<Edit::substitution, Edit::match>, no_operation_of_the_kind, one_operation_less,
             distance_off_by_one, everything_anew>(shapes, kind);
}

}  // namespace
}  // namespace test
}  // namespace tallcache
