// cuBLAS's product of a batch of matrices.
#pragma once

#include "common/ops/matmul_batched.hpp"
#include "gpu/peers/cublas_library.hpp"

namespace tallcache::gpu::peers {

struct cublas_batched : OnCublas {
  static constexpr std::string_view idea =
      "cublasSgemmStridedBatched and cublasDgemmStridedBatched with pedantic arithmetic";
  static constexpr std::string_view source = "cuBLAS";
  using operations = OperationList<MatmulBatched<float>, MatmulBatched<double>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    using T = typename decltype(args.c)::value_type;
    const auto& [c, a, b, batch, scratch] = args;
    if (c.rows == 0 || c.cols == 0) return;
    if (a.cols == 0)  // nothing to multiply: the library's leading dimensions would be 0
      return TALLCACHE_CUDA(
          cudaMemset2DAsync(c.data, c.ld * sizeof(T), 0, c.cols * sizeof(T), c.rows, stream_of(launch)));
    const cublasHandle_t handle = cublas_handle(launch, CUBLAS_PEDANTIC_MATH);
    const CublasLibrary& cublas = cublas_library();
    const T one = 1, zero = 0;
    const Index m = args.m(), k = args.k();
    constexpr auto function = [] {
      if constexpr (std::is_same_v<T, float>)
        return &CublasLibrary::cublasSgemmStridedBatched_64;
      else
        return &CublasLibrary::cublasDgemmStridedBatched_64;
    }();
    check_cublas((cublas.*function)(handle, CUBLAS_OP_N, CUBLAS_OP_N, c.cols, m, k, &one, b.data, b.ld,
                                    k * b.ld, a.data, a.ld, m * a.ld, &zero, c.data, c.ld, m * c.ld, batch),
                 "cublasGemmStridedBatched");
  }
};

}  // namespace tallcache::gpu::peers
