// The checks of BLAS's arguments, as in the reference implementation: the first wrong one is reported by its
// position, and nothing is computed.
#pragma once

#include <algorithm>
#include <optional>

#include "blas/level3.hpp"

namespace tallcache::blas {

/// The smallest leading dimension of a matrix of rows x cols.
constexpr Index min_ld(Layout layout, Index rows, Index cols) {
  return std::max<Index>(1, layout == Layout::column_major ? rows : cols);
}

constexpr Index min_ld_of_op(Layout layout, std::optional<Trans> trans, Index rows, Index cols) {
  return trans == Trans::no ? min_ld(layout, rows, cols) : min_ld(layout, cols, rows);
}

/// The arguments of gemm, in order; `fault` is the position of the first wrong one in Fortran's list, 0 if
/// all are right. CBLAS's list has the layout before it.
struct GemmArguments {
  Layout layout;
  std::optional<Trans> trans_a, trans_b;  ///< none: not a valid value
  Index m, n, k, lda, ldb, ldc;

  constexpr int fault() const {
    if (!trans_a) return 1;
    if (!trans_b) return 2;
    if (m < 0) return 3;
    if (n < 0) return 4;
    if (k < 0) return 5;
    if (lda < min_ld_of_op(layout, trans_a, m, k)) return 8;
    if (ldb < min_ld_of_op(layout, trans_b, k, n)) return 10;
    if (ldc < min_ld(layout, m, n)) return 13;
    return 0;
  }
};

struct GemmtArguments {
  Layout layout;
  std::optional<Triangle> triangle;
  std::optional<Trans> trans_a, trans_b;
  Index n, k, lda, ldb, ldc;

  constexpr int fault() const {
    if (!triangle) return 1;
    if (!trans_a) return 2;
    if (!trans_b) return 3;
    if (n < 0) return 4;
    if (k < 0) return 5;
    if (lda < min_ld_of_op(layout, trans_a, n, k)) return 8;
    if (ldb < min_ld_of_op(layout, trans_b, k, n)) return 10;
    if (ldc < min_ld(layout, n, n)) return 13;
    return 0;
  }
};

struct SyrkArguments {
  Layout layout;
  std::optional<Triangle> triangle;
  std::optional<Trans> trans;
  Index n, k, lda, ldc;

  constexpr int fault() const {
    if (!triangle) return 1;
    if (!trans) return 2;
    if (n < 0) return 3;
    if (k < 0) return 4;
    if (lda < min_ld_of_op(layout, trans, n, k)) return 7;
    if (ldc < min_ld(layout, n, n)) return 10;
    return 0;
  }
};

struct Syr2kArguments {
  Layout layout;
  std::optional<Triangle> triangle;
  std::optional<Trans> trans;
  Index n, k, lda, ldb, ldc;

  constexpr int fault() const {
    if (!triangle) return 1;
    if (!trans) return 2;
    if (n < 0) return 3;
    if (k < 0) return 4;
    if (lda < min_ld_of_op(layout, trans, n, k)) return 7;
    if (ldb < min_ld_of_op(layout, trans, n, k)) return 9;
    if (ldc < min_ld(layout, n, n)) return 12;
    return 0;
  }
};

/// The order of the square factor that stands on this side of an m x n matrix.
constexpr Index order_of(std::optional<Side> side, Index m, Index n) { return side == Side::left ? m : n; }

struct SymmArguments {
  Layout layout;
  std::optional<Side> side;
  std::optional<Triangle> triangle;
  Index m, n, lda, ldb, ldc;

  constexpr int fault() const {
    if (!side) return 1;
    if (!triangle) return 2;
    if (m < 0) return 3;
    if (n < 0) return 4;
    if (lda < std::max<Index>(1, order_of(side, m, n))) return 7;
    if (ldb < min_ld(layout, m, n)) return 9;
    if (ldc < min_ld(layout, m, n)) return 12;
    return 0;
  }
};

/// Of trmm and trsm.
struct TriangularArguments {
  Layout layout;
  std::optional<Side> side;
  std::optional<Triangle> triangle;
  std::optional<Trans> trans;
  std::optional<Diagonal> diagonal;
  Index m, n, lda, ldb;

  constexpr int fault() const {
    if (!side) return 1;
    if (!triangle) return 2;
    if (!trans) return 3;
    if (!diagonal) return 4;
    if (m < 0) return 5;
    if (n < 0) return 6;
    if (lda < std::max<Index>(1, order_of(side, m, n))) return 9;
    if (ldb < min_ld(layout, m, n)) return 11;
    return 0;
  }
};

}  // namespace tallcache::blas
