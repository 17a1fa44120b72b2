// The transposition of OpenBLAS, with the kernels whose products are the fastest.
#pragma once

#include "cpu/peers/blas.hpp"

namespace tallcache::cpu::peers {

struct omatcopy {
  static constexpr std::string_view idea = "cblas_somatcopy and cblas_domatcopy, on one thread";
  static constexpr std::string_view source = "OpenBLAS";
  using operations = OperationList<Transpose<float>, Transpose<double>>;

  static std::string unavailable() { return openblas_library().reason(); }
  static void prepare() { fastest_openblas(); }
  static std::string runs_as() { return fastest_openblas().blas().core(); }
  static bool supports(const Shape& shape) { return fits_cblas(shape); }

  template <class Args>
  static void call(const Launch&, const Args& args, const Params&) {
    fastest_openblas().blas().transpose(args);
  }
};

}  // namespace tallcache::cpu::peers
