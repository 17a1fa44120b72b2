// Triangular systems on both sides, of both triangles, transposed and not, with and without a unit diagonal.
#include "cpu/lu/triangular_solves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "common/random.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::lu;

// As wide as 16 processors; each block has a thread.
struct Wide : Serial {
  mutable Index strands = 0;
  static constexpr Index width() { return 16; }
  template <class Body>
  void blocks(Index count, const Body& body) const {
    strands += count;
    std::vector<std::jthread> threads;
    for (Index b = 0; b < count; ++b) threads.emplace_back([&body, b] { body(b); });
  }
};

template <class T>
struct System {
  Side side;
  Triangle triangle;
  Trans trans;
  Diagonal diagonal;
  Index n, others;
  std::vector<T> a, b;

  Index lda() const { return n + 5; }
  Index rows() const { return side == Side::left ? n : others; }
  Index cols() const { return side == Side::left ? others : n; }
  Index ldb() const { return cols() + 3; }

  /// What is not read is NaN.
  void fill() {
    a.assign(static_cast<std::size_t>(n * lda()), std::numeric_limits<T>::quiet_NaN());
    b.assign(static_cast<std::size_t>(rows() * ldb()), T{-77});
    std::uint64_t at = 0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const double x = 2 * random_unit(3, at++) - 1;
        T& to = a[static_cast<std::size_t>(i * lda() + j)];
        if (i == j && diagonal == Diagonal::non_unit) to = static_cast<T>(2 + x);
        if (i != j && (i > j) == (triangle == Triangle::lower))
          to = static_cast<T>(2 * x / static_cast<double>(n));
      }
    for (Index i = 0; i < rows(); ++i)
      for (Index j = 0; j < cols(); ++j)
        b[static_cast<std::size_t>(i * ldb() + j)] = static_cast<T>(2 * random_unit(4, at++) - 1);
  }

  /// Element (i, j) of op(A).
  T op(Index i, Index j) const {
    if (trans == Trans::yes) std::swap(i, j);
    if (i == j) return diagonal == Diagonal::unit ? T{1} : a[static_cast<std::size_t>(i * lda() + i)];
    return (i > j) == (triangle == Triangle::lower) ? a[static_cast<std::size_t>(i * lda() + j)] : T{0};
  }

  template <class Fork = Serial>
  void solve(const Fork& fork = {}) {
    const std::size_t bytes = SolveMemory<T, Plain>::bytes(others, solve_scratch<T>(side, n, others));
    std::vector<std::byte> memory(bytes + 64, std::byte{0xff});
    const std::size_t skew = -reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
    Scratch<> scratch({memory.data() + skew, bytes});
    const TriangularSolve<T, Plain> run{side, triangle, trans, diagonal,
                                        SolveMemory<T, Plain>::take(scratch, others)};
    run(fork, MatrixView<const T>{a.data(), n, n, lda()}, MatrixView<T>{b.data(), rows(), cols(), ldb()});
  }

  /// The largest |op(A) X - B| over eps, of X in b.
  double residual(const std::vector<T>& right) const {
    double worst = 0;
    for (Index i = 0; i < rows(); ++i)
      for (Index j = 0; j < cols(); ++j) {
        long double sum = -static_cast<long double>(right[static_cast<std::size_t>(i * ldb() + j)]);
        for (Index l = 0; l < n; ++l) {
          const Index row = side == Side::left ? l : i, col = side == Side::left ? j : l;
          sum += static_cast<long double>(side == Side::left ? op(i, l) : op(l, j)) *
                 b[static_cast<std::size_t>(row * ldb() + col)];
        }
        const double error = static_cast<double>(std::abs(sum)) / Element<T>::epsilon;
        if (!(error <= worst)) worst = error;
      }
    return worst;
  }
};

template <class T>
class TriangularSolves : public testing::Test {};
using Floating = testing::Types<double, float>;
TYPED_TEST_SUITE(TriangularSolves, Floating);

TYPED_TEST(TriangularSolves, HaveASmallResidual) {
  for (const Side side : {Side::left, Side::right})
    for (const Triangle triangle : {Triangle::lower, Triangle::upper})
      for (const Trans trans : {Trans::no, Trans::yes})
        for (const Diagonal diagonal : {Diagonal::unit, Diagonal::non_unit})
          for (const Index n : {0, 1, 2, 8, 9, 23, 24, 25, 32, 33, 61, 97})
            for (const Index others : {0, 1, 7, 50}) {
              System<TypeParam> system{side, triangle, trans, diagonal, n, others, {}, {}};
              system.fill();
              const auto right = system.b;
              system.solve();
              const double bound = 8 * (3 + std::sqrt(static_cast<double>(n)));
              ASSERT_LT(system.residual(right), bound) << int(side) << int(triangle) << int(trans)
                                                       << int(diagonal) << " n " << n << " others " << others;
              for (Index i = 0; i < system.rows(); ++i)
                for (Index j = system.cols(); j < system.ldb(); ++j)
                  ASSERT_EQ(system.b[static_cast<std::size_t>(i * system.ldb() + j)], TypeParam{-77});
              if (n == 0 || others == 0) continue;
              system.b[0] += TypeParam{0.01};  // the bound sees it
              ASSERT_GT(system.residual(right), bound);
            }
}

TYPED_TEST(TriangularSolves, HaveTheSameBytesInStrands) {
  for (const Side side : {Side::left, Side::right})
    for (const Triangle triangle : {Triangle::lower, Triangle::upper})
      for (const Index n : {250, 531})
        for (const Index others : {777, 1100}) {
          System<TypeParam> system{side, triangle, Trans::no, Diagonal::non_unit, n, others, {}, {}};
          system.fill();
          System<TypeParam> in_strands = system;
          system.solve();
          const Wide wide;
          in_strands.solve(wide);
          EXPECT_GT(wide.strands, 2) << n << " " << others;
          ASSERT_EQ(in_strands.b, system.b)
              << int(side) << int(triangle) << " n " << n << " others " << others;
        }
}

// The inverse of the diagonal overflows, the solution does not.
TYPED_TEST(TriangularSolves, SubstituteWhereTheInverseOverflows) {
  const TypeParam tiny = std::numeric_limits<TypeParam>::denorm_min();
  for (const Side side : {Side::left, Side::right}) {
    System<TypeParam> system{side, Triangle::lower, Trans::no, Diagonal::non_unit, 20, 3, {}, {}};
    system.fill();
    for (Index i = 0; i < 20; ++i)
      for (Index j = 0; j <= i; ++j)
        system.a[static_cast<std::size_t>(i * system.lda() + j)] = i == j ? 4 * tiny : 0;
    for (TypeParam& element : system.b) element = 12 * tiny;
    system.solve();
    for (Index i = 0; i < system.rows(); ++i)
      for (Index j = 0; j < system.cols(); ++j)
        ASSERT_EQ(system.b[static_cast<std::size_t>(i * system.ldb() + j)], 3);
  }
}

}  // namespace
}  // namespace tallcache::test
