/* Control of the drop-in BLAS, libtallcache_blas (32-bit integers) and libtallcache_blas64 (64-bit ones).
 *
 * The libraries have the CBLAS and Fortran symbols of gemm, gemmt (also as gemmtr) and syrk for float and
 * double. They take them over from the installed BLAS when they come first: linked before it, or
 *
 *   LD_PRELOAD=libtallcache_blas.so program
 *
 * All other routines stay the installed library's. Wrong arguments go to xerbla_ and cblas_xerbla, the
 * program's own or the installed library's. The number of threads is TALLCACHE_NUM_THREADS, else
 * OMP_NUM_THREADS, else that of the usable processors; a call inside of an OpenMP region uses one, and so does
 * a process that was forked off. */
#ifndef TALLCACHE_BLAS_H
#define TALLCACHE_BLAS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of calls that this library has computed, wrong ones not counted. Calls that several threads make at
 * the same moment may be counted once. */
uint64_t tallcache_blas_calls(void);

/* The number of threads of a large product, 1 to the number of usable processors; others are cut to this range. */
int tallcache_blas_threads(void);
void tallcache_blas_set_threads(int threads);

#ifdef __cplusplus
}
#endif
#endif
