// A = L U of an n x n matrix in place, and P A = L U of an m x n matrix with partial pivoting. A is row-major
// with a padded leading dimension.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/compare.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// The result replaces A: the strict lower triangle holds that of the unit lower triangular L, the rest holds
/// U. With pivoting, L is m x min(m, n) and U min(m, n) x n, and rows are exchanged as in LAPACK's getrf:
/// step i, for i = 0, 1, ..., min(m, n) - 1, exchanges row i with row exchanges[i] >= i, so that no element
/// of L is above 1 in magnitude.
template <class T, bool pivoting>
struct LuDecomposition {
  static constexpr std::string_view name = pivoting ? "lu_pivot" : "lu", element = Element<T>::name;
  static constexpr std::string_view what = pivoting ? "P A = L U with partial pivoting; A is m x n, row-major"
                                                    : "A = L U without pivoting; A is n x n, row-major";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec square_dims[] = {{"n", "rows and columns of A"},
                                            {"pad", "leading dimension minus columns", 0}};
  static constexpr DimSpec any_dims[] = {
      {"n", "columns of A"}, {"m", "rows of A"}, {"pad", "leading dimension minus columns", 0}};
  static constexpr std::span<const DimSpec> dims =
      pivoting ? std::span<const DimSpec>(any_dims) : std::span<const DimSpec>(square_dims);
  /// dominant: uniform in [-1, 1), plus n on the diagonal; zero_diagonal: uniform, with zeros on the
  /// diagonal; graded: uniform, every row scaled by a random power of two.
  static constexpr std::string_view kinds[] = {"dominant", "uniform", "zero_diagonal", "graded"};
  static constexpr std::string_view pivoting_kinds[] = {"uniform", "dominant", "zero_diagonal", "graded"};
  static constexpr std::span<const std::string_view> inputs =
      pivoting ? std::span<const std::string_view>(pivoting_kinds)
               : std::span<const std::string_view>(kinds).first(1);

  template <class Access = Plain>
  struct Args {
    static constexpr bool has_exchanges = pivoting;
    MatrixView<T, Access> a;
    VectorView<std::int32_t, Access> exchanges;  ///< min(m, n) of them; empty without pivoting
    Scratch<Access> scratch{};

    template <class Other>
    Args<Other> with(Other other) const {
      return {a.with(other), exchanges.with(other), scratch.with(other)};
    }
  };

  static Shape shape_of(const Args<>& args) {
    const auto& a = args.a;
    if (pivoting) return {{"n", a.cols}, {"m", a.rows}, {"pad", a.ld - a.cols}};
    return {{"n", a.cols}, {"pad", a.ld - a.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    std::vector<BufferSpec> specs{
        {"A", Role::inout, matrix_bytes<T>(rows(s), s["n"], s["pad"]), Element<T>::poison}};
    if (pivoting) {
      require_int32(rows(s));
      specs.push_back({"exchanges", Role::output, std::min(rows(s), s["n"]) * sizeof(std::int32_t),
                       Element<std::int32_t>::poison});
    }
    return specs;
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    Args<> args{bind_matrix<T>(buffers[0], rows(s), s["n"], s["pad"]), {}, scratch};
    if (pivoting) args.exchanges = {reinterpret_cast<std::int32_t*>(buffers[1]), std::min(rows(s), s["n"])};
    return args;
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    fill(bind_matrix<T>(buffers[0], rows(s), s["n"], s["pad"]), input, seed);
  }

  static void validate(const Args<>& args) {
    validate_view(args.a, "A");
    if (!pivoting && args.a.rows != args.a.cols)
      throw Error(std::string(name) + ": " + std::to_string(args.a.rows) + " x " +
                  std::to_string(args.a.cols) + " is not square");
    if (!pivoting) return;
    require_int32(args.a.rows);
    if (const Index steps = std::min(args.a.rows, args.a.cols); args.exchanges.size != steps)
      throw Error("exchanges: " + std::to_string(args.exchanges.size) + " of them, not " +
                  std::to_string(steps));
    if (args.exchanges.size && !args.exchanges.data) throw Error("exchanges: no data");
    validate_disjoint(args.exchanges, "exchanges", args.a, "A");
  }

  /// Up to 2^27 products, the backward error P A - L U is checked elementwise against (min(m, n) + 2) eps |L|
  /// |U| (Higham 2002, 9.3). Beyond, every row of it times a random vector t is checked against 8 sqrt(min(m,
  /// n) + 2) eps times the root of the sum of the squares of the products l_ik u_kj t_j, as rounding errors
  /// of either sign add up (Higham and Mary 2019). With pivoting, the exchanges must be valid, and no element
  /// of L may be above 1 except by the rounding of a reciprocal.
  /// `matrices` of the same size are checked together, as one of so many products.
  static Check check(const Shape&, std::string_view input, std::uint64_t seed, const Args<>& args,
                     Index matrices = 1) {
    const MatrixView<const T> f = args.a;
    const Index m = f.rows, n = f.cols, steps = std::min(m, n);
    if (Check padding = check_padding(f); !padding) return padding;
    std::vector<T> original(m * n);
    const MatrixView<T> a{original.data(), m, n, n};
    fill(a, input, seed);
    if constexpr (pivoting) {
      for (Index i = 0; i < steps; ++i) {
        const Index other = args.exchanges[i];
        if (other < i || other >= m)
          return Check::wrong("exchange " + std::to_string(i),
                              "a row from " + std::to_string(i) + " to " + std::to_string(m - 1),
                              std::to_string(other));
        if (other != i) std::swap_ranges(&a(i, 0), &a(i, 0) + n, &a(other, 0));
      }
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < std::min(i, steps); ++j)
          if (!(std::abs(f(i, j)) <= 1 + 2 * Element<T>::epsilon))
            return Check::wrong("L" + position(i, j), "at most 1 in magnitude", digits(f(i, j)));
    }
    return static_cast<double>(matrices) * m * n * steps <= 0x1p27 ? check_elements(f, a)
                                                                   : check_product(f, a, seed);
  }

  static Cost cost(const Shape& s) {
    const double m = static_cast<double>(rows(s)), n = static_cast<double>(s["n"]), k = std::min(m, n);
    // The sum of (m - i) + 2 (m - i) (n - i) for i = 1 ... k.
    const double flops =
        m * k + 2 * m * n * k - (1 + 2 * (m + n)) * k * (k + 1) / 2 + k * (k + 1) * (2 * k + 1) / 3;
    return {.flops = flops, .bytes = 2 * sizeof(T) * m * n};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 97, 127, 128, 129})
      shapes.push_back(square(n, n % 3 * 5));
    if (pivoting)
      for (const auto& [m, n] : {std::pair<Index, Index>{0, 5},
                                 {5, 0},
                                 {1, 9},
                                 {9, 1},
                                 {64, 3},
                                 {3, 64},
                                 {50, 49},
                                 {49, 50},
                                 {97, 200},
                                 {200, 97},
                                 {300, 12},
                                 {12, 300},
                                 {131, 257},
                                 {257, 131}})
        shapes.push_back({{"n", n}, {"m", m}, {"pad", m % 3 * 5}});
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {128, 256, 512, 1024}) shapes.push_back(square(n, 0));
    return shapes;
  }

 private:
  static Index rows(const Shape& s) { return s[pivoting ? "m" : "n"]; }

  static Shape square(Index n, Index pad) {
    if (pivoting) return {{"n", n}, {"m", n}, {"pad", pad}};
    return {{"n", n}, {"pad", pad}};
  }

  static void require_int32(Index n) {
    if (n > std::numeric_limits<std::int32_t>::max())
      throw Error("lu_pivot: " + std::to_string(n) + " rows exceed 32-bit row numbers");
  }

  static void fill(MatrixView<T> a, std::string_view input, std::uint64_t seed) {
    fill_matrix(a, "uniform", seed);
    for (Index i = 0; i < a.rows; ++i) {
      const bool has_diagonal = i < a.cols;
      if (input == "dominant" && has_diagonal) a(i, i) += static_cast<T>(a.rows);
      if (input == "zero_diagonal" && has_diagonal && a.rows > 1 && a.cols > 1) a(i, i) = 0;
      if (input == "graded") {
        const T scale = static_cast<T>(1.0 / static_cast<double>(1 << random_up_to(seed + 1, i, 20)));
        for (Index j = 0; j < a.cols; ++j) a(i, j) *= scale;
      }
    }
  }

  static T unit_lower(MatrixView<const T> f, Index i, Index j) { return i == j ? T{1} : f(i, j); }

  static Check check_elements(MatrixView<const T> f, MatrixView<const T> a) {
    using Wide = typename Element<T>::Wide;
    const Index n = f.cols, steps = std::min(f.rows, n);
    std::vector<Wide> sum(n), magnitude(n);
    for (Index i = 0; i < f.rows; ++i) {
      std::ranges::fill(sum, Wide{});
      std::ranges::fill(magnitude, Wide{});
      for (Index l = 0; l < std::min(i + 1, steps); ++l) {
        const Wide factor = unit_lower(f, i, l);
        for (Index j = l; j < n; ++j) {
          const Wide product = factor * f(l, j);
          sum[j] += product;
          magnitude[j] += std::abs(product);
        }
      }
      for (Index j = 0; j < n; ++j) {
        const double bound = (steps + 2) * Element<T>::epsilon * static_cast<double>(magnitude[j]);
        if (!within(static_cast<double>(sum[j] - a(i, j)), 0, bound))
          return Check::wrong("(L U)" + position(i, j), digits(a(i, j)), digits(static_cast<T>(sum[j])));
      }
    }
    return {};
  }

  static Check check_product(MatrixView<const T> f, MatrixView<const T> a, std::uint64_t seed) {
    const Index n = f.cols, steps = std::min(f.rows, n);
    std::vector<double> t(n), ut(steps), u_norm2(steps);
    for (Index j = 0; j < n; ++j)
      t[j] = (1 + random_unit(seed + 2, j)) * (random_bits(seed + 3, j) & 1 ? 1 : -1);
    for (Index l = 0; l < steps; ++l)
      for (Index j = l; j < n; ++j) {
        const double term = f(l, j) * t[j];
        ut[l] += term;
        u_norm2[l] += term * term;
      }
    const double factor = 8 * std::sqrt(steps + 2.0) * (Element<T>::epsilon + Element<double>::epsilon);
    for (Index i = 0; i < f.rows; ++i) {
      double expected = 0, got = 0, norm2 = 0;
      for (Index j = 0; j < n; ++j) expected += a(i, j) * t[j];
      for (Index l = 0; l < std::min(i + 1, steps); ++l) {
        const double element = unit_lower(f, i, l);
        got += element * ut[l];
        norm2 += element * element * u_norm2[l];
      }
      if (!within(got, expected, factor * std::sqrt(norm2)))
        return Check::wrong("row " + std::to_string(i) + " of L U times a random vector", digits(expected),
                            digits(got));
    }
    return {};
  }
};

template <class T>
using Lu = LuDecomposition<T, false>;
template <class T>
using LuPivot = LuDecomposition<T, true>;

/// Throws the Error of a pivot that cannot be divided by: 0, of a singular matrix, or NaN, which says nothing
/// about the matrix but that one of its elements is NaN or that the elimination overflowed.
template <class T>
[[noreturn]] void throw_unusable_pivot(std::string_view operation, Index i, T pivot) {
  const std::string place = "pivot " + std::to_string(i) + " is ";
  if (std::isnan(pivot))
    throw Error(std::string(operation) + ": " + place +
                "NaN: an element is NaN, or the elimination overflowed");
  throw Error(std::string(operation) + ": the matrix is singular: " + place + digits(pivot));
}

}  // namespace tallcache
