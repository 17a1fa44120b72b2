// Products with a triangle, in place: B = alpha op(A) B and B = alpha B op(A), as BLAS's trmm. The recursion
// is that of triangular systems (triangular_solves.hpp), mirrored: a half, a product, the other half. A leaf
// is a product too, with a copy of the small triangle that has zeros beside it.
#pragma once

#include "cpu/lu/triangular_solves.hpp"

namespace tallcache::cpu::lu {

/// The memory is that of a system of the same shape, or none.
template <class T, class Access>
struct TriangularProduct : OneSided<T, Access> {
  using Of = OneSided<T, Access>;
  using Of::diagonal, Of::is_lower, Of::side, Of::trans, Of::triangle;
  using typename Of::Constant;
  using typename Of::Matrix;

  T alpha;
  SolveMemory<T, Access> memory;

  template <class Fork>
  void operator()(Fork& fork, Constant a, Matrix b) const {
    if (b.rows == 0 || b.cols == 0) return;
    const Index units = ceil_div(a.rows, inverted_side<T>());
    if (units <= 1) return leaf(fork, a, b);
    const auto [a1, a2, between, b1, b2] = Of::halves(a, b, units / 2 * inverted_side<T>());
    // The half that also takes of the other one comes first.
    (*this)(fork, forwards() ? a1 : a2, forwards() ? b1 : b2);
    Of::multiply_on_side(fork, alpha, between, trans, forwards() ? b2 : b1, T{1}, forwards() ? b1 : b2,
                         memory.product);
    (*this)(fork, forwards() ? a2 : a1, forwards() ? b2 : b1);
  }

 private:
  bool forwards() const { return is_lower() != (side == Side::left); }

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
    Of::multiply_on_side(fork, alpha, filled, Trans::no, Of::copied(fork, b, memory.copy), T{0}, b,
                         memory.product);
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
