// Wrong tableaux of edit distances.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/ops/edit_distance.hpp"
#include "tests/checkers/matrix.hpp"

namespace tallcache {

static void solve(EditDistance, const auto& args) {
  for (Index i = 0; i < args.out.rows; ++i)
    for (Index j = 0; j < args.out.cols; ++j)
      args.out(i, j) = static_cast<std::int32_t>(
          i == 0   ? j
          : j == 0 ? i
                   : std::min({args.out(i - 1, j) + 1, args.out(i, j - 1) + 1,
                               args.out(i - 1, j - 1) + (args.a[i - 1] != args.b[j - 1])}));
}

namespace test {
namespace {

struct substitutions_cost_two {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 1; i < args.out.rows; ++i)
      for (Index j = 1; j < args.out.cols; ++j)
        args.out(i, j) = std::min({args.out(i - 1, j) + 1, args.out(i, j - 1) + 1,
                                   args.out(i - 1, j - 1) + 2 * (args.a[i - 1] != args.b[j - 1])});
  }
};
struct strings_swapped {
  static void run(auto op, auto args) {
    const auto cut = [](auto string, Index size) {
      std::vector<std::uint8_t> letters(size, 'A');
      for (Index i = 0; i < std::min(size, string.size); ++i) letters[i] = string[i];
      return letters;
    };
    const auto a = cut(args.b, args.a.size), b = cut(args.a, args.b.size);
    args.a.data = a.data(), args.b.data = b.data();
    solve(op, args);
  }
};
struct one_letter_late {
  static void run(auto op, auto args) {
    std::vector<std::uint8_t> a(args.a.size + 1, 'A');
    for (Index i = 0; i < args.a.size; ++i) a[i] = args.a[i];
    args.a.data = a.data() + 1;
    solve(op, args);
  }
};
struct corner_off_by_one {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.out(args.out.rows - 1, args.out.cols - 1) += 1;
  }
};
struct from_one {  // counts the empty prefix as a letter
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.out.rows; ++i)
      for (Index j = 0; j < args.out.cols; ++j) args.out(i, j) += 1;
  }
};

TEST_F(Checker, EditDistance) {
  const std::vector<Shape> shapes{{{"m", 77}, {"n", 67}}, {{"m", 64}, {"n", 65}}, {{"m", 200}, {"n", 129}}};
  for (std::string_view kind : {"random", "similar"})
    rejected<EditDistance, no_op, all_zero, changes_input, writes_before, writes_behind, indices_swapped,
             last_line_missing<true>, last_line_missing<false>, one_off_by_a_twentieth, column_swapped,
             substitutions_cost_two, strings_swapped, one_letter_late, corner_off_by_one, from_one>(shapes,
                                                                                                    kind);
}

}  // namespace
}  // namespace test
}  // namespace tallcache
