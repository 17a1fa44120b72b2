// Shortest paths, closures and Gaussian elimination's paradigm as their users call them, and what the
// variants promise beyond a right result: bytes, states, cycles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <tallcache/paths.hpp>
#include <vector>

#include "common/fork/one_tbb.hpp"
#include "common/random.hpp"

namespace tallcache::test {
namespace {

template <class T>
struct Square {
  Index n;
  std::vector<T> data;

  explicit Square(Index size, T value = {}) : n(size), data(static_cast<std::size_t>(size * size), value) {}
  T& operator()(Index i, Index j) { return data[static_cast<std::size_t>(i * n + j)]; }
  MatrixView<T> view() { return {data.data(), n, n, n}; }
  bool operator==(const Square&) const = default;
};

template <class T>
Square<T> weights(Index n, std::string_view input, std::uint64_t seed = 1) {
  Square<T> square(n);
  fill_path_weights(square.view(), input, seed);
  return square;
}

std::string message_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class T>
class Paths : public testing::Test {};
using Weights = testing::Types<float, std::int32_t>;
TYPED_TEST_SUITE(Paths, Weights);

// C-GEP's sums are those of the loops, also where they are rounded; I-GEP's where they are exact.
TYPED_TEST(Paths, HaveTheBytesOfTheLoops) {
  using T = TypeParam;
  for (const Index n : {1, 33, 100, 211})
    for (const std::string_view input : path_inputs) {
      const Square<T> original = weights<T>(n, input);
      Square<T> loops = original, by_tiles = original;
      Square<std::int32_t> before(n, 7), before_by_tiles(n, 8);
      execute<ShortestPathTrees<T>>("floyd_warshall", {loops.view(), before.view()});
      for (const Index base : {16, 48, 96}) {
        by_tiles = original;
        execute<ShortestPaths<T>>("cgep_recursive", {by_tiles.view(), {}}, {{"base", base}});
        EXPECT_EQ(std::memcmp(by_tiles.data.data(), loops.data.data(), n * n * sizeof(T)), 0) << n << input;
        if (!Element<T>::is_exact && input != "negative") continue;
        by_tiles = original;
        execute<ShortestPaths<T>>("gep_recursive", {by_tiles.view(), {}}, {{"base", base}});
        EXPECT_EQ(by_tiles, loops) << n << input;
      }
      for (int threads = 1; threads <= std::min(2, usable_threads()); ++threads) {
        by_tiles = original;
        shortest_paths(by_tiles.view(), before_by_tiles.view(), threads);
        EXPECT_EQ(by_tiles, loops) << n << input;
        EXPECT_EQ(before_by_tiles, before) << n << input;
      }
    }
}

// Cycles of weight 0, in which a predecessor could be one's own successor.
TYPED_TEST(Paths, HavePredecessorsWhereCyclesWeighNothing) {
  using T = TypeParam;
  const Index n = 120;
  Square<T> d(n, no_path<T>);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (random_up_to(3, i * n + j, 9) == 0) d(i, j) = static_cast<T>(random_up_to(4, i * n + j, 1));
  Square<T> original = d;
  Square<std::int32_t> before(n);
  shortest_paths(d.view(), before.view());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const auto path = path_between(before.view(), i, j);
      EXPECT_EQ(path.empty(), d(i, j) == no_path<T>);
      if (path.empty()) continue;
      T sum{};
      for (std::size_t e = 1; e < path.size(); ++e) sum += original(path[e - 1], path[e]);
      EXPECT_EQ(sum, d(i, j)) << i << " to " << j;
    }
}

TYPED_TEST(Paths, NameAVertexOnANegativeCycle) {
  using T = TypeParam;
  for (const Index n : {2, 60, 230})
    for (const char* variant : {"floyd_warshall", "floyd_warshall_vectors", "floyd_warshall_blocked",
                                "gep_recursive", "cgep_recursive"}) {
      // The only cycle is that of three vertices, or two.
      Square<T> d = weights<T>(n, "path");
      const Index last = n - 1, first = std::max<Index>(0, n - 3);
      d(last, first) = -5000;
      const Square<T> original = d;
      const std::string message = message_of([&] {
        execute<ShortestPaths<T>>(variant, {d.view(), {}}, {}, 1);
      });
      EXPECT_EQ(message, "shortest_paths: a negative cycle goes through vertex " + std::to_string(last))
          << variant;
      if (std::string(variant) == "cgep_recursive") {
        EXPECT_EQ(d, original);
      }
    }
  Square<T> loop(3);
  loop(1, 1) = -1;
  EXPECT_EQ(message_of([&] { shortest_paths(loop.view()); }),
            "shortest_paths: a negative cycle goes through vertex 1");
}

TYPED_TEST(Paths, TakeTheDiagonalAsZero) {
  using T = TypeParam;
  Square<T> d(3, no_path<T>);
  d(0, 1) = 2, d(1, 2) = 3, d(2, 2) = 9;
  shortest_paths(d.view());
  EXPECT_EQ(d.data, (std::vector<T>{0, 2, 5, no_path<T>, 0, 3, no_path<T>, no_path<T>, 0}));
}

// All edges are of the heaviest weight, the least ones, or both.
TEST(WholePaths, Saturate) {
  constexpr std::int32_t heavy = (1 << 29) - 1, least = -(1 << 28) / 39;
  for (const char* variant :
       {"floyd_warshall", "floyd_warshall_vectors", "gep_recursive", "cgep_recursive"}) {
    Square<std::int32_t> d(40, no_path<std::int32_t>);
    for (Index i = 0; i + 1 < 40; ++i) d(i, i + 1) = i % 2 ? least : heavy;
    execute<ShortestPaths<std::int32_t>>(variant, {d.view(), {}});
    EXPECT_EQ(d(0, 1), heavy);
    EXPECT_EQ(d(0, 2), heavy + least);
    EXPECT_EQ(d(0, 3), no_path<std::int32_t>) << variant;
    EXPECT_EQ(d(1, 2), least);
    EXPECT_EQ(d(3, 2), no_path<std::int32_t>) << variant;
    Square<std::int32_t> down(40, no_path<std::int32_t>);
    for (Index i = 0; i + 1 < 40; ++i) down(i, i + 1) = least;
    execute<ShortestPaths<std::int32_t>>(variant, {down.view(), {}});
    EXPECT_EQ(down(0, 39), 39 * least);
    EXPECT_EQ(down(39, 0), no_path<std::int32_t>);
  }
}

TEST(WholePaths, RefuseWhatTheyCannotTake) {
  Square<std::int32_t> d(40);
  d(3, 4) = -(1 << 28);
  EXPECT_EQ(
      message_of([&] { shortest_paths(d.view()); }),
      "shortest_paths: the weight at (3, 4) is -268435456: with 40 vertices, weights are from -6882960 on");
  Square<float> f(4);
  f(1, 2) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(message_of([&] { shortest_paths(f.view()); }),
            "shortest_paths: the weight at (1, 2) is nan, which is no weight");
  f(1, 2) = -std::numeric_limits<float>::infinity();
  EXPECT_THROW(shortest_paths(f.view()), Error);
  EXPECT_THROW(shortest_paths(MatrixView<float>{f.data.data(), 2, 3, 3}), Error);
  Square<std::int32_t> before(3);
  EXPECT_THROW(shortest_paths(Square<float>(4).view(), before.view()), Error);
  EXPECT_THROW(path_between(before.view(), 0, 3), Error);
  before(0, 2) = 1, before(0, 1) = 2;
  EXPECT_THROW(path_between(before.view(), 0, 2), Error);
  std::vector<std::uint64_t> bits(4);
  EXPECT_THROW(transitive_closure({bits.data(), 2, 2, 2}), Error);
  bits[1] = 4;
  EXPECT_EQ(message_of([&] {
              transitive_closure({bits.data(), 2, 1, 1});
            }),
            "transitive_closure: row 1 has a bit behind column 1");
}

TEST(Closure, IsOfTheSameBytesOnAnyNumberOfThreads) {
  const Index n = 1100, words = words_of_bits(n);
  std::vector<std::uint64_t> original(n * words);
  for (Index e = 0; e < n + n / 5; ++e) {
    const auto from = random_up_to(5, 2 * e, n - 1), to = random_up_to(5, 2 * e + 1, n - 1);
    original[from * words + to / 64] |= std::uint64_t{1} << (to % 64);
  }
  auto loops = original;
  execute<TransitiveClosure>("warshall", {MatrixView<std::uint64_t>{loops.data(), n, words, words}});
  for (int threads = 1; threads <= std::min(2, usable_threads()); ++threads) {
    auto bits = original;
    transitive_closure({bits.data(), n, words, words}, threads);
    EXPECT_EQ(bits, loops);
  }
}

using Word = std::uint64_t;
Word mixed(Word x, Word u, Word v, Word w) { return 3 * x + 5 * u + 7 * v + 11 * w + 1; }
struct SomeUpdates {
  bool operator()(Index i, Index j, Index k) const { return (7 * i + 3 * j + 5 * k) % 4 != 0; }
};
// Of these the recursion leaves out whole blocks.
struct BehindTheStep {
  bool operator()(Index i, Index j, Index k) const { return i > k && j > k; }
  bool may_have(cpu::gep::Range i, cpu::gep::Range j, cpu::gep::Range k) const {
    return i.end - 1 > k.begin && j.end - 1 > k.begin;
  }
};

// Sums of all four, which show in every digit which state was read.
template <class Set>
void expect_the_loops(Set set, bool in_place_differs) {
  for (const Index n : {0, 1, 31, 33, 70, 130}) {
    Square<Word> loops(n), in_place(n), complete(n);
    for (Index i = 0; i < n * n; ++i) loops.data[i] = random_bits(1, i);
    in_place = complete = loops;
    cpu::gep::gep_loops(loops.view(), mixed, set, {0, n}, {0, n}, {0, n});
    gep(complete.view(), mixed, set, std::min(2, usable_threads()));
    EXPECT_EQ(complete, loops) << n;
    gep_in_place(in_place.view(), mixed, set);
    EXPECT_EQ(in_place != loops, in_place_differs && n > gep_base) << n;
  }
}

TEST(Gep, IsThatOfTheLoopsForAnyUpdateAndSet) {
  expect_the_loops(AllUpdates{}, true);
  expect_the_loops(SomeUpdates{}, true);
  expect_the_loops(BehindTheStep{}, false);
}

TEST(Gep, FindsWidestPaths) {
  const Index n = 75;
  Square<float> widths = weights<float>(n, "dense"), loops = widths;
  const auto wider = [](float x, float u, float v, float) { return std::max(x, std::min(u, v)); };
  cpu::gep::gep_loops(loops.view(), wider, AllUpdates{}, {0, n}, {0, n}, {0, n});
  Square<float> in_place = widths;
  gep(widths.view(), wider);
  gep_in_place(in_place.view(), wider, {}, std::min(2, usable_threads()));
  EXPECT_EQ(widths, loops);
  EXPECT_EQ(in_place, loops);
  EXPECT_THROW(gep(MatrixView<float>{widths.data.data(), 2, 3, 3}, wider), Error);
}

}  // namespace
}  // namespace tallcache::test
