// What cuSOLVER's solvers of linear systems share.
#pragma once

#include <algorithm>
#include <limits>

#include "common/ops/solve.hpp"
#include "common/ops/transpose.hpp"
#include "gpu/peers/cublas_geam.hpp"
#include "gpu/peers/cusolver_library.hpp"

namespace tallcache::gpu::peers {

/// The arrays of A X = B by columns, which are the rows of A^T, B^T and X^T, in scratch.
struct SystemByColumns {
  MatrixView<double> a, b, x;  ///< n x n; p x n, where `x` holds B^T too
  int* exchanges;              ///< n
  int* info;
  Scratch<> workspace;

  int n() const { return static_cast<int>(a.rows); }
  int columns() const { return static_cast<int>(b.rows); }
};

/// A peer with solve(launch, system, params), which leaves X^T in system.x, and workspace(n, p, params), the
/// bytes that it takes.
template <class Peer>
struct cusolver_systems : OnCusolver {
  static constexpr std::string_view source = "cuSOLVER";
  using operations = OperationList<Solve<double>>;
  static constexpr PhaseSpec phases[] = {{"to columns", false}, {"solve"}, {"to rows", false}};

  static std::string unavailable() {
    std::string reason = OnCusolver::unavailable();
    return reason.empty() ? OnCublas::unavailable() : reason;
  }
  static bool supports(const Shape& shape) {
    return std::max(shape["n"], shape["p"]) <= std::numeric_limits<int>::max();
  }

  static std::size_t scratch(Solve<double>, const Shape& shape, const Params& params) {
    const Index n = shape["n"], p = shape["p"];
    const bool runs = n > 0 && p > 0 && unavailable().empty();
    return scratch_bytes({matrix_bytes<double>(n, n, 0), matrix_bytes<double>(p, n, 0),
                          matrix_bytes<double>(p, n, 0), static_cast<std::size_t>(n) * sizeof(int),
                          sizeof(int),
                          runs ? Peer::workspace(static_cast<int>(n), static_cast<int>(p), params) : 0});
  }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    const Index n = args.a.rows, p = args.b.cols;
    if (n == 0 || p == 0) return;
    Scratch<> scratch = args.scratch;
    SystemByColumns system;
    system.a = scratch.matrix<double>(n, n);
    system.b = scratch.matrix<double>(p, n);
    system.x = scratch.matrix<double>(p, n);
    system.exchanges = scratch.vector<int>(n).data;
    system.info = scratch.vector<int>(1).data;
    system.workspace = scratch;
    const auto transpose = [&](const MatrixView<double>& to, const MatrixView<const double>& from) {
      cublas_geam::call(launch, Transpose<double>::Args<>{to, from}, params);
    };
    if constexpr (phase == 0) {
      transpose(system.a, args.a);
      transpose(system.b, args.b);
      transpose(system.x, args.b);
    } else if constexpr (phase == 1) {
      Peer::solve(launch, system, params);
    } else {
      transpose(args.x, system.x);
    }
  }
};

}  // namespace tallcache::gpu::peers
