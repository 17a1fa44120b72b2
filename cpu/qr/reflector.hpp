// One Householder reflector H = I - tau v v^T, made so that no square over- or underflows.
#pragma once

#include <cmath>
#include <limits>

#include "common/view.hpp"

namespace tallcache::cpu::qr {

/// The Euclidean norm. Infinite where an element is, NaN where one is NaN.
template <class Vector>
auto norm_of(Vector x, Index size) {
  using T = typename Vector::value_type;
  T largest = 0;
  for (Index i = 0; i < size; ++i) {
    const T magnitude = std::abs(T(x(i)));
    if (!(magnitude <= largest)) largest = magnitude;
    if (std::isnan(largest)) return largest;
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  T sum = 0;
  for (Index i = 0; i < size; ++i) {
    const T part = T(x(i)) / largest;
    sum += part * part;
  }
  return largest * std::sqrt(sum);
}

/// The elements of a column below its first one, as what norm_of() and make_reflector() work on.
template <class At, class T>
struct Below {
  using value_type = T;
  At at;
  decltype(auto) operator()(Index i) const { return at(i); }
};

/// H (alpha; x) = (beta; 0), where x has `size` elements and becomes v without its first element, which is 1.
/// Returns tau, and beta in place of alpha. tau = 0 where x is 0. Where beta is below the normal numbers, x
/// is scaled up first, as the reciprocal of alpha - beta would overflow.
///
/// Source: LAPACK's larfg; Golub and Van Loan 2013, algorithm 5.1.1.
template <class Vector>
auto make_reflector(typename Vector::value_type& alpha, Vector x, Index size) -> typename Vector::value_type {
  using T = typename Vector::value_type;
  const T safe = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon() * 2;
  T norm = norm_of(x, size);
  if (norm == 0) return 0;
  T beta = -std::copysign(std::hypot(alpha, norm), alpha);
  int scalings = 0;
  constexpr int most = 20;
  while (std::abs(beta) < safe && scalings < most) {
    for (Index i = 0; i < size; ++i) x(i) = T(x(i)) / safe;
    beta /= safe;
    alpha /= safe;
    ++scalings;
  }
  if (scalings > 0) {
    norm = norm_of(x, size);
    beta = -std::copysign(std::hypot(alpha, norm), alpha);
  }
  const T tau = (beta - alpha) / beta, factor = 1 / (alpha - beta);
  for (Index i = 0; i < size; ++i) x(i) = T(x(i)) * factor;
  for (; scalings > 0; --scalings) beta *= safe;
  alpha = beta;
  return tau;
}

}  // namespace tallcache::cpu::qr
