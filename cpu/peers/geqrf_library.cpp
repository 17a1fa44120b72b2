#include "cpu/peers/geqrf_library.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "cpu/peers/blas.hpp"
#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {

GeqrfLibrary::GeqrfLibrary() {
  const Blas& installed = openblas_library();
  if (reason_ = installed.reason(); !reason_.empty()) return;
  core_ = fastest_openblas().blas().core();
  try {
    const ScopedVariable one_thread("OPENBLAS_NUM_THREADS", "1");
    const ScopedVariable core("OPENBLAS_CORETYPE", core_);
    void* const library = load_copy(installed.path());
    if (!find(library, "dgeqrf_", dgeqrf_) || !find(library, "sgeqrf_", sgeqrf_))
      throw Error(installed.path() + " has no dgeqrf_ or sgeqrf_");
    find(library, "openblas_set_num_threads", set_threads_);
    char* (*corename)() = nullptr;
    if (find(library, "openblas_get_corename", corename)) core_ = corename();
  } catch (const Error& error) {
    reason_ = error.what();
  }
}

template <class T>
void GeqrfLibrary::factor(Index m, Index n, T* a, Index ld, T* tau, int threads, Geqrf<T> function) const {
  const int rows = static_cast<int>(m), cols = static_cast<int>(n), lda = static_cast<int>(ld), query = -1;
  static thread_local std::vector<T> work;
  set_threads_(threads);
  int info = 0;
  T wanted{};
  function(&rows, &cols, a, &lda, tau, &wanted, &query, &info);
  const int size = std::max(1, static_cast<int>(wanted));
  if (static_cast<int>(work.size()) < size) work.resize(size);
  function(&rows, &cols, a, &lda, tau, work.data(), &size, &info);
  if (info != 0) throw Error("geqrf: argument " + std::to_string(-info) + " is wrong");
}

void GeqrfLibrary::factor(Index m, Index n, double* a, Index ld, double* tau, int threads) const {
  factor(m, n, a, ld, tau, threads, dgeqrf_);
}
void GeqrfLibrary::factor(Index m, Index n, float* a, Index ld, float* tau, int threads) const {
  factor(m, n, a, ld, tau, threads, sgeqrf_);
}

const GeqrfLibrary& geqrf_library() {
  static const GeqrfLibrary library;
  return library;
}

}  // namespace tallcache::cpu::peers
