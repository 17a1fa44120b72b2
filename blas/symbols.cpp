// The symbols of BLAS: Fortran's and CBLAS's, for integers of both widths. A name tells the width of its
// integers, but for the reference implementation's plain one, which has those of TALLCACHE_BLAS_BITS.
// Programs use
//
//   dgemm_     cblas_dgemm                           the plain names
//   dgemm_64_  cblas_dgemm64_, cblas_dgemm_64        64 bits: OpenBLAS's and the reference implementation's
//   scipy_dgemm_64_  scipy_cblas_dgemm64_            64 bits: what comes with numpy from PyPI
//   scipy_dgemm_     scipy_cblas_dgemm               32 bits: what comes with scipy from PyPI
#include <cstdint>
#include <optional>

#include "blas/arguments.hpp"
#include "blas/calls.hpp"
#include "blas/level3.hpp"
#include "blas/tallcache_blas.h"
#include "blas/threads.hpp"
#include "blas/xerbla.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

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

/// `to` is what `from` is.
#define ALIAS(from, to) ALIAS_OF_NAMES(from, to)
#define ALIAS_OF_NAMES(from, to) EXPORTED decltype(to) from __attribute__((alias(#to)))

// One element type: `t` is its letter, `T` the letter in Fortran's reports; `F` and `C` make the names from
// Fortran's and CBLAS's plain ones.
#define LEVEL3(t, T, Element, Int, F, C)                                                                     \
  EXPORTED void F(t##gemm)(const char* ta, const char* tb, const Int* m, const Int* n, const Int* k,         \
                           const Element* alpha, const Element* a, const Int* lda, const Element* b,         \
                           const Int* ldb, const Element* beta, Element* c, const Int* ldc) {                \
    checked_gemm({column_major, trans_of(*ta), trans_of(*tb), *m, *n, *k, *lda, *ldb, *ldc}, *alpha, a, b,   \
                 *beta, c, fortran(#T "GEMM"));                                                              \
  }                                                                                                          \
  EXPORTED void F(t##gemmt)(const char* uplo, const char* ta, const char* tb, const Int* n, const Int* k,    \
                            const Element* alpha, const Element* a, const Int* lda, const Element* b,        \
                            const Int* ldb, const Element* beta, Element* c, const Int* ldc) {               \
    checked_gemmt(                                                                                           \
        {column_major, triangle_of(*uplo), trans_of(*ta), trans_of(*tb), *n, *k, *lda, *ldb, *ldc}, *alpha,  \
        a, b, *beta, c, fortran(#T "GEMMT"));                                                                \
  }                                                                                                          \
  ALIAS(F(t##gemmtr), F(t##gemmt));                                                                          \
  EXPORTED void F(t##syrk)(const char* uplo, const char* trans, const Int* n, const Int* k,                  \
                           const Element* alpha, const Element* a, const Int* lda, const Element* beta,      \
                           Element* c, const Int* ldc) {                                                     \
    checked_syrk({column_major, triangle_of(*uplo), trans_of(*trans), *n, *k, *lda, *ldc}, *alpha, a, *beta, \
                 c, fortran(#T "SYRK"));                                                                     \
  }                                                                                                          \
  EXPORTED void C(cblas_##t##gemm)(int order, int ta, int tb, Int m, Int n, Int k, Element alpha,            \
                                   const Element* a, Int lda, const Element* b, Int ldb, Element beta,       \
                                   Element* c, Int ldc) {                                                    \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "gemm", 1);                                                 \
    checked_gemm({*layout, cblas_trans(ta), cblas_trans(tb), m, n, k, lda, ldb, ldc}, alpha, a, b, beta, c,  \
                 cblas("cblas_" #t "gemm", *layout));                                                        \
  }                                                                                                          \
  EXPORTED void C(cblas_##t##gemmt)(int order, int uplo, int ta, int tb, Int n, Int k, Element alpha,        \
                                    const Element* a, Int lda, const Element* b, Int ldb, Element beta,      \
                                    Element* c, Int ldc) {                                                   \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "gemmt", 1);                                                \
    checked_gemmt({*layout, cblas_triangle(uplo), cblas_trans(ta), cblas_trans(tb), n, k, lda, ldb, ldc},    \
                  alpha, a, b, beta, c, cblas("cblas_" #t "gemmt", *layout));                                \
  }                                                                                                          \
  ALIAS(C(cblas_##t##gemmtr), C(cblas_##t##gemmt));                                                          \
  EXPORTED void C(cblas_##t##syrk)(int order, int uplo, int trans, Int n, Int k, Element alpha,              \
                                   const Element* a, Int lda, Element beta, Element* c, Int ldc) {           \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "syrk", 1);                                                 \
    checked_syrk({*layout, cblas_triangle(uplo), cblas_trans(trans), n, k, lda, ldc}, alpha, a, beta, c,     \
                 cblas("cblas_" #t "syrk", *layout));                                                        \
  }

// The names of 64-bit integers, and those of 32-bit ones.
#define F64(name) name##_64_
#define C64(name) name##64_
#define F32(name) scipy_##name##_
#define C32(name) scipy_##name
LEVEL3(s, S, float, std::int64_t, F64, C64);
LEVEL3(d, D, double, std::int64_t, F64, C64);
LEVEL3(s, S, float, std::int32_t, F32, C32);
LEVEL3(d, D, double, std::int32_t, F32, C32);

#if TALLCACHE_BLAS_BITS == 64
#define F_PLAIN F64
#define C_PLAIN C64
#else
#define F_PLAIN F32
#define C_PLAIN C32
#endif
#define OTHER_NAMES(routine)                               \
  ALIAS(scipy_##routine##_64_, F64(routine));              \
  ALIAS(cblas_##routine##_64, C64(cblas_##routine));       \
  ALIAS(scipy_cblas_##routine##64_, C64(cblas_##routine)); \
  ALIAS(routine##_, F_PLAIN(routine));                     \
  ALIAS(cblas_##routine, C_PLAIN(cblas_##routine))
OTHER_NAMES(sgemm);
OTHER_NAMES(dgemm);
OTHER_NAMES(sgemmt);
OTHER_NAMES(dgemmt);
OTHER_NAMES(sgemmtr);
OTHER_NAMES(dgemmtr);
OTHER_NAMES(ssyrk);
OTHER_NAMES(dsyrk);

EXPORTED std::uint64_t tallcache_blas_calls() { return calls(); }
EXPORTED int tallcache_blas_threads() { return threads_outside(); }
EXPORTED void tallcache_blas_set_threads(int threads) { set_threads(threads); }
