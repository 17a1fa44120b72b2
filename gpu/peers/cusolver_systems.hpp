// What cuSOLVER's solvers of linear systems share.
#pragma once

#include "common/ops/solve.hpp"
#include "gpu/peers/cusolver_by_columns.hpp"

namespace tallcache::gpu::peers {

/// The arrays of A X = B by columns, which are the rows of A^T, B^T and X^T, in scratch.
struct SystemByColumns {
  MatrixView<double> a, b, x;  ///< n x n; p x n, where `x` holds B^T too
  int* exchanges = nullptr;    ///< n
  int* info = nullptr;
  Scratch<> workspace{};

  int n() const { return static_cast<int>(a.rows); }
  int columns() const { return static_cast<int>(b.rows); }
};

/// A peer with solve(launch, system, params), which leaves X^T in system.x, and workspace(n, p, params), the
/// bytes that it takes.
template <class Peer>
struct cusolver_systems : cusolver_by_columns<Peer> {
  using operations = OperationList<Solve<double>>;

  static std::size_t scratch(Solve<double>, const Shape& shape, const Params& params) {
    const Index n = shape["n"], p = shape["p"];
    const bool runs = n > 0 && p > 0 && Peer::unavailable().empty();
    return scratch_bytes({matrix_bytes<double>(n, n, 0), matrix_bytes<double>(p, n, 0),
                          matrix_bytes<double>(p, n, 0), static_cast<std::size_t>(n) * sizeof(int),
                          sizeof(int),
                          runs ? Peer::workspace(static_cast<int>(n), static_cast<int>(p), params) : 0});
  }

  static auto turned(const auto& args, Scratch<>& scratch) {
    const Index n = args.a.rows, p = args.b.cols;
    const auto a = scratch.matrix<double>(n, n), b = scratch.matrix<double>(p, n),
               x = scratch.matrix<double>(p, n);
    using Matrix = TurnedMatrix<double>;
    return std::array{Matrix{a, args.a}, Matrix{b, args.b}, Matrix{x, args.b, args.x}};
  }

  static void compute(const Launch& launch, const auto& matrices, const auto&, Scratch<>& scratch,
                      const Params& params) {
    SystemByColumns system{matrices[0].columns, matrices[1].columns, matrices[2].columns};
    system.exchanges = scratch.vector<int>(system.n()).data;
    system.info = scratch.vector<int>(1).data;
    system.workspace = scratch;
    Peer::solve(launch, system, params);
  }
};

}  // namespace tallcache::gpu::peers
