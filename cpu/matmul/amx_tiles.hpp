// REC-MULT on packed panels (gemm.hpp), its leaves on the tile registers of Intel's AMX.
#pragma once

#include "common/amx.hpp"
#include "common/ops/matmul.hpp"
#include "common/variant.hpp"
#include "cpu/matmul/amx_kernel.hpp"
#include "cpu/matmul/gemm.hpp"

namespace tallcache::cpu::matmul {

struct amx_tiles {
  static constexpr std::string_view idea =
      "recursive_packed in bfloat16, its leaves 32 x 32 elements of C in the tile registers of AMX";
  static constexpr std::string_view source =
      "M7; Frigo, Leiserson, Prokop, Ramachandran 1999; Goto, van de Geijn 2008 (packing)";
  using operations = OperationList<Matmul<Bfloat16>>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  static std::string unavailable() { return amx_unavailable(); }

  static std::size_t scratch(Matmul<Bfloat16>, const Shape& shape, const Params&) {
    return gemm_scratch_bytes<Bfloat16>(Layout::row_major, Trans::no, Trans::no, shape["m"], shape["n"],
                                        shape["k"], {}, amx_kernel());
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    detail::gemm_rows(fork, Trans::no, Trans::no, 1, args.a, args.b, 0, args.c, args.scratch, {},
                      amx_kernel());
  }
};

}  // namespace tallcache::cpu::matmul
