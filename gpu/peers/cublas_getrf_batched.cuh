// cuBLAS's decompositions of a batch of matrices with partial pivoting.
#pragma once

#include <limits>

#include "common/ops/lu_batched.hpp"
#include "gpu/peers/count_from_zero.cuh"
#include "gpu/peers/cublas_library.hpp"

namespace tallcache::gpu::peers {

/// Turns each n x n matrix: row i of a matrix of `to` is column i of that of `from`.
template <class T>
__global__ void turn_squares(MatrixView<T> to, MatrixView<const T> from, Index n) {
  const Index number = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (number >= to.rows * n) return;
  const Index row = number / n, first = row / n * n;
  to(row, number % n) = from(first + number % n, row - first);
}

/// matrices[p] is where matrix p begins.
template <class T>
__global__ void point_at(T** matrices, T* first, Index apart, Index number) {
  const Index p = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p < number) matrices[p] = first + p * apart;
}

struct cublas_getrf_batched : OnCublas {
  static constexpr std::string_view idea =
      "cublasSgetrfBatched and cublasDgetrfBatched; turning rows into columns and back is not timed";
  static constexpr std::string_view source = "cuBLAS";
  using operations = OperationList<LuBatched<double>, LuBatched<float>>;
  static constexpr PhaseSpec phases[] = {{"to columns", false}, {"factor"}, {"to rows", false}};

  static bool supports(const Shape& shape) {
    return shape["m"] == shape["n"] &&
           std::max(shape["n"] + shape["pad"], shape["batch"]) <= std::numeric_limits<int>::max();
  }

  template <class T>
  static std::size_t scratch(LuBatched<T>, const Shape& shape, const Params&) {
    const Index batch = shape["batch"];
    return scratch_bytes({matrix_bytes<T>(batch * shape["n"], shape["n"], shape["pad"]), batch * sizeof(T*),
                          batch * sizeof(int)});
  }

  template <std::size_t phase, class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    using T = typename std::decay_t<decltype(args.a)>::value_type;
    const auto& a = args.a;
    const Index n = a.cols;
    if (args.exchanges.size == 0) return;
    Scratch<> scratch = args.scratch;
    MatrixView<T> columns = scratch.template matrix<T>(a.rows, a.ld);
    columns.cols = n;
    T** const matrices = scratch.template vector<T*>(args.batch).data;
    const auto start = [&](auto kernel, Index threads, const auto&... arguments) {
      kernel<<<grid_of(ceil_div<Index>(threads, 256)), 256, 0, stream_of(launch)>>>(arguments...);
      check_launch();
    };
    if constexpr (phase == 0) {
      start(turn_squares<T>, a.rows * n, columns, MatrixView<const T>(a), n);
      start(point_at<T>, args.batch, matrices, columns.data, n * a.ld, args.batch);
    } else if constexpr (phase == 1) {
      factor(launch, static_cast<int>(n), matrices, static_cast<int>(a.ld), args.exchanges.data,
             scratch.template vector<int>(args.batch).data, static_cast<int>(args.batch));
    } else {
      start(turn_squares<T>, a.rows * n, a, MatrixView<const T>(columns), n);
      count_from_zero(launch, args.exchanges);
    }
  }

 private:
  template <class T>
  static void factor(const Launch& launch, int n, T** matrices, int ld, int* exchanges, int* info,
                     int batch) {
    const CublasLibrary& cublas = cublas_library();
    constexpr auto function = [] {
      if constexpr (std::is_same_v<T, float>)
        return &CublasLibrary::cublasSgetrfBatched;
      else
        return &CublasLibrary::cublasDgetrfBatched;
    }();
    check_cublas((cublas.*function)(cublas_handle(launch, CUBLAS_PEDANTIC_MATH), n, matrices, ld, exchanges,
                                    info, batch),
                 "cublasGetrfBatched");
  }
};

}  // namespace tallcache::gpu::peers
