// C = A B through a transposed copy of B, so that both factors are scanned along their rows.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/ops/matmul.hpp"
#include "common/variant.hpp"
#include "cpu/transpose/naive.hpp"

namespace tallcache::cpu::matmul {

/// `bt` is n x k, the transpose of B.
template <class C, class A, class Bt>
void multiply_transposed(C c, A a, Bt bt) {
  zero(c);
  for (Index i = 0; i < c.rows; ++i)
    for (Index j = 0; j < c.cols; ++j)
      for (Index k = 0; k < a.cols; ++k) c(i, j) += a(i, k) * bt(j, k);
}

struct transposed {
  static constexpr std::string_view idea = "transpose B first: both factors are scanned along rows";
  static constexpr std::string_view source = "M1: Transposing for optimizing spatial locality";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>>;

  template <class T>
  static std::size_t scratch(Matmul<T>, const Shape& shape, const Params&) {
    return scratch_bytes({matrix_bytes<T>(shape["n"], shape["k"], 0)});
  }

  /// M5, as the naive product with the second factor transposed; M6 for the copy.
  template <class T>
  static cache::Prediction predicted_misses(Matmul<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    const auto sizes = cache::product_sizes(shape);
    return transposed_product_misses(ideal, sizes, product_of_rows_misses(ideal, sizes));
  }

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    auto scratch = args.scratch;
    const auto bt = scratch.template matrix<typename decltype(args.b)::value_type>(args.b.cols, args.b.rows);
    transpose::transpose_naive(bt, args.b);
    multiply_transposed(args.c, args.a, bt);
  }
};

}  // namespace tallcache::cpu::matmul
