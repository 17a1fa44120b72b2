// What the drop-in library says of wrong arguments of the triangular and symmetric products and of LAPACK's
// routines, and LAPACK's names with 64 in them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/blas/lapack.hpp"
#include "tests/blas/reports.hpp"

namespace {

double a[64], b[64], c[64], tau[8], work[64];
Int pivots[8], info;

TEST(WrongArguments, OfTrsmAndTrmm) {
  const double one = 1;
  const auto trsm = [&](const char* options, Int m, Int n, Int lda, Int ldb) {
    return report_of(
        [&] { dtrsm_(options, options + 1, options + 2, options + 3, &m, &n, &one, a, &lda, b, &ldb); });
  };
  EXPECT_EQ(trsm("XUNN", 2, 3, 4, 4), "DTRSM  1");
  EXPECT_EQ(trsm("LXNN", 2, 3, 4, 4), "DTRSM  2");
  EXPECT_EQ(trsm("LUXN", 2, 3, 4, 4), "DTRSM  3");
  EXPECT_EQ(trsm("LUNX", 2, 3, 4, 4), "DTRSM  4");
  EXPECT_EQ(trsm("LUNN", -1, 3, 4, 4), "DTRSM  5");
  EXPECT_EQ(trsm("LUNN", 2, -1, 4, 4), "DTRSM  6");
  EXPECT_EQ(trsm("LUNN", 2, 3, 1, 4), "DTRSM  9");
  EXPECT_EQ(trsm("RUNN", 2, 3, 2, 4), "DTRSM  9");
  EXPECT_EQ(trsm("LUNN", 2, 3, 2, 1), "DTRSM  11");
  const auto trmm = [&](int order, int side, int uplo, int trans, int diagonal, Int m, Int n, Int lda,
                        Int ldb) {
    return report_of([&] { cblas_dtrmm(order, side, uplo, trans, diagonal, m, n, 1, a, lda, b, ldb); });
  };
  EXPECT_EQ(trmm(0, left, upper, no, unit, 2, 3, 4, 4), "cblas_dtrmm 1");
  EXPECT_EQ(trmm(row_major, 0, upper, no, unit, 2, 3, 4, 4), "cblas_dtrmm 2");
  EXPECT_EQ(trmm(row_major, left, 0, no, unit, 2, 3, 4, 4), "cblas_dtrmm 3");
  EXPECT_EQ(trmm(row_major, left, upper, 0, unit, 2, 3, 4, 4), "cblas_dtrmm 4");
  EXPECT_EQ(trmm(row_major, left, upper, no, 0, 2, 3, 4, 4), "cblas_dtrmm 5");
  EXPECT_EQ(trmm(row_major, left, upper, no, unit, -1, 3, 4, 4), "cblas_dtrmm 6");
  EXPECT_EQ(trmm(row_major, left, upper, no, unit, 2, -1, 4, 4), "cblas_dtrmm 7");
  EXPECT_EQ(trmm(row_major, right, upper, no, unit, 2, 3, 2, 4), "cblas_dtrmm 10");
  EXPECT_EQ(trmm(row_major, left, upper, no, unit, 2, 3, 2, 2), "cblas_dtrmm 12");
  EXPECT_EQ(trmm(column_major, left, upper, no, unit, 2, 3, 2, 1), "cblas_dtrmm 12");
}

TEST(WrongArguments, OfSymmAndSyr2k) {
  const double one = 1;
  const auto symm = [&](const char* options, Int m, Int n, Int lda, Int ldb, Int ldc) {
    return report_of([&] { dsymm_(options, options + 1, &m, &n, &one, a, &lda, b, &ldb, &one, c, &ldc); });
  };
  EXPECT_EQ(symm("XU", 2, 3, 4, 4, 4), "DSYMM  1");
  EXPECT_EQ(symm("LX", 2, 3, 4, 4, 4), "DSYMM  2");
  EXPECT_EQ(symm("LU", -1, 3, 4, 4, 4), "DSYMM  3");
  EXPECT_EQ(symm("LU", 2, -1, 4, 4, 4), "DSYMM  4");
  EXPECT_EQ(symm("RU", 2, 3, 2, 4, 4), "DSYMM  7");
  EXPECT_EQ(symm("LU", 2, 3, 2, 1, 4), "DSYMM  9");
  EXPECT_EQ(symm("LU", 2, 3, 2, 2, 1), "DSYMM  12");
  const auto syr2k = [&](const char* options, Int n, Int k, Int lda, Int ldb, Int ldc) {
    return report_of([&] { dsyr2k_(options, options + 1, &n, &k, &one, a, &lda, b, &ldb, &one, c, &ldc); });
  };
  EXPECT_EQ(syr2k("XN", 2, 3, 4, 4, 4), "DSYR2K 1");
  EXPECT_EQ(syr2k("UX", 2, 3, 4, 4, 4), "DSYR2K 2");
  EXPECT_EQ(syr2k("UN", -1, 3, 4, 4, 4), "DSYR2K 3");
  EXPECT_EQ(syr2k("UN", 2, -1, 4, 4, 4), "DSYR2K 4");
  EXPECT_EQ(syr2k("UT", 2, 3, 2, 4, 4), "DSYR2K 7");
  EXPECT_EQ(syr2k("UN", 2, 3, 2, 1, 4), "DSYR2K 9");
  EXPECT_EQ(syr2k("UN", 2, 3, 2, 2, 1), "DSYR2K 12");
  EXPECT_EQ(report_of([&] { cblas_dsymm(row_major, left, upper, 2, 3, 1, a, 2, b, 3, 1, c, 2); }),
            "cblas_dsymm 13");
  EXPECT_EQ(report_of([&] { cblas_dsyr2k(row_major, upper, no, 2, 3, 1, a, 3, b, 2, 1, c, 2); }),
            "cblas_dsyr2k 10");
}

/// The report, and info, which says the same.
template <class Call>
std::string told(const Call& call) {
  info = 0;
  const std::string report = report_of(call);
  EXPECT_EQ(info, -reported_position);
  return report;
}

TEST(WrongArguments, OfLinearSystems) {
  const auto getrf = [&](Int m, Int n, Int lda) {
    return told([&] { dgetrf_(&m, &n, a, &lda, pivots, &info); });
  };
  EXPECT_EQ(getrf(-1, 2, 4), "DGETRF 1");
  EXPECT_EQ(getrf(2, -1, 4), "DGETRF 2");
  EXPECT_EQ(getrf(2, 2, 1), "DGETRF 4");
  EXPECT_EQ(getrf(0, 2, 0), "DGETRF 4");
  const auto getrs = [&](const char* trans, Int n, Int others, Int lda, Int ldb) {
    return told([&] { dgetrs_(trans, &n, &others, a, &lda, pivots, b, &ldb, &info); });
  };
  EXPECT_EQ(getrs("X", 2, 2, 4, 4), "DGETRS 1");
  EXPECT_EQ(getrs("N", -1, 2, 4, 4), "DGETRS 2");
  EXPECT_EQ(getrs("N", 2, -1, 4, 4), "DGETRS 3");
  EXPECT_EQ(getrs("N", 2, 2, 1, 4), "DGETRS 5");
  EXPECT_EQ(getrs("N", 2, 2, 4, 1), "DGETRS 8");
  const auto gesv = [&](Int n, Int others, Int lda, Int ldb) {
    return told([&] { dgesv_(&n, &others, a, &lda, pivots, b, &ldb, &info); });
  };
  EXPECT_EQ(gesv(-1, 2, 4, 4), "DGESV  1");
  EXPECT_EQ(gesv(2, -1, 4, 4), "DGESV  2");
  EXPECT_EQ(gesv(2, 2, 1, 4), "DGESV  4");
  EXPECT_EQ(gesv(2, 2, 2, 1), "DGESV  7");
  const auto potrf = [&](const char* uplo, Int n, Int lda) {
    return told([&] { dpotrf_(uplo, &n, a, &lda, &info); });
  };
  EXPECT_EQ(potrf("X", 2, 4), "DPOTRF 1");
  EXPECT_EQ(potrf("U", -1, 4), "DPOTRF 2");
  EXPECT_EQ(potrf("U", 2, 1), "DPOTRF 4");
  const auto potrs = [&](const char* uplo, Int n, Int others, Int lda, Int ldb) {
    return told([&] { dpotrs_(uplo, &n, &others, a, &lda, b, &ldb, &info); });
  };
  EXPECT_EQ(potrs("X", 2, 2, 4, 4), "DPOTRS 1");
  EXPECT_EQ(potrs("L", -1, 2, 4, 4), "DPOTRS 2");
  EXPECT_EQ(potrs("L", 2, -1, 4, 4), "DPOTRS 3");
  EXPECT_EQ(potrs("L", 2, 2, 1, 4), "DPOTRS 5");
  EXPECT_EQ(potrs("L", 2, 2, 4, 1), "DPOTRS 7");
  const Int two = 2, short_one = 1;
  EXPECT_EQ(told([&] { dposv_("L", &two, &two, a, &two, b, &short_one, &info); }), "DPOSV  7");
}

TEST(WrongArguments, OfReflectors) {
  const auto geqrf = [&](Int m, Int n, Int lda, Int lwork) {
    return told([&] { dgeqrf_(&m, &n, a, &lda, tau, work, &lwork, &info); });
  };
  EXPECT_EQ(geqrf(-1, 2, 4, 9), "DGEQRF 1");
  EXPECT_EQ(geqrf(2, -1, 4, 9), "DGEQRF 2");
  EXPECT_EQ(geqrf(2, 2, 1, 9), "DGEQRF 4");
  EXPECT_EQ(geqrf(2, 2, 2, 1), "DGEQRF 7");
  const auto orgqr = [&](Int m, Int n, Int k, Int lda, Int lwork) {
    return told([&] { dorgqr_(&m, &n, &k, a, &lda, tau, work, &lwork, &info); });
  };
  EXPECT_EQ(orgqr(-1, 0, 0, 4, 9), "DORGQR 1");
  EXPECT_EQ(orgqr(2, 3, 1, 4, 9), "DORGQR 2");
  EXPECT_EQ(orgqr(3, 2, 3, 4, 9), "DORGQR 3");
  EXPECT_EQ(orgqr(3, 2, 2, 2, 9), "DORGQR 5");
  EXPECT_EQ(orgqr(3, 2, 2, 3, 1), "DORGQR 8");
  const auto ormqr = [&](const char* options, Int m, Int n, Int k, Int lda, Int ldc, Int lwork) {
    return told(
        [&] { dormqr_(options, options + 1, &m, &n, &k, a, &lda, tau, c, &ldc, work, &lwork, &info); });
  };
  EXPECT_EQ(ormqr("XN", 3, 2, 2, 4, 4, 9), "DORMQR 1");
  EXPECT_EQ(ormqr("LC", 3, 2, 2, 4, 4, 9), "DORMQR 2");
  EXPECT_EQ(ormqr("LN", -1, 2, 0, 4, 4, 9), "DORMQR 3");
  EXPECT_EQ(ormqr("LN", 3, -1, 0, 4, 4, 9), "DORMQR 4");
  EXPECT_EQ(ormqr("RN", 3, 2, 3, 4, 4, 9), "DORMQR 5");
  EXPECT_EQ(ormqr("LN", 3, 2, 2, 2, 4, 9), "DORMQR 7");
  EXPECT_EQ(ormqr("LN", 3, 2, 2, 3, 2, 9), "DORMQR 10");
  EXPECT_EQ(ormqr("RN", 3, 2, 2, 3, 3, 2), "DORMQR 12");
}

// LAPACKE's list begins with the layout, and in row-major order leading dimensions are looked at first.
TEST(WrongArguments, OfLapacke) {
  Int found = 0;
  const auto getrf = [&](int order, Int m, Int n, Int lda) {
    return report_of([&] { found = LAPACKE_dgetrf(order, m, n, a, lda, pivots); });
  };
  EXPECT_EQ(getrf(7, 2, 2, 2), "LAPACKE_dgetrf 1");
  EXPECT_EQ(found, -1);
  EXPECT_EQ(getrf(row_major, 2, 3, 2), "LAPACKE_dgetrf_work 5");
  EXPECT_EQ(found, -5);
  EXPECT_EQ(getrf(row_major, -1, 3, 3), "DGETRF 1");
  EXPECT_EQ(found, -2);
  EXPECT_EQ(getrf(column_major, 3, 2, 2), "DGETRF 4");
  EXPECT_EQ(found, -5);
  EXPECT_EQ(report_of([&] { found = LAPACKE_dgetrf_work(7, 2, 2, a, 2, pivots); }), "LAPACKE_dgetrf_work 1");
  EXPECT_EQ(report_of([&] { found = LAPACKE_dpotrf(row_major, 'x', 2, a, 2); }), "DPOTRF 1");
  EXPECT_EQ(found, -2);
  EXPECT_EQ(report_of([&] { found = LAPACKE_dgesv(row_major, 2, 3, a, 2, pivots, b, 2); }),
            "LAPACKE_dgesv_work 8");
  EXPECT_EQ(report_of([&] { found = LAPACKE_dgeqrf_work(row_major, 2, 3, a, 3, tau, work, 2); }), "DGEQRF 7");
  EXPECT_EQ(found, -8);
}

#if TALLCACHE_BLAS_BITS == 64
extern "C" {
decltype(dgesv_) dgesv_64_, scipy_dgesv_64_;
decltype(LAPACKE_dgesv) LAPACKE_dgesv64_, LAPACKE_dgesv_64, scipy_LAPACKE_dgesv64_;
void scipy_dgesv_(const std::int32_t*, const std::int32_t*, double*, const std::int32_t*, std::int32_t*,
                  double*, const std::int32_t*, std::int32_t*);
}

/// 2 y = 4 and 3 x + y = 5 in column-major order.
template <class Integer, class Solve>
void expect_solution(const Solve& solve) {
  double m[] = {0, 3, 2, 1}, x[] = {4, 5};
  Integer rows[] = {-1, -1, -1};
  EXPECT_EQ(solve(m, rows, x), 0);
  EXPECT_EQ(std::vector<double>(x, x + 2), (std::vector<double>{1, 2}));
  EXPECT_EQ(std::vector<Integer>(rows, rows + 3), (std::vector<Integer>{2, 2, -1}));
}

TEST(Suffixed, NamesOfLapackTellTheWidthOfIntegers) {
  const auto fortran = [](auto gesv) {
    return [gesv](double* m, auto* rows, double* x) {
      using Integer = std::remove_pointer_t<decltype(rows)>;
      const Integer n = 2, one = 1;
      Integer told = -9;
      gesv(&n, &one, m, &n, rows, x, &n, &told);
      return told;
    };
  };
  expect_solution<std::int64_t>(fortran(dgesv_64_));
  expect_solution<std::int64_t>(fortran(scipy_dgesv_64_));
  expect_solution<std::int32_t>(fortran(scipy_dgesv_));
  for (const auto gesv : {LAPACKE_dgesv64_, LAPACKE_dgesv_64, scipy_LAPACKE_dgesv64_})
    expect_solution<std::int64_t>(
        [gesv](double* m, Int* rows, double* x) { return gesv(column_major, 2, 1, m, 2, rows, x, 2); });
}
#endif

}  // namespace
