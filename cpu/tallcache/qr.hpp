// The QR factorisation of matrices of float and double on the CPU, and products with its orthogonal factor.
// A is m x n, row-major; k = min(m, n).
//
//   tallcache::qr_factor(a, tau);                  // a: R, and the reflectors below its diagonal
//   tallcache::qr_apply_q(Trans::yes, a, tau, b);  // b = Q^T b
//   tallcache::qr_form_q(q, a, tau);               // the first columns of Q
//
// The layout is that of LAPACK's geqrf, transposed as matrices are: by rows here, by columns there. Scratch
// is kept for the next call: two to three times the size of A.
#pragma once

#include <concepts>

#include "common/execute.hpp"
#include "common/fork/parallel.hpp"
#include "common/ops/qr.hpp"
#include "cpu/qr/apply_q.hpp"

namespace tallcache {

using cpu::matmul::Trans;

/// The elements of the matrices that qr_factor() factors.
template <class T>
concept IsFactoredByQr = std::same_as<T, float> || std::same_as<T, double>;

namespace detail {

template <class T>
void apply_q(cpu::qr::WithQ with, MatrixView<const T> factors, VectorView<const T> tau, MatrixView<T> c,
             const char* name, int threads) {
  require_threads(threads);
  validate_view(factors, "A");
  validate_view(c, name);
  if (tau.size > std::min(factors.rows, factors.cols))
    throw Error("tau: " + std::to_string(tau.size) + " reflectors, but A is " + std::to_string(factors.rows) +
                " x " + std::to_string(factors.cols));
  if (tau.size > 0 && !tau.data) throw Error("tau: no data");
  if (c.rows != factors.rows)
    throw Error(std::string(name) + ": " + std::to_string(c.rows) + " rows, but A has " +
                std::to_string(factors.rows));
  validate_disjoint(c, name, factors, "A");
  validate_disjoint(c, name, tau, "tau");
  using Apply = cpu::qr::ApplyQ<T, Plain>;
  const SessionLease session({.threads = threads});
  const std::size_t bytes = Apply::scratch_bytes(c.rows, tau.size, c.cols);
  const Apply program(with, factors, tau, c, Scratch<>(session->memory(0, bytes, Pages::huge).first(bytes)));
  if (threads == 1) {
    Serial fork;
    return program(fork);
  }
  run_parallel(threads, [&](auto& fork) { program(fork); });
}

}  // namespace detail

/// A = Q R in place, A being m x n, on `threads` threads including the caller: the same bytes on any number
/// of them. R replaces the upper trapezoid of A, with the diagonal. Q = H_0 H_1 ... H_(k - 1), H_j = I -
/// tau_j v_j v_j^T; column j of A below the diagonal holds v_j, which is 0 above row j and 1 in row j. tau
/// has k elements, each 0 or from 1 to 2. Columns are scaled so that squares neither over- nor underflow. A
/// NaN or an infinity in column j makes NaN of it and the columns behind. Throws Error when tau has another
/// size, sizes are negative or overflow, or A and tau overlap.
///
/// Source: Elmroth, Gustavson, "Applying recursion to serial and parallel QR factorization leads to better
/// performance", IBM Journal of Research and Development 44(4), 2000.
template <IsFactoredByQr T>
void qr_factor(MatrixView<T> a, std::type_identity_t<VectorView<T>> tau, int threads = 1) {
  execute<Qr<T>>("recursive_wy", {a, tau}, {}, threads);
}

/// C = Q C, or Q^T C where `trans` is Trans::yes, as LAPACK's ormqr from the left, on `threads` threads
/// including the caller. `a` and `tau` are those of qr_factor(); the first tau.size reflectors are used. C is
/// m x p. Throws Error when the sizes do not fit, or C overlaps A or tau.
///
/// Source: Schreiber, Van Loan, "A storage-efficient WY representation for products of Householder
/// transformations", SIAM Journal on Scientific and Statistical Computing 10(1), 1989.
template <IsFactoredByQr T>
void qr_apply_q(Trans trans, std::type_identity_t<MatrixView<const T>> a,
                std::type_identity_t<VectorView<const T>> tau, MatrixView<T> c, int threads = 1) {
  using cpu::qr::WithQ;
  detail::apply_q<T>(trans == Trans::yes ? WithQ::multiply_transposed : WithQ::multiply, a, tau, c, "C",
                     threads);
}

/// The first p columns of Q, as LAPACK's orgqr, on `threads` threads including the caller: `q` is m x p with
/// p <= m, and is not read. `a` and `tau` as for qr_apply_q(). Throws Error when the sizes do not fit, or `q`
/// overlaps A or tau.
///
/// Source: Schreiber, Van Loan 1989, as for qr_apply_q().
template <IsFactoredByQr T>
void qr_form_q(MatrixView<T> q, std::type_identity_t<MatrixView<const T>> a,
               std::type_identity_t<VectorView<const T>> tau, int threads = 1) {
  if (q.cols > a.rows)
    throw Error("Q: " + std::to_string(q.cols) + " columns, but it is " + std::to_string(a.rows) + " x " +
                std::to_string(a.rows));
  detail::apply_q<T>(cpu::qr::WithQ::form, a, tau, q, "Q", threads);
}

}  // namespace tallcache
