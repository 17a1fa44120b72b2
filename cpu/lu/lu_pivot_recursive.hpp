// LU decomposition with partial pivoting by halving the columns (Toledo, "Locality of reference in LU
// decomposition with partial pivoting", 1997): the left half, its exchanges and its triangular system on the
// right half, the product, the right half. It is cache-oblivious except for its leaves, panels of `base`
// columns. Span Theta(n lg^2 n) as without pivoting: each of the n searches for a pivot is Theta(lg n) deep.
#pragma once

#include <cmath>

#include "common/ops/lu.hpp"
#include "common/variant.hpp"
#include "cpu/lu/triangular_solve.hpp"

namespace tallcache::cpu::lu {

/// The rows or columns of a panel that one strand processes.
inline constexpr Index panel_rows = 256, exchanged_columns = 64;

/// The row of the first element of the greatest magnitude in a column. A NaN counts as greater than
/// any number.
template <class Fork, class M>
Index pivot_row(Fork& fork, M column) {
  const auto magnitude = [column](Index i) {
    const typename M::value_type x = column(i, 0);
    return std::isnan(x) ? std::numeric_limits<typename M::value_type>::infinity() : std::abs(x);
  };
  Index best = 0;
  if (column.rows <= panel_rows) {
    for (Index i = 1; i < column.rows; ++i)
      if (magnitude(best) < magnitude(i)) best = i;
    return best;
  }
  const auto [top, bottom] = halve_rows(column);
  Index below = 0;
  fork([&fork, &best, top = top] { best = pivot_row(fork, top); },
       [&fork, &below, bottom = bottom] { below = pivot_row(fork, bottom); });
  below += top.rows;
  return magnitude(best) < magnitude(below) ? below : best;
}

/// Exchanges rows i and exchanges[i], for i = 0, 1, ..., in all columns of `a`, whose row 0 is row `first` of
/// the matrix to which the exchanges refer.
template <class Fork, class M, class Exchanges>
void exchange_rows(Fork& fork, M a, Exchanges exchanges, Index first) {
  if (a.cols > exchanged_columns) {
    const auto [left, right] = halve_cols(a);
    const auto exchange = [&fork, exchanges, first](M part) { exchange_rows(fork, part, exchanges, first); };
    fork(Part(exchange, left), Part(exchange, right));
    return;
  }
  for (Index i = 0; i < exchanges.size; ++i) {
    const Index other = exchanges[i] - first;
    if (other == i) continue;
    for (Index j = 0; j < a.cols; ++j) {
      const typename M::value_type old = a(i, j);
      a(i, j) = a(other, j);
      a(other, j) = old;
    }
  }
}

/// Factors the panel `a`, which has at least as many rows as columns, and stores its exchanges. Row 0 of `a`
/// is row `first` of the matrix. Throws Error on a column without a pivot. base >= 1.
template <class Fork, class M, class Exchanges>
void rec_lu_pivot(Fork& fork, M a, Exchanges exchanges, Index base, Index first = 0) {
  if (a.cols <= base) {
    for (Index k = 0; k < a.cols; ++k) {
      const auto below = [a](Index row, Index column, Index columns) {
        return a.block(row, column, a.rows - row, columns);
      };
      const Index row = k + pivot_row(fork, below(k, k, 1));
      const typename M::value_type pivot = a(row, k);
      if (!(std::abs(pivot) > 0)) throw_unusable_pivot("lu_pivot", first + k, pivot);
      exchanges[k] = static_cast<std::int32_t>(first + row);
      exchange_rows(fork, a.block(k, 0, a.rows - k, a.cols), exchanges.block(k, 1), first + k);
      const auto eliminate = [pivot, upper = a.block(k, k + 1, 1, a.cols - k - 1)](M rows) {
        for (Index i = 0; i < rows.rows; ++i) {
          const typename M::value_type factor = rows(i, 0) / pivot;
          rows(i, 0) = factor;
          for (Index j = 0; j < upper.cols; ++j) rows(i, j + 1) -= factor * upper(0, j);
        }
      };
      matmul::rec_blocks(fork, std::max(panel_rows, a.cols), eliminate, below(k + 1, k, a.cols - k));
    }
    return;
  }
  const auto [left, right] = halve_cols(a);
  const Index half = left.cols, rest = right.cols;
  const auto first_exchanges = exchanges.block(0, half), last_exchanges = exchanges.block(half, rest);
  rec_lu_pivot(fork, left, first_exchanges, base, first);
  exchange_rows(fork, right, first_exchanges, first);
  const Quadrants q(a, half);
  solve_lower(fork, q.a11, q.a12, base);
  rec_mult<-1>(fork, q.a22, q.a21, q.a12, base);
  rec_lu_pivot(fork, q.a22, last_exchanges, base, first + half);
  exchange_rows(fork, q.a21, last_exchanges, first + half);
}

struct lu_pivot_recursive {
  static constexpr std::string_view idea =
      "halve the columns: left half, its row exchanges, triangular system and product, right half";
  static constexpr std::string_view source = "M11: LU-decomposition; Toledo 1997";
  using operations = OperationList<LuPivot<double>, LuPivot<float>>;
  static constexpr ParamSpec params[] = {
      {"base", 32, "columns of a panel that is a leaf; a product with no larger dimension is one too"}};
  static constexpr bool parallel = true;

  static bool supports(const Shape& shape) { return shape["m"] >= shape["n"]; }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    rec_lu_pivot(fork, args.a, args.exchanges, params["base"]);
  }
};

}  // namespace tallcache::cpu::lu
