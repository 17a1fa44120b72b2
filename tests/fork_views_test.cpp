// What a fork policy sees of the parts' views is what a policy for several memories needs: which views both
// branches read, which one both add to, and that every other one belongs to one branch. A policy that counts
// them finds the words that ranks would receive; one that runs branches on copies of their views alone gets
// the same result.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <tuple>

#include "common/random.hpp"
#include "cpu/fft/fft_recursive.hpp"
#include "cpu/lu/lu_recursive.hpp"
#include "cpu/matmul/recursive_packed.hpp"
#include "cpu/matmul/recursive_temporary.hpp"
#include "cpu/sort/merge_sort.hpp"
#include "cpu/transpose/recursive.hpp"
#include "cpu/transpose/recursive_streaming.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

namespace mm = cpu::matmul;
namespace tr = cpu::transpose;
using cpu::sort::Key;

template <class T>
MatrixView<T> as_matrix(MatrixView<T> view) {
  return view;
}
template <class T>
MatrixView<T> as_matrix(VectorView<T> view) {
  return {view.data, 1, view.size, view.size};
}

template <class View>
Index size_of(View view) {
  return as_matrix(view).rows * as_matrix(view).cols;
}
// Of the packed panels, what they hold of the factor itself.
template <class T>
Index size_of(const mm::detail::FactorPart<T, Plain>& part) {
  const Index panels =
      std::min(part.end * part.factor->width, part.factor->size) - part.begin * part.factor->width;
  return panels * (part.s_end - part.s);  // k blocks count as one here
}

template <class View>
constexpr bool are_panels = false;
template <class T, class Access>
constexpr bool are_panels<mm::detail::FactorPart<T, Access>> = true;

template <class View>
constexpr bool is_read_only = std::is_const_v<std::remove_pointer_t<decltype(View::data)>>;
template <class T, class Access>
constexpr bool is_read_only<mm::detail::FactorPart<T, Access>> = true;

template <class A, class B>
bool same(A a, B b) {
  if constexpr (!std::is_same_v<A, B>) {
    return false;
  } else if constexpr (are_panels<A>) {
    return a.factor == b.factor && a.begin == b.begin && a.end == b.end && a.s == b.s && a.s_end == b.s_end;
  } else {
    const auto x = as_matrix(a), y = as_matrix(b);
    return x.data == y.data && x.rows == y.rows && x.cols == y.cols;
  }
}

// Whether two blocks of matrices have an element in common. Packed panels are only read.
template <class A, class B>
bool overlap(A a, B b) {
  if constexpr (!are_panels<A> && !are_panels<B>) {
    const auto x = as_matrix(a);
    const auto y = as_matrix(b);
    const auto at = [](const auto& view, Index i, Index j) {
      return reinterpret_cast<std::uintptr_t>(view.data + i * view.ld + j);
    };
    for (Index i = 0; i < x.rows && x.cols; ++i)
      for (Index j = 0; j < y.rows && y.cols; ++j)
        if (at(x, i, 0) < at(y, j, y.cols) && at(y, j, 0) < at(x, i, x.cols)) return true;
  }
  return false;
}

/// Follows the forks of a program down to 2^levels parts, one a rank, in program order.
class Ranks {
 public:
  explicit Ranks(int levels) : levels_(levels) {}

  struct Forks {
    Index forks = 0, sharing = 0;  // with a view that both branches read
    Index adding = 0;              // with a view that both branches add to
    Index wrong = 0;               // branches that are not independent, or do not add to one view
    friend bool operator==(const Forks&, const Forks&) = default;
  } seen;
  std::vector<Index> words;  // of all views of each rank
  Index closures = 0;        // forks that show no views

  template <class F, class... V, class G, class... W>
  void operator()(Part<F, V...> f, Part<G, W...> g) {
    ++seen.forks;
    seen.sharing += any_pair(f, g, [](auto a, auto b) { return is_read_only<decltype(a)> && same(a, b); });
    seen.wrong += any_pair(f, g, [](auto a, auto b) {
      const bool only_read = is_read_only<decltype(a)> && is_read_only<decltype(b)>;
      return !only_read && overlap(a, b);
    });
    both(f, g);
  }
  void operator()(auto&& f, auto&& g) {
    ++closures;
    f();
    g();
  }
  template <class F, class... V, class G, class... W>
  void adding(const Part<F, V...>& f, const Part<G, W...>& g) {
    ++seen.adding;
    seen.wrong += !same(std::get<0>(f.views), std::get<0>(g.views)) ||
                  is_read_only<std::remove_cvref_t<decltype(std::get<0>(f.views))>>;
    both(f, g);
  }
  void loop(Index begin, Index end, Index step, auto&& body) const { Serial{}.loop(begin, end, step, body); }
  static constexpr Index width() { return 1; }

 private:
  template <class... V, class... W>
  static bool any_pair(const auto& f, const auto& g, auto holds) {
    return std::apply(
        [&](const auto&... a) {
          const auto with_all = [&](const auto& x) {
            return std::apply([&](const auto&... b) { return (holds(x, b) || ...); }, g.views);
          };
          return (with_all(a) || ...);
        },
        f.views);
  }

  void both(const auto& f, const auto& g) {
    ++level_;
    branch(f);
    branch(g);
    --level_;
  }
  void branch(const auto& part) {
    if (level_ == levels_)
      words.push_back(std::apply([](const auto&... view) { return (size_of(view) + ...); }, part.views));
    part();
  }

  int levels_, level_ = 0;
};

template <class T>
struct Matrix {
  Index rows, cols;
  std::vector<T> data = std::vector<T>(static_cast<std::size_t>(rows * cols));
  MatrixView<T> view() { return {data.data(), rows, cols, cols}; }
  MatrixView<const T> in() { return view(); }
  static Matrix random(Index rows, Index cols, std::uint64_t seed) {
    Matrix a{rows, cols};
    for (std::size_t i = 0; i < a.data.size(); ++i)
      a.data[i] = static_cast<T>(random_up_to(seed, i, 20)) - 10;
    return a;
  }
};

template <class T>
Matrix<T> product(Matrix<T>& a, Matrix<T>& b) {
  Matrix<T> c{a.rows, b.cols};
  mm::multiply_leaf(c.view(), a.in(), b.in());
  return c;
}

// On pm x pn x pk ranks each works on (mn + mk) / ... words: an eighth of a cube is three faces.
TEST(ForkViews, TellTheWordsOfEveryRank) {
  auto a = Matrix<double>::random(64, 64, 1), b = Matrix<double>::random(64, 64, 2);
  Matrix<double> c{64, 64};
  Ranks fork(3);
  mm::rec_mult(fork, c.view(), a.view(), b.view(), 32);
  EXPECT_EQ(c.data, product(a, b).data);
  EXPECT_EQ(fork.words, std::vector<Index>(8, 3 * 32 * 32));
  // The rows of C, then the inner dimension of each half, then the columns of each quarter.
  EXPECT_EQ(fork.seen, (Ranks::Forks{.forks = 1 + 4, .sharing = 1 + 4, .adding = 2}));
  EXPECT_EQ(fork.closures, 0);
}

TEST(ForkViews, OfRecMultOnAnyShape) {
  for (const auto& [m, k, n] : {std::array{5, 7, 9}, {1, 30, 2}, {31, 3, 17}, {16, 16, 1}, {13, 40, 40}}) {
    auto a = Matrix<double>::random(m, k, 1), b = Matrix<double>::random(k, n, 2);
    Matrix<double> c{m, n};
    Ranks fork(2);
    mm::rec_mult(fork, c.view(), a.view(), b.view(), 3);
    EXPECT_EQ(c.data, product(a, b).data);
    EXPECT_EQ(fork.seen.wrong, 0);
    EXPECT_EQ(fork.seen.sharing, fork.seen.forks) << "one factor is read by both";
    EXPECT_GT(fork.seen.forks + fork.seen.adding, 4);
    EXPECT_EQ(fork.closures, 0);
  }
}

TEST(ForkViews, OfThePackedProduct) {
  auto a = Matrix<double>::random(300, 200, 1), b = Matrix<double>::random(200, 250, 2);
  Matrix<double> c{300, 250};
  const mm::GemmSizes sizes{.kc = 60, .mc = 48, .nc = 48, .min_packed = 1};
  std::vector<std::byte> memory(mm::gemm_scratch_bytes<double>(mm::Layout::row_major, mm::Trans::no,
                                                               mm::Trans::no, 300, 250, 200, sizes) +
                                64);
  void* begin = memory.data();
  std::size_t size = memory.size();
  std::align(64, size - 64, begin, size);
  Ranks fork(2);
  mm::gemm(fork, mm::Layout::row_major, mm::Trans::no, mm::Trans::no, 1.0, a.in(), b.in(), 0.0, c.view(),
           Scratch<>({static_cast<std::byte*>(begin), size}), sizes);
  EXPECT_EQ(c.data, product(a, b).data);
  EXPECT_EQ(fork.seen.wrong, 0);
  EXPECT_EQ(fork.seen.sharing, fork.seen.forks);
  EXPECT_GT(fork.seen.adding, 0);
  EXPECT_GT(fork.seen.forks, 10);
  EXPECT_EQ(fork.closures, 0);
  EXPECT_EQ(fork.words.size(), 4u);
}

/// Runs every second branch on copies of its views: what a rank does that received them.
struct Elsewhere {
  template <class F, class... V, class G, class... W>
  void operator()(Part<F, V...> f, Part<G, W...> g) const {
    std::apply([&](auto... view) { run_on_copies(g.body, false, view...); }, g.views);
    f();
  }
  void operator()(auto&& f, auto&& g) const {
    f();
    g();
  }
  template <class F, class... V, class G, class... W>
  void adding(const Part<F, V...>& f, const Part<G, W...>& g) const {
    std::apply([&](auto... view) { run_on_copies(g.body, true, view...); }, g.views);
    f();
  }
  void loop(Index begin, Index end, Index step, auto&& body) const { Serial{}.loop(begin, end, step, body); }
  static constexpr Index width() { return 1; }

 private:
  // A view of its own memory, which it fills with what the view has; with zeros if the branch adds to it.
  template <class View>
  struct Copy {
    using T = typename View::value_type;
    std::vector<T> memory;
    View original, there;

    Copy(View view, bool adds)
        : memory(static_cast<std::size_t>(size_of(view))), original(view), there(view) {
      const auto from = as_matrix(view);
      there.data = memory.data();
      if constexpr (requires { there.ld; }) there.ld = there.cols;
      if (adds && !is_read_only<View>) return;
      for (Index i = 0; i < from.rows; ++i)
        for (Index j = 0; j < from.cols; ++j)
          memory[static_cast<std::size_t>(i * from.cols + j)] = from(i, j);
    }
    void send_back(bool adds) const {
      if constexpr (!is_read_only<View>) {
        const auto from = as_matrix(there), to = as_matrix(original);
        for (Index i = 0; i < to.rows; ++i)
          for (Index j = 0; j < to.cols; ++j) to(i, j) = adds ? to(i, j) + from(i, j) : from(i, j);
      }
    }
  };

  static void run_on_copies(const auto& body, bool adds, auto... view) {
    std::tuple<Copy<decltype(view)>...> copies{Copy<decltype(view)>(view, adds)...};
    std::apply(
        [&](const auto&... copy) {
          body(copy.there...);
          (copy.send_back(adds), ...);
        },
        copies);
  }
};

TEST(BranchesOnCopies, OfProducts) {
  for (const auto& [m, k, n] : {std::array{64, 64, 64}, {5, 70, 9}, {33, 3, 17}, {1, 16, 1}}) {
    auto a = Matrix<double>::random(m, k, 1), b = Matrix<double>::random(k, n, 2);
    const auto expected = product(a, b);
    Matrix<double> c{m, n}, with_temporaries{m, n};
    Elsewhere fork;
    mm::rec_mult(fork, c.view(), a.view(), b.view(), 4);
    EXPECT_EQ(c.data, expected.data);
    std::vector<double> memory(static_cast<std::size_t>(mm::temporary_size(m, n, 2)));
    mm::rec_mult_temporary(fork, with_temporaries.view(), a.view(), b.view(),
                           VectorView<double>{memory.data(), std::ssize(memory)}, 2, 4);
    EXPECT_EQ(with_temporaries.data, expected.data);
  }
}

TEST(BranchesOnCopies, OfTranspositions) {
  for (const auto& [m, n] : {std::pair{40, 40}, {7, 100}, {129, 33}}) {
    auto a = Matrix<float>::random(m, n, 1);
    Matrix<float> b{n, m};
    Elsewhere fork;
    tr::rec_transpose(fork, b.view(), a.view(), 3);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) ASSERT_EQ(b.view()(j, i), a.view()(i, j));
  }
  auto square = Matrix<float>::random(300, 300, 3), before = square;
  Elsewhere fork;
  tr::rec_transpose_in_place(fork, square.view());
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 300; ++j) ASSERT_EQ(square.view()(j, i), before.view()(i, j));
}

TEST(BranchesOnCopies, OfTheClassics) {
  Elsewhere fork;
  Serial serial;
  auto a = Matrix<double>::random(50, 50, 5);
  for (Index i = 0; i < 50; ++i) a.view()(i, i) += 600;
  auto b = a;
  cpu::lu::rec_lu(fork, a.view(), 4);
  cpu::lu::rec_lu(serial, b.view(), 4);
  for (std::size_t i = 0; i < a.data.size(); ++i) ASSERT_NEAR(a.data[i], b.data[i], 1e-9);

  std::vector<Key> keys(1000), other(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>(random_bits(1, i));
  auto quick = keys;
  cpu::sort::p_merge_sort(fork, VectorView<Key>{keys.data(), 1000}, VectorView<Key>{other.data(), 1000},
                          false, 30);
  EXPECT_TRUE(std::ranges::is_sorted(keys));
  cpu::sort::sample_qsort(fork, VectorView<Key>{quick.data(), 1000});
  EXPECT_EQ(quick, keys);
}

// The checks above find a branch that is wrong.
TEST(ForkViews, AWrongForkIsSeen) {
  auto c = Matrix<double>::random(8, 8, 1), d = c;
  const auto nothing = [](auto&&...) {};
  Ranks fork(0);
  const MatrixView<double> all = c.view();
  fork(Part(nothing, all), Part(nothing, all));
  EXPECT_EQ(fork.seen.wrong, 1) << "both write the same";
  fork(Part(nothing, all), Part(nothing, all.block(3, 3, 2, 2)));
  EXPECT_EQ(fork.seen.wrong, 2) << "they overlap";
  fork(Part(nothing, all), Part(nothing, c.in().block(3, 3, 2, 2)));
  EXPECT_EQ(fork.seen.wrong, 3) << "one reads what the other writes";
  fork(Part(nothing, all.block(0, 0, 8, 4)), Part(nothing, all.block(0, 4, 8, 4)));
  EXPECT_EQ(fork.seen.wrong, 3) << "two halves";
  fork.adding(Part(nothing, all), Part(nothing, d.view()));
  EXPECT_EQ(fork.seen.wrong, 4) << "they do not add to one view";
  // A branch that works on what it holds and not on what it is called with writes to the wrong memory.
  int calls = 0;
  const Elsewhere elsewhere;
  elsewhere(Part(nothing, all.block(0, 0, 1, 8)),
            Part(
                [&, row = all.block(1, 0, 1, 8)](MatrixView<double> there) {
                  ++calls;
                  EXPECT_NE(there.data, row.data);
                },
                all.block(1, 0, 1, 8)));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace tallcache::test
