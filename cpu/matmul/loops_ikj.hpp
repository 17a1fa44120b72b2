// C = A B with the loops in the order i-k-j.
#pragma once

#include "common/ops/matmul.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::matmul {

template <class C, class A, class B>
void multiply_ikj(C c, A a, B b) {
  zero(c);
  for (Index i = 0; i < c.rows; ++i)
    for (Index k = 0; k < a.cols; ++k)
      for (Index j = 0; j < c.cols; ++j) c(i, j) += a(i, k) * b(k, j);
}

struct loops_ikj {
  static constexpr std::string_view idea =
      "loop order i-k-j: the innermost loop scans a row of B and a row of C";
  static constexpr std::string_view source = "M1, with the loops interchanged";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>, Matmul<Bfloat16>>;

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    multiply_ikj(args.c, args.a, args.b);
  }
};

}  // namespace tallcache::cpu::matmul
