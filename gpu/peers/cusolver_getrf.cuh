// cuSOLVER's decomposition with partial pivoting.
#pragma once

#include "common/ops/lu.hpp"
#include "gpu/peers/count_from_zero.cuh"
#include "gpu/peers/cusolver_by_columns.hpp"

namespace tallcache::gpu::peers {

struct cusolver_getrf : cusolver_decomposition<cusolver_getrf> {
  static constexpr std::string_view idea =
      "cusolverDnSgetrf and cusolverDnDgetrf; turning rows into columns and back is not timed";
  using operations = OperationList<LuPivot<double>, LuPivot<float>>;

  template <class T>
  static std::size_t workspace(int m, int n, int ld) {
    return cusolver_workspace([&](const CusolverLibrary& library, cusolverDnHandle_t handle, int* elements) {
      const auto query = by_type<T>(library.cusolverDnSgetrf_bufferSize, library.cusolverDnDgetrf_bufferSize);
      return query(handle, m, n, nullptr, ld, elements);
    });
  }

  template <class T, class Args>
  static void compute(const Launch& launch, const std::array<TurnedMatrix<T>, 1>& matrices, const Args& args,
                      Scratch<>& scratch, const Params&) {
    const MatrixView<T>& columns = matrices[0].columns;
    const int m = static_cast<int>(columns.cols), n = static_cast<int>(columns.rows);
    int* const info = scratch.template vector<int>(1).data;
    T* const work = scratch.template vector<T>(workspace_left<T>(scratch)).data;
    const CusolverLibrary& library = cusolver_library();
    const auto function = by_type<T>(library.cusolverDnSgetrf, library.cusolverDnDgetrf);
    check_cusolver(function(cusolver_handle(launch), m, n, columns.data, static_cast<int>(columns.ld), work,
                            args.exchanges.data, info),
                   "cusolverDngetrf");
  }

  template <class Args>
  static void end(const Launch& launch, const Args& args) {
    count_from_zero(launch, args.exchanges);
  }
};

}  // namespace tallcache::gpu::peers
