// OpenBLAS at its best: a release older than the processor picks kernels that are too old.
#pragma once

#include "cpu/peers/blas.hpp"

namespace tallcache::cpu::peers {

struct openblas_best : fastest_product<openblas_library, fastest_openblas> {
  static constexpr std::string_view idea =
      "cblas_dgemm and cblas_sgemm with the kernels that are the fastest here (OPENBLAS_CORETYPE)";
  static constexpr std::string_view source = "OpenBLAS";
};

}  // namespace tallcache::cpu::peers
