// A = L L^T of a symmetric positive definite matrix, in place. A is n x n, row-major with a padded leading
// dimension; only its lower triangle is read and written.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// L replaces the lower triangle of A, its diagonal included. The elements above the diagonal are neither
/// read nor written. As LAPACK's potrf with uplo = L of the matrix's transpose in memory.
template <class T>
struct Cholesky {
  static constexpr std::string_view name = "cholesky", element = Element<T>::name;
  static constexpr std::string_view what = "A = L L^T in the lower triangle; A is n x n, row-major";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec dims[] = {{"n", "rows and columns of A"},
                                     {"pad", "leading dimension minus columns", 0}};
  /// dominant: uniform in [-1, 1), plus n on the diagonal; minimum: a_ij = min(i, j) + 1, whose condition
  /// grows as n^2; graded: that, rows and columns scaled by random powers of two.
  static constexpr std::string_view inputs[] = {"dominant", "minimum", "graded"};

  template <class Access = Plain>
  struct Args {
    MatrixView<T, Access> a;
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), scratch.with(other)};
    }
  };

  static auto views(auto& args) { return std::tie(args.a); }

  static Shape shape_of(const Args<>& args) { return {{"n", args.a.rows}, {"pad", args.a.ld - args.a.cols}}; }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"A", Role::inout, matrix_bytes<T>(s["n"], s["n"], s["pad"]), Element<T>::poison}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {bind_matrix<T>(buffers[0], s["n"], s["n"], s["pad"]), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill(bind_matrix<T>(buffers[0], s["n"], s["n"], s["pad"]), input, seed);
  }

  static void validate(const Args<>& args) {
    validate_view(args.a, "A");
    if (args.a.rows != args.a.cols)
      throw Error("cholesky: " + std::to_string(args.a.rows) + " x " + std::to_string(args.a.cols) +
                  " is not square");
  }

  /// Up to 2^27 products, the backward error A - L L^T is checked elementwise against (n + 2) eps |L| |L^T|
  /// (Higham 2002, 10.1). Beyond, every row of it times a random vector t is checked against 8 sqrt(n + 2)
  /// eps times the root of the sum of the squares of the products l_ik l_jk t_j, as rounding errors of either
  /// sign add up (Higham and Mary 2019). The diagonal must be positive and the other triangle as it was.
  static Check check(const Shape&, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const MatrixView<const T> l = args.a;
    const Index n = l.rows;
    if (Check padding = check_padding(l); !padding) return padding;
    std::vector<T> original(n * n);
    const MatrixView<T> a{original.data(), n, n, n};
    fill(a, input, seed);
    for (Index i = 0; i < n; ++i) {
      if (!(l(i, i) > 0)) return Check::wrong("L" + position(i, i), "above 0", digits(l(i, i)));
      for (Index j = i + 1; j < n; ++j)
        if (l(i, j) != a(i, j))
          return Check::wrong("upper triangle" + position(i, j), digits(a(i, j)), digits(l(i, j)));
    }
    return static_cast<double>(n) * n * n <= 0x1p27 ? check_elements(l, a) : check_product(l, a, seed);
  }

  static Cost cost(const Shape& s) {
    const double n = static_cast<double>(s["n"]);
    return {.flops = n * (n + 1) * (2 * n + 1) / 6, .bytes = sizeof(T) * n * (n + 1)};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {0, 1, 2, 3, 7, 8, 9, 23, 24, 25, 31, 32, 33, 47, 48, 49, 64, 97, 128, 129, 193})
      shapes.push_back({{"n", n}, {"pad", n % 3 * 5}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {128, 256, 512, 1024}) shapes.push_back({{"n", n}, {"pad", 0}});
    return shapes;
  }

 private:
  /// The upper triangle has numbers of its own, which are no part of the problem.
  static void fill(MatrixView<T> a, std::string_view input, std::uint64_t seed) {
    fill_matrix(a, "uniform", seed);
    const auto scale = [&](Index i) {
      return input == "graded" ? 1 / static_cast<T>(1 << random_up_to(seed + 1, i, 20)) : T{1};
    };
    for (Index i = 0; i < a.rows; ++i) {
      if (input == "dominant")
        a(i, i) += static_cast<T>(a.rows + 1);
      else
        for (Index j = 0; j <= i; ++j) a(i, j) = static_cast<T>(j + 1) * scale(i) * scale(j);
    }
  }

  static Check check_elements(MatrixView<const T> l, MatrixView<const T> a) {
    using Wide = typename Element<T>::Wide;
    const Index n = l.rows;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        Wide sum{}, magnitude{};
        for (Index k = 0; k <= j; ++k) {
          const Wide product = static_cast<Wide>(l(i, k)) * l(j, k);
          sum += product;
          magnitude += std::abs(product);
        }
        const double bound = (n + 2) * Element<T>::epsilon * static_cast<double>(magnitude);
        if (!within(static_cast<double>(sum - a(i, j)), 0, bound))
          return Check::wrong("(L L^T)" + position(i, j), digits(a(i, j)), digits(static_cast<T>(sum)));
      }
    return {};
  }

  static Check check_product(MatrixView<const T> l, MatrixView<const T> a, std::uint64_t seed) {
    const Index n = l.rows;
    std::vector<double> t(n), norm2(n);
    // Wider than the elements: in a graded matrix the sums' own rounding is as large as that of a factor.
    std::vector<long double> lt(n), expected(n);
    for (Index j = 0; j < n; ++j)
      t[j] = (1 + random_unit(seed + 2, j)) * (random_bits(seed + 3, j) & 1 ? 1 : -1);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k <= i; ++k) {
        const long double term = static_cast<long double>(l(i, k)) * t[i];
        lt[k] += term;
        norm2[k] += static_cast<double>(term * term);
        expected[i] += static_cast<long double>(a(i, k)) * t[k];
        if (k < i) expected[k] += static_cast<long double>(a(i, k)) * t[i];
      }
    const double factor = 8 * std::sqrt(n + 2.0) * (Element<T>::epsilon + Element<double>::epsilon);
    for (Index i = 0; i < n; ++i) {
      long double got = 0;
      double squares = 0;
      for (Index k = 0; k <= i; ++k) {
        const double element = l(i, k);
        got += element * lt[k];
        squares += element * element * norm2[k];
      }
      if (!within(static_cast<double>(got - expected[i]), 0, factor * std::sqrt(squares)))
        return Check::wrong("row " + std::to_string(i) + " of L L^T times a random vector",
                            digits(static_cast<double>(expected[i])), digits(static_cast<double>(got)));
    }
    return {};
  }
};

/// Throws the Error of a matrix that is not positive definite: pivot i, counted from 0, is not above 0.
/// LAPACK counts from 1: its info is the order of the leading minor.
template <class T>
[[noreturn]] void throw_not_positive_definite(Index i, T pivot) {
  throw Error("cholesky: the matrix is not positive definite: the leading minor of order " +
              std::to_string(i + 1) + " has the pivot " + digits(pivot));
}

}  // namespace tallcache
