// LAPACK's decompositions as OpenBLAS has them: it has implementations of its own, with its fastest kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/ops/cholesky.hpp"
#include "common/ops/lu.hpp"
#include "common/ops/qr.hpp"

namespace tallcache::cpu::peers {

/// The functions of a copy of the library with the kernels whose products are the fastest here
/// (fastest_openblas()). Only one thread may call it at a time: the number of threads is its global state.
class Lapack {
 public:
  /// Throws Error where it cannot be used.
  Lapack();
  Lapack(const Lapack&) = delete;
  Lapack& operator=(const Lapack&) = delete;

  /// Why it cannot be used; empty when it can. It chooses no kernels.
  static std::string reason();
  const std::string& core() const { return core_; }

  /// P A = L U by getrf for the matrix whose columns are the rows of `columns`; exchanges count from 0.
  /// Throws Error when A is singular, and when a size exceeds the library's 32-bit integers.
  void factor(MatrixView<double> columns, VectorView<std::int32_t> exchanges, int threads);
  void factor(MatrixView<float> columns, VectorView<std::int32_t> exchanges, int threads);

  /// B = A^-1 B by gesv for the matrices whose columns are the rows of `a`, n x n, and of `b`, p x n; A's
  /// factors replace it, and exchanges count from 1. Throws Error as factor().
  void solve(MatrixView<double> a, VectorView<std::int32_t> exchanges, MatrixView<double> b, int threads);

  /// A = L L^T by potrf. By columns, as LAPACK stores matrices, the lower triangle of A's rows is an upper
  /// one. Throws Error when A is not positive definite, and as factor().
  void cholesky(MatrixView<double> a, int threads);
  void cholesky(MatrixView<float> a, int threads);

  /// A = Q R by geqrf for the matrix whose columns are the rows of `columns`. The workspace is of the size
  /// that the library asks for. Throws Error when the library rejects an argument, and as factor().
  void factor_orthogonally(MatrixView<double> columns, VectorView<double> tau, int threads);
  void factor_orthogonally(MatrixView<float> columns, VectorView<float> tau, int threads);

 private:
  template <class T>
  using Getrf = void (*)(const int* m, const int* n, T* a, const int* lda, int* ipiv, int* info);
  template <class T>
  using Potrf = void (*)(const char* uplo, const int* n, T* a, const int* lda, int* info,
                         std::size_t uplo_size);
  template <class T>
  using Geqrf = void (*)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork,
                         int* info);

  using Gesv = void (*)(const int* n, const int* nrhs, double* a, const int* lda, int* ipiv, double* b,
                        const int* ldb, int* info);

  template <class T>
  void factor(MatrixView<T> columns, VectorView<std::int32_t> exchanges, int threads, Getrf<T> function);
  template <class T>
  void cholesky(MatrixView<T> a, int threads, Potrf<T> function);
  template <class T>
  void factor_orthogonally(MatrixView<T> columns, VectorView<T> tau, int threads, Geqrf<T> function);
  void set_threads(int threads);

  std::string core_;
  Getrf<double> dgetrf_ = nullptr;
  Getrf<float> sgetrf_ = nullptr;
  Potrf<double> dpotrf_ = nullptr;
  Potrf<float> spotrf_ = nullptr;
  Geqrf<double> dgeqrf_ = nullptr;
  Geqrf<float> sgeqrf_ = nullptr;
  Gesv dgesv_ = nullptr;
  void (*openblas_threads_)(int) = nullptr;
  int threads_ = 0;
};

/// Loaded at the first call, which chooses the kernels. Throws Error where it cannot be used.
Lapack& lapack();

}  // namespace tallcache::cpu::peers
