// LAPACK's solution of linear systems, in the build of OpenBLAS, which has an implementation of its own.
#pragma once

#include "common/ops/solve.hpp"
#include "common/variant.hpp"
#include "cpu/peers/blas.hpp"
#include "cpu/peers/lapack.hpp"
#include "cpu/transpose/naive.hpp"

namespace tallcache::cpu::peers {

struct gesv {
  static constexpr std::string_view idea =
      "LAPACK's dgesv, getrf and getrs, as OpenBLAS has it; copies by columns, and back, are not timed";
  static constexpr std::string_view source = "OpenBLAS";
  using operations = OperationList<Solve<double>>;
  static constexpr PhaseSpec phases[] = {{"to columns", false}, {"solve"}, {"to rows", false}};
  static constexpr bool parallel = true;

  static std::string unavailable() { return Lapack::reason(); }
  static void prepare() { lapack(); }
  static std::string runs_as() { return lapack().core(); }
  static bool supports(const Shape& shape) { return fits_cblas(shape); }

  static std::size_t scratch(Solve<double>, const Shape& shape, const Params&) {
    const Index n = shape["n"];
    return scratch_bytes({matrix_bytes<double>(n, n, shape["pad"]), matrix_bytes<double>(shape["p"], n, 0),
                          static_cast<std::size_t>(n) * sizeof(std::int32_t)});
  }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    const Index n = args.a.rows;
    Scratch<> scratch = args.scratch;
    MatrixView<double> a = scratch.template matrix<double>(n, args.a.ld);
    a.cols = n;
    const auto b = scratch.template matrix<double>(args.b.cols, n);
    const auto exchanges = scratch.template vector<std::int32_t>(n);
    if constexpr (phase == 0) {
      transpose::transpose_naive(a, args.a);
      transpose::transpose_naive(b, args.b);
    } else if constexpr (phase == 1) {
      lapack().solve(a, exchanges, b, launch.threads);
    } else {
      transpose::transpose_naive(args.x, MatrixView<const double>(b));
    }
  }
};

}  // namespace tallcache::cpu::peers
