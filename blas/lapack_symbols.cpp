// The symbols of LAPACK: Fortran's and LAPACKE's, under the names of names.hpp.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "blas/lapack.hpp"
#include "blas/lapack_arguments.hpp"
#include "blas/names.hpp"
#include "blas/options.hpp"
#include "blas/xerbla.hpp"

extern "C" __attribute__((weak)) int LAPACKE_get_nancheck();

namespace tallcache::blas {
namespace {

constexpr auto column_major = Layout::column_major;

/// Whether LAPACKE looks for NaN before it computes: the installed one's switch, else the variable that it
/// reads.
bool nan_is_checked() {
  if (LAPACKE_get_nancheck) return LAPACKE_get_nancheck() != 0;
  const char* const text = std::getenv("LAPACKE_NANCHECK");
  return !text || std::atoi(text) != 0;
}

/// ormqr's alone takes no 'C'.
std::optional<Trans> real_trans_of(char option) {
  return option == 'C' || option == 'c' ? std::nullopt : trans_of(option);
}

/// A size as the reference implementation stores it in a workspace, not rounded down.
template <class T>
void store_workspace(T* work, Index size) {
  *work = static_cast<T>(size);
  if (static_cast<Index>(*work) < size) *work = std::nextafter(*work, std::numeric_limits<T>::infinity());
}

/// run() on valid arguments; info.
template <class Arguments, class Run>
std::int64_t fortran(const char* routine, const Arguments& x, const Run& run) {
  if (const int fault = x.fault()) {
    report_fortran(routine, fault);
    return -fault;
  }
  return run(x);
}

/// The same for a routine with a workspace, of which only the size is looked at, and told.
template <class T, class Arguments, class Run>
std::int64_t fortran(const char* routine, const Arguments& x, T* work, const Run& run) {
  const std::int64_t info =
      fortran(routine, x, [&](const Arguments&) -> std::int64_t { return x.lwork == query ? 0 : run(x); });
  if (info >= 0) store_workspace(work, x.workspace());
  return info;
}

/// call(), with Fortran's info, as LAPACKE's routine of this name and LAPACKE's info.
template <class Arguments, class Call>
std::int64_t lapacke(const char* routine, std::optional<Layout> layout, const Arguments& x,
                     const Call& call) {
  const int fault = !layout ? 1 : x.row_fault() ? x.row_fault() + 1 : 0;
  if (fault) {
    report_lapacke(routine, fault);
    return -fault;
  }
  const std::int64_t info = call();
  return info < 0 && info != no_memory ? info - 1 : info;
}

/// The same for the routine that makes its own workspace, and first looks for NaN: nan() is the position in
/// Fortran's list of an argument with one, or 0.
template <class Arguments, class Nan, class Call>
std::int64_t lapacke(const std::string& routine, std::optional<Layout> layout, const Arguments& x,
                     const Nan& nan, const Call& call) {
  if (layout && nan_is_checked())
    if (const int position = nan()) return -(position + 1);
  return lapacke((layout ? routine + "_work" : routine).c_str(), layout, x, call);
}

/// What a layout that is not valid is taken for until it is reported.
Layout or_columns(std::optional<Layout> layout) { return layout.value_or(column_major); }

}  // namespace
}  // namespace tallcache::blas

using namespace tallcache::blas;

// One element type, as in symbols.cpp. A pivot's array is of Int.
#define LU(t, T, Element, Int, F, C)                                                                      \
  EXPORTED void F(t##getrf)(const Int* m, const Int* n, Element* a, const Int* lda, Int* pivots,          \
                            Int* info) {                                                                  \
    const GetrfArguments given{column_major, *m, *n, *lda};                                               \
    *info = static_cast<Int>(fortran(#T "GETRF", given, [&](const GetrfArguments& x) {                    \
      return getrf<Element>(x.layout, x.m, x.n, {a, x.lda}, pivots);                                      \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##getrf_work)(int order, Int m, Int n, Element* a, Int lda, Int* pivots) {    \
    const auto layout = cblas_layout(order);                                                              \
    const GetrfArguments given{or_columns(layout), m, n, lda};                                            \
    return static_cast<Int>(lapacke("LAPACKE_" #t "getrf_work", layout, given, [&] {                      \
      return fortran(#T "GETRF", given, [&](const GetrfArguments& x) {                                    \
        return getrf<Element>(x.layout, x.m, x.n, {a, x.lda}, pivots);                                    \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##getrf)(int order, Int m, Int n, Element* a, Int lda, Int* pivots) {         \
    const auto layout = cblas_layout(order);                                                              \
    const GetrfArguments given{or_columns(layout), m, n, lda};                                            \
    const auto nan = [&] { return given.nan(a); };                                                        \
    return static_cast<Int>(lapacke("LAPACKE_" #t "getrf", layout, given, nan, [&] {                      \
      return fortran(#T "GETRF", given, [&](const GetrfArguments& x) {                                    \
        return getrf<Element>(x.layout, x.m, x.n, {a, x.lda}, pivots);                                    \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED void F(t##getrs)(const char* trans, const Int* n, const Int* others, const Element* a,         \
                            const Int* lda, const Int* pivots, Element* b, const Int* ldb, Int* info) {   \
    const GetrsArguments given{column_major, trans_of(*trans), *n, *others, *lda, *ldb};                  \
    *info = static_cast<Int>(fortran(#T "GETRS", given, [&](const GetrsArguments& x) {                    \
      return getrs<Element>(x.layout, *x.trans, x.n, x.others, {a, x.lda}, pivots, {b, x.ldb});           \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##getrs_work)(int order, char trans, Int n, Int others, const Element* a,     \
                                          Int lda, const Int* pivots, Element* b, Int ldb) {              \
    const auto layout = cblas_layout(order);                                                              \
    const GetrsArguments given{or_columns(layout), trans_of(trans), n, others, lda, ldb};                 \
    return static_cast<Int>(lapacke("LAPACKE_" #t "getrs_work", layout, given, [&] {                      \
      return fortran(#T "GETRS", given, [&](const GetrsArguments& x) {                                    \
        return getrs<Element>(x.layout, *x.trans, x.n, x.others, {a, x.lda}, pivots, {b, x.ldb});         \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##getrs)(int order, char trans, Int n, Int others, const Element* a, Int lda, \
                                     const Int* pivots, Element* b, Int ldb) {                            \
    const auto layout = cblas_layout(order);                                                              \
    const GetrsArguments given{or_columns(layout), trans_of(trans), n, others, lda, ldb};                 \
    const auto nan = [&] { return given.nan(a, b); };                                                     \
    return static_cast<Int>(lapacke("LAPACKE_" #t "getrs", layout, given, nan, [&] {                      \
      return fortran(#T "GETRS", given, [&](const GetrsArguments& x) {                                    \
        return getrs<Element>(x.layout, *x.trans, x.n, x.others, {a, x.lda}, pivots, {b, x.ldb});         \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED void F(t##gesv)(const Int* n, const Int* others, Element* a, const Int* lda, Int* pivots,      \
                           Element* b, const Int* ldb, Int* info) {                                       \
    const GesvArguments given{column_major, *n, *others, *lda, *ldb};                                     \
    *info = static_cast<Int>(fortran(#T "GESV", given, [&](const GesvArguments& x) {                      \
      return gesv<Element>(x.layout, x.n, x.others, {a, x.lda}, pivots, {b, x.ldb});                      \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##gesv_work)(int order, Int n, Int others, Element* a, Int lda, Int* pivots,  \
                                         Element* b, Int ldb) {                                           \
    const auto layout = cblas_layout(order);                                                              \
    const GesvArguments given{or_columns(layout), n, others, lda, ldb};                                   \
    return static_cast<Int>(lapacke("LAPACKE_" #t "gesv_work", layout, given, [&] {                       \
      return fortran(#T "GESV", given, [&](const GesvArguments& x) {                                      \
        return gesv<Element>(x.layout, x.n, x.others, {a, x.lda}, pivots, {b, x.ldb});                    \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##gesv)(int order, Int n, Int others, Element* a, Int lda, Int* pivots,       \
                                    Element* b, Int ldb) {                                                \
    const auto layout = cblas_layout(order);                                                              \
    const GesvArguments given{or_columns(layout), n, others, lda, ldb};                                   \
    const auto nan = [&] { return given.nan(a, b); };                                                     \
    return static_cast<Int>(lapacke("LAPACKE_" #t "gesv", layout, given, nan, [&] {                       \
      return fortran(#T "GESV", given, [&](const GesvArguments& x) {                                      \
        return gesv<Element>(x.layout, x.n, x.others, {a, x.lda}, pivots, {b, x.ldb});                    \
      });                                                                                                 \
    }));                                                                                                  \
  }

#define CHOLESKY(t, T, Element, Int, F, C)                                                                \
  EXPORTED void F(t##potrf)(const char* uplo, const Int* n, Element* a, const Int* lda, Int* info) {      \
    const PotrfArguments given{column_major, triangle_of(*uplo), *n, *lda};                               \
    *info = static_cast<Int>(fortran(#T "POTRF", given, [&](const PotrfArguments& x) {                    \
      return potrf<Element>(x.layout, *x.triangle, x.n, {a, x.lda});                                      \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##potrf_work)(int order, char uplo, Int n, Element* a, Int lda) {             \
    const auto layout = cblas_layout(order);                                                              \
    const PotrfArguments given{or_columns(layout), triangle_of(uplo), n, lda};                            \
    return static_cast<Int>(lapacke("LAPACKE_" #t "potrf_work", layout, given, [&] {                      \
      return fortran(#T "POTRF", given, [&](const PotrfArguments& x) {                                    \
        return potrf<Element>(x.layout, *x.triangle, x.n, {a, x.lda});                                    \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##potrf)(int order, char uplo, Int n, Element* a, Int lda) {                  \
    const auto layout = cblas_layout(order);                                                              \
    const PotrfArguments given{or_columns(layout), triangle_of(uplo), n, lda};                            \
    const auto nan = [&] { return given.nan(a); };                                                        \
    return static_cast<Int>(lapacke("LAPACKE_" #t "potrf", layout, given, nan, [&] {                      \
      return fortran(#T "POTRF", given, [&](const PotrfArguments& x) {                                    \
        return potrf<Element>(x.layout, *x.triangle, x.n, {a, x.lda});                                    \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED void F(t##potrs)(const char* uplo, const Int* n, const Int* others, const Element* a,          \
                            const Int* lda, Element* b, const Int* ldb, Int* info) {                      \
    const PotrsArguments given{column_major, triangle_of(*uplo), *n, *others, *lda, *ldb};                \
    *info = static_cast<Int>(fortran(#T "POTRS", given, [&](const PotrsArguments& x) {                    \
      return potrs<Element>(x.layout, *x.triangle, x.n, x.others, {a, x.lda}, {b, x.ldb});                \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##potrs_work)(int order, char uplo, Int n, Int others, const Element* a,      \
                                          Int lda, Element* b, Int ldb) {                                 \
    const auto layout = cblas_layout(order);                                                              \
    const PotrsArguments given{or_columns(layout), triangle_of(uplo), n, others, lda, ldb};               \
    return static_cast<Int>(lapacke("LAPACKE_" #t "potrs_work", layout, given, [&] {                      \
      return fortran(#T "POTRS", given, [&](const PotrsArguments& x) {                                    \
        return potrs<Element>(x.layout, *x.triangle, x.n, x.others, {a, x.lda}, {b, x.ldb});              \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##potrs)(int order, char uplo, Int n, Int others, const Element* a, Int lda,  \
                                     Element* b, Int ldb) {                                               \
    const auto layout = cblas_layout(order);                                                              \
    const PotrsArguments given{or_columns(layout), triangle_of(uplo), n, others, lda, ldb};               \
    const auto nan = [&] { return given.nan(a, b); };                                                     \
    return static_cast<Int>(lapacke("LAPACKE_" #t "potrs", layout, given, nan, [&] {                      \
      return fortran(#T "POTRS", given, [&](const PotrsArguments& x) {                                    \
        return potrs<Element>(x.layout, *x.triangle, x.n, x.others, {a, x.lda}, {b, x.ldb});              \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED void F(t##posv)(const char* uplo, const Int* n, const Int* others, Element* a, const Int* lda, \
                           Element* b, const Int* ldb, Int* info) {                                       \
    const PotrsArguments given{column_major, triangle_of(*uplo), *n, *others, *lda, *ldb};                \
    *info = static_cast<Int>(fortran(#T "POSV", given, [&](const PotrsArguments& x) {                     \
      return posv<Element>(x.layout, *x.triangle, x.n, x.others, {a, x.lda}, {b, x.ldb});                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##posv_work)(int order, char uplo, Int n, Int others, Element* a, Int lda,    \
                                         Element* b, Int ldb) {                                           \
    const auto layout = cblas_layout(order);                                                              \
    const PotrsArguments given{or_columns(layout), triangle_of(uplo), n, others, lda, ldb};               \
    return static_cast<Int>(lapacke("LAPACKE_" #t "posv_work", layout, given, [&] {                       \
      return fortran(#T "POSV", given, [&](const PotrsArguments& x) {                                     \
        return posv<Element>(x.layout, *x.triangle, x.n, x.others, {a, x.lda}, {b, x.ldb});               \
      });                                                                                                 \
    }));                                                                                                  \
  }                                                                                                       \
  EXPORTED Int C(LAPACKE_##t##posv)(int order, char uplo, Int n, Int others, Element* a, Int lda,         \
                                    Element* b, Int ldb) {                                                \
    const auto layout = cblas_layout(order);                                                              \
    const PotrsArguments given{or_columns(layout), triangle_of(uplo), n, others, lda, ldb};               \
    const auto nan = [&] { return given.nan(a, b); };                                                     \
    return static_cast<Int>(lapacke("LAPACKE_" #t "posv", layout, given, nan, [&] {                       \
      return fortran(#T "POSV", given, [&](const PotrsArguments& x) {                                     \
        return posv<Element>(x.layout, *x.triangle, x.n, x.others, {a, x.lda}, {b, x.ldb});               \
      });                                                                                                 \
    }));                                                                                                  \
  }

#define QR(t, T, Element, Int, F, C)                                                                       \
  EXPORTED void F(t##geqrf)(const Int* m, const Int* n, Element* a, const Int* lda, Element* tau,          \
                            Element* work, const Int* lwork, Int* info) {                                  \
    const GeqrfArguments given{column_major, *m, *n, *lda, *lwork};                                        \
    *info = static_cast<Int>(fortran(#T "GEQRF", given, work, [&](const GeqrfArguments& x) {               \
      return geqrf<Element>(x.layout, x.m, x.n, {a, x.lda}, tau);                                          \
    }));                                                                                                   \
  }                                                                                                        \
  EXPORTED Int C(LAPACKE_##t##geqrf_work)(int order, Int m, Int n, Element* a, Int lda, Element* tau,      \
                                          Element* work, Int lwork) {                                      \
    const auto layout = cblas_layout(order);                                                               \
    const GeqrfArguments given{or_columns(layout), m, n, lda, lwork};                                      \
    return static_cast<Int>(lapacke("LAPACKE_" #t "geqrf_work", layout, given, [&] {                       \
      return fortran(#T "GEQRF", given, work, [&](const GeqrfArguments& x) {                               \
        return geqrf<Element>(x.layout, x.m, x.n, {a, x.lda}, tau);                                        \
      });                                                                                                  \
    }));                                                                                                   \
  }                                                                                                        \
  EXPORTED Int C(LAPACKE_##t##geqrf)(int order, Int m, Int n, Element* a, Int lda, Element* tau) {         \
    const auto layout = cblas_layout(order);                                                               \
    const GeqrfArguments given{or_columns(layout), m, n, lda, ample};                                      \
    const auto nan = [&] { return given.nan(a); };                                                         \
    return static_cast<Int>(lapacke("LAPACKE_" #t "geqrf", layout, given, nan, [&] {                       \
      return fortran(#T "GEQRF", given, [&](const GeqrfArguments& x) {                                     \
        return geqrf<Element>(x.layout, x.m, x.n, {a, x.lda}, tau);                                        \
      });                                                                                                  \
    }));                                                                                                   \
  }                                                                                                        \
  EXPORTED void F(t##orgqr)(const Int* m, const Int* n, const Int* k, Element* a, const Int* lda,          \
                            const Element* tau, Element* work, const Int* lwork, Int* info) {              \
    const OrgqrArguments given{column_major, *m, *n, *k, *lda, *lwork};                                    \
    *info = static_cast<Int>(fortran(#T "ORGQR", given, work, [&](const OrgqrArguments& x) {               \
      return orgqr<Element>(x.layout, x.m, x.n, x.k, {a, x.lda}, tau);                                     \
    }));                                                                                                   \
  }                                                                                                        \
  EXPORTED Int C(LAPACKE_##t##orgqr_work)(int order, Int m, Int n, Int k, Element* a, Int lda,             \
                                          const Element* tau, Element* work, Int lwork) {                  \
    const auto layout = cblas_layout(order);                                                               \
    const OrgqrArguments given{or_columns(layout), m, n, k, lda, lwork};                                   \
    return static_cast<Int>(lapacke("LAPACKE_" #t "orgqr_work", layout, given, [&] {                       \
      return fortran(#T "ORGQR", given, work, [&](const OrgqrArguments& x) {                               \
        return orgqr<Element>(x.layout, x.m, x.n, x.k, {a, x.lda}, tau);                                   \
      });                                                                                                  \
    }));                                                                                                   \
  }                                                                                                        \
  EXPORTED Int C(LAPACKE_##t##orgqr)(int order, Int m, Int n, Int k, Element* a, Int lda,                  \
                                     const Element* tau) {                                                 \
    const auto layout = cblas_layout(order);                                                               \
    const OrgqrArguments given{or_columns(layout), m, n, k, lda, ample};                                   \
    const auto nan = [&] { return given.nan(a, tau); };                                                    \
    return static_cast<Int>(lapacke("LAPACKE_" #t "orgqr", layout, given, nan, [&] {                       \
      return fortran(#T "ORGQR", given, [&](const OrgqrArguments& x) {                                     \
        return orgqr<Element>(x.layout, x.m, x.n, x.k, {a, x.lda}, tau);                                   \
      });                                                                                                  \
    }));                                                                                                   \
  }                                                                                                        \
  EXPORTED void F(t##ormqr)(const char* side, const char* trans, const Int* m, const Int* n, const Int* k, \
                            const Element* a, const Int* lda, const Element* tau, Element* c,              \
                            const Int* ldc, Element* work, const Int* lwork, Int* info) {                  \
    const OrmqrArguments given{column_major, side_of(*side), real_trans_of(*trans), *m, *n, *k, *lda,      \
                               *ldc,         *lwork};                                                      \
    *info = static_cast<Int>(fortran(#T "ORMQR", given, work, [&](const OrmqrArguments& x) {               \
      return ormqr<Element>(x.layout, *x.side, *x.trans, x.m, x.n, x.k, {a, x.lda}, tau, {c, x.ldc});      \
    }));                                                                                                   \
  }                                                                                                        \
  EXPORTED Int C(LAPACKE_##t##ormqr_work)(int order, char side, char trans, Int m, Int n, Int k,           \
                                          const Element* a, Int lda, const Element* tau, Element* c,       \
                                          Int ldc, Element* work, Int lwork) {                             \
    const auto layout = cblas_layout(order);                                                               \
    const OrmqrArguments given{                                                                            \
        or_columns(layout), side_of(side), real_trans_of(trans), m, n, k, lda, ldc, lwork};                \
    return static_cast<Int>(lapacke("LAPACKE_" #t "ormqr_work", layout, given, [&] {                       \
      return fortran(#T "ORMQR", given, work, [&](const OrmqrArguments& x) {                               \
        return ormqr<Element>(x.layout, *x.side, *x.trans, x.m, x.n, x.k, {a, x.lda}, tau, {c, x.ldc});    \
      });                                                                                                  \
    }));                                                                                                   \
  }                                                                                                        \
  EXPORTED Int C(LAPACKE_##t##ormqr)(int order, char side, char trans, Int m, Int n, Int k,                \
                                     const Element* a, Int lda, const Element* tau, Element* c, Int ldc) { \
    const auto layout = cblas_layout(order);                                                               \
    const OrmqrArguments given{                                                                            \
        or_columns(layout), side_of(side), real_trans_of(trans), m, n, k, lda, ldc, ample};                \
    const auto nan = [&] { return given.nan(a, c, tau); };                                                 \
    return static_cast<Int>(lapacke("LAPACKE_" #t "ormqr", layout, given, nan, [&] {                       \
      return fortran(#T "ORMQR", given, [&](const OrmqrArguments& x) {                                     \
        return ormqr<Element>(x.layout, *x.side, *x.trans, x.m, x.n, x.k, {a, x.lda}, tau, {c, x.ldc});    \
      });                                                                                                  \
    }));                                                                                                   \
  }

EVERY_WIDTH(LU);
EVERY_WIDTH(CHOLESKY);
EVERY_WIDTH(QR);

#define NAMES_LAPACKE(routine)      \
  OTHER_FORTRAN_NAMES(routine);     \
  OTHER_C_NAMES(LAPACKE_##routine); \
  OTHER_C_NAMES(LAPACKE_##routine##_work);
#define NAMES_cblas(routine)
#define ROUTINE(name, interface) NAMES_##interface(s##name) NAMES_##interface(d##name)
#define ALSO ROUTINE
#include "blas/routines.def"
