// B of matmul and matmul_bt as one view, so that both have one text.
#pragma once

#include "common/ops/matmul_bt.hpp"
#include "common/transposed_view.hpp"

namespace tallcache::cpu::matmul {

/// The k x n factor: `b`, or the transpose of `bt`.
template <class Args>
auto second_factor(const Args& args) {
  if constexpr (requires { args.bt; })
    return transpose_of(args.bt);
  else
    return args.b;
}

}  // namespace tallcache::cpu::matmul
