// BLIS at its best: a release older than the processor picks kernels that are too old, or generic ones.
#pragma once

#include "cpu/peers/blas.hpp"

namespace tallcache::cpu::peers {

struct blis_best : fastest_product<blis_library, fastest_blis> {
  static constexpr std::string_view idea =
      "cblas_dgemm and cblas_sgemm with the kernels that are the fastest here (BLIS_ARCH_TYPE)";
  static constexpr std::string_view source = "BLIS (Van Zee and van de Geijn 2015)";
};

}  // namespace tallcache::cpu::peers
