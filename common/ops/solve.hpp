// X = A^-1 B for an n x n matrix A and p right-hand sides. Matrices are row-major with padded leading
// dimensions; A and B are not written.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "common/compare.hpp"
#include "common/in_parts.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"
#include "common/refinement.hpp"

namespace tallcache {

template <class T>
struct Solve {
  static constexpr std::string_view name = "solve", element = Element<T>::name;
  static constexpr std::string_view what = "A X = B; A is n x n, B and X are n x p, row-major";
  static constexpr Rate rate = Rate::gflop_per_s;
  static constexpr DimSpec dims[] = {{"n", "rows and columns of A"},
                                     {"p", "columns of B and X", 1},
                                     {"pad", "leading dimensions minus columns", 0}};
  /// uniform: in [-1, 1); dominant: that, plus n on the diagonal; graded: every row scaled by a random power
  /// of two; near_singular: the last row is the first one and 2^-33 of another, so that A is singular, or
  /// nearly so, to all who factor it in less than double.
  static constexpr std::string_view inputs[] = {"uniform", "dominant", "graded", "near_singular"};

  template <class Access = Plain>
  struct Args {
    MatrixView<T, Access> x;
    MatrixView<const T, Access> a, b;
    Scratch<Access> scratch{};
    SolveReport* report = nullptr;  ///< where it says how the solutions came about, unless null

    template <class Other>
    Args<Other> with(Other other) const {
      return {x.with(other), a.with(other), b.with(other), scratch.with(other), report};
    }
  };

  static auto views(auto& args) { return std::tie(args.x, args.a, args.b); }

  static Shape shape_of(const Args<>& args) {
    return {{"n", args.a.rows}, {"p", args.b.cols}, {"pad", args.a.ld - args.a.cols}};
  }

  static std::vector<BufferSpec> buffers(const Shape& s) {
    const Index n = s["n"], p = s["p"], pad = s["pad"];
    return {{"X", Role::output, matrix_bytes<T>(n, p, pad), Element<T>::poison},
            {"A", Role::input, matrix_bytes<T>(n, n, pad)},
            {"B", Role::input, matrix_bytes<T>(n, p, pad)}};
  }

  static Args<> bind(const Shape& s, std::span<std::byte* const> buffers, Scratch<> scratch) {
    const Index n = s["n"], p = s["p"], pad = s["pad"];
    return {bind_matrix<T>(buffers[0], n, p, pad), bind_matrix<T>(buffers[1], n, n, pad),
            bind_matrix<T>(buffers[2], n, p, pad), scratch};
  }

  static void fill(const Shape& s, std::string_view input, std::uint64_t seed,
                   std::span<std::byte* const> buffers) {
    const Index n = s["n"];
    const MatrixView<T> a = bind_matrix<T>(buffers[1], n, n, s["pad"]);
    fill_matrix(a, "uniform", seed);
    fill_matrix(bind_matrix<T>(buffers[2], n, s["p"], s["pad"]), "uniform", seed + 1);
    for (Index i = 0; i < n; ++i) {
      if (input == "dominant") a(i, i) += static_cast<T>(n);
      if (input != "graded") continue;
      const auto down = static_cast<int>(random_up_to(seed + 2, static_cast<std::uint64_t>(i), 20));
      for (Index j = 0; j < n; ++j) a(i, j) = std::ldexp(a(i, j), -down);
    }
    if (input != "near_singular" || n < 2) return;
    for (Index j = 0; j < n; ++j) a(n - 1, j) = a(0, j) + std::ldexp(a(n - 1, j), -33);
  }

  static void validate(const Args<>& args) { validate_solve(args.a, args.b, args.x); }

  /// The residual b - A x of every column, with 11 bits more than double has, is checked against 4 u ||A||
  /// ||x|| sqrt(n + 2) in the infinity norm, u = eps / 2. Refinement stops at sqrt(n) u of a residual whose
  /// own rounding errors, of either sign, are of that size (Higham and Mary 2019), and elimination with
  /// partial pivoting stays below it but for rare matrices (Higham 2002, 9.4): these are backward errors, so
  /// that A's condition is in none of them.
  static Check check(const Shape&, std::string_view, std::uint64_t, const Args<>& args) {
    if (Check padding = check_padding<T>(args.x); !padding) return padding;
    const double bound = 4 * std::sqrt(static_cast<double>(args.a.rows) + 2) * Element<T>::epsilon / 2;
    const std::vector<double> norms = magnitudes(args);
    return first_wrong(args.a.rows, rows_of_part(args.a.cols * args.b.cols), [&](Index first, Index last) {
      Check result;
      for_each_residual(args, first, last, [&](Index i, Index c, double residual) {
        if (result && !(std::isfinite(norms[c]) && within(residual, 0, bound * norms[c])))
          result = Check::wrong("(B - A X)" + position(i, c),
                                "up to " + digits(bound) + " ||A|| ||x||, which is " + digits(norms[c]),
                                digits(residual));
      });
      return result;
    });
  }

  /// ||A|| ||x|| of every column in the infinity norm; NaN or infinity where an element is.
  static std::vector<double> magnitudes(const Args<>& args) {
    const auto larger = [](double old, double other) {
      return other <= old || std::isnan(old) ? old : other;
    };
    double norm = 0;
    for (Index i = 0; i < args.a.rows; ++i) {
      double sum = 0;
      for (Index j = 0; j < args.a.cols; ++j) sum += std::abs(static_cast<double>(args.a(i, j)));
      norm = larger(norm, sum);
    }
    std::vector<double> largest(args.x.cols);
    for (Index i = 0; i < args.x.rows; ++i)
      for (Index c = 0; c < args.x.cols; ++c)
        largest[c] = larger(largest[c], std::abs(static_cast<double>(args.x(i, c))));
    for (double& magnitude : largest) magnitude *= norm;
    return largest;
  }

  /// body(i, c, (b - A x)_i) for the rows from `first` to before `last` and every column c.
  template <class Body>
  static void for_each_residual(const Args<>& args, Index first, Index last, Body body) {
    using Wide = typename Element<T>::Wide;
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < args.b.cols; ++c) {
        Wide residual = args.b(i, c);
        for (Index j = 0; j < args.a.cols; ++j) residual -= static_cast<Wide>(args.a(i, j)) * args.x(j, c);
        body(i, c, static_cast<double>(residual));
      }
  }

  /// Of a decomposition and two triangular systems.
  static Cost cost(const Shape& s) {
    const double n = static_cast<double>(s["n"]), p = static_cast<double>(s["p"]);
    return {.flops = 2 * n * n * n / 3 + 2 * n * n * p, .bytes = sizeof(T) * (n * n + 2 * n * p)};
  }

  static std::vector<Shape> test_shapes() {
    std::vector<Shape> shapes;
    const auto add = [&](Index n, Index p, Index pad) {
      shapes.push_back({{"n", n}, {"p", p}, {"pad", pad}});
    };
    for (Index n : {0, 1, 2, 3, 7, 16, 17, 31, 32, 33, 61, 64, 65, 97, 127, 128, 129, 257})
      add(n, 1, n % 3 * 5);
    for (const auto& [n, p] : {std::pair<Index, Index>{1, 9},
                               {2, 2},
                               {5, 0},
                               {33, 3},
                               {65, 4},
                               {100, 17},
                               {129, 5},
                               {16, 200},
                               {200, 16}})
      add(n, p, p % 3 * 5);
    return shapes;
  }

  static std::vector<Shape> bench_shapes() {
    std::vector<Shape> shapes;
    for (Index n : {128, 256, 512, 1024}) shapes.push_back({{"n", n}, {"p", 1}, {"pad", 0}});
    return shapes;
  }
};

}  // namespace tallcache
