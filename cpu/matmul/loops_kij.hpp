// C = A B with the loops in the order k-i-j.
#pragma once

#include "common/ops/matmul.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::matmul {

template <class C, class A, class B>
void multiply_kij(C c, A a, B b) {
  zero(c);
  for (Index k = 0; k < a.cols; ++k)
    for (Index i = 0; i < c.rows; ++i)
      for (Index j = 0; j < c.cols; ++j) c(i, j) += a(i, k) * b(k, j);
}

struct loops_kij {
  static constexpr std::string_view idea = "loop order k-i-j: rank-one updates of C, row by row";
  static constexpr std::string_view source = "M1, with the loops interchanged";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>>;

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    multiply_kij(args.c, args.a, args.b);
  }
};

}  // namespace tallcache::cpu::matmul
