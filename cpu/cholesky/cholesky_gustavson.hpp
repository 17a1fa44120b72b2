// Cholesky decomposition at the machine's limit: Gustavson's recursion by quadrants ("Recursion leads to
// automatic variable blocking for dense linear-algebra algorithms", IBM J. Res. Dev. 41, 1997, 737-755), with
// the packed product as its engine. It has no cache parameter. Triangular systems are products
// (cpu/lu/triangular_solves.hpp), and so is the symmetric one, but for squares at the diagonal.
#pragma once

#include <cmath>

#include "common/cache/ideal_misses.hpp"
#include "common/ops/cholesky.hpp"
#include "common/variant.hpp"
#include "cpu/lu/triangular_solves.hpp"

namespace tallcache::cpu::cholesky {

using lu::Diagonal;
using lu::Side;
using lu::SolveMemory;
using lu::Trans;
using lu::Triangle;
using lu::TriangularSolve;

template <class T, class Access>
class GustavsonCholesky {
 public:
  using Matrix = MatrixView<T, Access>;
  using Constant = MatrixView<const T, Access>;

  /// The bytes of scratch for an n x n matrix.
  static std::size_t scratch(Index n) {
    return scratch_bytes({checked_product(transposed_size(n), sizeof(T), "transpose"),
                          checked_product(n * odd_square(), sizeof(T), "squares"),
                          SolveMemory<T, Access>::bytes(n, product_bytes(n))});
  }

  GustavsonCholesky(Index n, Scratch<Access> scratch)
      : transposed_(scratch.template vector<T>(transposed_size(n))),
        squares_(scratch.template vector<T>(n * odd_square())),
        memory_(SolveMemory<T, Access>::take(scratch, n)) {}

  /// Factors the square `a`, whose first row is number `first` of the matrix. Throws Error on a pivot that is
  /// not above 0.
  template <class Fork>
  void operator()(Fork& fork, Matrix a, Index first = 0) const {
    const Index n = a.rows, unit = lu::inverted_side<T>();
    if (n <= unit) return factor_leaf(a, first);
    const Index half = ceil_div(n, unit) / 2 * unit, rest = n - half;
    const Matrix a11 = a.block(0, 0, half, half), a21 = a.block(half, 0, rest, half);
    (*this)(fork, a11, first);
    const TriangularSolve<T, Access> solve{Side::right, Triangle::lower, Trans::yes, Diagonal::non_unit,
                                           memory_};
    solve(fork, a11, a21);
    subtract_square(fork, a.block(half, half, rest, rest), a21);
    (*this)(fork, a.block(half, half, rest, rest), first + half);
  }

 private:
  /// The side of the squares at the diagonal of a symmetric product, of which half is not needed.
  static Index square_side() { return lu::inverted_side<T>(); }
  static Index odd_square() { return lu::odd_lines<T>(square_side()); }
  /// A half of a matrix has up to so many rows more than half of them.
  static Index transposed_size(Index n) {
    const Index half = n / 2 + lu::inverted_side<T>();
    return half * lu::odd_lines<T>(half);
  }
  /// Of the largest rectangle of a symmetric product, and of a triangular system's products.
  static std::size_t product_bytes(Index n) {
    const Index half = n / 2 + square_side(), quarter = n / 4 + 2 * square_side();
    return std::max(lu::multiply_scratch<T>(quarter, quarter, half),
                    lu::multiply_scratch<T>(half, quarter, quarter));
  }

  /// On the transpose, whose rows are columns of L and contiguous.
  void factor_leaf(Matrix a, Index first) const {
    const Index n = a.rows;
    const Matrix upper = memory_.inverse;
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < upper.cols; ++i) upper(j, i) = i < j || i >= n ? T{0} : T(a(i, j));
    CompiledApart<Access> apart(a.access());
    const auto policy = apart.policy();
    const Index done = lu::panel_kernel<T>().text.under(policy).cholesky(upper.data, upper.ld, n, policy);
    if (done < n) throw_not_positive_definite(first + done, T(upper(done, done)));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) a(i, j) = T(upper(j, i));
  }

  /// C -= A A^T on the lower triangle of the square C. A^T is a copy, as the product reads its second factor
  /// along rows.
  template <class Fork>
  void subtract_square(Fork& fork, Matrix c, Constant a) const {
    const Index ld = lu::odd_lines<T>(a.rows);
    const Matrix transposed = MatrixView<T>{transposed_.data, a.cols, a.rows, ld}.with(a.access());
    CompiledApart<Access> apart(a.access());
    const auto policy = apart.policy();
    const auto& text = lu::panel_kernel<T>().text.under(policy);
    loop_blocks(fork, a.rows, 256, [&](Index begin, Index end) {
      text.transpose(transposed.data + begin, ld, a.data + begin * a.ld, a.ld, end - begin, a.cols, policy);
    });
    subtract_rectangles(fork, c, a, transposed);
    loop_blocks(fork, c.rows, square_side(), [&](Index begin, Index end) {
      subtract_diagonal(c.block(begin, begin, end - begin, end - begin),
                        a.block(begin, 0, end - begin, a.cols),
                        transposed.block(0, begin, a.cols, end - begin), begin);
    });
  }

  /// All but the squares at the diagonal.
  template <class Fork>
  void subtract_rectangles(Fork& fork, Matrix c, Constant a, Constant at) const {
    const Index n = c.rows, half = ceil_div(n, square_side()) / 2 * square_side(), rest = n - half;
    if (half == 0) return;
    lu::multiply<Fork, T, Access>(fork, T{-1}, a.block(half, 0, rest, a.cols), Trans::no,
                                  at.block(0, 0, at.rows, half), Trans::no, T{1},
                                  c.block(half, 0, rest, half), memory_.product);
    subtract_rectangles(fork, c.block(0, 0, half, half), a.block(0, 0, half, a.cols),
                        at.block(0, 0, at.rows, half));
    subtract_rectangles(fork, c.block(half, half, rest, rest), a.block(half, 0, rest, a.cols),
                        at.block(0, half, at.rows, rest));
  }

  /// A square, of which the lower triangle is subtracted. It begins at row `begin` of C.
  void subtract_diagonal(Matrix c, Constant a, Constant at, Index begin) const {
    const Index ld = odd_square();
    const Matrix square = MatrixView<T>{squares_.data + begin * ld, c.rows, c.rows, ld}.with(c.access());
    Serial serial;
    lu::multiply<Serial, T, Access>(serial, T{1}, a, Trans::no, at, Trans::no, T{0}, square, {},
                                    lu::unpacked);
    for (Index i = 0; i < c.rows; ++i)
      for (Index j = 0; j <= i; ++j) c(i, j) -= T(square(i, j));
  }

  VectorView<T, Access> transposed_, squares_;
  SolveMemory<T, Access> memory_;
};

struct cholesky_gustavson {
  static constexpr std::string_view idea =
      "by quadrants down to a few vectors, all by the packed product; no cache parameter";
  static constexpr std::string_view source = "Gustavson 1997; Goto, van de Geijn 2008 (packing)";
  using operations = OperationList<Cholesky<double>, Cholesky<float>>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class T>
  static std::size_t scratch(Cholesky<T>, const Shape& shape, const Params&) {
    return GustavsonCholesky<T, Plain>::scratch(shape["n"]);
  }

  /// As many as those of the recursive product, of which every step is one.
  template <class T>
  static cache::Prediction predicted_misses(Cholesky<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    const double n = static_cast<double>(shape["n"]);
    return {n + n * n / ideal.L + n * n * n / (ideal.L * std::sqrt(ideal.Z)),
            "Theta(n + n^2/L + n^3/(L sqrt Z))", true};
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    using M = decltype(args.a);
    const GustavsonCholesky<typename M::value_type, typename M::access_type> factor(args.a.rows,
                                                                                    args.scratch);
    factor(fork, args.a);
  }
};

}  // namespace tallcache::cpu::cholesky
