// cuBLAS's product of floats on tensor cores, which use 10 bits of the 23 of an operand's mantissa.
#pragma once

#include "common/ops/matmul_tf32.hpp"
#include "gpu/peers/cublas.hpp"

namespace tallcache::gpu::peers {

struct cublas_tf32 : OnCublas {
  static constexpr std::string_view idea = "cublasSgemm with TF32 allowed: tensor cores, operands of 10 bits";
  static constexpr std::string_view source = "cuBLAS";
  using operations = OperationList<MatmulTf32>;

  static void call(const Launch& launch, const MatmulTf32::Args<>& args, const Params&) {
    cublas_product<float>(launch, args, CUBLAS_TF32_TENSOR_OP_MATH);
  }
};

}  // namespace tallcache::gpu::peers
