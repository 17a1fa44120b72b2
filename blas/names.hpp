// The names of a symbol, for integers of both widths. A name tells the width of its integers, but for the
// reference implementation's plain one, which has those of TALLCACHE_BLAS_BITS. Programs use
//
//   dgemm_     cblas_dgemm     LAPACKE_dgesv         the plain names
//   dgemm_64_  cblas_dgemm64_, cblas_dgemm_64        64 bits: OpenBLAS's and the reference implementation's
//   scipy_dgemm_64_  scipy_cblas_dgemm64_            64 bits: what comes with numpy from PyPI
//   scipy_dgemm_     scipy_cblas_dgemm               32 bits: what comes with scipy from PyPI
//
// LAPACKE's are made as CBLAS's.
#pragma once

#define EXPORTED extern "C" __attribute__((visibility("default")))

/// `from` is what `to` is.
#define ALIAS(from, to) ALIAS_OF_NAMES(from, to)
#define ALIAS_OF_NAMES(from, to) EXPORTED decltype(to) from __attribute__((alias(#to)))

// From Fortran's and C's plain names: those of 64-bit integers, and those of 32-bit ones.
#define F64(name) name##_64_
#define C64(name) name##64_
#define F32(name) scipy_##name##_
#define C32(name) scipy_##name
#if TALLCACHE_BLAS_BITS == 64
#define F_PLAIN F64
#define C_PLAIN C64
#else
#define F_PLAIN F32
#define C_PLAIN C32
#endif

// The other names of what has these.
#define OTHER_FORTRAN_NAMES(name)       \
  ALIAS(scipy_##name##_64_, F64(name)); \
  ALIAS(name##_, F_PLAIN(name))
#define OTHER_C_NAMES(name)            \
  ALIAS(name##_64, C64(name));         \
  ALIAS(scipy_##name##64_, C64(name)); \
  ALIAS(name, C_PLAIN(name))

/// For both element types and both widths: a macro of the element type's letter, the letter in Fortran's
/// reports, the element type, the integer type, and what makes names from Fortran's and C's plain ones.
#define EVERY_WIDTH(ROUTINES)                     \
  ROUTINES(s, S, float, std::int64_t, F64, C64);  \
  ROUTINES(d, D, double, std::int64_t, F64, C64); \
  ROUTINES(s, S, float, std::int32_t, F32, C32);  \
  ROUTINES(d, D, double, std::int32_t, F32, C32)
