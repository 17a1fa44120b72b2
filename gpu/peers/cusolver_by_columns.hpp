// Calls of cuSOLVER's, which has matrices by columns.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "common/ops/transpose.hpp"
#include "gpu/peers/cublas_geam.hpp"
#include "gpu/peers/cusolver_library.hpp"

namespace tallcache::gpu::peers {

/// A matrix by columns in scratch: row j of `columns` is column j of `from`, and in the end of `to`, unless
/// that has no data.
template <class T>
struct TurnedMatrix {
  MatrixView<T> columns;
  MatrixView<const T> from;
  MatrixView<T> to{};
};

/// A peer that turns matrices to columns in scratch, computes with those and turns the results back. `Peer`
/// has turned(args, scratch), an array of TurnedMatrix, compute(launch, matrices, args, scratch, params), and
/// may have end(launch, args).
template <class Peer>
struct cusolver_by_columns : OnCusolver {
  static constexpr std::string_view source = "cuSOLVER";
  static constexpr PhaseSpec phases[3] = {{"to columns", false}, {"compute"}, {"to rows", false}};

  static std::string unavailable() {
    std::string reason = OnCusolver::unavailable();
    return reason.empty() ? OnCublas::unavailable() : reason;
  }

  static bool supports(const Shape& shape) {
    return std::ranges::all_of(shape, [&](const auto& size) {
      return size.value + shape["pad"] <= std::numeric_limits<int>::max();
    });
  }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    using T = std::remove_const_t<typename std::decay_t<decltype(args.a)>::value_type>;
    Scratch<> scratch = args.scratch;
    const auto matrices = Peer::turned(args, scratch);
    const auto turn = [&](const MatrixView<T>& to, const MatrixView<const T>& from) {
      cublas_geam::call(launch, typename Transpose<T>::template Args<>{to, from}, params);
    };
    for (const auto& [columns, from, to] : matrices) {
      if (from.rows == 0 || from.cols == 0) return;
      if (phase == 0) turn(columns, from);
      if (phase == 2 && to.data) turn(to, columns);
    }
    if constexpr (phase == 1) Peer::compute(launch, matrices, args, scratch, params);
    if constexpr (phase == 2 && requires { Peer::end(launch, args); }) Peer::end(launch, args);
  }
};

/// A decomposition of the m x n matrix A in place. `Peer` has workspace<T>(m, n, ld), the elements that the
/// library asks for, and compute().
template <class Peer>
struct cusolver_decomposition : cusolver_by_columns<Peer> {
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

  template <class Args>
  static auto turned(const Args& args, Scratch<>& scratch) {
    using T = typename std::decay_t<decltype(args.a)>::value_type;
    const auto& a = args.a;
    // The leading dimension is as much larger than the columns' length as that of A than its rows'.
    MatrixView<T> columns = scratch.template matrix<T>(a.cols, a.rows + a.ld - a.cols);
    columns.cols = a.rows;
    return std::array{TurnedMatrix<T>{columns, a, a}};
  }
};

}  // namespace tallcache::gpu::peers
