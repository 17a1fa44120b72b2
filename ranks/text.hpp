// The programs that run over ranks, by their own texts.
#pragma once

#include "cpu/matmul/recursive.hpp"
#include "cpu/transpose/recursive.hpp"
#include "ranks/fork.hpp"

namespace tallcache::ranks {

/// REC-MULT on C, A and B. A leaf is one multiply-add, so that the ranks decide where it ends.
template <class Fork>
void multiply(Fork& fork, std::span<const Matrix> matrices) {
  const std::vector<View> views = views_of(matrices);
  using Constant = MatrixView<const double, NoMemory>;
  fork.start([&fork](View c, Constant a, Constant b) { cpu::matmul::rec_mult(fork, c, a, b, 1); }, views[0],
             Constant(views[1]), Constant(views[2]));
}

/// REC-TRANSPOSE on B and A.
template <class Fork>
void transpose(Fork& fork, std::span<const Matrix> matrices) {
  const std::vector<View> views = views_of(matrices);
  using Constant = MatrixView<const double, NoMemory>;
  fork.start([&fork](View b, Constant a) { cpu::transpose::rec_transpose(fork, b, a, 1); }, views[0],
             Constant(views[1]));
}

}  // namespace tallcache::ranks
