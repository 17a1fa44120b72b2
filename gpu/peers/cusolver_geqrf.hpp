// cuSOLVER's QR factorisation.
#pragma once

#include <limits>

#include "common/ops/qr.hpp"
#include "common/ops/transpose.hpp"
#include "gpu/peers/cublas_geam.hpp"
#include "gpu/peers/cusolver_library.hpp"

namespace tallcache::gpu::peers {

struct cusolver_geqrf : OnCusolver {
  static constexpr std::string_view idea =
      "cusolverDnSgeqrf and cusolverDnDgeqrf; turning rows into columns and back is not timed";
  static constexpr std::string_view source = "cuSOLVER";
  using operations = OperationList<Qr<double>, Qr<float>>;
  static constexpr PhaseSpec phases[] = {{"to columns", false}, {"factor"}, {"to rows", false}};

  static std::string unavailable() {
    std::string reason = OnCusolver::unavailable();
    return reason.empty() ? OnCublas::unavailable() : reason;
  }
  static bool supports(const Shape& shape) {
    return std::max(shape["m"], shape["n"]) + shape["pad"] <= std::numeric_limits<int>::max();
  }

  template <class T>
  static std::size_t scratch(Qr<T>, const Shape& shape, const Params&) {
    const Index m = shape["m"], n = shape["n"], ld = m + shape["pad"];
    return scratch_bytes(
        {matrix_bytes<T>(n, m, shape["pad"]), sizeof(int), workspace<T>(m, n, ld) * sizeof(T)});
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
    if constexpr (phase == 0)
      cublas_geam::call(launch, typename Transpose<T>::template Args<>{columns, a}, params);
    else if constexpr (phase == 1)
      factor(launch, columns, args.tau.data, scratch);
    else
      cublas_geam::call(launch, typename Transpose<T>::template Args<>{a, columns}, params);
  }

 private:
  template <class T>
  static std::size_t workspace(Index m, Index n, Index ld) {
    if (m == 0 || n == 0) return 0;
    return cusolver_workspace([&](const CusolverLibrary& library, cusolverDnHandle_t handle, int* elements) {
      const int rows = static_cast<int>(m), cols = static_cast<int>(n), pitch = static_cast<int>(ld);
      if constexpr (std::is_same_v<T, float>)
        return library.cusolverDnSgeqrf_bufferSize(handle, rows, cols, nullptr, pitch, elements);
      else
        return library.cusolverDnDgeqrf_bufferSize(handle, rows, cols, nullptr, pitch, elements);
    });
  }

  template <class T>
  static void factor(const Launch& launch, const MatrixView<T>& columns, T* tau, Scratch<>& scratch) {
    const Index m = columns.cols, n = columns.rows;
    int* const info = scratch.template vector<int>(1).data;
    const Index elements = workspace_left<T>(scratch);
    T* const work = scratch.template vector<T>(elements).data;
    constexpr auto function = [] {
      if constexpr (std::is_same_v<T, float>)
        return &CusolverLibrary::cusolverDnSgeqrf;
      else
        return &CusolverLibrary::cusolverDnDgeqrf;
    }();
    check_cusolver((cusolver_library().*function)(
                       cusolver_handle(launch), static_cast<int>(m), static_cast<int>(n), columns.data,
                       static_cast<int>(columns.ld), tau, work, static_cast<int>(elements), info),
                   "cusolverDngeqrf");
  }
};

}  // namespace tallcache::gpu::peers
