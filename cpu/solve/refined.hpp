// Linear systems in double precision by an LU decomposition in float that steps of iterative refinement make
// good, and by one in double where these do not converge, or would take longer: a decomposition in float
// takes half of the time of one in double, as a float takes half of its room in vectors and in memory.
// Decomposition, triangular systems and residuals are the packed product's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "common/cache/ideal_misses.hpp"
#include "common/ops/solve.hpp"
#include "common/variant.hpp"
#include "cpu/lu/lu_pivot_toledo.hpp"
#include "cpu/lu/triangular_solves.hpp"

namespace tallcache::cpu::solve {

using lu::Diagonal, lu::Side, lu::Trans, lu::Triangle;

inline constexpr const char* not_solvable = "solve: the matrix is singular, or an element is not finite";

/// Solutions of A X = B by factors of T, each refined by residuals in double.
template <class T, class Access>
class Refiner {
 public:
  using Matrix = MatrixView<double, Access>;
  using Constant = MatrixView<const double, Access>;

  /// The bytes of scratch for n unknowns and so many right-hand sides.
  static std::size_t bytes(Index n, Index columns) {
    return scratch_bytes(
        {matrix_bytes<T>(n, lu::odd_lines<T>(n), 0), matrix_bytes<T>(n, columns, 0),
         matrix_bytes<double>(n, columns, 0), static_cast<std::size_t>(n) * sizeof(std::int32_t),
         matrix_bytes<double>(2, n, 0),
         std::max({Lu::scratch(n, n),
                   lu::SolveMemory<T, Access>::bytes(columns, lu::solve_scratch<T>(Side::left, n, columns)),
                   lu::multiply_scratch<double>(n, columns, n)})});
  }

  Refiner(Constant matrix, Constant right, Matrix solution, Scratch<Access> scratch)
      : a_(matrix), b_(right), x_(solution) {
    const Index n = a_.rows, columns = b_.cols;
    factors_ = scratch.template matrix<T>(n, lu::odd_lines<T>(n));  // lest rows collide in caches
    factors_.cols = n;
    correction_ = scratch.template matrix<T>(n, columns);
    residual_ = scratch.template matrix<double>(n, columns);
    exchanges_ = scratch.template vector<std::int32_t>(n);
    of_rows_ = scratch.template matrix<double>(2, n);
    of_parts_ = scratch;
  }

  /// X = A^-1 B by factors in double, without a residual. Throws Error where a pivot is 0 or NaN, or a
  /// solution is not finite.
  template <class Fork>
  requires(sizeof(T) == sizeof(double)) void solve_directly(Fork& fork) {
    copy_matrix(fork);
    Lu(a_.rows, a_.cols, of_parts_)(fork, factors_, exchanges_);
    copy_right(fork, x_);
    solve_by_factors(fork, x_);
    for (const double norm : norms(x_))
      if (!std::isfinite(norm)) throw Error(not_solvable);
  }

  /// Sets `report`; true where it converged. Throws Error where a pivot in double is 0 or NaN.
  template <class Fork>
  bool solve(Fork& fork, SolveReport& report) {
    report = {.refinement = Refinement::not_finite};
    if (!factor(fork)) return false;
    RefinementTest test(a_.rows, norm_, static_cast<std::size_t>(b_.cols));
    for (report.steps = 0;; ++report.steps) {
      correct(fork, report.steps == 0);
      const auto end = test.judge(norms(residual_), norms(x_));
      report.backward_error = test.backward_error();
      if (!end) continue;
      report.refinement = *end;
      return *end == Refinement::converged;
    }
  }

 private:
  using Lu = lu::ToledoLu<T, Access, VectorView<std::int32_t, Access>>;
  static constexpr bool is_double = sizeof(T) == sizeof(double);

  template <class Fork, class Body>
  void for_rows(Fork& fork, const Body& body) const {
    loop_blocks(fork, a_.rows, 64, [&body](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) body(i);
    });
  }

  /// A power of two that brings a magnitude near 1; 1 for doubles, and for what is 0 or not finite.
  static double scale_of(double magnitude) {
    if (is_double || magnitude == 0 || !std::isfinite(magnitude)) return 1;
    return std::ldexp(1.0, std::clamp(-std::ilogb(magnitude), -1022, 1022));
  }

  /// The factors of A, scaled so that no element overflows in float, and the infinity norm of A. Whether
  /// there are factors of floats; those of doubles are, or Error is thrown.
  template <class Fork>
  bool factor(Fork& fork) {
    for_rows(fork, [this](Index i) {
      double sum = 0, largest = 0;
      for (Index j = 0; j < a_.cols; ++j) {
        const double magnitude = std::abs(double(a_(i, j)));
        sum += magnitude;
        largest = std::max(largest, magnitude);
      }
      of_rows_(0, i) = sum;
      of_rows_(1, i) = largest;
    });
    norm_ = 0;
    double largest = 0;
    for (Index i = 0; i < a_.rows; ++i) {
      if (const double sum = of_rows_(0, i); !(sum <= norm_)) norm_ = sum;
      largest = std::max(largest, double(of_rows_(1, i)));
    }
    scale_ = scale_of(largest);
    copy_matrix(fork);
    Index zero_pivot = -1;
    const Lu decompose(a_.rows, a_.cols, of_parts_, is_double ? nullptr : &zero_pivot);
    decompose(fork, factors_, exchanges_);
    return zero_pivot < 0 && (is_double || has_sound_pivot());
  }

  /// factors_ = A, scaled.
  template <class Fork>
  void copy_matrix(Fork& fork) {
    for_rows(fork, [this](Index i) {
      for (Index j = 0; j < a_.cols; ++j) factors_(i, j) = static_cast<T>(a_(i, j) * scale_);
    });
  }

  /// Whether the pivot that is the smallest beside its row of A is more than the rounding errors of the sum
  /// that made it. Where it is not, no step would bring the solution nearer.
  bool has_sound_pivot() const {
    std::vector<Index> order(static_cast<std::size_t>(a_.rows));
    std::iota(order.begin(), order.end(), Index{0});
    const auto pivot = [this](Index k) { return std::abs(double(factors_(k, k))); };
    double least = std::numeric_limits<double>::infinity();
    Index k = 0;
    for (Index i = 0; i < a_.rows; ++i) {
      Index& row = order[static_cast<std::size_t>(i)];
      std::swap(row, order[static_cast<std::size_t>(exchanges_[i])]);
      if (const double size = pivot(i) / (scale_ * of_rows_(1, row)); size < least) least = size, k = i;
    }
    double sum = 0;
    for (Index i = 0; i < k; ++i) sum += std::abs(double(factors_(k, i)) * double(factors_(i, k)));
    return pivot(k) > std::numeric_limits<T>::epsilon() * sum;
  }

  /// X += A^-1 (B - A X), and the residual of the new X. Where `first`, X is 0 before.
  template <class Fork>
  void correct(Fork& fork, bool first) {
    if (first) copy_right(fork, residual_);
    std::vector<double> scales = norms(residual_);
    for (double& scale : scales) scale = scale_of(scale);
    for_rows(fork, [&scales, this](Index i) {
      for (Index c = 0; c < b_.cols; ++c)
        correction_(i, c) = static_cast<T>(residual_(i, c) * scales[static_cast<std::size_t>(c)]);
    });
    solve_by_factors(fork, correction_);
    for_rows(fork, [&scales, first, this](Index i) {
      // One scale after the other: their quotient may overflow where the element does not.
      for (Index c = 0; c < b_.cols; ++c)
        x_(i, c) = (first ? 0.0 : double(x_(i, c))) +
                   correction_(i, c) * scale_ / scales[static_cast<std::size_t>(c)];
    });
    copy_right(fork, residual_);
    lu::multiply<Fork, double, Access>(fork, -1, a_, Trans::no, x_, Trans::no, 1, residual_, of_parts_);
  }

  template <class Fork>
  void copy_right(Fork& fork, const Matrix& to) const {
    loop_blocks(fork, a_.rows, 64, [&to, this](Index begin, Index end) {
      lu::copy_rows<double, Access>(to.block(begin, 0, end - begin, b_.cols),
                                    b_.block(begin, 0, end - begin, b_.cols));
    });
  }

  template <class Fork>
  void solve_by_factors(Fork& fork, const MatrixView<T, Access>& x) const {
    lu::exchange_stretches(fork, x, exchanges_, 0);
    for (const bool lower : {true, false}) {
      Scratch<Access> scratch = of_parts_;
      const lu::TriangularSolve<T, Access> solve{Side::left, lower ? Triangle::lower : Triangle::upper,
                                                 Trans::no, lower ? Diagonal::unit : Diagonal::non_unit,
                                                 lu::SolveMemory<T, Access>::take(scratch, b_.cols)};
      solve(fork, factors_, x);
    }
  }

  /// The infinity norms of the columns; NaN where an element is.
  static std::vector<double> norms(const Matrix& v) {
    std::vector<double> largest(static_cast<std::size_t>(v.cols), 0);
    for (Index i = 0; i < v.rows; ++i)
      for (Index c = 0; c < v.cols; ++c) {
        double& of_column = largest[static_cast<std::size_t>(c)];
        const double magnitude = std::abs(double(v(i, c)));
        if (!(magnitude <= of_column) && !std::isnan(of_column)) of_column = magnitude;
      }
    return largest;
  }

  Constant a_, b_;
  Matrix x_, residual_, of_rows_;
  MatrixView<T, Access> factors_, correction_;
  VectorView<std::int32_t, Access> exchanges_;
  Scratch<Access> of_parts_;
  double norm_ = 0, scale_ = 1;
};

/// Whether factors in float with steps of refinement should take less time than factors in double, for n
/// unknowns and p right-hand sides: by flops, of which two in float take the time of one in double.
constexpr bool suits_float(Index n, Index p) {
  // A solution and four steps, each with a system in float and a residual in double; a system in double.
  // So many right-hand sides take no longer than one (TUNING.md).
  constexpr double corrections = 5, least_columns = 10;
  const double factor = 2.0 / 3 * static_cast<double>(n),
               columns = std::max(static_cast<double>(p), least_columns);
  return factor / 2 + corrections * (1 + 2) * columns < factor + 2 * columns;
}

struct refined {
  static constexpr std::string_view idea =
      "factors in float by Toledo's recursion, residuals in double, steps until the backward error is that "
      "of double; factors in double where a step does not halve it, and where these take fewer operations";
  static constexpr std::string_view source = "Carson, Higham 2018; Langou et al. 2006; Toledo 1997";
  using operations = OperationList<Solve<double>>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;
  static constexpr Index widths[] = {0, 32, 64};
  static constexpr ParamSpec params[] = {
      {.name = "factors",
       .default_value = 0,
       .what = "bits of the factors' elements; 64: none is in float, 0: by the number of operations",
       .min = 0,
       .choices = widths}};

  static std::size_t scratch(Solve<double>, const Shape& shape, const Params&) {
    return std::max(Refiner<float, Plain>::bytes(shape["n"], shape["p"]),
                    Refiner<double, Plain>::bytes(shape["n"], shape["p"]));
  }

  /// Of the decomposition (Toledo 1997, section 3) and of products with p columns.
  static cache::Prediction predicted_misses(Solve<double>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    const double n = static_cast<double>(shape["n"]), p = static_cast<double>(shape["p"]);
    return {n * n / ideal.L * (1 + std::log2(std::max(1.0, n))) +
                n * n * (n + p) / (ideal.L * std::sqrt(ideal.Z)) + n * p / ideal.L,
            "O(n^2/L (1 + lg n) + n^2 (n + p)/(L sqrt Z) + np/L)", true};
  }

  /// Throws Error where A is singular, or an element or a solution is not finite.
  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    using Access = typename decltype(args.x)::access_type;
    SolveReport report{.refinement = Refinement::not_tried,
                       .backward_error = std::numeric_limits<double>::quiet_NaN()};
    const Index bits = params["factors"];
    const auto by = [&]<class T>(T) { return Refiner<T, Access>(args.a, args.b, args.x, args.scratch); };
    if (args.a.rows == 0 || args.b.cols == 0) {
      report = {};
    } else if (bits == 64 || (bits == 0 && !suits_float(args.a.rows, args.b.cols))) {
      by(0.0).solve_directly(fork);
    } else if (!by(0.0F).solve(fork, report)) {
      SolveReport by_double;
      by(0.0).solve(fork, by_double);
      if (by_double.refinement == Refinement::not_finite) throw Error(not_solvable);
      report.backward_error = by_double.backward_error;
    }
    if (args.report) *args.report = report;
  }
};

}  // namespace tallcache::cpu::solve
