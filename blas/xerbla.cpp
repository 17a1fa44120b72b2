#include "blas/xerbla.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// An integer of 64 bits is read rightly by an xerbla of either width: these machines are little-endian.
extern "C" {
__attribute__((weak)) void xerbla_(const char* routine, const std::int64_t* position, std::size_t length);
__attribute__((weak)) void cblas_xerbla(std::int64_t position, const char* routine, const char* form, ...);
__attribute__((weak)) void LAPACKE_xerbla(const char* routine, std::int64_t info);
/// The reference implementation's: its products in row-major order are Fortran's with A and B, m and n
/// exchanged, and its cblas_xerbla exchanges their positions back when this is set.
__attribute__((weak)) extern int RowMajorStrg;
}

namespace tallcache::blas {

void report_fortran(const char* routine, int position) {
  // The reference's names are of six characters, padded with spaces.
  std::string name = routine;
  if (name.size() < 6) name.resize(6, ' ');
  const std::int64_t info = position;
  if (xerbla_) return xerbla_(name.c_str(), &info, name.size());
  std::fprintf(stderr, " ** On entry to %s parameter number %2d had an illegal value\n", name.c_str(),
               position);
  std::exit(1);
}

namespace {

/// The positions that change places, by what is in the routine's name.
struct Exchange {
  const char* routine;
  int one, other;
};
constexpr Exchange exchanges[] = {
    {"gemm", 4, 5}, {"gemm", 9, 11}, {"symm", 4, 5}, {"trmm", 6, 7}, {"trsm", 6, 7}};

/// The position after the exchange.
int exchanged(const char* routine, int position) {
  for (const Exchange& exchange : exchanges) {
    if (!std::strstr(routine, exchange.routine)) continue;
    if (position == exchange.one) return exchange.other;
    if (position == exchange.other) return exchange.one;
  }
  return position;
}

}  // namespace

void report_cblas(const char* routine, int position, bool rows) {
  if (cblas_xerbla) {
    const bool is_exchanged = rows && &RowMajorStrg;
    if (is_exchanged) RowMajorStrg = 1;
    cblas_xerbla(is_exchanged ? exchanged(routine, position) : position, routine, "");
    if (is_exchanged) RowMajorStrg = 0;
    return;
  }
  std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n", position, routine);
  std::exit(1);
}

void report_lapacke(const char* routine, int position) {
  if (LAPACKE_xerbla) return LAPACKE_xerbla(routine, -position);
  std::printf("Wrong parameter %d in %s\n", position, routine);
}

}  // namespace tallcache::blas
