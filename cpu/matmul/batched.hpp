// The packed product of each matrix of a batch.
#pragma once

#include "common/ops/matmul_batched.hpp"
#include "common/variant.hpp"
#include "cpu/matmul/gemm.hpp"

namespace tallcache::cpu::matmul {

struct batched {
  static constexpr std::string_view idea =
      "recursive_packed's product of each matrix: threads have small ones each, and share large ones";
  static constexpr std::string_view source = "M7; Frigo, Leiserson, Prokop, Ramachandran 1999";
  using operations = OperationList<MatmulBatched<double>, MatmulBatched<float>>;
  static constexpr bool parallel = true;

  /// Products that need none are done side by side.
  template <class T>
  static std::size_t scratch(MatmulBatched<T>, const Shape& shape, const Params&) {
    return gemm_scratch_bytes<T>(Layout::row_major, Trans::no, Trans::no, shape["m"], shape["n"], shape["k"]);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    const auto multiply = [](auto& with, const auto& one) {
      detail::gemm_rows(with, Trans::no, Trans::no, 1, one.a, one.b, 0, one.c, one.scratch, {});
    };
    if (args.scratch.bytes_left() > 0) {
      for (Index p = 0; p < args.batch; ++p) multiply(fork, args.at(p));
      return;
    }
    fork.loop(0, args.batch, 1, [&](Index p) {
      Serial serial;
      multiply(serial, args.at(p));
    });
  }
};

}  // namespace tallcache::cpu::matmul
