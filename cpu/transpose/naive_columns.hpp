// B = A^T, scanning B.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/ops/transpose.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::transpose {

template <class B, class A>
void transpose_naive_columns(B b, A a) {
  for (Index j = 0; j < a.cols; ++j)
    for (Index i = 0; i < a.rows; ++i) b(j, i) = a(i, j);
}

struct naive_columns {
  static constexpr std::string_view idea =
      "row by row of B: writes are scanned, reads go down the columns of A";
  static constexpr std::string_view source = "M6: naive, with the loops interchanged";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  /// M6: naive, with the loops interchanged.
  template <class T>
  static cache::Prediction predicted_misses(Transpose<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    const auto m = static_cast<double>(shape["m"]), n = static_cast<double>(shape["n"]);
    return transposition_misses(ideal, m * n, m);
  }

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    transpose_naive_columns(args.b, args.a);
  }
};

}  // namespace tallcache::cpu::transpose
