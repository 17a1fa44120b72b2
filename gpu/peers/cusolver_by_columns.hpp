// Decompositions of cuSOLVER's, which has matrices by columns.
#pragma once

#include <limits>

#include "common/ops/transpose.hpp"
#include "gpu/peers/cublas_geam.hpp"
#include "gpu/peers/cusolver_library.hpp"

namespace tallcache::gpu::peers {

/// A peer that turns the m x n matrix A to columns in scratch, factors those and turns them back. `Peer` has
/// workspace<T>(m, n, ld), the elements that the library asks for, and factor(launch, columns, args,
/// scratch), where row j of `columns` is column j of A.
template <class Peer>
struct cusolver_by_columns : OnCusolver {
  static constexpr std::string_view source = "cuSOLVER";
  static constexpr PhaseSpec phases[3] = {{"to columns", false}, {"factor"}, {"to rows", false}};

  static std::string unavailable() {
    std::string reason = OnCusolver::unavailable();
    return reason.empty() ? OnCublas::unavailable() : reason;
  }
  static bool supports(const Shape& shape) {
    return std::max(shape["m"], shape["n"]) + shape["pad"] <= std::numeric_limits<int>::max();
  }

  template <class Operation>
  static std::size_t scratch(Operation, const Shape& shape, const Params&) {
    using T = typename decltype(typename Operation::template Args<>{}.a)::value_type;
    const Index m = shape["m"], n = shape["n"], ld = m + shape["pad"];
    return scratch_bytes({matrix_bytes<T>(n, m, shape["pad"]), sizeof(int),
                          m && n ? Peer::template workspace<T>(static_cast<int>(m), static_cast<int>(n),
                                                               static_cast<int>(ld)) *
                                       sizeof(T)
                                 : 0});
  }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    using T = typename std::decay_t<decltype(args.a)>::value_type;
    const auto& a = args.a;
    if (a.rows == 0 || a.cols == 0) return;
    // The leading dimension is as much larger than the columns' length as that of A than its rows'.
    const Index ld = a.rows + a.ld - a.cols;
    Scratch<> scratch = args.scratch;
    MatrixView<T> columns = scratch.template matrix<T>(a.cols, ld);
    columns.cols = a.rows;
    if constexpr (phase == 0) {
      cublas_geam::call(launch, typename Transpose<T>::template Args<>{columns, a}, params);
    } else if constexpr (phase == 1) {
      Peer::factor(launch, columns, args, scratch);
    } else {
      cublas_geam::call(launch, typename Transpose<T>::template Args<>{a, columns}, params);
      if constexpr (requires { Peer::end(launch, args); }) Peer::end(launch, args);
    }
  }
};

}  // namespace tallcache::gpu::peers
