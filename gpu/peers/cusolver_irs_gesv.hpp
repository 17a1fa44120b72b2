// cuSOLVER's solution of linear systems by iterative refinement.
#pragma once

#include <map>

#include "gpu/cuda_graph.hpp"
#include "gpu/peers/cusolver_systems.hpp"

namespace tallcache::gpu::peers {

/// The host waits for it, as it does for the suite's own, so that no graph can have it.
struct cusolver_irs_gesv : cusolver_systems<cusolver_irs_gesv> {
  static constexpr std::string_view idea =
      "cusolverDnIRSXgesv in double, classical refinement of factors in float, or what is less; turning rows "
      "into columns and back is not timed";
  static constexpr Index choices[] = {0, 1, 2, 3};
  static constexpr ParamSpec params[] = {
      {.name = "factors",
       .default_value = 0,
       .what = "precision of the factors: 0 float, 1 TF32, 2 bfloat16, 3 half",
       .min = 0,
       .choices = choices}};

  static std::size_t workspace(int n, int columns, const Params& params) {
    std::size_t bytes = 0;
    check_cusolver(cusolver_library().cusolverDnIRSXgesv_bufferSize(
                       cusolver_handle({}), settings(params).chosen, n, columns, &bytes),
                   "cusolverDnIRSXgesv_bufferSize");
    return bytes;
  }

  static void solve(const Launch& launch, const SystemByColumns& system, const Params& params) {
    refuse_capture(launch, "the host waits for cusolverDnIRSXgesv");
    const int n = system.n();
    const Settings& set = settings(params);
    Scratch<> workspace = system.workspace;
    const std::size_t bytes = workspace.bytes_left();
    std::byte* const work = workspace.vector<std::byte>(static_cast<Index>(bytes)).data;
    int steps = 0;
    check_cusolver(cusolver_library().cusolverDnIRSXgesv(cusolver_handle(launch), set.chosen, set.infos, n,
                                                         system.columns(), system.a.data, n, system.b.data, n,
                                                         system.x.data, n, work, bytes, &steps, system.info),
                   "cusolverDnIRSXgesv");
  }

 private:
  struct Settings {
    cusolverDnIRSParams_t chosen = nullptr;
    cusolverDnIRSInfos_t infos = nullptr;
  };

  /// Made at the first call, which comes before any time, and never destroyed, as the library's handle.
  static const Settings& settings(const Params& params) {
    static auto& all = *new std::map<Index, Settings>;
    Settings& own = all[params["factors"]];
    if (own.infos) return own;
    constexpr cusolverPrecType_t precisions[] = {CUSOLVER_R_32F, CUSOLVER_R_TF32, CUSOLVER_R_16BF,
                                                 CUSOLVER_R_16F};
    const CusolverLibrary& library = cusolver_library();
    check_cusolver(library.cusolverDnIRSParamsCreate(&own.chosen), "cusolverDnIRSParamsCreate");
    check_cusolver(library.cusolverDnIRSParamsSetSolverPrecisions(own.chosen, CUSOLVER_R_64F,
                                                                  precisions[params["factors"]]),
                   "cusolverDnIRSParamsSetSolverPrecisions");
    // GMRES is for one right-hand side, and not faster (gpu/solve/TUNING.md).
    check_cusolver(library.cusolverDnIRSParamsSetRefinementSolver(own.chosen, CUSOLVER_IRS_REFINE_CLASSICAL),
                   "cusolverDnIRSParamsSetRefinementSolver");
    check_cusolver(library.cusolverDnIRSInfosCreate(&own.infos), "cusolverDnIRSInfosCreate");
    return own;
  }
};

}  // namespace tallcache::gpu::peers
