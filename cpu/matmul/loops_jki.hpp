// C = A B with the loops in the order j-k-i.
#pragma once

#include "common/ops/matmul.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::matmul {

template <class C, class A, class B>
void multiply_jki(C c, A a, B b) {
  zero(c);
  for (Index j = 0; j < c.cols; ++j)
    for (Index k = 0; k < a.cols; ++k)
      for (Index i = 0; i < c.rows; ++i) c(i, j) += a(i, k) * b(k, j);
}

struct loops_jki {
  static constexpr std::string_view idea =
      "loop order j-k-i: the innermost loop walks down a column of A and a column of C";
  static constexpr std::string_view source = "M1, with the loops interchanged";
  using operations = OperationList<Matmul<double>, Matmul<float>, Matmul<std::int32_t>>;

  template <class Fork, class Args>
  static void run(Fork&, const Args& args, const Params&) {
    multiply_jki(args.c, args.a, args.b);
  }
};

}  // namespace tallcache::cpu::matmul
