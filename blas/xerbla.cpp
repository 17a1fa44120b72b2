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
/// The reference implementation's: its gemm in row-major order is Fortran's with A and B, m and n exchanged,
/// and its cblas_xerbla exchanges their positions back when this is set.
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

/// The position after the exchange.
int exchanged(int position) {
  switch (position) {
    case 4:
      return 5;
    case 5:
      return 4;
    case 9:
      return 11;
    case 11:
      return 9;
    default:
      return position;
  }
}

}  // namespace

void report_cblas(const char* routine, int position, bool rows) {
  if (cblas_xerbla) {
    const bool is_exchanged = rows && &RowMajorStrg && std::strstr(routine, "gemm");
    if (is_exchanged) RowMajorStrg = 1;
    cblas_xerbla(is_exchanged ? exchanged(position) : position, routine, "");
    if (is_exchanged) RowMajorStrg = 0;
    return;
  }
  std::fprintf(stderr, "Parameter %d to routine %s was incorrect\n", position, routine);
  std::exit(1);
}

}  // namespace tallcache::blas
