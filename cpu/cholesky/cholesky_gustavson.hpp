// Cholesky decomposition at the machine's limit: Gustavson's recursion by quadrants ("Recursion leads to
// automatic variable blocking for dense linear-algebra algorithms", IBM J. Res. Dev. 41, 1997, 737-755), with
// the packed product as its engine. It has no cache parameter. Triangular systems are products
// (cpu/lu/triangular_solves.hpp), and so is the symmetric one, but for squares at the diagonal.
#pragma once

#include <cmath>
#include <optional>

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

/// Of the lower triangle L, or of the upper one, which is L^T: the lower one in column-major order.
template <class T, class Access>
class GustavsonCholesky {
 public:
  using Matrix = MatrixView<T, Access>;
  using Constant = MatrixView<const T, Access>;
  /// A pivot that is not above 0.
  struct BadPivot {
    Index at;
    T value;
  };

  /// The bytes of scratch for an n x n matrix.
  static std::size_t scratch(Index n) {
    return scratch_bytes({checked_product(transposed_size(n), sizeof(T), "transpose"),
                          checked_product(n * odd_square(), sizeof(T), "squares"),
                          SolveMemory<T, Access>::bytes(n, product_bytes(n))});
  }

  GustavsonCholesky(Index n, Scratch<Access> scratch, Triangle triangle = Triangle::lower)
      : triangle_(triangle),
        transposed_(scratch.template vector<T>(transposed_size(n))),
        squares_(scratch.template vector<T>(n * odd_square())),
        memory_(SolveMemory<T, Access>::take(scratch, n)) {}

  /// Factors the square `a`, whose first row is number `first` of the matrix, up to a bad pivot.
  template <class Fork>
  std::optional<BadPivot> operator()(Fork& fork, Matrix a, Index first = 0) const {
    const Index n = a.rows, unit = lu::inverted_side<T>();
    if (n <= unit) return factor_leaf(a, first);
    const Index half = ceil_div(n, unit) / 2 * unit, rest = n - half;
    const Matrix a11 = a.block(0, 0, half, half);
    const Matrix between = is_lower() ? a.block(half, 0, rest, half) : a.block(0, half, half, rest);
    if (const auto bad = (*this)(fork, a11, first)) return bad;
    const TriangularSolve<T, Access> solve{is_lower() ? Side::right : Side::left, triangle_, Trans::yes,
                                           Diagonal::non_unit, memory_};
    solve(fork, a11, between);
    subtract_square(fork, a.block(half, half, rest, rest), between);
    return (*this)(fork, a.block(half, half, rest, rest), first + half);
  }

 private:
  bool is_lower() const { return triangle_ == Triangle::lower; }

  /// The side of the squares at the diagonal of a symmetric product, of which half is not needed.
  static Index square_side() { return lu::inverted_side<T>(); }
  static Index odd_square() { return lu::odd_lines<T>(square_side()); }
  /// A half of a matrix has up to so many rows more than half of them.
  static Index transposed_size(Index n) {
    const Index half = n / 2 + lu::inverted_side<T>();
    return half * lu::odd_lines<T>(half);
  }
  /// Of the symmetric product with k columns, and of a triangular system's products.
  static std::size_t product_bytes(Index n) {
    const Index half = n / 2 + square_side(), quarter = n / 4 + 2 * square_side();
    return std::max({subtracted_bytes(half, half), lu::multiply_scratch<T>(half, quarter, quarter),
                     lu::multiply_scratch<T>(quarter, half, quarter)});
  }
  static Index half_of(Index n) { return ceil_div(n, square_side()) / 2 * square_side(); }
  static std::size_t subtracted_bytes(Index n, Index k) {
    std::size_t most = 0;
    for (Index triangles = 1; half_of(n) > 0; triangles *= 2) {
      n = std::max(half_of(n), n - half_of(n));
      const std::size_t of_one = scratch_bytes({lu::multiply_scratch<T>(n, n, k)}) + 64;
      most = std::max(most, checked_product(triangles, of_one, "product"));
    }
    return most;
  }

  /// On the transpose, whose rows are columns of L and contiguous.
  std::optional<BadPivot> factor_leaf(Matrix a, Index first) const {
    const Index n = a.rows;
    const Matrix upper = memory_.inverse;
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < upper.cols; ++i)
        upper(j, i) = i < j || i >= n ? T{0} : T(is_lower() ? a(i, j) : a(j, i));
    CompiledApart<Access> apart(a.access());
    const auto policy = apart.policy();
    const Index done = lu::panel_kernel<T>().text.under(policy).cholesky(upper.data, upper.ld, n, policy);
    if (done < n) return BadPivot{first + done, T(upper(done, done))};
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) (is_lower() ? a(i, j) : a(j, i)) = T(upper(j, i));
    return {};
  }

  /// C -= A A^T on the lower triangle of the square C, or C -= A^T A on the upper one. A^T is a copy behind
  /// A, as the product reads its second factor along rows.
  template <class Fork>
  void subtract_square(Fork& fork, Matrix c, Constant a) const {
    if (!is_lower()) return subtract_parts(fork, c, a, a, memory_.product);
    const Index ld = lu::odd_lines<T>(a.rows);
    const Matrix transposed = MatrixView<T>{transposed_.data, a.cols, a.rows, ld}.with(a.access());
    CompiledApart<Access> apart(a.access());
    const auto policy = apart.policy();
    const auto& text = lu::panel_kernel<T>().text.under(policy);
    loop_blocks(fork, a.rows, lu::transposed_rows, [&](Index begin, Index end) {
      text.transpose(transposed.data + begin, ld, a.data + begin * a.ld, a.ld, end - begin, a.cols, policy);
    });
    subtract_parts(fork, c, a, transposed, memory_.product);
  }

  Trans trans() const { return is_lower() ? Trans::no : Trans::yes; }
  Constant op_rows(Constant a, Index first, Index size) const {
    return is_lower() ? a.block(first, 0, size, a.cols) : a.block(0, first, a.rows, size);
  }

  /// `right` is op(A)^T, where op(A) is A or, for the upper triangle, A^T. The rectangle between two
  /// triangles is a product; each triangle has about half of its size, and gets half of its memory. C begins
  /// at row `begin` of the first one.
  template <class Fork>
  void subtract_parts(Fork& fork, Matrix c, Constant a, Constant right, Scratch<Access> scratch,
                      Index begin = 0) const {
    const Index half = half_of(c.rows), rest = c.rows - half;
    if (half == 0) return subtract_diagonal(c, a, right, begin);
    const Constant a1 = op_rows(a, 0, half), a2 = op_rows(a, half, rest);
    const Constant right1 = right.block(0, 0, right.rows, half),
                   right2 = right.block(0, half, right.rows, rest);
    const Matrix between = is_lower() ? c.block(half, 0, rest, half) : c.block(0, half, half, rest);
    lu::multiply<Fork, T, Access>(fork, T{-1}, is_lower() ? a2 : a1, trans(), is_lower() ? right1 : right2,
                                  Trans::no, T{1}, between, scratch);
    const Index bytes = static_cast<Index>(scratch.bytes_left()) / 128 * 64;
    const auto memory1 = scratch.template vector<std::byte>(bytes);
    const Scratch<Access> scratch1({memory1.data, static_cast<std::size_t>(bytes)}, c.access()),
        scratch2 = scratch;
    fork([=, &fork, this] { subtract_parts(fork, c.block(0, 0, half, half), a1, right1, scratch1, begin); },
         [=, &fork, this] {
           subtract_parts(fork, c.block(half, half, rest, rest), a2, right2, scratch2, begin + half);
         });
  }

  /// A square, of which one triangle is subtracted. It begins at row `begin` of C.
  void subtract_diagonal(Matrix c, Constant a, Constant at, Index begin) const {
    const Index ld = odd_square();
    const Matrix square = MatrixView<T>{squares_.data + begin * ld, c.rows, c.rows, ld}.with(c.access());
    Serial serial;
    lu::multiply<Serial, T, Access>(serial, T{1}, a, trans(), at, Trans::no, T{0}, square, {}, lu::unpacked);
    for (Index i = 0; i < c.rows; ++i)
      for (Index j = is_lower() ? 0 : i, end = is_lower() ? i + 1 : c.cols; j < end; ++j)
        c(i, j) -= T(square(i, j));
  }

  Triangle triangle_;
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
    if (const auto bad = factor(fork, args.a)) throw_not_positive_definite(bad->at, bad->value);
  }
};

}  // namespace tallcache::cpu::cholesky
