// Wrong distances and predecessors of shortest paths, and wrong closures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/ops/shortest_paths.hpp"
#include "common/ops/transitive_closure.hpp"
#include "tests/checkers/matrix.hpp"

namespace tallcache {

// Edges are relaxed until nothing changes (Bellman and Ford), from each vertex.
template <class T, bool predecessors>
static void solve(ShortestPathsOf<T, predecessors>, const auto& args) {
  using Weight = PathWeight<T>;
  const Index n = args.a.rows;
  std::vector<T> weights(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) weights[i * n + j] = args.a(i, j);
  for (Index s = 0; s < n; ++s) {
    for (Index j = 0; j < n; ++j) {
      args.a(s, j) = s == j ? T{} : Weight::infinite;
      if constexpr (predecessors) args.p(s, j) = -1;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          if (args.a(s, i) == Weight::infinite || weights[i * n + j] == Weight::infinite) continue;
          const T sum = args.a(s, i) + weights[i * n + j];
          if (!(sum < args.a(s, j))) continue;
          args.a(s, j) = sum;
          if constexpr (predecessors) args.p(s, j) = static_cast<std::int32_t>(i);
          changed = true;
        }
    }
  }
}

static void solve(TransitiveClosure, const auto& args) {
  const Index n = args.a.rows;
  const auto bit = [&](Index i, Index j) { return args.a(i, j / 64) >> (j % 64) & 1; };
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (bit(i, k) & bit(k, j)) args.a(i, j / 64) |= std::uint64_t{1} << (j % 64);
}

namespace test {
namespace {

struct one_step_missing {  // paths by the last vertex are not looked at
  static void run(auto op, const auto& args) {
    using T = OutputValue<decltype(op)>;
    const Index n = args.a.rows;
    std::vector<T> column(n), row(n);
    for (Index i = 0; i < n; ++i) {
      column[i] = args.a(i, n - 1), row[i] = args.a(n - 1, i);
      if (i + 1 < n) args.a(i, n - 1) = args.a(n - 1, i) = PathWeight<T>::infinite;
    }
    solve(op, args);
    for (Index i = 0; i < n; ++i) args.a(i, n - 1) = column[i], args.a(n - 1, i) = row[i];
  }
};
struct only_edges {
  static void run(auto, const auto& args) {
    if constexpr (requires { args.p(0, 0); })
      for (Index i = 0; i < args.p.rows; ++i)
        for (Index j = 0; j < args.p.cols; ++j) args.p(i, j) = i == j ? -1 : static_cast<std::int32_t>(i);
  }
};
struct diagonal_not_zero {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.a(1, 1) += 1;
  }
};
struct one_below {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.a(0, args.a.cols / 2) -= 1;
  }
};
struct all_infinite {
  static void run(auto op, const auto& args) {
    for (Index i = 0; i < args.a.rows; ++i)
      for (Index j = 0; j < args.a.cols; ++j) args.a(i, j) = PathWeight<OutputValue<decltype(op)>>::infinite;
  }
};
struct predecessor_is_source {
  static constexpr std::string_view where = "predecessor";
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index j = 1; j < args.p.cols; ++j) args.p(0, j) = 0;
  }
};
struct predecessor_out_of_range {
  static constexpr std::string_view where = "predecessor";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.p(1, 0) = static_cast<std::int32_t>(args.p.rows);
  }
};
struct predecessor_of_itself {
  static constexpr std::string_view where = "predecessor";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.p(0, 1) = 1;
  }
};
struct predecessor_on_the_diagonal {
  static constexpr std::string_view where = "predecessor";
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.p(1, 1) = 1;
  }
};

template <class T>
class PathsChecker : public MatrixOutputChecker {};
using Weights = testing::Types<float, std::int32_t>;
TYPED_TEST_SUITE(PathsChecker, Weights);

// Sizes at which all distances are compared, and those of some vertices.
TYPED_TEST(PathsChecker, RejectsWrongDistances) {
  using Op = ShortestPaths<TypeParam>;
  const std::vector<Shape> shapes{{{"n", 40}, {"pad", 3}}};
  for (std::string_view kind : {"dense", "negative"})
    this->template rejected<Op, no_op, all_zero, all_infinite, writes_before, writes_behind, writes_padding,
                            one_nan, indices_swapped, column_swapped, last_line_missing<true>,
                            last_line_missing<false>, one_step_missing, only_edges, diagonal_not_zero,
                            one_below>(shapes, kind);
  for (std::string_view kind : {"sparse", "grid"})
    this->template rejected<Op, no_op, all_zero, all_infinite, only_edges, diagonal_not_zero, one_below>(
        shapes, kind);
  this->template rejected<Op, no_op, all_zero, all_infinite, writes_padding, only_edges, indices_swapped,
                          diagonal_not_zero>({{{"n", 150}, {"pad", 1}}}, "negative");
}

TYPED_TEST(PathsChecker, RejectsWrongPredecessors) {
  using Op = ShortestPathTrees<TypeParam>;
  for (std::string_view kind : {"dense", "negative"})
    this->template rejected<Op, no_op, only_edges, one_below, predecessor_is_source, predecessor_out_of_range,
                            predecessor_of_itself, predecessor_on_the_diagonal>({{{"n", 40}, {"pad", 3}}},
                                                                                kind);
}

struct one_bit_more {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.a(args.a.rows - 1, 0) ^= 1;
  }
};
struct one_bit_less {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.a(0, 0) ^= 2;
  }
};
struct reflexive {
  static void run(auto op, const auto& args) {
    solve(op, args);
    for (Index i = 0; i < args.a.rows; ++i) args.a(i, i / 64) |= std::uint64_t{1} << (i % 64);
  }
};
struct bits_behind {
  static void run(auto op, const auto& args) {
    solve(op, args);
    args.a(0, args.a.cols - 1) |= std::uint64_t{1} << 63;
  }
};

TEST_F(Checker, TransitiveClosure) {
  const std::vector<Shape> shapes{{{"n", 70}, {"pad", 1}}};
  for (std::string_view kind : {"random", "grid", "path"})
    rejected<TransitiveClosure, no_op, all_zero, writes_before, writes_behind, writes_padding, one_bit_more,
             one_bit_less, bits_behind>(shapes, kind);
  rejected<TransitiveClosure, reflexive>(shapes, "path");
}

}  // namespace
}  // namespace test
}  // namespace tallcache
