// cuBLAS's product of bfloat16 matrices with float sums.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/peers/cublas_library.hpp"

namespace tallcache::gpu::peers {

struct cublas_bfloat16 : OnCublas {
  static constexpr std::string_view idea = "cublasGemmEx: bfloat16 factors, float sums and result";
  static constexpr std::string_view source = "cuBLAS";
  using operations = OperationList<Matmul<Bfloat16>>;

  static void call(const Launch& launch, const Matmul<Bfloat16>::Args<>& args, const Params&) {
    const auto& [c, a, b, scratch] = args;
    if (c.rows == 0 || c.cols == 0) return;
    if (a.cols == 0)  // nothing to multiply: the library's leading dimensions would be 0
      return TALLCACHE_CUDA(cudaMemset2DAsync(c.data, c.ld * sizeof(float), 0, c.cols * sizeof(float), c.rows,
                                              stream_of(launch)));
    const cublasHandle_t handle = cublas_handle(launch, CUBLAS_DEFAULT_MATH);
    const float one = 1, zero = 0;
    check_cublas(
        cublas_library().cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, c.cols, c.rows, a.cols, &one,
                                         b.data, CUDA_R_16BF, b.ld, a.data, CUDA_R_16BF, a.ld, &zero, c.data,
                                         CUDA_R_32F, c.ld, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  }
};

}  // namespace tallcache::gpu::peers
