// The solution of A X = B in double by an LU decomposition in float and steps of iterative refinement, and by
// one in double where these do not converge.
#pragma once

#include <algorithm>
#include <vector>

#include "common/refinement.hpp"
#include "gpu/lu/recursion.cuh"
#include "gpu/solve/residual.cuh"
#include "gpu/solve/triangles.cuh"

namespace tallcache::gpu::solve {

/// The arrays of a solution in a caller's scratch.
class Arrays {
 public:
  Arrays(Index rows, Index right_hand_sides)
      : n(rows),
        columns(right_hand_sides == 1 ? 1 : ceil_div<Index>(right_hand_sides, 4) * 4),
        stride(ceil_div<Index>(rows, block_rows<float>) * block_rows<float>) {}

  std::size_t bytes() const {
    const auto elements = static_cast<std::size_t>(columns * stride);
    const std::size_t vector = elements * sizeof(double), of_factors = vector + 2 * sizeof(double),
                      rows = static_cast<std::size_t>(stride) * sizeof(std::int32_t);
    return scratch_bytes({vector, vector, of_factors, of_factors, of_factors, rows, rows,
                          static_cast<std::size_t>(2 + 2 * columns) * sizeof(double),
                          std::max(factor_bytes<float>(), factor_bytes<double>())});
  }
  template <class T>
  std::size_t factor_bytes() const {
    return scratch_bytes({static_cast<std::size_t>(n * stride) * sizeof(T),
                          static_cast<std::size_t>(2 * stride) * block_rows<T> * sizeof(T),
                          lu::Recursion<T>::scratch(n, n)});
  }

  void take(Scratch<> scratch) {
    x = scratch.vector<double>(columns * stride).data;
    residual = scratch.vector<double>(columns * stride).data;
    for (double*& vector : vectors_of_factors) vector = scratch.vector<double>(columns * stride + 2).data;
    exchanges = scratch.vector<std::int32_t>(stride).data;
    order = scratch.vector<std::int32_t>(stride).data;
    norms = scratch.vector<unsigned long long>(2 + 2 * columns).data;
    for_factors = scratch;
  }

  Index n, columns, stride;
  double *x, *residual;
  double* vectors_of_factors[3];  ///< a right-hand side, the solution by L, by U
  std::int32_t *exchanges, *order;
  unsigned long long* norms;  ///< of A; its largest element; of the columns of X; of the residuals
  Scratch<> for_factors;
};

/// Refinement with factors of T. Results are the same bytes in every run.
template <class T>
class Refiner {
 public:
  Refiner(const Launch& launch_of_caller, const MatrixView<const double>& matrix,
          const MatrixView<const double>& right, const Arrays& arrays_of_caller)
      : launch(launch_of_caller), stream(stream_of(launch)), a(matrix), b(right), arrays(arrays_of_caller) {}

  /// Factors A, and solves and refines. Sets `report`; true where it converged.
  bool solve(SolveReport& report) {
    factor();
    clear_norms(2, arrays.columns * 2);
    subtract(nullptr);
    RefinementTest test(arrays.n, read_norms(0, 1)[0], static_cast<std::size_t>(arrays.columns));
    for (report.steps = 0;; ++report.steps) {
      correct(report.steps == 0);
      const std::vector<double> norms = read_norms(2, 2 * arrays.columns);
      const std::span<const double> all(norms);
      const auto end = test.judge(all.subspan(arrays.columns), all.first(arrays.columns));
      report.backward_error = test.backward_error();
      if (!end) continue;
      report.refinement = *end;
      return *end == Refinement::converged;
    }
  }

 private:
  static constexpr lu::Products products = sizeof(T) == 4 ? lu::Products::split : lu::Products::standard;
  using Recursion = lu::Recursion<T, products>;

  void factor() {
    Scratch<> scratch = arrays.for_factors;
    const Index n = arrays.n, ld = arrays.stride;
    const MatrixView<T> copy{scratch.vector<T>(n * ld).data, n, n, ld};
    T* const inverses = scratch.vector<T>(2 * arrays.stride * block_rows<T>).data;
    clear_norms(0, 2);
    measure_matrix<<<static_cast<unsigned>(4 * multiprocessors()), row_threads, 0, stream>>>(a, arrays.norms);
    copy_scaled<T><<<static_cast<unsigned>(n), row_threads, 0, stream>>>(copy, a, arrays.norms);
    check_launch();
    Recursion(launch, copy, arrays.exchanges, scratch)
        .factor(static_cast<int>(Recursion::suitable_block(n, n)));
    factors = {copy.data, ld, static_cast<int>(n), inverses};
    invert_blocks<T>
        <<<dim3(static_cast<unsigned>(factors.blocks()), 2), block_rows<T>, 0, stream>>>(factors, inverses);
    check_launch();
    order_rows();
  }

  /// Which row the exchanges bring to each place: a chain of steps that the host is the fastest at.
  void order_rows() {
    std::vector<std::int32_t> exchanges(static_cast<std::size_t>(arrays.n)), order(exchanges.size());
    const std::size_t bytes = exchanges.size() * sizeof(std::int32_t);
    TALLCACHE_CUDA(
        cudaMemcpyAsync(exchanges.data(), arrays.exchanges, bytes, cudaMemcpyDeviceToHost, stream));
    TALLCACHE_CUDA(cudaStreamSynchronize(stream));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < order.size(); ++i)
      std::swap(order[i], order[static_cast<std::size_t>(exchanges[i])]);
    TALLCACHE_CUDA(cudaMemcpyAsync(arrays.order, order.data(), bytes, cudaMemcpyHostToDevice, stream));
    TALLCACHE_CUDA(cudaStreamSynchronize(stream));
  }

  void correct(bool first) {
    T* vectors[3];
    for (int v = 0; v < 3; ++v) vectors[v] = reinterpret_cast<T*>(arrays.vectors_of_factors[v]);
    const Index stride = arrays.stride;
    const int columns = static_cast<int>(arrays.columns);
    const dim3 grid(blocks_of(stride), static_cast<unsigned>(columns));
    unsigned long long *const of_x = arrays.norms + 2, *const of_residual = of_x + columns;
    permute_residual<T><<<grid, row_threads, 0, stream>>>(vectors[0], arrays.residual, stride, arrays.n,
                                                          arrays.order, of_residual);
    launch_solve<T>(stream, factors, vectors[0], vectors[1], stride, columns, false);
    launch_solve<T>(stream, factors, vectors[1], vectors[2], stride, columns, true);
    clear_norms(2, columns);
    add_correction<T><<<grid, row_threads, 0, stream>>>(arrays.x, vectors[2], stride, arrays.n, arrays.norms,
                                                        of_residual, of_x, first);
    check_launch();
    clear_norms(2 + columns, columns);
    subtract(arrays.x);
  }

  void subtract(const double* x) {
    unsigned long long* const norms = arrays.norms + 2 + arrays.columns;
    if (arrays.columns == 1)
      subtract_columns<1, 4>(x, norms);
    else
      subtract_columns<4, 2>(x, norms);
    check_launch();
  }
  template <int columns, int rows>
  void subtract_columns(const double* x, unsigned long long* norms) {
    const dim3 grid(static_cast<unsigned>(ceil_div<Index>(arrays.n, row_warps * rows)),
                    static_cast<unsigned>(arrays.columns / columns));
    subtract_from_right<columns, rows>
        <<<grid, row_threads, 0, stream>>>(arrays.residual, a, b, x, arrays.stride, norms);
  }

  static unsigned blocks_of(Index elements) {
    return static_cast<unsigned>(ceil_div<Index>(elements, row_threads));
  }
  void clear_norms(Index first, Index number) {
    TALLCACHE_CUDA(cudaMemsetAsync(arrays.norms + first, 0, number * sizeof(double), stream));
  }
  /// Waits for the stream.
  std::vector<double> read_norms(Index first, Index number) {
    std::vector<double> norms(static_cast<std::size_t>(number));
    TALLCACHE_CUDA(cudaMemcpyAsync(norms.data(), arrays.norms + first, number * sizeof(double),
                                   cudaMemcpyDeviceToHost, stream));
    TALLCACHE_CUDA(cudaStreamSynchronize(stream));
    return norms;
  }

  Launch launch;
  cudaStream_t stream;
  MatrixView<const double> a, b;
  Arrays arrays;
  Factors<T> factors{};
};

/// X = A^-1 B. Throws Error where A is singular or the solution is not finite.
inline SolveReport solve_refined(const Launch& launch, const MatrixView<const double>& a,
                                 const MatrixView<const double>& b, const MatrixView<double>& x,
                                 Scratch<> scratch) {
  SolveReport report;
  Arrays arrays(a.rows, b.cols);
  arrays.take(scratch);
  if (!Refiner<float>(launch, a, b, arrays).solve(report)) {
    SolveReport by_double;
    Refiner<double>(launch, a, b, arrays).solve(by_double);
    report.backward_error = by_double.backward_error;
    if (by_double.refinement == Refinement::not_finite)
      throw Error("solve: the matrix is singular, or an element is not finite");
  }
  const dim3 grid(static_cast<unsigned>(ceil_div<Index>(x.rows, row_threads)), static_cast<unsigned>(x.cols));
  copy_solution<<<grid, row_threads, 0, stream_of(launch)>>>(x, arrays.x, arrays.stride);
  check_launch();
  return report;
}

}  // namespace tallcache::gpu::solve
