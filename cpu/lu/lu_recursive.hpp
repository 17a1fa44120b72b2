// LU decomposition by quadrants: L11 U11 = A11, then the two triangular systems in parallel, then L22 U22 =
// A22 - L21 U12. Work Theta(n^3), span Theta(n lg^2 n). The slides' Theta(n lg n) assumes products of
// logarithmic span, which need temporaries (cpu/matmul/recursive_temporary.hpp).
#pragma once

#include <cmath>

#include "common/ops/lu.hpp"
#include "common/variant.hpp"
#include "cpu/lu/triangular_solve.hpp"

namespace tallcache::cpu::lu {

/// Factors the square `a`, whose first row is number `first` of the matrix. Throws Error on a pivot that is 0
/// or NaN. base >= 1.
template <class Fork, class M>
void rec_lu(Fork& fork, M a, Index base, Index first = 0) {
  if (a.rows <= base) {
    for (Index k = 0; k < a.rows; ++k) {
      const typename M::value_type pivot = a(k, k);
      if (!(std::abs(pivot) > 0)) throw_unusable_pivot("lu", first + k, pivot);
      for (Index i = k + 1; i < a.rows; ++i) {
        const typename M::value_type factor = a(i, k) / pivot;
        a(i, k) = factor;
        for (Index j = k + 1; j < a.cols; ++j) a(i, j) -= factor * a(k, j);
      }
    }
    return;
  }
  const Quadrants q(a, a.rows / 2);
  rec_lu(fork, q.a11, base, first);
  const MatrixView<const typename M::value_type, typename M::access_type> triangles = q.a11;
  fork(Part([&fork, base](auto l, M right) { solve_lower(fork, l, right, base); }, triangles, q.a12),
       Part([&fork, base](auto u, M below) { solve_upper(fork, below, u, base); }, triangles, q.a21));
  rec_mult<-1>(fork, q.a22, q.a21, q.a12, base);
  rec_lu(fork, q.a22, base, first + q.a11.rows);
}

struct lu_recursive {
  static constexpr std::string_view idea =
      "by quadrants: two triangular systems side by side, a recursive product for the Schur complement";
  static constexpr std::string_view source = "M11: LU-decomposition";
  using operations = OperationList<Lu<double>, Lu<float>>;
  static constexpr ParamSpec params[] = {{"base", 64, "a block with no larger dimension is a leaf"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.2;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    rec_lu(fork, args.a, params["base"]);
  }
};

}  // namespace tallcache::cpu::lu
