// cuBLAS's transposition.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/peers/cublas_library.hpp"

namespace tallcache::gpu::peers {

/// The library's sum of two matrices of T, either of them transposed.
template <class T>
struct Geam;
template <>
struct Geam<float> {
  static constexpr auto function = &CublasLibrary::cublasSgeam_64;
  static constexpr const char* name = "cublasSgeam";
};
template <>
struct Geam<double> {
  static constexpr auto function = &CublasLibrary::cublasDgeam_64;
  static constexpr const char* name = "cublasDgeam";
};

struct cublas_geam : OnCublas {
  static constexpr std::string_view idea = "cublasSgeam and cublasDgeam, B = 1 A^T + 0 B";
  static constexpr std::string_view source = "cuBLAS";
  using operations = OperationList<Transpose<float>, Transpose<double>>;

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    using T = typename decltype(args.b)::value_type;
    const auto& [b, a, scratch] = args;
    if (a.rows == 0 || a.cols == 0) return;
    const cublasHandle_t handle = cublas_handle(launch, CUBLAS_DEFAULT_MATH);
    const CublasLibrary& library = cublas_library();
    const T one = 1, zero = 0;
    // The library is column-major: for it A is n x m and B m x n.
    check_cublas((library.*Geam<T>::function)(handle, CUBLAS_OP_T, CUBLAS_OP_N, a.rows, a.cols, &one, a.data,
                                              a.ld, &zero, b.data, b.ld, b.data, b.ld),
                 Geam<T>::name);
  }
};

}  // namespace tallcache::gpu::peers
