/* Control of the drop-in BLAS, libtallcache_blas (32-bit integers) and libtallcache_blas64 (64-bit ones).
 *
 * The libraries have the CBLAS and Fortran symbols of gemm, gemmt (also as gemmtr) and syrk for float and
 * double. They take them over from the installed BLAS when they come first: linked before it, or by the
 * command
 *
 *   tallcache-blas program
 *
 * which sets LD_PRELOAD to the library's path. Both also have the names that tell their integers: dgemm_64_,
 * cblas_dgemm64_ and cblas_dgemm_64 take 64-bit ones, so do scipy_dgemm_64_ and scipy_cblas_dgemm64_, which
 * numpy from PyPI calls; scipy_dgemm_ and scipy_cblas_dgemm, which scipy from PyPI calls, take 32-bit ones.
 *
 * All other routines stay the installed library's. Wrong arguments go to xerbla_ and cblas_xerbla, the
 * program's own or the installed library's.
 *
 * The number of threads is TALLCACHE_NUM_THREADS, else OMP_NUM_THREADS, else that of the usable processors:
 * the main thread's affinity mask, read at each large product, or fewer by the quota of its control groups. A
 * call inside of an OpenMP region uses one, and so does a process that was forked off by one which had used
 * the library. The library's threads run where the host lets them. Where a thread or memory cannot be had, a
 * product is computed without it.
 *
 * With TALLCACHE_BLAS_VERBOSE=1 in the environment the program's last line on standard error tells the number
 * of calls by routine. */
#ifndef TALLCACHE_BLAS_H
#define TALLCACHE_BLAS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of calls that this library has computed, wrong ones not counted. Of calls that several threads
 * make at a time some may be missed, but where TALLCACHE_BLAS_VERBOSE is set. */
uint64_t tallcache_blas_calls(void);

/* The number of threads of a large product, 1 to the number of processors that are usable at the time; others
 * are cut to this range. */
int tallcache_blas_threads(void);
void tallcache_blas_set_threads(int threads);

#ifdef __cplusplus
}
#endif
#endif
