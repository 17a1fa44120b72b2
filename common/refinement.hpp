// Iterative refinement of solutions of linear systems: when it has converged, and when it will not.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/compare.hpp"

namespace tallcache {

/// How the solutions of A X = B came about.
enum class Refinement {
  converged,   ///< from the factors in float
  not_finite,  ///< in float a pivot was 0 or rounding errors, or a number not finite: from factors in double
  stagnated,   ///< a step did not halve an error: from factors in double
  too_slow,    ///< as many steps as are allowed: from factors in double
  not_tried,   ///< from factors in double, as the caller wished or as they take fewer operations
};

/// What a report says of it, in words.
constexpr std::string_view text_of(Refinement refinement) {
  switch (refinement) {
    case Refinement::converged:
      return "factors in float, refined";
    case Refinement::not_finite:
      return "factors in double: in float the matrix is singular or not finite";
    case Refinement::stagnated:
      return "factors in double: a step of refinement did not halve the error";
    case Refinement::too_slow:
      return "factors in double: refinement took too many steps";
    default:
      return "factors in double";
  }
}

struct SolveReport {
  Refinement refinement = Refinement::converged;
  int steps = 0;  ///< of refinement, behind the first solution by the factors in float
  /// The largest of ||b - A x|| / (||A|| ||x||) in the infinity norm; NaN, not measured, where refinement was
  /// not tried.
  double backward_error = 0;
};

/// Judges residuals. A solution has converged when ||b - A x|| <= sqrt(n) u ||A|| ||x|| in the infinity norm,
/// u = 2^-53.
///
/// Source: LAPACK's dsgesv (Langou et al., "Exploiting the performance of 32 bit floating point arithmetic in
/// obtaining 64 bit accuracy", 2006) for the bound; Demmel et al., "Error bounds from extra-precise iterative
/// refinement", 2006, for the ratio of one half.
class RefinementTest {
 public:
  static constexpr int max_steps = 30;

  RefinementTest(Index n, double norm_of_a, std::size_t columns)
      : bound_(std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon() / 2),
        norm_(norm_of_a),
        last_(columns, std::numeric_limits<double>::infinity()) {}

  /// How refinement ends; nothing where it goes on. `residuals` and `solutions` are norms, one a column.
  std::optional<Refinement> judge(std::span<const double> residuals, std::span<const double> solutions) {
    bool converged = true, improved = true;
    error_ = 0;
    for (std::size_t c = 0; c < last_.size(); ++c) {
      const double error = residuals[c] == 0 ? solutions[c] * 0 : residuals[c] / norm_ / solutions[c];
      if (!(error <= error_)) error_ = error;
      if (!std::isfinite(error_)) return Refinement::not_finite;
      if (error <= bound_) continue;
      converged = false;
      if (!(error <= last_[c] / 2)) improved = false;
      last_[c] = error;
    }
    if (converged) return Refinement::converged;
    if (!improved) return Refinement::stagnated;
    if (++judged_ > max_steps) return Refinement::too_slow;
    return {};
  }

  /// Of the residuals that were judged last.
  double backward_error() const { return error_; }

 private:
  double bound_, norm_, error_ = 0;
  std::vector<double> last_;  ///< errors
  int judged_ = 0;
};

/// Throws Error unless A X = B is a system of views: A n x n, B and X n x p, X disjoint from the others.
inline void validate_solve(const MatrixView<const double>& a, const MatrixView<const double>& b,
                           const MatrixView<double>& x) {
  validate_view(a, "A");
  validate_view(b, "B");
  validate_view(x, "X");
  if (a.rows != a.cols || b.rows != a.rows || x.rows != a.rows || x.cols != b.cols)
    throw Error("solve: A is " + std::to_string(a.rows) + " x " + std::to_string(a.cols) + ", B " +
                std::to_string(b.rows) + " x " + std::to_string(b.cols) + ", X " + std::to_string(x.rows) +
                " x " + std::to_string(x.cols));
  validate_disjoint(x, "X", a, "A");
  validate_disjoint(x, "X", b, "B");
}

}  // namespace tallcache
