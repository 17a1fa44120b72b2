// The symbols of BLAS, for integers of TALLCACHE_BLAS_BITS bits: Fortran's and CBLAS's.
#include <cstdint>
#include <optional>

#include "blas/arguments.hpp"
#include "blas/level3.hpp"
#include "blas/tallcache_blas.h"
#include "blas/threads.hpp"
#include "blas/xerbla.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

#if TALLCACHE_BLAS_BITS == 64
using Int = std::int64_t;
// The names that programs use which are linked with a BLAS of 32-bit integers as well: OpenBLAS's 64_ and the
// reference implementation's _64.
#define ALSO_FORTRAN(name) EXPORTED decltype(name##_) name##_64_ __attribute__((alias(#name "_")))
#define ALSO_CBLAS(name)                                           \
  EXPORTED decltype(name) name##64_ __attribute__((alias(#name))); \
  EXPORTED decltype(name) name##_64 __attribute__((alias(#name)))
#else
using Int = std::int32_t;
#define ALSO_FORTRAN(name) static_assert(true)
#define ALSO_CBLAS(name) static_assert(true)
#endif

namespace tallcache::blas {
namespace {

std::optional<Trans> trans_of(char option) {
  switch (option) {
    case 'N':
    case 'n':
      return Trans::no;
    case 'T':
    case 't':
    case 'C':
    case 'c':
      return Trans::yes;
    default:
      return {};
  }
}

std::optional<Triangle> triangle_of(char option) {
  switch (option) {
    case 'U':
    case 'u':
      return Triangle::upper;
    case 'L':
    case 'l':
      return Triangle::lower;
    default:
      return {};
  }
}

// The values of CBLAS's enumerations.
std::optional<Layout> cblas_layout(int order) {
  if (order == 101) return Layout::row_major;
  if (order == 102) return Layout::column_major;
  return {};
}

std::optional<Trans> cblas_trans(int trans) {
  if (trans == 111) return Trans::no;
  if (trans == 112 || trans == 113) return Trans::yes;
  return {};
}

std::optional<Triangle> cblas_triangle(int uplo) {
  if (uplo == 121) return Triangle::upper;
  if (uplo == 122) return Triangle::lower;
  return {};
}

// `Report`: called with the position of the first wrong argument in Fortran's list.
template <class T, class Report>
void checked_gemm(const GemmArguments& x, T alpha, const T* a, const T* b, T beta, T* c,
                  const Report& report) {
  if (const int fault = x.fault()) return report(fault);
  gemm<T>(x.layout, *x.trans_a, *x.trans_b, x.m, x.n, x.k, alpha, {a, x.lda}, {b, x.ldb}, beta, {c, x.ldc});
}

template <class T, class Report>
void checked_gemmt(const GemmtArguments& x, T alpha, const T* a, const T* b, T beta, T* c,
                   const Report& report) {
  if (const int fault = x.fault()) return report(fault);
  gemmt<T>(x.layout, *x.triangle, *x.trans_a, *x.trans_b, x.n, x.k, alpha, {a, x.lda}, {b, x.ldb}, beta,
           {c, x.ldc});
}

template <class T, class Report>
void checked_syrk(const SyrkArguments& x, T alpha, const T* a, T beta, T* c, const Report& report) {
  if (const int fault = x.fault()) return report(fault);
  syrk<T>(x.layout, *x.triangle, *x.trans, x.n, x.k, alpha, {a, x.lda}, beta, {c, x.ldc});
}

/// Reports to xerbla_.
auto fortran(const char* routine) {
  return [routine](int fault) { report_fortran(routine, fault); };
}

/// Reports to cblas_xerbla, whose lists begin with the layout.
auto cblas(const char* routine, Layout layout) {
  return [=](int fault) { report_cblas(routine, fault + 1, layout == Layout::row_major); };
}

constexpr auto column_major = Layout::column_major;

}  // namespace
}  // namespace tallcache::blas

using namespace tallcache::blas;

// One element type: `t` is its letter, `T` the letter in Fortran's reports.
#define LEVEL3(t, T, Element)                                                                                \
  EXPORTED void t##gemm_(const char* ta, const char* tb, const Int* m, const Int* n, const Int* k,           \
                         const Element* alpha, const Element* a, const Int* lda, const Element* b,           \
                         const Int* ldb, const Element* beta, Element* c, const Int* ldc) {                  \
    checked_gemm({column_major, trans_of(*ta), trans_of(*tb), *m, *n, *k, *lda, *ldb, *ldc}, *alpha, a, b,   \
                 *beta, c, fortran(#T "GEMM"));                                                              \
  }                                                                                                          \
  EXPORTED void t##gemmt_(const char* uplo, const char* ta, const char* tb, const Int* n, const Int* k,      \
                          const Element* alpha, const Element* a, const Int* lda, const Element* b,          \
                          const Int* ldb, const Element* beta, Element* c, const Int* ldc) {                 \
    checked_gemmt(                                                                                           \
        {column_major, triangle_of(*uplo), trans_of(*ta), trans_of(*tb), *n, *k, *lda, *ldb, *ldc}, *alpha,  \
        a, b, *beta, c, fortran(#T "GEMMT"));                                                                \
  }                                                                                                          \
  EXPORTED decltype(t##gemmt_) t##gemmtr_ __attribute__((alias(#t "gemmt_")));                               \
  EXPORTED void t##syrk_(const char* uplo, const char* trans, const Int* n, const Int* k,                    \
                         const Element* alpha, const Element* a, const Int* lda, const Element* beta,        \
                         Element* c, const Int* ldc) {                                                       \
    checked_syrk({column_major, triangle_of(*uplo), trans_of(*trans), *n, *k, *lda, *ldc}, *alpha, a, *beta, \
                 c, fortran(#T "SYRK"));                                                                     \
  }                                                                                                          \
  EXPORTED void cblas_##t##gemm(int order, int ta, int tb, Int m, Int n, Int k, Element alpha,               \
                                const Element* a, Int lda, const Element* b, Int ldb, Element beta,          \
                                Element* c, Int ldc) {                                                       \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "gemm", 1);                                                 \
    checked_gemm({*layout, cblas_trans(ta), cblas_trans(tb), m, n, k, lda, ldb, ldc}, alpha, a, b, beta, c,  \
                 cblas("cblas_" #t "gemm", *layout));                                                        \
  }                                                                                                          \
  EXPORTED void cblas_##t##gemmt(int order, int uplo, int ta, int tb, Int n, Int k, Element alpha,           \
                                 const Element* a, Int lda, const Element* b, Int ldb, Element beta,         \
                                 Element* c, Int ldc) {                                                      \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "gemmt", 1);                                                \
    checked_gemmt({*layout, cblas_triangle(uplo), cblas_trans(ta), cblas_trans(tb), n, k, lda, ldb, ldc},    \
                  alpha, a, b, beta, c, cblas("cblas_" #t "gemmt", *layout));                                \
  }                                                                                                          \
  EXPORTED decltype(cblas_##t##gemmt) cblas_##t##gemmtr __attribute__((alias("cblas_" #t "gemmt")));         \
  EXPORTED void cblas_##t##syrk(int order, int uplo, int trans, Int n, Int k, Element alpha,                 \
                                const Element* a, Int lda, Element beta, Element* c, Int ldc) {              \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "syrk", 1);                                                 \
    checked_syrk({*layout, cblas_triangle(uplo), cblas_trans(trans), n, k, lda, ldc}, alpha, a, beta, c,     \
                 cblas("cblas_" #t "syrk", *layout));                                                        \
  }                                                                                                          \
  ALSO_FORTRAN(t##gemm);                                                                                     \
  ALSO_FORTRAN(t##gemmt);                                                                                    \
  ALSO_FORTRAN(t##gemmtr);                                                                                   \
  ALSO_FORTRAN(t##syrk);                                                                                     \
  ALSO_CBLAS(cblas_##t##gemm);                                                                               \
  ALSO_CBLAS(cblas_##t##gemmt);                                                                              \
  ALSO_CBLAS(cblas_##t##gemmtr);                                                                             \
  ALSO_CBLAS(cblas_##t##syrk)

LEVEL3(s, S, float);
LEVEL3(d, D, double);

EXPORTED std::uint64_t tallcache_blas_calls() { return calls(); }
EXPORTED int tallcache_blas_threads() { return threads_outside(); }
EXPORTED void tallcache_blas_set_threads(int threads) { set_threads(threads); }
