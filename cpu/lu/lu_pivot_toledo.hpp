// LU decomposition with partial pivoting at the machine's limit: Toledo's recursion on columns ("Locality of
// reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18, 1997, 1065-1081), with
// the packed product as its engine. It has no cache parameter. A panel of columns is factored in a copy by
// the same recursion (panel.hpp), and triangular systems are products (triangular_solves.hpp).
#pragma once

#include <cmath>

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"
#include "cpu/lu/panel.hpp"

namespace tallcache::cpu::lu {

/// Exchanges rows i and exchanges[i] - first, for i = 0, 1, ..., or `backwards` from the last one on, in all
/// columns of `a`: the whole sequence on a stretch of columns before the next one. Threads have shorter ones.
template <class Fork, class T, class Access, class Exchanges>
void exchange_stretches(Fork& fork, MatrixView<T, Access> a, Exchanges exchanges, Index first,
                        bool backwards = false) {
  constexpr Index longest = 512, least = 64;
  const Index stretch = std::clamp(ceil_div(a.cols, 2 * fork.width()), least, longest);
  CompiledApart<Access> apart(a.access());
  const auto policy = apart.policy();
  const auto& text = panel_kernel<T>().text.under(policy);
  loop_blocks(fork, a.cols, stretch, [=, &text](Index begin, Index end) {
    for (Index step = 0; step < exchanges.size; ++step) {
      const Index i = backwards ? exchanges.size - 1 - step : step;
      if (const Index other = exchanges[i] - first; other != i)
        text.exchange(a.data + i * a.ld + begin, a.data + other * a.ld + begin, end - begin, policy);
    }
  });
}

/// The same for a matrix in column-major order: its rows are the columns of `a`. A few of its columns take
/// the whole sequence together.
template <class Fork, class T, class Access, class Exchanges>
void exchange_columns(Fork& fork, MatrixView<T, Access> a, Exchanges exchanges, Index first,
                      bool backwards = false) {
  constexpr Index together = 8;
  loop_blocks(fork, a.rows, together, [=](Index begin, Index end) {
    for (Index step = 0; step < exchanges.size; ++step) {
      const Index i = backwards ? exchanges.size - 1 - step : step, other = exchanges[i] - first;
      if (other == i) continue;
      for (Index j = begin; j < end; ++j) {
        const T old = a(j, i);
        a(j, i) = T(a(j, other));
        a(j, other) = old;
      }
    }
  });
}

/// In column-major order the view is that of the transpose: its rows are the matrix's columns.
template <class T, class Access, class Exchanges, Layout layout = Layout::row_major>
class ToledoLu {
 public:
  using Matrix = MatrixView<T, Access>;

  /// The bytes of scratch for an m x n matrix.
  static std::size_t scratch(Index m, Index n) {
    const Index panel = std::min(panel_columns<T>(), std::min(m, n)) * panel_ld<T>(m);
    return scratch_bytes(
        {checked_product(panel, sizeof(T), "panel"),
         SolveMemory<T, Access>::bytes(std::max(n, panel_columns<T>()), product_bytes(m, n))});
  }

  /// zero_pivot: as Panel's.
  ToledoLu(Index m, Index n, Scratch<Access> scratch, Index* zero_pivot = nullptr)
      : panel_(scratch.template vector<T>(std::min(panel_columns<T>(), std::min(m, n)) * panel_ld<T>(m))),
        memory_(SolveMemory<T, Access>::take(scratch, std::max(n, panel_columns<T>()))),
        zero_pivot_(zero_pivot) {}

  /// Factors `a`, of any shape. Row 0 of it is row `first` of the matrix to which the exchanges refer, of
  /// which there is one for each of the smaller number of its rows and columns.
  template <class Fork>
  void operator()(Fork& fork, Matrix a, Exchanges exchanges, Index first = 0) const {
    const Index rows = rows_of(a), cols = cols_of(a), columns = std::min(rows, cols);
    const Index unit = panel_columns<T>(), units = ceil_div(columns, unit);
    if (columns == 0) return;
    const Index left = units <= 1 ? columns : units / 2 * unit, right = cols - left;
    const Matrix a1 = block(a, 0, 0, rows, left), a2 = block(a, 0, left, rows, right);
    const Exchanges of_left = exchanges.block(0, left), of_right = exchanges.block(left, columns - left);
    if (units <= 1)
      factor_panel(fork, a1, of_left, first);
    else
      (*this)(fork, a1, of_left, first);
    if (right == 0) return;
    exchange(fork, a2, of_left, first);
    const Matrix upper = block(a2, 0, 0, left, right), below = block(a1, left, 0, rows - left, left);
    const Matrix rest = block(a2, left, 0, rows - left, right);
    const TriangularSolve<T, Access> solve{side, by_rows ? Triangle::lower : Triangle::upper, Trans::no,
                                           Diagonal::unit, memory_};
    solve(fork, block(a1, 0, 0, left, left), upper);
    multiply<Fork, T, Access>(fork, T{-1}, by_rows ? below : upper, Trans::no, by_rows ? upper : below,
                              Trans::no, T{1}, rest, memory_.product);
    (*this)(fork, rest, of_right, first + left);
    exchange(fork, below, of_right, first + left);
  }

 private:
  static constexpr bool by_rows = layout == Layout::row_major;
  static constexpr Side side = by_rows ? Side::left : Side::right;

  static Index rows_of(Matrix a) { return by_rows ? a.rows : a.cols; }
  static Index cols_of(Matrix a) { return by_rows ? a.cols : a.rows; }
  static Matrix block(Matrix a, Index i, Index j, Index rows, Index cols) {
    return by_rows ? a.block(i, j, rows, cols) : a.block(j, i, cols, rows);
  }
  template <class Fork>
  static void exchange(Fork& fork, Matrix a, Exchanges exchanges, Index first) {
    by_rows ? exchange_stretches(fork, a, exchanges, first) : exchange_columns(fork, a, exchanges, first);
  }

  /// Of the largest product: (m - k) x (n - k) with an inner dimension of k columns, the left half; of the
  /// triangular systems of that half and of a wide matrix; of a panel.
  static std::size_t product_bytes(Index m, Index n) {
    const Index columns = std::min(m, n), unit = panel_columns<T>();
    const Index half = ceil_div(columns, unit) / 2 * unit, within = std::min(unit, columns);
    return std::max({multiply_scratch<T>((by_rows ? m : n) - half, (by_rows ? n : m) - half, half),
                     solve_scratch<T>(side, half, n - half), solve_scratch<T>(side, columns, n - columns),
                     multiply_scratch<T>(within, panel_ld<T>(m), within)});
  }

  template <class Fork>
  void factor_panel(Fork& fork, Matrix a, Exchanges exchanges, Index first) const {
    const Index rows = rows_of(a), cols = cols_of(a), ld = panel_ld<T>(rows);
    const Matrix columns = MatrixView<T>{panel_.data, cols, ld, ld}.with(a.access());
    CompiledApart<Access> apart(a.access());
    const auto policy = apart.policy();
    const auto& text = panel_kernel<T>().text.under(policy);
    loop_blocks(fork, rows, transposed_rows, [&](Index begin, Index end) {
      if constexpr (by_rows)
        text.transpose(columns.data + begin, ld, a.data + begin * a.ld, a.ld, end - begin, cols, policy);
      else
        copy_rows(columns.block(0, begin, cols, end - begin), a.block(0, begin, cols, end - begin));
    });
    for (Index j = 0; j < cols; ++j)
      for (Index i = rows; i < ld; ++i) columns(j, i) = 0;
    Panel<T, Access, Exchanges>{columns, rows, exchanges, first, memory_, zero_pivot_}.factor(fork, 0, cols);
    loop_blocks(fork, rows, transposed_rows, [&](Index begin, Index end) {
      if constexpr (by_rows)
        text.transpose(a.data + begin * a.ld, a.ld, columns.data + begin, ld, cols, end - begin, policy);
      else
        copy_rows(a.block(0, begin, cols, end - begin), columns.block(0, begin, cols, end - begin));
    });
  }

  VectorView<T, Access> panel_;
  SolveMemory<T, Access> memory_;
  Index* zero_pivot_;
};

struct lu_pivot_toledo {
  static constexpr std::string_view idea =
      "halve the columns, all by the packed product; panels in a transposed copy, halved down to tiles; no "
      "cache parameter";
  static constexpr std::string_view source = "Toledo 1997; Goto, van de Geijn 2008 (packing)";
  using operations = OperationList<LuPivot<double>, LuPivot<float>>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class T>
  static std::size_t scratch(LuPivot<T>, const Shape& shape, const Params&) {
    return ToledoLu<T, Plain, VectorView<std::int32_t>>::scratch(shape["m"], shape["n"]);
  }

  /// Toledo 1997, section 3.
  template <class T>
  static cache::Prediction predicted_misses(LuPivot<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    const double m = static_cast<double>(shape["m"]), n = static_cast<double>(shape["n"]), k = std::min(m, n);
    return {m * n / ideal.L * (1 + std::log2(std::max(1.0, k))) + m * n * k / (ideal.L * std::sqrt(ideal.Z)),
            "O(mn/L (1 + lg k) + mnk/(L sqrt Z)), k = min(m, n)", true};
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    using M = decltype(args.a);
    const ToledoLu<typename M::value_type, typename M::access_type, decltype(args.exchanges)> factor(
        args.a.rows, args.a.cols, args.scratch);
    factor(fork, args.a, args.exchanges);
  }
};

}  // namespace tallcache::cpu::lu
