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

/// Exchanges rows i and exchanges[i] - first, for i = 0, 1, ..., in all columns of `a`: the whole sequence on
/// a stretch of columns before the next one.
template <class Fork, class T, class Access, class Exchanges>
void exchange_stretches(Fork& fork, MatrixView<T, Access> a, Exchanges exchanges, Index first) {
  constexpr Index stretch = 512;
  CompiledApart<Access> apart(a.access());
  const auto policy = apart.policy();
  const auto& text = panel_kernel<T>().text.under(policy);
  loop_blocks(fork, a.cols, stretch, [&text, policy, a, exchanges, first](Index begin, Index end) {
    for (Index i = 0; i < exchanges.size; ++i)
      if (const Index other = exchanges[i] - first; other != i)
        text.exchange(a.data + i * a.ld + begin, a.data + other * a.ld + begin, end - begin, policy);
  });
}

template <class T, class Access, class Exchanges>
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

  ToledoLu(Index m, Index n, Scratch<Access> scratch)
      : panel_(scratch.template vector<T>(std::min(panel_columns<T>(), std::min(m, n)) * panel_ld<T>(m))),
        memory_(SolveMemory<T, Access>::take(scratch, std::max(n, panel_columns<T>()))) {}

  /// Factors `a`, of any shape. Row 0 of it is row `first` of the matrix to which the exchanges refer, of
  /// which there is one for each of the smaller number of its rows and columns.
  template <class Fork>
  void operator()(Fork& fork, Matrix a, Exchanges exchanges, Index first = 0) const {
    const Index columns = std::min(a.rows, a.cols), unit = panel_columns<T>();
    const Index units = ceil_div(columns, unit);
    if (columns == 0) return;
    const Index left = units <= 1 ? columns : units / 2 * unit, right = a.cols - left;
    const Matrix a1 = a.block(0, 0, a.rows, left), a2 = a.block(0, left, a.rows, right);
    const Exchanges of_left = exchanges.block(0, left), of_right = exchanges.block(left, columns - left);
    if (units <= 1)
      factor_panel(fork, a1, of_left, first);
    else
      (*this)(fork, a1, of_left, first);
    if (right == 0) return;
    exchange_stretches(fork, a2, of_left, first);
    const Matrix upper = a2.block(0, 0, left, right), below = a1.block(left, 0, a.rows - left, left);
    const Matrix rest = a2.block(left, 0, a.rows - left, right);
    const TriangularSolve<T, Access> solve{Side::left, Triangle::lower, Trans::no, Diagonal::unit, memory_};
    solve(fork, a1.block(0, 0, left, left), upper);
    multiply<Fork, T, Access>(fork, T{-1}, below, Trans::no, upper, Trans::no, T{1}, rest, memory_.product);
    (*this)(fork, rest, of_right, first + left);
    exchange_stretches(fork, below, of_right, first + left);
  }

 private:
  /// Of the largest product: (m - k) x (n - k) with an inner dimension of k columns, the left half; of the
  /// triangular systems of that half and of a wide matrix; of a panel.
  static std::size_t product_bytes(Index m, Index n) {
    const Index columns = std::min(m, n), unit = panel_columns<T>();
    const Index half = ceil_div(columns, unit) / 2 * unit, within = std::min(unit, columns);
    return std::max({multiply_scratch<T>(m - half, n - half, half),
                     solve_scratch<T>(Side::left, half, n - half),
                     solve_scratch<T>(Side::left, columns, n - columns),
                     multiply_scratch<T>(within, panel_ld<T>(m), within)});
  }

  template <class Fork>
  void factor_panel(Fork& fork, Matrix a, Exchanges exchanges, Index first) const {
    const Index ld = panel_ld<T>(a.rows);
    const Matrix columns = MatrixView<T>{panel_.data, a.cols, ld, ld}.with(a.access());
    CompiledApart<Access> apart(a.access());
    const auto policy = apart.policy();
    const auto& text = panel_kernel<T>().text.under(policy);
    loop_blocks(fork, a.rows, strand_rows, [&](Index begin, Index end) {
      text.transpose(columns.data + begin, ld, a.data + begin * a.ld, a.ld, end - begin, a.cols, policy);
    });
    for (Index j = 0; j < a.cols; ++j)
      for (Index i = a.rows; i < ld; ++i) columns(j, i) = 0;
    Panel<T, Access, Exchanges>{columns, a.rows, exchanges, first, memory_}.factor(fork, 0, a.cols);
    loop_blocks(fork, a.rows, strand_rows, [&](Index begin, Index end) {
      text.transpose(a.data + begin * a.ld, a.ld, columns.data + begin, ld, a.cols, end - begin, policy);
    });
  }

  VectorView<T, Access> panel_;
  SolveMemory<T, Access> memory_;
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
