// The QR factorisation one reflector at a time (Householder, "Unitary triangularization of a nonsymmetric
// matrix", 1958; Golub and Van Loan, "Matrix Computations", 4th edition, 2013, algorithm 5.2.1): column j
// gives the reflector that is then applied to the columns behind it. Each of them is read by columns, a
// cache line for each element.
#pragma once

#include "common/ops/qr.hpp"
#include "common/variant.hpp"
#include "cpu/qr/reflector.hpp"

namespace tallcache::cpu::qr {

/// R and the vectors replace `a`; tau has min(rows, cols) elements.
template <class Fork, class M, class Tau>
void householder_qr(Fork& fork, M a, Tau tau) {
  using T = typename M::value_type;
  for (Index j = 0; j < tau.size; ++j) {
    const Index below = a.rows - j - 1;
    const auto element = [a, j](Index i) -> decltype(auto) { return a(j + 1 + i, j); };
    T beta = a(j, j);
    const T factor = make_reflector(beta, Below<decltype(element), T>{element}, below);
    a(j, j) = beta;
    tau[j] = factor;
    if (factor == 0) continue;
    fork.loop(j + 1, a.cols, 1, [=](Index c) {
      T product = a(j, c);
      for (Index i = j + 1; i < a.rows; ++i) product += a(i, j) * a(i, c);
      product *= factor;
      a(j, c) -= product;
      for (Index i = j + 1; i < a.rows; ++i) a(i, c) -= product * a(i, j);
    });
  }
}

struct householder {
  static constexpr std::string_view idea = "one reflector at a time, applied to each column behind it";
  static constexpr std::string_view source = "Householder 1958; Golub and Van Loan 2013, algorithm 5.2.1";
  using operations = OperationList<Qr<double>, Qr<float>>;
  static constexpr bool parallel = true;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    householder_qr(fork, args.a, args.tau);
  }
};

}  // namespace tallcache::cpu::qr
