#include "cpu/peers/lapack.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include "cpu/peers/blas.hpp"
#include "cpu/peers/shared_library.hpp"

namespace tallcache::cpu::peers {
namespace {

int as_int(Index value) {
  if (value > INT_MAX) throw Error("lapack: " + std::to_string(value) + " exceeds its 32-bit integers");
  return static_cast<int>(value);
}

}  // namespace

std::string Lapack::reason() { return openblas_library().no_factor(); }

Lapack::Lapack() {
  if (const std::string missing = reason(); !missing.empty()) throw Error(missing);
  const Blas& fastest = fastest_openblas().blas();
  core_ = fastest.core();
  const ScopedVariable one_thread("OPENBLAS_NUM_THREADS", "1"), core("OPENBLAS_CORETYPE", core_);
  void* const library = load_copy(fastest.path());
  const bool complete = find(library, "dgetrf_", dgetrf_) && find(library, "sgetrf_", sgetrf_) &&
                        find(library, "dpotrf_", dpotrf_) && find(library, "spotrf_", spotrf_) &&
                        find(library, "dgeqrf_", dgeqrf_) && find(library, "sgeqrf_", sgeqrf_) &&
                        find(library, "dgesv_", dgesv_) &&
                        find(library, "openblas_set_num_threads", openblas_threads_);
  if (!complete) throw Error(fastest.path() + " lacks getrf, potrf, geqrf or gesv");
}

void Lapack::set_threads(int threads) {
  if (threads == threads_) return;
  openblas_threads_(threads);
  threads_ = threads;
}

template <class T>
void Lapack::factor(MatrixView<T> columns, VectorView<std::int32_t> exchanges, int threads,
                    Getrf<T> function) {
  const int m = as_int(columns.cols), n = as_int(columns.rows), ld = as_int(std::max<Index>(1, columns.ld));
  int info = 0;
  set_threads(threads);
  function(&m, &n, columns.data, &ld, exchanges.data, &info);
  if (info > 0) throw_unusable_pivot("lu_pivot", info - 1, columns(info - 1, info - 1));
  for (Index i = 0; i < exchanges.size; ++i) --exchanges[i];
}

void Lapack::solve(MatrixView<double> a, VectorView<std::int32_t> exchanges, MatrixView<double> b,
                   int threads) {
  const int n = as_int(a.rows), p = as_int(b.rows), ld = as_int(std::max<Index>(1, a.ld)),
            ld_b = as_int(std::max<Index>(1, b.ld));
  int info = 0;
  set_threads(threads);
  dgesv_(&n, &p, a.data, &ld, exchanges.data, b.data, &ld_b, &info);
  if (info > 0) throw_unusable_pivot("solve", info - 1, a(info - 1, info - 1));
}

template <class T>
void Lapack::cholesky(MatrixView<T> a, int threads, Potrf<T> function) {
  const int n = as_int(a.rows), ld = as_int(std::max<Index>(1, a.ld));
  int info = 0;
  set_threads(threads);
  function("U", &n, a.data, &ld, &info, 1);
  if (info > 0) throw_not_positive_definite(info - 1, a(info - 1, info - 1));
}

template <class T>
void Lapack::factor_orthogonally(MatrixView<T> columns, VectorView<T> tau, int threads, Geqrf<T> function) {
  const int m = as_int(columns.cols), n = as_int(columns.rows), ld = as_int(std::max<Index>(1, columns.ld));
  static thread_local std::vector<T> work;
  int info = 0;
  const int query = -1;
  T wanted{};
  set_threads(threads);
  function(&m, &n, columns.data, &ld, tau.data, &wanted, &query, &info);
  const int size = std::max(1, static_cast<int>(wanted));
  if (static_cast<int>(work.size()) < size) work.resize(size);
  function(&m, &n, columns.data, &ld, tau.data, work.data(), &size, &info);
  if (info != 0) throw Error("geqrf: argument " + std::to_string(-info) + " is wrong");
}

void Lapack::factor(MatrixView<double> columns, VectorView<std::int32_t> exchanges, int threads) {
  factor(columns, exchanges, threads, dgetrf_);
}
void Lapack::factor(MatrixView<float> columns, VectorView<std::int32_t> exchanges, int threads) {
  factor(columns, exchanges, threads, sgetrf_);
}
void Lapack::cholesky(MatrixView<double> a, int threads) { cholesky(a, threads, dpotrf_); }
void Lapack::cholesky(MatrixView<float> a, int threads) { cholesky(a, threads, spotrf_); }
void Lapack::factor_orthogonally(MatrixView<double> columns, VectorView<double> tau, int threads) {
  factor_orthogonally(columns, tau, threads, dgeqrf_);
}
void Lapack::factor_orthogonally(MatrixView<float> columns, VectorView<float> tau, int threads) {
  factor_orthogonally(columns, tau, threads, sgeqrf_);
}

Lapack& lapack() {
  static Lapack loaded;
  return loaded;
}

}  // namespace tallcache::cpu::peers
