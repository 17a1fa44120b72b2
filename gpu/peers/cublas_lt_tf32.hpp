// cublasLt's product of floats on tensor cores, which use 10 bits of the 23 of an operand's mantissa.
#pragma once

#include "common/ops/matmul_tf32.hpp"
#include "gpu/peers/cublas_lt.hpp"

namespace tallcache::gpu::peers {

struct cublas_lt_tf32 {
  static constexpr std::string_view idea =
      "cublasLtMatmul with TF32 allowed, the fastest of its first eight heuristics";
  static constexpr std::string_view source = "cuBLAS";
  using operations = OperationList<MatmulTf32>;

  static std::string unavailable() { return cublas_lt::unavailable(); }

  static void call(const Launch& launch, const MatmulTf32::Args<>& args, const Params&) {
    constexpr LtTypes types{CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
    cublas_lt::call(launch, args.c, args.a, args.b, types);
  }
};

}  // namespace tallcache::gpu::peers
