// cuBLAS's product, every operation rounded to the element type.
#pragma once

#include "common/ops/matmul.hpp"
#include "gpu/peers/cublas_library.hpp"

namespace tallcache::gpu::peers {

/// The library's product of matrices of T.
template <class T>
struct Gemm;
template <>
struct Gemm<float> {
  static constexpr auto function = &CublasLibrary::cublasSgemm_v2_64;
  static constexpr const char* name = "cublasSgemm";
};
template <>
struct Gemm<double> {
  static constexpr auto function = &CublasLibrary::cublasDgemm_v2_64;
  static constexpr const char* name = "cublasDgemm";
};

/// C = A B in `mode`: the column-major library computes C^T = B^T A^T from the same memory.
template <class T>
void cublas_product(const Launch& launch, const typename Matmul<T>::template Args<>& args,
                    cublasMath_t mode) {
  const auto& [c, a, b, scratch] = args;
  if (c.rows == 0 || c.cols == 0) return;
  if (a.cols == 0)  // nothing to multiply: the library's leading dimensions would be 0
    return TALLCACHE_CUDA(
        cudaMemset2DAsync(c.data, c.ld * sizeof(T), 0, c.cols * sizeof(T), c.rows, stream_of(launch)));
  const cublasHandle_t handle = cublas_handle(launch, mode);
  const CublasLibrary& cublas = cublas_library();
  const T one = 1, zero = 0;
  check_cublas((cublas.*Gemm<T>::function)(handle, CUBLAS_OP_N, CUBLAS_OP_N, c.cols, c.rows, a.cols, &one,
                                           b.data, b.ld, a.data, a.ld, &zero, c.data, c.ld),
               Gemm<T>::name);
}

struct cublas : OnCublas {
  static constexpr std::string_view idea =
      "cublasSgemm and cublasDgemm with pedantic arithmetic: float stays float";
  static constexpr std::string_view source = "cuBLAS";
  using operations = OperationList<Matmul<float>, Matmul<double>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    cublas_product<typename decltype(args.c)::value_type>(launch, args, CUBLAS_PEDANTIC_MATH);
  }
};

}  // namespace tallcache::gpu::peers
