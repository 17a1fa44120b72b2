/* Control of the drop-in BLAS and LAPACK, libtallcache_blas (32-bit integers) and libtallcache_blas64 (64-bit
 * ones).
 *
 * The libraries have, for float and double, the CBLAS and Fortran symbols of gemm, gemmt (also as gemmtr),
 * syrk, syr2k, symm, trmm and trsm, and the LAPACKE and Fortran symbols of getrf, getrs, gesv, potrf, potrs,
 * posv, geqrf, orgqr and ormqr, LAPACKE's with _work too. They take them over from the installed BLAS when
 * they come first: linked before it, or by the command
 *
 *   tallcache-blas program
 *
 * which sets LD_PRELOAD to the library's path. Both also have the names that tell their integers: dgemm_64_,
 * cblas_dgemm64_ and cblas_dgemm_64 take 64-bit ones, so do scipy_dgemm_64_ and scipy_cblas_dgemm64_, which
 * numpy from PyPI calls; scipy_dgemm_ and scipy_cblas_dgemm, which scipy from PyPI calls, take 32-bit ones.
 * LAPACKE's names are made as CBLAS's.
 *
 * All other routines stay the installed library's. Wrong arguments go to xerbla_, cblas_xerbla and
 * LAPACKE_xerbla, the program's own or the installed library's, with the reference implementation's
 * positions. So is info: getrf goes on behind a zero pivot and returns the first one's number, potrf returns
 * the order of the minor that is not positive definite, and LAPACKE looks for NaN before, but with
 * LAPACKE_NANCHECK=0 in the environment. Of a workspace only the size is looked at.
 *
 * The number of threads is TALLCACHE_NUM_THREADS, else OMP_NUM_THREADS, else that of the usable processors:
 * the main thread's affinity mask, read at each large product, or fewer by the quota of its control groups. A
 * call inside of an OpenMP region uses one, and so does a process that was forked off by one which had used
 * the library. The library's threads run where the host lets them. Where a thread or memory cannot be had, a
 * product or a triangular system is computed without it; a factorisation and a product with Q without memory
 * return info = -1010, LAPACKE's LAPACK_WORK_MEMORY_ERROR, and have computed nothing.
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
