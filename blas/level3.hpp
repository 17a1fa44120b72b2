// BLAS's level-3 routines that this library computes, on valid arguments. Where threads or memory cannot be
// had they compute without.
#pragma once

#include "common/named.hpp"
#include "cpu/lu/triangular_solves.hpp"
#include "cpu/matmul/gemmt.hpp"

namespace tallcache::blas {

using cpu::lu::Diagonal;
using cpu::lu::Side;
using cpu::matmul::Layout;
using cpu::matmul::Trans;
using cpu::matmul::Triangle;

/// A matrix as BLAS gives it: its first element and its leading dimension.
template <class T>
struct Stored {
  T* data;
  Index ld;
};

/// C = alpha op(A) op(B) + beta C. C is m x n, k the inner dimension.
template <class T>
void gemm(Layout, Trans trans_a, Trans trans_b, Index m, Index n, Index k, T alpha, Stored<const T> a,
          Stored<const T> b, T beta, Stored<T> c) noexcept;

/// The same on one triangle of the n x n matrix C.
template <class T>
void gemmt(Layout, Triangle, Trans trans_a, Trans trans_b, Index n, Index k, T alpha, Stored<const T> a,
           Stored<const T> b, T beta, Stored<T> c) noexcept;

/// C = alpha op(A) op(A)^T + beta C on one triangle of the n x n matrix C.
template <class T>
void syrk(Layout, Triangle, Trans trans, Index n, Index k, T alpha, Stored<const T> a, T beta,
          Stored<T> c) noexcept;

/// C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C on one triangle of the n x n matrix C.
template <class T>
void syr2k(Layout, Triangle, Trans trans, Index n, Index k, T alpha, Stored<const T> a, Stored<const T> b,
           T beta, Stored<T> c) noexcept;

/// C = alpha A B + beta C, or C = alpha B A + beta C with A on the right, for a symmetric A of which one
/// triangle is read. C is m x n.
template <class T>
void symm(Layout, Side, Triangle, Index m, Index n, T alpha, Stored<const T> a, Stored<const T> b, T beta,
          Stored<T> c) noexcept;

/// B = alpha op(A) B, or B = alpha B op(A) with A on the right, for a triangle A. B is m x n.
template <class T>
void trmm(Layout, Side, Triangle, Trans, Diagonal, Index m, Index n, T alpha, Stored<const T> a,
          Stored<T> b) noexcept;

/// The same with the inverse of op(A).
template <class T>
void trsm(Layout, Side, Triangle, Trans, Diagonal, Index m, Index n, T alpha, Stored<const T> a,
          Stored<T> b) noexcept;

}  // namespace tallcache::blas
