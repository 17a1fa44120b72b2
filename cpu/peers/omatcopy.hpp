// The transposition of OpenBLAS, at its best.
#pragma once

#include "cpu/peers/blas.hpp"

namespace tallcache::cpu::peers {

struct omatcopy {
  static constexpr std::string_view idea = "cblas_somatcopy and cblas_domatcopy, on one thread";
  static constexpr std::string_view source = "OpenBLAS";
  using operations = OperationList<Transpose<float>, Transpose<double>>;

  static std::string unavailable() { return openblas_library(Tuning::best).reason(); }
  static bool supports(const Shape& shape) { return fits_cblas(shape); }

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    openblas_library(Tuning::best).transpose(args);
  }
};

}  // namespace tallcache::cpu::peers
