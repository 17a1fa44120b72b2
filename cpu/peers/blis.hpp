// BLIS as installed.
#pragma once

#include "cpu/peers/blas.hpp"

namespace tallcache::cpu::peers {

struct blis : installed_product<blis_library> {
  static constexpr std::string_view idea = "cblas_dgemm and cblas_sgemm with the kernels that BLIS picks";
  static constexpr std::string_view source = "BLIS (Van Zee and van de Geijn 2015)";
};

}  // namespace tallcache::cpu::peers
