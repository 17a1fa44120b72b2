// The symbols of BLAS: Fortran's and CBLAS's, under the names of names.hpp.
#include <cstdint>
#include <optional>

#include "blas/arguments.hpp"
#include "blas/calls.hpp"
#include "blas/level3.hpp"
#include "blas/names.hpp"
#include "blas/options.hpp"
#include "blas/tallcache_blas.h"
#include "blas/threads.hpp"
#include "blas/xerbla.hpp"

namespace tallcache::blas {
namespace {

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

template <class T, class Report>
void checked_syr2k(const Syr2kArguments& x, T alpha, const T* a, const T* b, T beta, T* c,
                   const Report& report) {
  if (const int fault = x.fault()) return report(fault);
  syr2k<T>(x.layout, *x.triangle, *x.trans, x.n, x.k, alpha, {a, x.lda}, {b, x.ldb}, beta, {c, x.ldc});
}

template <class T, class Report>
void checked_symm(const SymmArguments& x, T alpha, const T* a, const T* b, T beta, T* c,
                  const Report& report) {
  if (const int fault = x.fault()) return report(fault);
  symm<T>(x.layout, *x.side, *x.triangle, x.m, x.n, alpha, {a, x.lda}, {b, x.ldb}, beta, {c, x.ldc});
}

template <class T, class Report>
void checked_trmm(const TriangularArguments& x, T alpha, const T* a, T* b, const Report& report) {
  if (const int fault = x.fault()) return report(fault);
  trmm<T>(x.layout, *x.side, *x.triangle, *x.trans, *x.diagonal, x.m, x.n, alpha, {a, x.lda}, {b, x.ldb});
}

template <class T, class Report>
void checked_trsm(const TriangularArguments& x, T alpha, const T* a, T* b, const Report& report) {
  if (const int fault = x.fault()) return report(fault);
  trsm<T>(x.layout, *x.side, *x.triangle, *x.trans, *x.diagonal, x.m, x.n, alpha, {a, x.lda}, {b, x.ldb});
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

#define SYMMETRIC(t, T, Element, Int, F, C)                                                                  \
  EXPORTED void F(t##symm)(const char* side, const char* uplo, const Int* m, const Int* n,                   \
                           const Element* alpha, const Element* a, const Int* lda, const Element* b,         \
                           const Int* ldb, const Element* beta, Element* c, const Int* ldc) {                \
    checked_symm({column_major, side_of(*side), triangle_of(*uplo), *m, *n, *lda, *ldb, *ldc}, *alpha, a, b, \
                 *beta, c, fortran(#T "SYMM"));                                                              \
  }                                                                                                          \
  EXPORTED void F(t##syr2k)(const char* uplo, const char* trans, const Int* n, const Int* k,                 \
                            const Element* alpha, const Element* a, const Int* lda, const Element* b,        \
                            const Int* ldb, const Element* beta, Element* c, const Int* ldc) {               \
    checked_syr2k({column_major, triangle_of(*uplo), trans_of(*trans), *n, *k, *lda, *ldb, *ldc}, *alpha, a, \
                  b, *beta, c, fortran(#T "SYR2K"));                                                         \
  }                                                                                                          \
  EXPORTED void C(cblas_##t##symm)(int order, int side, int uplo, Int m, Int n, Element alpha,               \
                                   const Element* a, Int lda, const Element* b, Int ldb, Element beta,       \
                                   Element* c, Int ldc) {                                                    \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "symm", 1);                                                 \
    checked_symm({*layout, cblas_side(side), cblas_triangle(uplo), m, n, lda, ldb, ldc}, alpha, a, b, beta,  \
                 c, cblas("cblas_" #t "symm", *layout));                                                     \
  }                                                                                                          \
  EXPORTED void C(cblas_##t##syr2k)(int order, int uplo, int trans, Int n, Int k, Element alpha,             \
                                    const Element* a, Int lda, const Element* b, Int ldb, Element beta,      \
                                    Element* c, Int ldc) {                                                   \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "syr2k", 1);                                                \
    checked_syr2k({*layout, cblas_triangle(uplo), cblas_trans(trans), n, k, lda, ldb, ldc}, alpha, a, b,     \
                  beta, c, cblas("cblas_" #t "syr2k", *layout));                                             \
  }

#define TRIANGULAR(t, T, Element, Int, F, C)                                                                 \
  EXPORTED void F(t##trmm)(const char* side, const char* uplo, const char* trans, const char* diag,          \
                           const Int* m, const Int* n, const Element* alpha, const Element* a,               \
                           const Int* lda, Element* b, const Int* ldb) {                                     \
    checked_trmm({column_major, side_of(*side), triangle_of(*uplo), trans_of(*trans), diagonal_of(*diag),    \
                  *m, *n, *lda, *ldb},                                                                       \
                 *alpha, a, b, fortran(#T "TRMM"));                                                          \
  }                                                                                                          \
  EXPORTED void C(cblas_##t##trmm)(int order, int side, int uplo, int trans, int diag, Int m, Int n,         \
                                   Element alpha, const Element* a, Int lda, Element* b, Int ldb) {          \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "trmm", 1);                                                 \
    checked_trmm({*layout, cblas_side(side), cblas_triangle(uplo), cblas_trans(trans), cblas_diagonal(diag), \
                  m, n, lda, ldb},                                                                           \
                 alpha, a, b, cblas("cblas_" #t "trmm", *layout));                                           \
  }                                                                                                          \
  EXPORTED void F(t##trsm)(const char* side, const char* uplo, const char* trans, const char* diag,          \
                           const Int* m, const Int* n, const Element* alpha, const Element* a,               \
                           const Int* lda, Element* b, const Int* ldb) {                                     \
    checked_trsm({column_major, side_of(*side), triangle_of(*uplo), trans_of(*trans), diagonal_of(*diag),    \
                  *m, *n, *lda, *ldb},                                                                       \
                 *alpha, a, b, fortran(#T "TRSM"));                                                          \
  }                                                                                                          \
  EXPORTED void C(cblas_##t##trsm)(int order, int side, int uplo, int trans, int diag, Int m, Int n,         \
                                   Element alpha, const Element* a, Int lda, Element* b, Int ldb) {          \
    const auto layout = cblas_layout(order);                                                                 \
    if (!layout) return report_cblas("cblas_" #t "trsm", 1);                                                 \
    checked_trsm({*layout, cblas_side(side), cblas_triangle(uplo), cblas_trans(trans), cblas_diagonal(diag), \
                  m, n, lda, ldb},                                                                           \
                 alpha, a, b, cblas("cblas_" #t "trsm", *layout));                                           \
  }

EVERY_WIDTH(LEVEL3);
EVERY_WIDTH(SYMMETRIC);
EVERY_WIDTH(TRIANGULAR);

#define NAMES_cblas(routine)    \
  OTHER_FORTRAN_NAMES(routine); \
  OTHER_C_NAMES(cblas_##routine);
#define NAMES_LAPACKE(routine)
#define ROUTINE(name, interface) NAMES_##interface(s##name) NAMES_##interface(d##name)
#define ALSO ROUTINE
#include "blas/routines.def"

EXPORTED std::uint64_t tallcache_blas_calls() { return calls(); }
EXPORTED int tallcache_blas_threads() { return threads_outside(); }
EXPORTED void tallcache_blas_set_threads(int threads) { set_threads(threads); }
