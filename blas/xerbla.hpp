// Reports of wrong arguments. xerbla_ and cblas_xerbla are the program's or the installed BLAS's; without one
// of these the report is the reference implementation's, which ends the program.
#pragma once

namespace tallcache::blas {

/// `routine`: as "DGEMM"; `position`: the argument's, from 1.
void report_fortran(const char* routine, int position);

/// `routine`: as "cblas_dgemm"; the layout is argument 1. `rows`: the matrices are in row-major order.
void report_cblas(const char* routine, int position, bool rows = false);

/// To LAPACKE_xerbla, the program's or the installed LAPACKE's, which goes on; `routine`: as "LAPACKE_dgesv".
void report_lapacke(const char* routine, int position);

}  // namespace tallcache::blas
