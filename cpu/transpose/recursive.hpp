// REC-TRANSPOSE (Frigo, Leiserson, Prokop, Ramachandran 1999): halve the larger dimension. Theta(1 + mn/L)
// misses in any cache.
#pragma once

#include <algorithm>

#include "common/cache/ideal_misses.hpp"
#include "common/fork/fork.hpp"
#include "common/ops/transpose.hpp"
#include "common/variant.hpp"
#include "cpu/transpose/naive.hpp"

namespace tallcache::cpu::transpose {

/// B = A^T, where A is m x n and B n x m; sizes that do not fit are undefined behaviour. A matrix with no
/// dimension above `base` is a leaf. base >= 1. Throws what the fork policy throws.
///
/// Source: REC-TRANSPOSE (Frigo, Leiserson, Prokop, Ramachandran 1999, section 3; Moreno Maza, M6).
template <class Fork, class T, class Access>
void rec_transpose(Fork& fork, MatrixView<T, Access> b, ConstantMatrix<T, Access> a, Index base) {
  const auto part = [&fork, base](auto... views) { rec_transpose(fork, views..., base); };
  if (std::max(a.rows, a.cols) <= base) {
    transpose_naive(b, a);
  } else if (a.cols >= a.rows) {
    const auto [a1, a2] = halve_cols(a);
    const auto [b1, b2] = halve_rows(b);
    fork(Part(part, b1, a1), Part(part, b2, a2));
  } else {
    const auto [a1, a2] = halve_rows(a);
    const auto [b1, b2] = halve_cols(b);
    fork(Part(part, b1, a1), Part(part, b2, a2));
  }
}

struct recursive {
  static constexpr std::string_view idea = "REC-TRANSPOSE: halve the larger dimension";
  static constexpr std::string_view source =
      "M6: A matrix transposition cache-oblivious and cache-optimal algorithm";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {{"base", 32, "a matrix with no larger dimension is a leaf"}};
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.065;

  /// M6: A matrix transposition cache-oblivious and cache-optimal algorithm.
  template <class T>
  static cache::Prediction predicted_misses(Transpose<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    const auto m = static_cast<double>(shape["m"]), n = static_cast<double>(shape["n"]);
    return {1 + m * n / ideal.L, "Theta(1 + mn/L)", true};
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    if (args.a.rows && args.a.cols) rec_transpose(fork, args.b, args.a, params["base"]);
  }
};

}  // namespace tallcache::cpu::transpose
