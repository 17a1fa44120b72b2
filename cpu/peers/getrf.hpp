// LAPACK's decomposition with partial pivoting, in the build of OpenBLAS, which has an implementation of
// its own.
#pragma once

#include "common/variant.hpp"
#include "cpu/peers/blas.hpp"
#include "cpu/peers/lapack.hpp"
#include "cpu/transpose/naive.hpp"

namespace tallcache::cpu::peers {

struct getrf {
  static constexpr std::string_view idea =
      "LAPACK's dgetrf and sgetrf as OpenBLAS has them; turning rows into columns and back is not timed";
  static constexpr std::string_view source = "OpenBLAS";
  using operations = OperationList<LuPivot<double>, LuPivot<float>>;
  static constexpr PhaseSpec phases[] = {{"to columns", false}, {"factor"}, {"to rows", false}};
  static constexpr bool parallel = true;

  static std::string unavailable() { return Lapack::reason(); }
  static void prepare() { lapack(); }
  static std::string runs_as() { return lapack().core(); }
  static bool supports(const Shape& shape) { return fits_cblas(shape); }

  template <class T>
  static std::size_t scratch(LuPivot<T>, const Shape& shape, const Params&) {
    return scratch_bytes({matrix_bytes<T>(shape["n"], shape["m"], shape["pad"])});
  }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    // The leading dimension is as much larger than the columns' length as that of A than its rows'.
    const auto& a = args.a;
    const Index ld = a.rows + a.ld - a.cols;
    Scratch<> scratch = args.scratch;
    auto columns = scratch.template matrix<typename std::decay_t<decltype(a)>::value_type>(a.cols, ld);
    columns.cols = a.rows;
    if constexpr (phase == 0)
      transpose::transpose_naive(columns, a);
    else if constexpr (phase == 1)
      lapack().factor(columns, args.exchanges, launch.threads);
    else
      transpose::transpose_naive(a, columns);
  }
};

}  // namespace tallcache::cpu::peers
