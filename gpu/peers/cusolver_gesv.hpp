// cuSOLVER's solution of linear systems by factors in double.
#pragma once

#include "gpu/peers/cusolver_systems.hpp"

namespace tallcache::gpu::peers {

struct cusolver_gesv : cusolver_systems<cusolver_gesv> {
  static constexpr std::string_view idea =
      "cusolverDnDgetrf and cusolverDnDgetrs; turning rows into columns and back is not timed";

  static std::size_t workspace(int n, int, const Params&) {
    return sizeof(double) *
           cusolver_workspace([&](const CusolverLibrary& library, cusolverDnHandle_t handle, int* elements) {
             return library.cusolverDnDgetrf_bufferSize(handle, n, n, nullptr, n, elements);
           });
  }

  static void solve(const Launch& launch, const SystemByColumns& system, const Params&) {
    const int n = system.n();
    const cusolverDnHandle_t handle = cusolver_handle(launch);
    const CusolverLibrary& library = cusolver_library();
    Scratch<> workspace = system.workspace;
    double* const work = workspace.vector<double>(workspace_left<double>(workspace)).data;
    check_cusolver(
        library.cusolverDnDgetrf(handle, n, n, system.a.data, n, work, system.exchanges, system.info),
        "cusolverDnDgetrf");
    check_cusolver(library.cusolverDnDgetrs(handle, CUBLAS_OP_N, n, system.columns(), system.a.data, n,
                                            system.exchanges, system.x.data, n, system.info),
                   "cusolverDnDgetrs");
  }
};

}  // namespace tallcache::gpu::peers
