// LAPACK's Cholesky decomposition, in the build of OpenBLAS, which has an implementation of its own.
#pragma once

#include "common/variant.hpp"
#include "cpu/peers/blas.hpp"
#include "cpu/peers/lapack.hpp"

namespace tallcache::cpu::peers {

struct potrf {
  static constexpr std::string_view idea = "LAPACK's dpotrf and spotrf as OpenBLAS has them";
  static constexpr std::string_view source = "OpenBLAS";
  using operations = OperationList<Cholesky<double>, Cholesky<float>>;
  static constexpr bool parallel = true;

  static std::string unavailable() { return Lapack::reason(); }
  static void prepare() { lapack(); }
  static std::string runs_as() { return lapack().core(); }
  static bool supports(const Shape& shape) { return fits_cblas(shape); }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    lapack().cholesky(args.a, launch.threads);
  }
};

}  // namespace tallcache::cpu::peers
