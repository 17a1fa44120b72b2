// cublasLt's product: the fastest of the kernels that its heuristics propose.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/peers/cublas_library.hpp"

namespace tallcache::gpu::peers {

/// The types of a product as cublasLt names them.
struct LtTypes {
  cudaDataType_t factors, sums;
  cublasComputeType_t compute;
  friend bool operator==(const LtTypes&, const LtTypes&) = default;
};
template <class Operation>
struct LtTypesOf;
template <>
struct LtTypesOf<Matmul<float>> {
  static constexpr LtTypes value{CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
};
template <>
struct LtTypesOf<Matmul<double>> {
  static constexpr LtTypes value{CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
};
template <>
struct LtTypesOf<Matmul<Bfloat16>> {
  static constexpr LtTypes value{CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F};
};

/// A product C = A B of row-major matrices.
struct LtProduct {
  LtTypes types;
  Index m, n, k, lda, ldb, ldc;
  void* c;
  const void *a, *b;
};

/// Starts the product in the stream of `launch`. The first call with its types, sizes and alignments times
/// the first eight of the library's heuristics, and later ones run the fastest; so the first cannot be
/// captured as a graph. Throws Error when there is none. For one thread at a time.
void cublas_lt_product(const Launch& launch, const LtProduct&);

struct cublas_lt {
  static constexpr std::string_view idea =
      "cublasLtMatmul, the fastest of its first eight heuristics; float stays float, sums of bfloat16 are "
      "float's";
  static constexpr std::string_view source = "cuBLAS";
  using operations = OperationList<Matmul<float>, Matmul<double>, Matmul<Bfloat16>>;

  static std::string unavailable();

  template <class T, class Sum>
  static void call(const Launch& launch, const MatrixView<Sum>& c, const MatrixView<const T>& a,
                   const MatrixView<const T>& b, const LtTypes& types = LtTypesOf<Matmul<T>>::value) {
    if (c.rows == 0 || c.cols == 0) return;
    if (a.cols == 0)  // nothing to multiply: the library's leading dimensions would be 0
      return TALLCACHE_CUDA(
          cudaMemset2DAsync(c.data, c.ld * sizeof(Sum), 0, c.cols * sizeof(Sum), c.rows, stream_of(launch)));
    cublas_lt_product(launch, {types, c.rows, c.cols, a.cols, a.ld, b.ld, c.ld, c.data, a.data, b.data});
  }
  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    call(launch, args.c, args.a, args.b);
  }
};

}  // namespace tallcache::gpu::peers
