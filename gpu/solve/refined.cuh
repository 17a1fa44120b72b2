// Linear systems in double by an LU decomposition in float and steps of iterative refinement.
#pragma once

#include "common/ops/solve.hpp"
#include "gpu/cuda_graph.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/tallcache/device_solve.hpp"

namespace tallcache::gpu::solve {

/// The host waits for each step's errors, so that no graph can have it.
struct refined : OnCapability<9, 0> {
  static constexpr std::string_view idea =
      "factors in float by Toledo's recursion, split products on tensor cores, residuals in double, steps "
      "until the backward error is that of double; factors in double where a step does not halve it";
  static constexpr std::string_view source = "Carson, Higham 2018; Toledo 1997; Ootomo and Yokota 2022";
  using operations = OperationList<Solve<double>>;

  static std::size_t scratch(Solve<double>, const Shape& shape, const Params&) {
    return device_solve_scratch(shape["n"], shape["p"]);
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    refuse_capture(launch, "the host waits for each step of refinement");
    const SolveReport report = device_solve(launch, args.a, args.b, args.x, args.scratch);
    if (args.report) *args.report = report;
  }
};

}  // namespace tallcache::gpu::solve
