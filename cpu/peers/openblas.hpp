// OpenBLAS as installed.
#pragma once

#include "cpu/peers/blas.hpp"

namespace tallcache::cpu::peers {

struct openblas : installed_product<openblas_library> {
  static constexpr std::string_view idea = "cblas_dgemm and cblas_sgemm with the kernels that OpenBLAS picks";
  static constexpr std::string_view source = "OpenBLAS";
};

}  // namespace tallcache::cpu::peers
