// LAPACK's geqrf in the fastest build of OpenBLAS (blas.hpp).
#pragma once

#include <string>

#include "common/ops/qr.hpp"

namespace tallcache::cpu::peers {

/// A copy of OpenBLAS with the kernels of fastest_openblas(), for its dgeqrf and sgeqrf. Only one thread may
/// call it at a time: the number of threads is the library's global state.
class GeqrfLibrary {
 public:
  GeqrfLibrary();

  /// Why it cannot be used; empty when it can.
  const std::string& reason() const { return reason_; }
  /// Its kernels, as the library names them.
  const std::string& core() const { return core_; }

  /// A = Q R on `threads` threads, where `a` has the n columns of A as its rows, of `ld` elements each. The
  /// workspace is of the size that the library asks for. Throws Error when the library rejects an argument.
  void factor(Index m, Index n, double* a, Index ld, double* tau, int threads) const;
  void factor(Index m, Index n, float* a, Index ld, float* tau, int threads) const;

 private:
  template <class T>
  using Geqrf = void (*)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork,
                         int* info);
  template <class T>
  void factor(Index m, Index n, T* a, Index ld, T* tau, int threads, Geqrf<T> function) const;

  std::string reason_, core_;
  Geqrf<double> dgeqrf_ = nullptr;
  Geqrf<float> sgeqrf_ = nullptr;
  void (*set_threads_)(int) = nullptr;
};

/// Loaded at the first call.
const GeqrfLibrary& geqrf_library();

}  // namespace tallcache::cpu::peers
