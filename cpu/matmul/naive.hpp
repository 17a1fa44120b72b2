// C = A B by its definition.
#pragma once

#include "common/cache/ideal_misses.hpp"
#include "common/variant.hpp"
#include "cpu/matmul/second_factor.hpp"

namespace tallcache::cpu::matmul {

/// The rows of C are independent.
template <class Fork, class C, class A, class B>
void multiply_ijk(Fork& fork, C c, A a, B b) {
  fork.loop(0, c.rows, 1, [c, a, b](Index i) {
    zero(c.block(i, 0, 1, c.cols));
    for (Index j = 0; j < c.cols; ++j)
      for (Index k = 0; k < a.cols; ++k) c(i, j) += a(i, k) * b(k, j);
  });
}

struct naive {
  static constexpr std::string_view idea =
      "the three loops in the order of the definition, i-j-k: the second factor is walked down its columns";
  static constexpr std::string_view source = "M1: A typical matrix multiplication C code; H1: CPU version";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>, Matmul<Bfloat16>,
                                   MatmulBt<double>, MatmulBt<float>, MatmulBt<std::int32_t>>;
  static constexpr bool parallel = true;

  /// M5: Cache complexity of the naive and tiled matrix multiplications.
  template <class T>
  static cache::Prediction predicted_misses(Matmul<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    return product_misses(ideal, cache::product_sizes(shape));
  }
  template <class T>
  static cache::Prediction predicted_misses(MatmulBt<T>, const Shape& shape, const Params&,
                                            cache::IdealCache ideal) {
    return product_of_rows_misses(ideal, cache::product_sizes(shape));
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    multiply_ijk(fork, args.c, args.a, second_factor(args));
  }
};

}  // namespace tallcache::cpu::matmul
