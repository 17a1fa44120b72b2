// QR factorisations: what the operation's check finds, R against one in higher precision, products with Q,
// hard matrices, and the same bytes on any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "common/catalogue.hpp"
#include "cpu/qr/householder.hpp"
#include "cpu/tallcache/qr.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

/// A matrix of one kind of input, with room behind its rows, and its factors.
template <class T>
struct Factored {
  Shape shape;
  std::string_view input;
  std::vector<T> memory, tau;
  std::vector<std::byte*> buffers;

  Factored(Index m, Index n, std::string_view kind, Index pad = 3)
      : shape{{"m", m}, {"n", n}, {"pad", pad}},
        input(kind),
        memory(m * (n + pad) + 1),
        tau(std::min(m, n) + 1) {
    buffers = {reinterpret_cast<std::byte*>(memory.data()), reinterpret_cast<std::byte*>(tau.data())};
    Qr<T>::fill(shape, input, 1, buffers);
  }

  auto args() { return Qr<T>::bind(shape, buffers, {}); }
  MatrixView<T> a() { return args().a; }
  VectorView<T> taus() { return args().tau; }
  void factor(int threads = 1) { qr_factor(a(), taus(), threads); }
  void factor_by(std::string_view variant) { execute<Qr<T>>(variant, {a(), taus()}); }
  Check check() { return Qr<T>::check(shape, input, 1, args()); }
};

template <class T>
class QrTest : public testing::Test {};
using Floating = testing::Types<double, float>;
TYPED_TEST_SUITE(QrTest, Floating);

/// |C| <= bound everywhere; false for a NaN.
template <class T>
bool below(const MatrixView<T>& c, double bound) {
  for (Index i = 0; i < c.rows; ++i)
    for (Index j = 0; j < c.cols; ++j)
      if (!(std::abs(static_cast<double>(c(i, j))) <= bound)) return false;
  return true;
}

// Every input, at sizes about those of leaves, panels, and strands of columns.
TYPED_TEST(QrTest, FactorsEveryInput) {
  const Index large = sanitized ? 70 : 230;
  for (const std::string_view input : Qr<TypeParam>::inputs)
    for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{
             {8, 8}, {9, 9}, {33, 40}, {64, 63}, {large, 40}, {40, large}, {large, large + 1}})
      for (const std::string_view variant : {"recursive_wy", "householder"}) {
        Factored<TypeParam> f(m, n, input);
        f.factor_by(variant);
        const Check check = f.check();
        EXPECT_TRUE(check) << variant << " " << input << " " << m << " x " << n << ": " << check.message();
      }
}

// Beyond 2^23 multiplications the check is of a product with a random vector.
TYPED_TEST(QrTest, FactorsLargeMatrices) {
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{9001, 41}, {41, 6000}, {333, 301}}) {
    Factored<TypeParam> f(m, n, "graded", 0);
    f.factor();
    const Check check = f.check();
    EXPECT_TRUE(check) << m << " x " << n << ": " << check.message();
  }
}

// Each of these is a defect that a variant could have.
TYPED_TEST(QrTest, TheCheckFindsEveryDefect) {
  using T = TypeParam;
  using Sabotage = std::function<void(Factored<T>&)>;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<std::pair<std::string, Sabotage>> sabotages{
      {"an element of R", [](auto& f) { f.a()(3, 17) += f.a().cols < 100 ? T(0.001) : T(1); }},
      {"the sign of an element of R", [](auto& f) { f.a()(0, 0) = -f.a()(0, 0); }},
      {"an element of V", [](auto& f) { f.a()(20, 5) += T(0.01); }},
      {"a tau", [](auto& f) { f.tau[7] *= T(1.001); }},
      {"a tau of no reflector", [](auto& f) { f.tau[7] = 0; }},
      {"NaN in R", [nan](auto& f) { f.a()(1, 2) = nan; }},
      {"NaN in V", [nan](auto& f) { f.a()(25, 2) = nan; }},
      {"NaN in tau", [nan](auto& f) { f.tau[0] = nan; }},
      {"another row of R", [](auto& f) { std::swap(f.a()(2, 20), f.a()(3, 20)); }},
      {"nothing computed", [](auto& f) { Qr<T>::fill(f.shape, f.input, 1, f.buffers); }},
      {"padding written", [](auto& f) { f.memory[f.a().ld - 1] = 0; }},
      {"another input", [](auto& f) { f.input = "graded"; }}};
  for (const auto& [name, break_it] : sabotages)
    for (const Index n : {40, 240}) {  // all columns of Q R, and a product with a vector
      Factored<T> f(n == 40 ? 45 : 250, n, "uniform");
      f.factor();
      ASSERT_TRUE(f.check());
      break_it(f);
      EXPECT_FALSE(f.check()) << name << ", n = " << n;
    }
}

// The reflectors are determined by A: R is that of the same algorithm in a wider type.
TYPED_TEST(QrTest, RIsThatOfHigherPrecision) {
  using T = TypeParam;
  const Index m = 120, n = 70;
  Factored<T> f(m, n, "uniform");
  std::vector<long double> wide(m * n), tau(n);
  const MatrixView<long double> reference{wide.data(), m, n, n};
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) reference(i, j) = f.a()(i, j);
  Serial fork;
  cpu::qr::householder_qr(fork, reference, VectorView<long double>{tau.data(), n});
  f.factor();
  const double bound = 200 * Element<T>::epsilon;
  for (Index j = 0; j < n; ++j) {
    EXPECT_NEAR(f.tau[j], static_cast<double>(tau[j]), bound);
    for (Index i = 0; i < m; ++i)
      ASSERT_NEAR(f.a()(i, j), static_cast<double>(reference(i, j)), 20 * bound) << i << " " << j;
  }
}

// max |Q^T Q - I|, where Q has the columns of orgqr; and Q^T A = R, Q R = A by ormqr.
TYPED_TEST(QrTest, QIsOrthogonalAndMultiplies) {
  using T = TypeParam;
  for (const auto& [m, n] :
       std::vector<std::pair<Index, Index>>{{1, 1}, {50, 9}, {131, 131}, {97, 200}, {300, 40}})
    for (const std::string_view input : {"uniform", "deficient", "hilbert", "zero_columns"})
      for (const int threads : {1, usable_threads()}) {
        Factored<T> original(m, n, input), f(m, n, input);
        f.factor(threads);
        const Index k = f.taus().size;
        std::vector<T> q_memory(m * (m + 2)), gram_memory(m * m);
        const MatrixView<T> q{q_memory.data(), m, m, m + 2}, gram{gram_memory.data(), m, m, m};
        qr_form_q(q, f.a(), f.taus(), threads);
        const double bound = 20 * std::sqrt(double(m)) * Element<T>::epsilon;
        Serial fork;
        cpu::matmul::gemm<Serial, T, Plain>(fork, cpu::matmul::Layout::row_major, Trans::yes, Trans::no, 1, q,
                                            q, 0, gram, {});
        for (Index i = 0; i < m; ++i) gram(i, i) -= 1;
        EXPECT_TRUE(below(gram, bound)) << input << " " << m << " x " << n;

        std::vector<T> few_memory(m * k);  // the first columns alone: the same ones
        const MatrixView<T> few{few_memory.data(), m, k, k};
        qr_form_q(few, f.a(), f.taus(), threads);
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < k; ++j) ASSERT_NEAR(few(i, j), q(i, j), bound);

        std::vector<T> r(m * n);
        const MatrixView<T> product{r.data(), m, n, n};
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < n; ++j) product(i, j) = original.a()(i, j);
        qr_apply_q(Trans::yes, f.a(), f.taus(), product, threads);
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < n; ++j)
            ASSERT_NEAR(product(i, j), i <= j ? f.a()(i, j) : T{0}, 4 * bound * std::sqrt(double(m)));
        qr_apply_q(Trans::no, f.a(), f.taus(), product, threads);
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < n; ++j)
            ASSERT_NEAR(product(i, j), original.a()(i, j), 4 * bound * std::sqrt(double(m)));
      }
}

// A column of zeros has no reflector, nor has one that is zero below the diagonal; R keeps its sign.
TYPED_TEST(QrTest, ZerosHaveNoReflector) {
  using T = TypeParam;
  for (const std::string_view variant : {"recursive_wy", "householder"}) {
    std::vector<T> a(40 * 20, T{0}), tau(20, T{7});
    execute<Qr<T>>(variant, {{a.data(), 40, 20, 20}, {tau.data(), 20}});
    EXPECT_TRUE(std::ranges::all_of(a, [](T x) { return x == 0; }));
    EXPECT_TRUE(std::ranges::all_of(tau, [](T x) { return x == 0; }));
    for (Index i = 0; i < 20; ++i) a[i * 20 + i] = static_cast<T>(i % 2 ? -i : i);
    const auto diagonal = a;
    execute<Qr<T>>(variant, {{a.data(), 40, 20, 20}, {tau.data(), 20}});
    EXPECT_EQ(a, diagonal);
    EXPECT_TRUE(std::ranges::all_of(tau, [](T x) { return x == 0; }));
  }
}

// The norms of columns of subnormal numbers, and of the largest ones, are right to rounding.
TYPED_TEST(QrTest, SubnormalAndHugeColumns) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const std::string_view variant : {"recursive_wy", "householder"})
    for (const T value : {T(1000) * Limits::denorm_min(), Limits::min(), std::sqrt(Limits::min()),
                          std::sqrt(Limits::max()), Limits::max() / 64}) {
      const Index m = 100, n = 3;
      std::vector<T> a(m * n, value), tau(n);
      execute<Qr<T>>(variant, {{a.data(), m, n, n}, {tau.data(), n}});
      EXPECT_NEAR(a[0] / value, -10, 1e-2 * (value < Limits::min()) + 300 * Element<T>::epsilon)
          << variant << " " << value;
      EXPECT_NEAR(a[1] / value, -10, 2e-1 * (value < Limits::min()) + 300 * Element<T>::epsilon)
          << variant << " " << value;
      for (const T x : a) ASSERT_TRUE(std::isfinite(x)) << variant << " " << value;
    }
}

// A NaN or an infinity spoils its column and those behind it, and no earlier one.
TYPED_TEST(QrTest, NotANumberStaysInItsColumnAndBehind) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const Index m = 90, n = 70, bad = 41;
  Factored<T> good(m, n, "uniform");
  good.factor();
  for (const T value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()})
    for (const std::string_view variant : {"recursive_wy", "householder"}) {
      Factored<T> f(m, n, "uniform");
      f.a()(60, bad) = value;
      f.factor_by(variant);
      EXPECT_FALSE(f.check());
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < bad; ++j) ASSERT_NEAR(f.a()(i, j), good.a()(i, j), 1e4 * Element<T>::epsilon);
      EXPECT_FALSE(std::isfinite(f.a()(bad, bad)));
      EXPECT_FALSE(std::isfinite(f.a()(n - 1, n - 1)));
    }
}

// Tall enough for several strands of rows, wide enough for several of columns.
TYPED_TEST(QrTest, TheSameBytesOnAnyNumberOfThreads) {
  using T = TypeParam;
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{400, 333}, {20000, 21}, {50, 1200}}) {
    Factored<T> one(m, n, "uniform");
    one.factor();
    std::vector<T> q_one(m * std::min<Index>(m, 64));
    const Index p = std::min<Index>(m, 64);
    qr_form_q(MatrixView<T>{q_one.data(), m, p, p}, one.a(), one.taus());
    for (int threads = 2; threads <= std::min(4, usable_threads()); ++threads) {
      Factored<T> f(m, n, "uniform");
      f.factor(threads);
      EXPECT_EQ(std::memcmp(f.memory.data(), one.memory.data(), f.memory.size() * sizeof(T)), 0) << threads;
      EXPECT_EQ(f.tau, one.tau) << threads;
      std::vector<T> q(q_one.size());
      qr_form_q(MatrixView<T>{q.data(), m, p, p}, f.a(), f.taus(), threads);
      EXPECT_EQ(q, q_one) << threads;
    }
  }
}

TYPED_TEST(QrTest, RefusesWhatDoesNotFit) {
  using T = TypeParam;
  Factored<T> f(20, 10, "uniform", 0);
  const auto a = f.a();
  const auto tau = f.taus();
  std::vector<T> other(20 * 20);
  const MatrixView<T> c{other.data(), 20, 5, 5};
  expect_error([&] { qr_factor(a, tau.block(0, 9)); }, "tau: 9 of them, not 10");
  expect_error([&] { qr_factor(a, VectorView<T>{a.data, 10}); }, "tau and A overlap");
  expect_error([&] { qr_factor(a, VectorView<T>{nullptr, 10}); }, "tau: no data");
  expect_error([&] { qr_factor(MatrixView<T>{a.data, 20, 10, 9}, tau); }, "A: leading dimension 9");
  expect_error(
      [&] {
        qr_apply_q(Trans::yes, a, tau, MatrixView<T>{other.data(), 19, 5, 5});
      },
      "C: 19 rows, but A has 20");
  expect_error([&] { qr_apply_q(Trans::yes, a, tau, a); }, "C and A overlap");
  expect_error([&] { qr_apply_q(Trans::yes, a, VectorView<T>{other.data(), 11}, c); }, "tau: 11 reflectors");
  expect_error([&] { qr_form_q(MatrixView<T>{other.data(), 20, 21, 21}, a, tau); }, "Q: 21 columns");
  expect_error([&] { qr_form_q(c, a, tau, 0); }, "0");
}

// R or V without rows, columns, or both.
TYPED_TEST(QrTest, EmptyMatrices) {
  using T = TypeParam;
  T one[1] = {3};
  qr_factor(MatrixView<T>{nullptr, 0, 0, 0}, VectorView<T>{nullptr, 0});
  qr_factor(MatrixView<T>{nullptr, 0, 5, 5}, VectorView<T>{nullptr, 0});
  qr_factor(MatrixView<T>{nullptr, 5, 0, 0}, VectorView<T>{nullptr, 0});
  qr_apply_q(Trans::yes, MatrixView<T>{nullptr, 1, 0, 0}, VectorView<T>{nullptr, 0},
             MatrixView<T>{one, 1, 1, 1});
  EXPECT_EQ(one[0], T{3});
  qr_form_q(MatrixView<T>{one, 1, 1, 1}, MatrixView<T>{nullptr, 1, 0, 0}, VectorView<T>{nullptr, 0});
  EXPECT_EQ(one[0], T{1});
}

}  // namespace
}  // namespace tallcache::test
