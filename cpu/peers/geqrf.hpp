// LAPACK's QR factorisation, in the build of OpenBLAS, with its fastest kernels.
#pragma once

#include "common/variant.hpp"
#include "cpu/peers/blas.hpp"
#include "cpu/peers/lapack.hpp"
#include "cpu/transpose/naive.hpp"

namespace tallcache::cpu::peers {

struct geqrf {
  static constexpr std::string_view idea =
      "LAPACK's dgeqrf and sgeqrf as OpenBLAS has them; turning rows into columns and back is not timed";
  static constexpr std::string_view source = "OpenBLAS";
  using operations = OperationList<Qr<double>, Qr<float>>;
  static constexpr PhaseSpec phases[] = {{"to columns", false}, {"factor"}, {"to rows", false}};
  static constexpr bool parallel = true;

  static std::string unavailable() { return Lapack::reason(); }
  static void prepare() { lapack(); }
  static std::string runs_as() { return lapack().core(); }
  static bool supports(const Shape& shape) { return fits_cblas(shape); }

  template <class T>
  static std::size_t scratch(Qr<T>, const Shape& shape, const Params&) {
    return scratch_bytes({matrix_bytes<T>(shape["n"], shape["m"], 0)});
  }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    using T = typename decltype(args.a)::value_type;
    const auto a = args.a;
    auto scratch = args.scratch;
    const auto columns = scratch.template matrix<T>(a.cols, a.rows);
    if constexpr (phase == 0) {
      transpose::transpose_naive(columns, a);
    } else if constexpr (phase == 1) {
      if (args.tau.size > 0) lapack().factor_orthogonally(columns, args.tau, launch.threads);
    } else {
      transpose::transpose_naive(a, columns);
    }
  }
};

}  // namespace tallcache::cpu::peers
