// The QR factorisation of a panel, with the triangle T of its compact WY form Q = I - V T V^T, by halving its
// columns (Elmroth and Gustavson, "Applying recursion to serial and parallel QR factorization leads to better
// performance", 2000, RGEQR3). A panel is stored by columns: column c of the matrix is row c of a view.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/ceil_div.hpp"
#include "cpu/matmul/gemm.hpp"
#include "cpu/qr/panel_kernel.hpp"
#include "cpu/qr/reflector.hpp"

namespace tallcache::cpu::qr {

/// The columns of a panel of a matrix with k reflectors: a thirty-second of them, from 32 to 256. With
/// panels of w columns T and the zeros of V cost about 2 w / k of the operations of all: a sixteenth from k
/// = 1024 on. A panel is applied to the rest of the matrix in 4 w operations on each of its elements, and
/// reads it twice and writes it once: the wider, the fewer misses.
inline constexpr Index most_panel_columns = 256;
constexpr Index panel_columns(Index k) {
  return std::clamp<Index>(ceil_div(k, 32 * leaf_columns) * leaf_columns, 32, most_panel_columns);
}

/// The rows of a panel that one strand processes.
inline constexpr Index strand_rows = 4096;

/// C = alpha A B + beta C on factors that are not packed: one of them always has few rows.
template <class Fork, class T, class Access>
void multiply(Fork& fork, std::type_identity_t<T> alpha, ConstantMatrix<T, Access> a,
              ConstantMatrix<T, Access> b, std::type_identity_t<T> beta, MatrixView<T, Access> c) {
  using matmul::Trans;
  matmul::detail::gemm_rows<Fork, T, Access>(fork, Trans::no, Trans::no, alpha, a, b, beta, c, {},
                                             {.min_packed = std::numeric_limits<Index>::max()});
}

/// Halves [0, rows) at a multiple of leaf_columns down to strands, and adds the `size` results of the parts:
/// part(begin, rows, results). size <= most.
template <Index most, class Fork, class T, class Part>
void sum_of_strands(Fork& fork, Index begin, Index rows, T* results, Index size, const Part& part) {
  if (rows <= strand_rows) return part(begin, rows, results);
  const Index half = rows / 2 / leaf_columns * leaf_columns;
  T others[most];
  fork([&] { sum_of_strands<most>(fork, begin, half, results, size, part); },
       [&] { sum_of_strands<most>(fork, begin + half, rows - half, others, size, part); });
  for (Index i = 0; i < size; ++i) results[i] += others[i];
}

/// X = A B^T, where A and B are rows of the same panel, zero from their end to the next multiple of
/// leaf_columns.
template <class Fork, class T, class Access>
void multiply_rows(Fork& fork, ConstantMatrix<T, Access> a, ConstantMatrix<T, Access> b,
                   MatrixView<T, Access> x) {
  constexpr Index side = 16;
  T sums[side * side];
  for (Index i0 = 0; i0 < x.rows; i0 += side)
    for (Index j0 = 0; j0 < x.cols; j0 += side) {
      const Index m = std::min(side, x.rows - i0), n = std::min(side, x.cols - j0);
      sum_of_strands<side * side>(fork, 0, a.cols, sums, m * n, [&](Index begin, Index rows, T* to) {
        CompiledApart<Access> apart(a.access());
        const auto& text = panel_kernel<T>().text.under(apart.policy());
        text.multiply_rows(m, n, rows, a.data + i0 * a.ld + begin, b.data + j0 * b.ld + begin, a.ld, to, n,
                           apart.policy());
      });
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j) x(i0 + i, j0 + j) = sums[i * n + j];
    }
}

/// A panel of at most leaf_columns columns, one reflector at a time. Each pass over the columns applies a
/// reflector and forms the inner products that the next one and T need.
template <class Fork, class T, class Access, class R>
class PanelLeaf {
 public:
  using M = MatrixView<T, Access>;

  /// As factor_panel().
  PanelLeaf(Fork& fork, M p, R r, VectorView<T, Access> tau, M t)
      : fork_(fork), p_(p), t_(t), r_(r), tau_(tau), n_(p.rows), top_(std::min(leaf_columns, p.cols)) {}

  void operator()() {
    pass_.j = -1;
    reflect();
    for (Index j = 0; j < n_; ++j) {
      T beta = p_(j, j);
      const T tau = is_safe(j) ? fast_reflector(j, beta) : careful_reflector(j, beta);
      tau_[j] = tau;
      r_(j, j) = beta;
      extend_t(j, tau);
      for (Index c = 0; c < leaf_columns; ++c) pass_.factors[c] = 0;
      for (Index c = j + 1; c < n_; ++c) {
        const T old = p_(c, j);
        pass_.factors[c] = tau * (old + pass_.scale * products_[c]);
        r_(j, c) = old - pass_.factors[c];
        p_(c, j) = 0;
      }
      p_(j, j) = 1;
      pass_.j = static_cast<int>(j);
      reflect();
    }
  }

 private:
  /// Whether the inner products of column j have neither overflowed nor lost accuracy to underflow.
  bool is_safe(Index j) const {
    using Limits = std::numeric_limits<T>;
    static const T min = std::ldexp(T{1}, Limits::min_exponent / 2);
    static const T max = std::ldexp(T{1}, Limits::max_exponent - 8);
    bool safe = products_[j] >= min && products_[j] <= max;
    for (Index c = 0; c < n_; ++c) safe = safe && std::isfinite(products_[c]);
    return safe;
  }

  /// products_[j] is the square of the norm of x, and column j is scaled in the pass.
  T fast_reflector(Index j, T& alpha) {
    const T beta = -std::copysign(std::hypot(alpha, std::sqrt(products_[j])), alpha);
    const T tau = (beta - alpha) / beta;
    pass_.scale = 1 / (alpha - beta);
    alpha = beta;
    return tau;
  }

  /// Column j is scaled here, and then multiplied by the others.
  T careful_reflector(Index j, T& alpha) {
    const auto element = [p = p_, j](Index i) -> decltype(auto) { return p(j, j + 1 + i); };
    const Index size = p_.cols - j - 1;
    const T tau = make_reflector(alpha, Below<decltype(element), T>{element}, size);
    for (Index c = 0; c < n_; ++c) {
      T sum = 0;
      for (Index i = 0; i < size; ++i) sum += element(i) * p_(c, j + 1 + i);
      products_[c] = sum;
    }
    pass_.scale = 1;
    return tau;
  }

  /// Column j of T is -tau T V^T v, with tau below.
  void extend_t(Index j, T tau) {
    T with_v[leaf_columns];
    for (Index c = 0; c < j; ++c) with_v[c] = pass_.scale * products_[c] + p_(c, j);
    for (Index i = 0; i < j; ++i) {
      T sum = 0;
      for (Index c = i; c < j; ++c) sum += t_(i, c) * with_v[c];
      t_(i, j) = -tau * sum;
    }
    t_(j, j) = tau;
    for (Index i = j + 1; i < n_; ++i) t_(i, j) = 0;
  }

  /// Rows within the triangle one by one, the others in vectors.
  void reflect() {
    const Index j = pass_.j, next = j + 1;
    if (j >= 0)
      for (Index i = next; i < top_; ++i) {
        const T v = pass_.scale * p_(j, i);
        p_(j, i) = v;
        for (Index c = next; c < n_; ++c) p_(c, i) -= pass_.factors[c] * v;
      }
    const Index below = p_.cols - top_;
    sum_of_strands<leaf_columns>(fork_, top_, below, products_, leaf_columns,
                                 [&](Index begin, Index rows, T* to) {
                                   CompiledApart<Access> apart(p_.access());
                                   panel_kernel<T>()
                                       .text.under(apart.policy())
                                       .reflect(pass_, p_.data + begin, p_.ld, rows, to, apart.policy());
                                 });
    if (next < n_)
      for (Index i = next + 1; i < top_; ++i) {
        const T x = p_(next, i);
        for (Index c = 0; c < n_; ++c) products_[c] += x * p_(c, i);
      }
  }

  Fork& fork_;
  const M p_, t_;
  const R r_;
  const VectorView<T, Access> tau_;
  const Index n_, top_;
  ReflectorPass<T> pass_;
  T products_[leaf_columns];
};

/// Factors a panel whose columns are the rows of `p`, aligned and padded with zeros to a multiple of
/// leaf_columns elements. p becomes V^T with its ones and zeros, R goes to the upper triangle of `r`, a view
/// in either order, whose element (0, 0) is the panel's, and T to `t`; without `needs_t` its last columns are
/// not made. The rows of p's matrix up to a multiple of leaf_columns exist, and keep their values. workspace:
/// two matrices of a half of the columns squared.
template <class Fork, class T, class Access, class R>
void factor_panel(Fork& fork, MatrixView<T, Access> p, R r, VectorView<T, Access> tau,
                  MatrixView<T, Access> t, VectorView<T, Access> workspace, bool needs_t) {
  using M = MatrixView<T, Access>;
  const Index n = p.rows;
  if (n <= leaf_columns) return PanelLeaf<Fork, T, Access, R>(fork, p, r, tau, t)();
  const Index n1 = ceil_div(n / 2, leaf_columns) * leaf_columns, n2 = n - n1;
  const M p1 = p.block(0, 0, n1, p.cols), p2 = p.block(n1, 0, n2, p.cols);
  const M t1 = t.block(0, 0, n1, n1), t2 = t.block(n1, n1, n2, n2), t12 = t.block(0, n1, n1, n2);
  const auto work_matrix = [&](Index which, Index m, Index k) {
    return MatrixView<T>{workspace.data + which * workspace.size / 2, m, k, k}.with(workspace.access());
  };
  factor_panel(fork, p1, r.block(0, 0, r.rows, n1), tau.block(0, n1), t1, workspace, true);

  // A2 = Q1^T A2, as A2^T -= (A2^T V1 T1) V1^T.
  const M x = work_matrix(0, n2, n1), y = work_matrix(1, n2, n1);
  multiply_rows<Fork, T, Access>(fork, p2, p1, x);
  multiply<Fork, T, Access>(fork, 1, x, t1, 0, y);
  multiply<Fork, T, Access>(fork, -1, y, p1, 1, p2);
  for (Index i = 0; i < n1; ++i)
    for (Index j = 0; j < n2; ++j) {
      r(i, n1 + j) = p2(j, i);
      p2(j, i) = 0;
    }

  const M last = p2.block(0, n1, n2, p.cols - n1);
  factor_panel(fork, last, r.block(n1, n1, r.rows - n1, n2), tau.block(n1, n2), t2, workspace, needs_t);
  if (!needs_t) return;
  // T12 = -T1 (V1^T V2) T2.
  const M z = work_matrix(0, n1, n2), w = work_matrix(1, n1, n2);
  multiply_rows<Fork, T, Access>(fork, p1.block(0, n1, n1, last.cols), last, z);
  multiply<Fork, T, Access>(fork, -1, t1, z, 0, w);
  multiply<Fork, T, Access>(fork, 1, w, t2, 0, t12);
  for (Index i = n1; i < n; ++i)
    for (Index j = 0; j < n1; ++j) t(i, j) = 0;
}

}  // namespace tallcache::cpu::qr
