// C = A B with the loops in the order k-j-i.
#pragma once

#include "common/ops/matmul.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::matmul {

template <class C, class A, class B>
void multiply_kji(C c, A a, B b) {
  zero(c);
  for (Index k = 0; k < a.cols; ++k)
    for (Index j = 0; j < c.cols; ++j)
      for (Index i = 0; i < c.rows; ++i) c(i, j) += a(i, k) * b(k, j);
}

struct loops_kji {
  static constexpr std::string_view idea = "loop order k-j-i: rank-one updates of C, column by column";
  static constexpr std::string_view source = "M1, with the loops interchanged";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>>;

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    multiply_kji(args.c, args.a, args.b);
  }
};

}  // namespace tallcache::cpu::matmul
