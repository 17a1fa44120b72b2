// B = A^T, two rows of A at a time.
#pragma once

#include "common/ops/transpose.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::transpose {

template <class Fork, class B, class A>
void transpose_by_pairs(Fork& fork, B b, A a) {
  fork.loop(0, (a.rows + 1) / 2, 1, [=](Index pair) {
    for (Index i = 2 * pair; i < a.rows && i < 2 * pair + 2; ++i)
      for (Index j = 0; j < a.cols; ++j) b(j, i) = a(i, j);
  });
}

struct by_pairs {
  static constexpr std::string_view idea = "two rows at a time", source = "M6, varied";
  using operations = OperationList<Transpose<float>, Transpose<double>>;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.06;  // of one thread, for a byte, near 0.1 ms

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    transpose_by_pairs(fork, args.b, args.a);
  }
};

}  // namespace tallcache::cpu::transpose
