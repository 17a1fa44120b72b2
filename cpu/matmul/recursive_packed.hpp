// REC-MULT at the machine's limit: on packed panels, down to vector registers (gemm.hpp).
#pragma once

#include "common/ops/matmul_bt.hpp"
#include "common/variant.hpp"
#include "cpu/matmul/gemm.hpp"

namespace tallcache::cpu::matmul {

struct recursive_packed {
  static constexpr std::string_view idea =
      "REC-MULT on factors packed once, its leaves register tiles that prefetch the next leaf; no cache "
      "parameter";
  static constexpr std::string_view source =
      "M7; Frigo, Leiserson, Prokop, Ramachandran 1999; Goto, van de Geijn 2008 (packing)";
  using operations =
      OperationList<Matmul<double>, Matmul<float>, Matmul<Bfloat16>, MatmulBt<double>, MatmulBt<float>>;
  static constexpr ParamSpec params[] = {
      {"kc", 0, "inner dimension packed together; 0: the instruction set's, here and below", 0},
      {"mc", 0, "rows of C of a leaf", 0},
      {"nc", 0, "columns of C of a leaf", 0},
      {"min_packed", 0, "a factor used across fewer columns or rows stays as it is", 0}};
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class T>
  static std::size_t scratch(Matmul<T>, const Shape& shape, const Params& params) {
    return scratch<T>(Trans::no, shape, params);
  }
  template <class T>
  static std::size_t scratch(MatmulBt<T>, const Shape& shape, const Params& params) {
    return scratch<T>(Trans::yes, shape, params);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    const auto product = [&](Trans trans_b, auto b) {
      detail::gemm_rows(fork, Trans::no, trans_b, 1, args.a, b, 0, args.c, args.scratch, sizes(params));
    };
    if constexpr (requires { args.bt; })
      product(Trans::yes, args.bt);
    else
      product(Trans::no, args.b);
  }

 private:
  template <class T>
  static std::size_t scratch(Trans trans_b, const Shape& shape, const Params& params) {
    return gemm_scratch_bytes<T>(Layout::row_major, Trans::no, trans_b, shape["m"], shape["n"], shape["k"],
                                 sizes(params));
  }
  // In the order of `params`, in which complete_params() puts them: to look each up by its name takes as long
  // as a product of n = 8.
  static GemmSizes sizes(const Params& given) {
    const auto* item = given.begin();
    return {item[0].value, item[1].value, item[2].value, item[3].value};
  }
};

}  // namespace tallcache::cpu::matmul
