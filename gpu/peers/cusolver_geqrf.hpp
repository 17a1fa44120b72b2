// cuSOLVER's QR factorisation.
#pragma once

#include "common/ops/qr.hpp"
#include "gpu/peers/cusolver_by_columns.hpp"

namespace tallcache::gpu::peers {

struct cusolver_geqrf : cusolver_decomposition<cusolver_geqrf> {
  static constexpr std::string_view idea =
      "cusolverDnSgeqrf and cusolverDnDgeqrf; turning rows into columns and back is not timed";
  using operations = OperationList<Qr<double>, Qr<float>>;

  template <class T>
  static std::size_t workspace(int m, int n, int ld) {
    return cusolver_workspace([&](const CusolverLibrary& library, cusolverDnHandle_t handle, int* elements) {
      const auto query = by_type<T>(library.cusolverDnSgeqrf_bufferSize, library.cusolverDnDgeqrf_bufferSize);
      return query(handle, m, n, nullptr, ld, elements);
    });
  }

  template <class T, class Args>
  static void compute(const Launch& launch, const std::array<TurnedMatrix<T>, 1>& matrices, const Args& args,
                      Scratch<>& scratch, const Params&) {
    const MatrixView<T>& columns = matrices[0].columns;
    const int m = static_cast<int>(columns.cols), n = static_cast<int>(columns.rows);
    int* const info = scratch.template vector<int>(1).data;
    const Index elements = workspace_left<T>(scratch);
    T* const work = scratch.template vector<T>(elements).data;
    const CusolverLibrary& library = cusolver_library();
    const auto function = by_type<T>(library.cusolverDnSgeqrf, library.cusolverDnDgeqrf);
    check_cusolver(function(cusolver_handle(launch), m, n, columns.data, static_cast<int>(columns.ld),
                            args.tau.data, work, static_cast<int>(elements), info),
                   "cusolverDngeqrf");
  }
};

}  // namespace tallcache::gpu::peers
