#include "gpu/tallcache/device_solve.hpp"

#include "gpu/on_gpu.hpp"
#include "gpu/solve/refined.cuh"
#include "gpu/solve/refiner.cuh"

namespace tallcache {

std::size_t device_solve_scratch(Index n, Index right_hand_sides) {
  return n > 0 && right_hand_sides > 0 ? gpu::solve::Arrays(n, right_hand_sides).bytes() : 0;
}

SolveReport device_solve(const Launch& launch, MatrixView<const double> a, MatrixView<const double> b,
                         MatrixView<double> x, Scratch<> scratch) {
  validate_solve(a, b, x);
  if (a.rows == 0 || b.cols == 0) return {};
  if (const std::string reason = gpu::OnCapability<9, 0>::unavailable(); !reason.empty())
    throw Error("device_solve: " + reason);
  return gpu::solve::solve_refined(launch, a, b, x, scratch);
}

}  // namespace tallcache
