// What the drop-in BLAS says of wrong arguments, and the names with 64 in them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "blas/tallcache_blas.h"
#include "tests/blas/blas.hpp"
#include "tests/blas/reports.hpp"

// What a program may define: the library calls these and not its own.
extern "C" {
__attribute__((visibility("default"))) void xerbla_(const char* routine, const Int* position,
                                                    std::size_t length) {
  reported.assign(routine, length);
  reported_position = static_cast<int>(*position);
}
__attribute__((visibility("default"))) void cblas_xerbla(Int position, const char* routine, const char*,
                                                         ...) {
  reported = routine;
  reported_position = static_cast<int>(position);
}
__attribute__((visibility("default"))) void LAPACKE_xerbla(const char* routine, Int info) {
  reported = routine;
  reported_position = -static_cast<int>(info);
}
}

namespace {

struct GemmCall {
  char ta = 'N', tb = 'N';
  Int m = 2, n = 3, k = 4, lda = 4, ldb = 4, ldc = 4;  // enough in both orders
};

TEST(WrongArguments, OfGemm) {
  double x[64] = {};
  const double one = 1;
  const auto fortran = [&](GemmCall g) {
    return report_of(
        [&] { dgemm_(&g.ta, &g.tb, &g.m, &g.n, &g.k, &one, x, &g.lda, x, &g.ldb, &one, x + 32, &g.ldc); });
  };
  EXPECT_EQ(fortran({.ta = 'x'}), "DGEMM  1");
  EXPECT_EQ(fortran({.tb = '/'}), "DGEMM  2");
  EXPECT_EQ(fortran({.m = -1}), "DGEMM  3");
  EXPECT_EQ(fortran({.n = -1}), "DGEMM  4");
  EXPECT_EQ(fortran({.k = -1}), "DGEMM  5");
  EXPECT_EQ(fortran({.lda = 1}), "DGEMM  8");
  EXPECT_EQ(fortran({.ta = 'T', .lda = 3}), "DGEMM  8");
  EXPECT_EQ(fortran({.ldb = 3}), "DGEMM  10");
  EXPECT_EQ(fortran({.ldc = 1}), "DGEMM  13");
  EXPECT_EQ(fortran({.m = 0, .lda = 0}), "DGEMM  8") << "a leading dimension is at least 1";
  EXPECT_EQ(fortran({.m = -1, .n = -1, .ldc = -1}), "DGEMM  3") << "the first of several";
  const auto cblas = [&](int order, int ta, GemmCall g) {
    return report_of(
        [&] { cblas_dgemm(order, ta, no, g.m, g.n, g.k, 1, x, g.lda, x, g.ldb, 1, x + 32, g.ldc); });
  };
  EXPECT_EQ(cblas(100, no, {}), "cblas_dgemm 1");
  EXPECT_EQ(cblas(row_major, 110, {}), "cblas_dgemm 2");
  EXPECT_EQ(cblas(row_major, no, {.m = -1}), "cblas_dgemm 4");
  EXPECT_EQ(cblas(row_major, no, {.n = -1}), "cblas_dgemm 5");
  EXPECT_EQ(cblas(row_major, no, {.lda = 3}), "cblas_dgemm 9");
  EXPECT_EQ(cblas(row_major, yes, {.lda = 1}), "cblas_dgemm 9");
  EXPECT_EQ(cblas(row_major, no, {.ldb = 2}), "cblas_dgemm 11");
  EXPECT_EQ(cblas(column_major, no, {.ldc = 1}), "cblas_dgemm 14");
}

TEST(WrongArguments, OfSyrkAndGemmt) {
  float x[64] = {};
  const float one = 1;
  const auto syrk = [&](char uplo, char trans, Int n, Int k, Int lda, Int ldc) {
    return report_of([&] { ssyrk_(&uplo, &trans, &n, &k, &one, x, &lda, &one, x + 32, &ldc); });
  };
  EXPECT_EQ(syrk('x', 'N', 3, 4, 4, 4), "SSYRK  1");
  EXPECT_EQ(syrk('U', 'x', 3, 4, 4, 4), "SSYRK  2");
  EXPECT_EQ(syrk('U', 'N', -1, 4, 4, 4), "SSYRK  3");
  EXPECT_EQ(syrk('U', 'N', 3, -1, 4, 4), "SSYRK  4");
  EXPECT_EQ(syrk('U', 'N', 3, 4, 2, 4), "SSYRK  7");
  EXPECT_EQ(syrk('U', 'T', 3, 4, 3, 4), "SSYRK  7");
  EXPECT_EQ(syrk('U', 'N', 3, 4, 4, 2), "SSYRK  10");
  EXPECT_EQ(report_of([&] { cblas_ssyrk(row_major, 3, no, 3, 4, 1, x, 4, 1, x + 32, 4); }), "cblas_ssyrk 2");
  EXPECT_EQ(report_of([&] { cblas_ssyrk(row_major, upper, no, 3, 4, 1, x, 3, 1, x + 32, 4); }),
            "cblas_ssyrk 8");
  EXPECT_EQ(report_of([&] { cblas_ssyrk(row_major, upper, no, 3, 4, 1, x, 4, 1, x + 32, 2); }),
            "cblas_ssyrk 11");
  EXPECT_EQ(report_of([&] { cblas_sgemmt(row_major, 0, no, no, 3, 4, 1, x, 4, x, 4, 1, x + 32, 4); }),
            "cblas_sgemmt 2");
  EXPECT_EQ(report_of([&] { cblas_sgemmt(row_major, upper, no, no, 3, 4, 1, x, 4, x, 2, 1, x + 32, 4); }),
            "cblas_sgemmt 11");
}

#if TALLCACHE_BLAS_BITS == 64
// The names that a program uses which is linked with a BLAS of 32-bit integers, too.
extern "C" {
#define SUFFIXED(t)                               \
  decltype(t##gemm_) t##gemm_64_;                 \
  decltype(t##gemmt_) t##gemmt_64_;               \
  decltype(t##syrk_) t##syrk_64_;                 \
  decltype(cblas_##t##gemm) cblas_##t##gemm64_;   \
  decltype(cblas_##t##gemmt) cblas_##t##gemmt64_; \
  decltype(cblas_##t##syrk) cblas_##t##syrk64_
SUFFIXED(s);
SUFFIXED(d);
#undef SUFFIXED
}

// C = A B + C with whole numbers, all or above the diagonal, A of 2 x 3 and B of 3 x 2 or A's transpose.
template <class T, class Gemm, class Gemmt, class Syrk>
void expect_products(const Gemm& gemm, const Gemmt& gemmt, const Syrk& syrk) {
  const T a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 1, 0, 3};
  const auto before = tallcache_blas_calls();
  T c[] = {1, 1, 1, 1};
  gemm(row_major, no, no, 2, 2, 3, 1, a, 3, b, 2, 1, c, 2);
  EXPECT_EQ(std::vector<T>(c, c + 4), (std::vector<T>{6, 12, 15, 24}));
  T t[] = {1, 1, 1, 1};
  gemmt(row_major, upper, no, no, 2, 3, 1, a, 3, b, 2, 1, t, 2);
  EXPECT_EQ(std::vector<T>(t, t + 4), (std::vector<T>{6, 12, 1, 24}));
  T s[] = {1, 1, 1, 1};
  syrk(row_major, upper, no, 2, 3, 1, a, 3, 1, s, 2);
  EXPECT_EQ(std::vector<T>(s, s + 4), (std::vector<T>{15, 33, 1, 78}));
  EXPECT_EQ(tallcache_blas_calls(), before + 3);
}

// The same through Fortran's names: column-major, the factors exchanged.
template <class T, class Gemm, class Gemmt, class Syrk>
void expect_fortran_products(const Gemm& gemm, const Gemmt& gemmt, const Syrk& syrk) {
  expect_products<T>(
      [&](int, int, int, Int m, Int n, Int k, T alpha, const T* a, Int lda, const T* b, Int ldb, T beta, T* c,
          Int ldc) { gemm("N", "N", &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc); },
      [&](int, int, int, int, Int n, Int k, T alpha, const T* a, Int lda, const T* b, Int ldb, T beta, T* c,
          Int ldc) { gemmt("L", "N", "N", &n, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc); },
      [&](int, int, int, Int n, Int k, T alpha, const T* a, Int lda, T beta, T* c, Int ldc) {
        syrk("L", "T", &n, &k, &alpha, a, &lda, &beta, c, &ldc);
      });
}

TEST(Suffixed, NamesAreTheRoutinesOf64BitIntegers) {
  expect_products<float>(cblas_sgemm64_, cblas_sgemmt64_, cblas_ssyrk64_);
  expect_products<double>(cblas_dgemm64_, cblas_dgemmt64_, cblas_dsyrk64_);
  expect_fortran_products<float>(sgemm_64_, sgemmt_64_, ssyrk_64_);
  expect_fortran_products<double>(dgemm_64_, dgemmt_64_, dsyrk_64_);
  // A size that 32 bits would cut to a valid one is refused for its leading dimension.
  const Int n = (Int{1} << 32) + 1, one = 1;
  double x = 1;
  EXPECT_EQ(report_of([&] { dgemm_64_("N", "N", &n, &one, &one, &x, &x, &one, &x, &one, &x, &x, &one); }),
            "DGEMM  8");
}
#endif

}  // namespace
