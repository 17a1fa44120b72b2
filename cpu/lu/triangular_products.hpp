// Products with a triangle, in place: B = alpha op(A) B and B = alpha B op(A), as BLAS's trmm. The recursion
// is that of triangular systems (triangular_solves.hpp), mirrored: a half, a product, the other half. A leaf
// is a product too, with a copy of the small triangle that has zeros beside it.
#pragma once

#include "cpu/lu/triangular_solves.hpp"

namespace tallcache::cpu::lu {

/// The other triangle of the square A is not read, nor is a unit diagonal. The memory is that of a system of
/// the same shape, or none.
template <class T, class Access>
struct TriangularProduct {
  using Matrix = MatrixView<T, Access>;
  using Constant = MatrixView<const T, Access>;

  Side side;
  Triangle triangle;
  Trans trans;
  Diagonal diagonal;
  T alpha;
  SolveMemory<T, Access> memory;

  template <class Fork>
  void operator()(Fork& fork, Constant a, Matrix b) const {
    if (b.rows == 0 || b.cols == 0) return;
    const Index n = a.rows, units = ceil_div(n, inverted_side<T>());
    if (units <= 1) return leaf(fork, a, b);
    const Index half = units / 2 * inverted_side<T>(), rest = n - half;
    const Constant a1 = a.block(0, 0, half, half), a2 = a.block(half, half, rest, rest);
    const Constant between =
        triangle == Triangle::lower ? a.block(half, 0, rest, half) : a.block(0, half, half, rest);
    const Matrix b1 = part(b, 0, half), b2 = part(b, half, rest);
    // The half that also takes of the other one comes first.
    (*this)(fork, forwards() ? a1 : a2, forwards() ? b1 : b2);
    add(fork, between, forwards() ? b2 : b1, forwards() ? b1 : b2);
    (*this)(fork, forwards() ? a2 : a1, forwards() ? b2 : b1);
  }

 private:
  /// Of op(A).
  bool is_lower() const { return (triangle == Triangle::lower) == (trans == Trans::no); }
  bool forwards() const { return is_lower() != (side == Side::left); }

  Matrix part(Matrix b, Index first, Index size) const {
    return side == Side::left ? b.block(first, 0, size, b.cols) : b.block(0, first, b.rows, size);
  }

  template <class Fork>
  void add(Fork& fork, Constant between, Constant x, Matrix b) const {
    if (side == Side::left)
      multiply<Fork, T, Access>(fork, alpha, between, trans, x, Trans::no, T{1}, b, memory.product);
    else
      multiply<Fork, T, Access>(fork, alpha, x, Trans::no, between, trans, T{1}, b, memory.product);
  }

  /// Element (i, j) of op(A), which is within its triangle.
  T element(const Constant& a, Index i, Index j) const {
    if (i == j && diagonal == Diagonal::unit) return 1;
    return trans == Trans::no ? a(i, j) : a(j, i);
  }

  template <class Fork>
  void leaf(Fork& fork, Constant a, Matrix b) const {
    const Index n = a.rows;
    if (n <= most_leaf_columns || !memory.inverse.data) return by_elements(a, b);
    const Matrix filled = memory.inverse.block(0, 0, n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) filled(i, j) = (is_lower() ? j <= i : j >= i) ? element(a, i, j) : T{0};
    const Index ld = odd_lines<T>(b.cols);
    const Matrix copy = MatrixView<T>{memory.copy.data, b.rows, b.cols, ld}.with(b.access());
    loop_blocks(fork, b.rows, copied_rows, [b, copy](Index begin, Index end) {
      copy_rows<T, Access>(copy.block(begin, 0, end - begin, b.cols), b.block(begin, 0, end - begin, b.cols));
    });
    if (side == Side::left)
      multiply<Fork, T, Access>(fork, alpha, filled, Trans::no, copy, Trans::no, T{0}, b, memory.product);
    else
      multiply<Fork, T, Access>(fork, alpha, copy, Trans::no, filled, Trans::no, T{0}, b, memory.product);
  }

  void by_elements(Constant a, Matrix b) const {
    const Index n = a.rows, others = side == Side::left ? b.cols : b.rows;
    const auto x = [&](Index i, Index r) -> decltype(auto) { return side == Side::left ? b(i, r) : b(r, i); };
    for (Index step = 0; step < n; ++step) {
      const Index i = forwards() ? step : n - 1 - step;
      const Index begin = forwards() ? i + 1 : 0, end = forwards() ? n : i;
      for (Index r = 0; r < others; ++r) {
        T sum = element(a, i, i) * T(x(i, r));
        for (Index k = begin; k < end; ++k)
          sum += (side == Side::left ? element(a, i, k) : element(a, k, i)) * T(x(k, r));
        x(i, r) = alpha * sum;
      }
    }
  }
};

}  // namespace tallcache::cpu::lu
