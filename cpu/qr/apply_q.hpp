// Products with the orthogonal factor of a QR factorisation, in compact WY form a panel at a time (Schreiber
// and Van Loan, "A storage-efficient WY representation for products of Householder transformations", 1989).
// As in the factorisation (factor.hpp), all products are of transposed copies.
#pragma once

#include "cpu/qr/factor.hpp"

namespace tallcache::cpu::qr {

/// Which product: with Q, with its transpose, or the first columns of Q itself.
enum class WithQ { multiply, multiply_transposed, form };

/// `Factors` and `C`: views in either order. C may lie where the factors do, if Q is formed.
template <class T, class Access, class Factors = MatrixView<const T, Access>, class C = MatrixView<T, Access>>
class ApplyQ {
 public:
  using M = MatrixView<T, Access>;

  /// The bytes of scratch for k reflectors of m elements and a C of `cols` columns.
  static std::size_t scratch_bytes(Index m, Index k, Index cols) {
    const FactorSizes sizes(m, k);
    const auto bytes = [](Index rows, Index columns) {
      return checked_product(checked_product(rows, columns, "scratch of qr"), sizeof(T), "scratch of qr");
    };
    return checked_sum(sizes.scratch_bytes<T>(),
                       tallcache::scratch_bytes(
                           {bytes(cols, sizes.ld), bytes(cols, sizes.panel_ld), bytes(cols, sizes.panel_ld)}),
                       "scratch of qr");
  }

  /// C is m x p. The factors are those of qr, of which the first tau.size reflectors are used.
  ApplyQ(WithQ with, Factors factors, VectorView<const T, Access> tau, C c, Scratch<Access> scratch)
      : with_(with), factors_(factors), tau_(tau), c_(c), sizes_(factors.rows, tau.size) {
    q_ = Reflectors<T, Access>::take(scratch, sizes_);
    copy_ = scratch.template matrix<T>(c.cols, sizes_.ld);
    q_.x = scratch.template matrix<T>(c.cols, sizes_.panel_ld);
    q_.y = scratch.template matrix<T>(c.cols, sizes_.panel_ld);
    q_.backwards = with != WithQ::multiply_transposed;
  }

  template <class Fork>
  void operator()(Fork& fork) const {
    const Index m = c_.rows, p = c_.cols, k = q_.k;
    if (m == 0 || p == 0) return;
    if (k == 0 && with_ != WithQ::form) return;
    const M copy = copy_.block(0, 0, p, m);
    if (with_ == WithQ::form) {
      zero(copy);
      for (Index j = 0; j < std::min(m, p); ++j) copy(j, j) = 1;
    } else {
      transpose_to<Fork, T, Access>(fork, copy, c_);
    }
    zero(copy_.block(0, m, p, q_.padded - m));
    zero(q_.vt.block(0, m, k, q_.padded - m));
    for (Index first = 0; first < k; first += q_.columns) prepare(fork, first);
    if (!q_.backwards) {
      q_.apply(fork, 0, k, copy_, 0, p);
    } else {
      for (Index first = k == 0 ? -1 : (k - 1) / q_.columns * q_.columns; first >= 0; first -= q_.columns) {
        // Column c of the identity is left alone by the reflectors behind it.
        const Index begin = with_ == WithQ::form ? std::min(first, p) : 0;
        q_.apply(fork, first, first + q_.width(first), copy_, begin, p);
      }
    }
    transpose_to<Fork, T, Access>(fork, c_, copy);
  }

 private:
  /// V with its ones and zeros, its transpose, and T, or its transpose where panels are applied backwards:
  /// the product of a panel's reflectors in the reverse order.
  template <class Fork>
  void prepare(Fork& fork, Index first) const {
    const Index w = q_.width(first), rows = sizes_.m - first;
    const M v = q_.v_of(first), t = q_.t_of(first);
    const M vt = q_.vt.block(first, first, w, rows);
    const auto element = [=, this](Index i, Index j) {
      return i > j ? T(factors_(first + i, first + j)) : i == j ? T{1} : T{0};
    };
    if constexpr (is_transposed<Factors>) {  // along its columns
      loop_blocks(fork, w, 8, [=](Index begin, Index end) {
        for (Index j = begin; j < end; ++j)
          for (Index i = 0; i < rows; ++i) vt(j, i) = element(i, j);
      });
      transpose_to<Fork, T, Access>(fork, v, vt);
    } else {
      loop_blocks(fork, rows, strand_rows / 32, [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
          for (Index j = 0; j < w; ++j) v(i, j) = element(i, j);
      });
      transpose_to<Fork, T, Access>(fork, vt, v);
    }
    multiply<Fork, T, Access>(fork, 1, vt, v, 0, t);
    // Column j of T is -tau_j T V^T v_j.
    T column[most_panel_columns];
    for (Index j = 0; j < w; ++j) {
      const T tau = tau_[first + j];
      for (Index i = 0; i < j; ++i) column[i] = t(i, j);
      for (Index i = 0; i < j; ++i) {
        T sum = 0;
        for (Index l = i; l < j; ++l) sum += t(i, l) * column[l];
        t(i, j) = -tau * sum;
      }
      t(j, j) = tau;
    }
    for (Index i = 0; i < w; ++i)
      for (Index j = 0; j < i; ++j) {
        t(i, j) = q_.backwards ? T(t(j, i)) : T{0};
        if (q_.backwards) t(j, i) = 0;
      }
  }

  WithQ with_;
  Factors factors_;
  VectorView<const T, Access> tau_;
  C c_;
  M copy_;
  FactorSizes sizes_;
  Reflectors<T, Access> q_;
};

}  // namespace tallcache::cpu::qr
