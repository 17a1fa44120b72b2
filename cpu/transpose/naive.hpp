// B = A^T, scanning A.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/ops/transpose.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::transpose {

template <class B, class A>
void transpose_naive(B b, A a) {
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j) b(j, i) = a(i, j);
}

struct naive {
  static constexpr std::string_view idea =
      "row by row of A: reads are scanned, writes go down the columns of B";
  static constexpr std::string_view source = "M6: naive; S4: serial reference";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  /// M6: naive; O(mn) in M5.
  template <class T>
  static cache::Prediction predicted_misses(Transpose<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    const auto m = static_cast<double>(shape["m"]), n = static_cast<double>(shape["n"]);
    return transposition_misses(ideal, m * n, n);
  }

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    transpose_naive(args.b, args.a);
  }
};

}  // namespace tallcache::cpu::transpose
