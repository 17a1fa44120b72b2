// A = Q R in place, by Householder reflectors. A is m x n, row-major with a padded leading dimension.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// The result replaces A as in LAPACK's geqrf. The upper trapezoid, with the diagonal, holds that of R. Q =
/// H_0 H_1 ... H_(k - 1), where k = min(m, n) and H_j = I - tau_j v_j v_j^T; v_j is 0 above row j and 1 in
/// row j, and column j of A below the diagonal holds the rest of it. tau_j is 0, or between 1 and 2.
template <class T>
struct Qr {
  static constexpr std::string_view name = "qr", element = Element<T>::name;
  static constexpr std::string_view what = "A = Q R by Householder reflectors; A is m x n, row-major";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec dims[] = {
      {"m", "rows of A"}, {"n", "columns of A"}, {"pad", "leading dimension minus columns", 0}};
  /// graded: uniform, every column scaled by a random power of two; deficient: the second half of the columns
  /// are sums of two of the first half; zero_columns: uniform, every third column 0; hilbert: 1 / (i + j +
  /// 1); tiny, huge: uniform, scaled to where squares underflow or overflow.
  static constexpr std::string_view inputs[] = {"uniform", "graded", "deficient", "zero_columns",
                                                "hilbert", "tiny",   "huge"};

  template <class Access = Plain>
  struct Args {
    MatrixView<T, Access> a;
    VectorView<T, Access> tau;  ///< min(m, n) of them
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), tau.with(other), scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) {
    return {{"m", args.a.rows}, {"n", args.a.cols}, {"pad", args.a.ld - args.a.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    return {{"A", Role::inout, matrix_bytes<T>(s["m"], s["n"], s["pad"]), Element<T>::poison},
            {"tau", Role::output, std::min(s["m"], s["n"]) * sizeof(T), Element<T>::poison}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    return {bind_matrix<T>(buffers[0], s["m"], s["n"], s["pad"]),
            {reinterpret_cast<T*>(buffers[1]), std::min(s["m"], s["n"])},
            scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill(bind_matrix<T>(buffers[0], s["m"], s["n"], s["pad"]), input, seed);
  }

  static void validate(const Args<>& args) {
    validate_view(args.a, "A");
    const Index k = std::min(args.a.rows, args.a.cols);
    if (args.tau.size != k)
      throw Error("tau: " + std::to_string(args.tau.size) + " of them, not " + std::to_string(k));
    if (k && !args.tau.data) throw Error("tau: no data");
    validate_disjoint(args.tau, "tau", args.a, "A");
  }

  /// Q is orthogonal where every reflector is: |tau v^T v - 2| is checked against 8 (m + 2) eps. Up to 2^23
  /// multiplications every column of A - Q R is checked against 4 sqrt((k + 1) (m + 2)) eps times the norm of
  /// that column of A, where Q is applied in higher precision: the columnwise bound of Higham 2002, theorem
  /// 19.4, for rounding errors of either sign (Higham and Mary 2019). Beyond, A t - Q R t is checked in the
  /// same way, for a random vector t.
  static Check check(const Shape&, std::string_view input, std::uint64_t seed, const Args<>& args) {
    const MatrixView<const T> f = args.a;
    const Index m = f.rows, n = f.cols;
    if (Check padding = check_padding(f); !padding) return padding;
    if (Check reflectors = check_reflectors(f, args.tau); !reflectors) return reflectors;
    std::vector<T> original(m * n);
    const MatrixView<T> a{original.data(), m, n, n};
    fill(a, input, seed);
    if (static_cast<double>(m) * n * std::min(m, n) <= 0x1p23)
      return check_columns<typename Element<T>::Wide>(f, args.tau, a);
    return check_product(f, args.tau, a, seed);
  }

  /// Golub and Van Loan 2013, section 5.2.2: 2 n^2 (m - n / 3) for m >= n.
  static Cost cost(const Shape& s) {
    const double m = static_cast<double>(s["m"]), n = static_cast<double>(s["n"]);
    const double k = std::min(m, n), l = std::max(m, n);
    return {.flops = 2 * k * k * (l - k / 3), .bytes = 2 * sizeof(T) * m * n};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index m, Index n) {
      shapes.push_back({{"m", m}, {"n", n}, {"pad", (m + n) % 3 * 5}});
    };
    for (Index n : {0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 33, 61, 64, 65, 97, 128, 129}) add(n, n);
    for (Index n : {1, 5, 8, 33}) add(0, n), add(n, 0), add(1, n), add(n, 1), add(131, n), add(n, 131);
    for (Index n : {40, 67, 96}) add(n, 150), add(150, n);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {128, 256, 512, 1024}) shapes.push_back({{"m", n}, {"n", n}, {"pad", 0}});
    return shapes;
  }

 private:
  static void fill(MatrixView<T> a, std::string_view input, std::uint64_t seed) {
    fill_matrix(a, "uniform", seed);
    const int exponent = std::numeric_limits<T>::max_exponent;
    const Index half = (a.cols + 1) / 2;
    for (Index i = 0; i < a.rows; ++i)
      for (Index j = 0; j < a.cols; ++j) {
        T& x = a(i, j);
        if (input == "graded") x = std::ldexp(x, -static_cast<int>(random_up_to(seed + 1, j, exponent / 3)));
        if (input == "zero_columns" && j % 3 == 1) x = 0;
        if (input == "deficient" && j >= half) x = a(i, j - half) + a(i, 0);
        if (input == "hilbert") x = 1 / static_cast<T>(i + j + 1);
        if (input == "tiny") x = std::ldexp(x, 16 - exponent);
        if (input == "huge") x = std::ldexp(x, exponent - 20);
      }
  }

  static Check check_reflectors(MatrixView<const T> f, VectorView<const T> tau) {
    const Index m = f.rows;
    const double bound = 8 * static_cast<double>(m + 2) * Element<T>::epsilon;
    for (Index j = 0; j < tau.size; ++j) {
      const double factor = static_cast<double>(tau[j]);
      double norm2 = 1;
      for (Index i = j + 1; i < m; ++i) norm2 += static_cast<double>(f(i, j)) * static_cast<double>(f(i, j));
      if (factor == 0 && std::isfinite(norm2)) continue;
      const std::string name = "tau[" + std::to_string(j) + "]";
      if (!(factor >= 1 - bound && factor <= 2 + bound))
        return Check::wrong(name, "0, or 1 to 2", digits(tau[j]));
      if (!within(factor * norm2, 2, bound))
        return Check::wrong(name + " times the square of its vector's norm", "2", digits(factor * norm2));
    }
    return {};
  }

  /// x = Q x. Row j of `f` is 1 in the vector of reflector j, and below it are the vector's other elements.
  template <class Wide>
  static void multiply_by_q(MatrixView<const T> f, VectorView<const T> tau, std::vector<Wide>& x) {
    for (Index j = tau.size; j-- > 0;) {
      Wide product = x[j];
      for (Index i = j + 1; i < f.rows; ++i) product += static_cast<Wide>(f(i, j)) * x[i];
      product *= static_cast<Wide>(tau[j]);
      x[j] -= product;
      for (Index i = j + 1; i < f.rows; ++i) x[i] -= static_cast<Wide>(f(i, j)) * product;
    }
  }

  static double bound_of(Index m, Index k) {
    return 4 * std::sqrt(static_cast<double>(k + 1) * static_cast<double>(m + 2)) * Element<T>::epsilon;
  }

  /// The norm of column j of `a`, divided by `scale`, the power of two that keeps the squares of its elements
  /// from under- and overflow.
  static double column_norm(MatrixView<const T> a, Index j, double& scale) {
    double largest = 0, sum = 0;
    for (Index i = 0; i < a.rows; ++i) largest = std::max(largest, std::abs(static_cast<double>(a(i, j))));
    scale = largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1;
    for (Index i = 0; i < a.rows; ++i) {
      const double x = static_cast<double>(a(i, j)) / scale;
      sum += x * x;
    }
    return std::sqrt(sum);
  }

  template <class Wide>
  static Check check_columns(MatrixView<const T> f, VectorView<const T> tau, MatrixView<const T> a) {
    const Index m = f.rows;
    // A reflector's vector of so small a column has elements below the normal numbers.
    const double least = 8 * static_cast<double>(m) * std::numeric_limits<T>::denorm_min();
    std::vector<Wide> x(m);
    for (Index j = 0; j < f.cols; ++j) {
      for (Index i = 0; i < m; ++i) x[i] = i <= j ? static_cast<Wide>(f(i, j)) : Wide{};
      multiply_by_q(f, tau, x);
      double scale;
      const double bound = bound_of(m, tau.size) * column_norm(a, j, scale) + least / scale;
      for (Index i = 0; i < m; ++i)
        if (const Wide error = (x[i] - static_cast<Wide>(a(i, j))) / static_cast<Wide>(scale);
            !within(static_cast<double>(error), 0, bound))
          return Check::wrong("(Q R)" + position(i, j), digits(a(i, j)), digits(static_cast<T>(x[i])));
    }
    return {};
  }

  static Check check_product(MatrixView<const T> f, VectorView<const T> tau, MatrixView<const T> a,
                             std::uint64_t seed) {
    const Index m = f.rows;
    std::vector<double> got(m), expected(m);
    double all = 1;
    for (Index j = 0; j < f.cols; ++j) {
      double scale;
      column_norm(a, j, scale);
      all = j == 0 ? scale : std::max(all, scale);
    }
    double norm2 = 0;
    for (Index j = 0; j < f.cols; ++j) {
      const double t = (1 + random_unit(seed + 2, j)) * (random_bits(seed + 3, j) & 1 ? 1 : -1);
      for (Index i = 0; i < m; ++i) {
        const double term = static_cast<double>(a(i, j)) / all * t;
        expected[i] += term;
        norm2 += term * term;
        if (i <= j) got[i] += static_cast<double>(f(i, j)) / all * t;
      }
    }
    multiply_by_q(f, tau, got);
    // The check's own sums are in double: for doubles, their error is of the size of the variant's.
    const double bound = 2 * bound_of(m, tau.size) * std::sqrt(norm2);
    for (Index i = 0; i < m; ++i)
      if (!within(got[i], expected[i], bound))
        return Check::wrong("row " + std::to_string(i) + " of Q R times a random vector", digits(expected[i]),
                            digits(got[i]));
    return {};
  }
};

}  // namespace tallcache
