// LAPACK's decomposition with partial pivoting, in the build of OpenBLAS, which has an implementation of
// its own.
#pragma once

#include <utility>

#include "cpu/peers/blas.hpp"

namespace tallcache::cpu::peers {

struct getrf {
  static constexpr std::string_view idea =
      "LAPACK's dgetrf and sgetrf as OpenBLAS has them; turning rows into columns and back is not timed";
  static constexpr std::string_view source = "OpenBLAS";
  using operations = OperationList<LuPivot<double>, LuPivot<float>>;
  static constexpr PhaseSpec phases[] = {{"to columns", false}, {"factor"}, {"to rows", false}};
  static constexpr bool parallel = true;

  static std::string unavailable() { return openblas_library().no_factor(); }
  static void prepare() { fastest_openblas(); }
  static std::string runs_as() { return fastest_openblas().blas().core(); }
  static bool supports(const Shape& shape) { return fits_cblas(shape); }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    if constexpr (phase == 1) {
      fastest_openblas().blas().factor(args, launch.threads);
    } else {
      for (Index i = 0; i < args.a.rows; ++i)
        for (Index j = 0; j < i; ++j) std::swap(args.a(i, j), args.a(j, i));
    }
  }
};

}  // namespace tallcache::cpu::peers
