// A = A^T by swapping across the diagonal, row by row, as the slides' parallel loop does.
#pragma once

#include <utility>

#include "common/ops/transpose.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::transpose {

/// Row i is swapped with column i up to the diagonal. The rows are independent, and row i costs i swaps.
template <class Fork, class A>
void transpose_in_place(Fork& fork, A a) {
  fork.loop(1, a.rows, 1, [a](Index i) {
    for (Index j = 0; j < i; ++j) {
      const typename A::value_type old = a(i, j);
      a(i, j) = a(j, i);
      a(j, i) = old;
    }
  });
}

struct in_place {
  static constexpr std::string_view idea = "swap across the diagonal, row by row";
  static constexpr std::string_view source = "M9: For loop parallelism in Cilk++";
  using operations =
      OperationList<TransposeInPlace<float>, TransposeInPlace<double>, TransposeInPlace<std::int32_t>>;
  static constexpr bool parallel = true;
  static constexpr double ns_per_unit = 0.045;

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    transpose_in_place(fork, args.a);
  }
};

}  // namespace tallcache::cpu::transpose
