// LAPACK's routines that this library computes, on valid arguments. They return LAPACK's info: 0, the number
// of the first column without a pivot or of the first minor that is not positive definite, from 1, or
// no_memory.
//
// The recursions are the suite's own: Toledo's for LU, Gustavson's for Cholesky, Elmroth and Gustavson's for
// QR, in the order in which the matrix is stored.
#pragma once

#include <cstdint>

#include "blas/level3.hpp"

namespace tallcache::blas {

/// The memory of a factorisation could not be had, and nothing is computed: LAPACKE's
/// LAPACK_WORK_MEMORY_ERROR.
inline constexpr int no_memory = -1010;

/// P A = L U for an m x n matrix. pivots: min(m, n) rows that rows 1, 2, ... were exchanged with, from 1. A
/// column without a pivot is left as it is. Int: 32 or 64 bits.
template <class T, class Int>
std::int64_t getrf(Layout, Index m, Index n, Stored<T> a, Int* pivots) noexcept;
/// op(A) X = B by these factors, with `others` columns of B.
template <class T, class Int>
std::int64_t getrs(Layout, Trans, Index n, Index others, Stored<const T> a, const Int* pivots,
                   Stored<T> b) noexcept;
/// Both.
template <class T, class Int>
std::int64_t gesv(Layout, Index n, Index others, Stored<T> a, Int* pivots, Stored<T> b) noexcept;

/// A = L L^T of the lower triangle, or A = U^T U of the upper one.
template <class T>
std::int64_t potrf(Layout, Triangle, Index n, Stored<T> a) noexcept;
/// A X = B by these factors.
template <class T>
std::int64_t potrs(Layout, Triangle, Index n, Index others, Stored<const T> a, Stored<T> b) noexcept;
template <class T>
std::int64_t posv(Layout, Triangle, Index n, Index others, Stored<T> a, Stored<T> b) noexcept;

/// A = Q R, with Q as min(m, n) reflectors.
template <class T>
std::int64_t geqrf(Layout, Index m, Index n, Stored<T> a, T* tau) noexcept;
/// The first n columns of the product of k reflectors, m x n, in their place. n >= k.
template <class T>
std::int64_t orgqr(Layout, Index m, Index n, Index k, Stored<T> a, const T* tau) noexcept;
/// C = op(Q) C, or C = C op(Q), for the product Q of k reflectors. C is m x n.
template <class T>
std::int64_t ormqr(Layout, Side, Trans, Index m, Index n, Index k, Stored<const T> a, const T* tau,
                   Stored<T> c) noexcept;

}  // namespace tallcache::blas
