// The checks of LAPACK's arguments, as in the reference implementation.
//
// fault() is the position of the first wrong one in Fortran's list, 0 if all are right. LAPACKE's lists have
// the layout before it. In row-major order LAPACKE looks at the leading dimensions before all others, with no
// least one: row_fault().
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

#include "blas/options.hpp"

namespace tallcache::blas {

/// A matrix among the arguments: the position of its leading dimension, which follows its own.
struct Given {
  int position;
  Index ld, rows, cols;

  constexpr int fault(Layout layout) const {
    return layout == Layout::column_major && ld < std::max<Index>(1, rows) ? position : 0;
  }

  /// Whether an element is NaN, of those that are stored within the leading dimension; of one triangle alone.
  template <class T>
  bool has_nan(Layout layout, const T* a, std::optional<Triangle> triangle = {}) const {
    const bool by_rows = layout == Layout::row_major;
    const Index lines = by_rows ? rows : cols, length = std::min(by_rows ? cols : rows, ld);
    const bool is_lower = triangle && (*triangle == Triangle::lower) == by_rows;
    for (Index i = 0; i < lines; ++i) {
      const Index begin = triangle && !is_lower ? i : 0, end = is_lower ? std::min(i + 1, length) : length;
      bool nan = false;
      for (Index j = begin; j < end; ++j) nan |= std::isnan(a[i * ld + j]);
      if (nan) return true;
    }
    return false;
  }
};

constexpr Given vector_of(Index size) { return {0, size, size, 1}; }

constexpr int fault_of(Layout layout, std::initializer_list<Given> matrices) {
  for (const Given& x : matrices)
    if (const int position = x.fault(layout)) return position;
  return 0;
}

constexpr int row_fault_of(Layout layout, std::initializer_list<Given> matrices) {
  if (layout == Layout::row_major)
    for (const Given& x : matrices)
      if (x.ld < x.cols) return x.position;
  return 0;
}

/// lwork of a query.
inline constexpr Index query = -1;
/// lwork of a call that has no workspace and needs none.
inline constexpr Index ample = std::numeric_limits<Index>::max();

struct GetrfArguments {
  Layout layout;
  Index m, n, lda;

  constexpr Given a() const { return {4, lda, m, n}; }
  constexpr int fault() const { return m < 0 ? 1 : n < 0 ? 2 : a().fault(layout); }
  constexpr int row_fault() const { return row_fault_of(layout, {a()}); }

  /// The position in Fortran's list of the first argument with a NaN, or 0.
  template <class T>
  int nan(const T* of_a) const {
    return a().has_nan(layout, of_a) ? 3 : 0;
  }
};

struct GetrsArguments {
  Layout layout;
  std::optional<Trans> trans;
  Index n, others, lda, ldb;

  constexpr Given a() const { return {5, lda, n, n}; }
  constexpr Given b() const { return {8, ldb, n, others}; }
  constexpr int fault() const {
    if (!trans) return 1;
    if (n < 0) return 2;
    if (others < 0) return 3;
    return fault_of(layout, {a(), b()});
  }
  constexpr int row_fault() const { return row_fault_of(layout, {a(), b()}); }

  template <class T>
  int nan(const T* of_a, const T* of_b) const {
    if (a().has_nan(layout, of_a)) return 4;
    return b().has_nan(layout, of_b) ? 7 : 0;
  }
};

struct GesvArguments {
  Layout layout;
  Index n, others, lda, ldb;

  constexpr Given a() const { return {4, lda, n, n}; }
  constexpr Given b() const { return {7, ldb, n, others}; }
  constexpr int fault() const {
    if (n < 0) return 1;
    if (others < 0) return 2;
    return fault_of(layout, {a(), b()});
  }
  constexpr int row_fault() const { return row_fault_of(layout, {a(), b()}); }

  template <class T>
  int nan(const T* of_a, const T* of_b) const {
    if (a().has_nan(layout, of_a)) return 3;
    return b().has_nan(layout, of_b) ? 6 : 0;
  }
};

struct PotrfArguments {
  Layout layout;
  std::optional<Triangle> triangle;
  Index n, lda;

  constexpr Given a() const { return {4, lda, n, n}; }
  constexpr int fault() const { return !triangle ? 1 : n < 0 ? 2 : a().fault(layout); }
  constexpr int row_fault() const { return row_fault_of(layout, {a()}); }

  template <class T>
  int nan(const T* of_a) const {
    return triangle && a().has_nan(layout, of_a, triangle) ? 3 : 0;
  }
};

/// Of potrs and posv.
struct PotrsArguments {
  Layout layout;
  std::optional<Triangle> triangle;
  Index n, others, lda, ldb;

  constexpr Given a() const { return {5, lda, n, n}; }
  constexpr Given b() const { return {7, ldb, n, others}; }
  constexpr int fault() const {
    if (!triangle) return 1;
    if (n < 0) return 2;
    if (others < 0) return 3;
    return fault_of(layout, {a(), b()});
  }
  constexpr int row_fault() const { return row_fault_of(layout, {a(), b()}); }

  template <class T>
  int nan(const T* of_a, const T* of_b) const {
    if (triangle && a().has_nan(layout, of_a, triangle)) return 4;
    return b().has_nan(layout, of_b) ? 6 : 0;
  }
};

/// The block of the reference implementation, by which it tells the best size of its workspace.
inline constexpr Index reported_block = 32;

struct GeqrfArguments {
  Layout layout;
  Index m, n, lda, lwork;

  constexpr Given a() const { return {4, lda, m, n}; }
  constexpr Index workspace() const { return std::min(m, n) == 0 ? 1 : n * reported_block; }
  constexpr int fault() const {
    if (m < 0) return 1;
    if (n < 0) return 2;
    if (const int of_a = a().fault(layout)) return of_a;
    return lwork != query && (lwork <= 0 || (m > 0 && lwork < n)) ? 7 : 0;
  }
  constexpr int row_fault() const { return row_fault_of(layout, {a()}); }

  template <class T>
  int nan(const T* of_a) const {
    return a().has_nan(layout, of_a) ? 3 : 0;
  }
};

struct OrgqrArguments {
  Layout layout;
  Index m, n, k, lda, lwork;

  constexpr Given a() const { return {5, lda, m, n}; }
  constexpr Index workspace() const { return std::max<Index>(1, n) * reported_block; }
  constexpr int fault() const {
    if (m < 0) return 1;
    if (n < 0 || n > m) return 2;
    if (k < 0 || k > n) return 3;
    if (const int of_a = a().fault(layout)) return of_a;
    return lwork != query && lwork < std::max<Index>(1, n) ? 8 : 0;
  }
  constexpr int row_fault() const { return row_fault_of(layout, {a()}); }

  template <class T>
  int nan(const T* of_a, const T* tau) const {
    if (a().has_nan(layout, of_a)) return 4;
    return vector_of(k).has_nan(Layout::column_major, tau) ? 6 : 0;
  }
};

struct OrmqrArguments {
  Layout layout;
  std::optional<Side> side;
  std::optional<Trans> trans;
  Index m, n, k, lda, ldc, lwork;

  constexpr Index order() const { return side == Side::left ? m : n; }
  constexpr Given a() const { return {7, lda, order(), k}; }
  constexpr Given c() const { return {10, ldc, m, n}; }
  /// The least one: a row or a column of C.
  constexpr Index least() const { return std::max<Index>(1, side == Side::left ? n : m); }
  constexpr Index workspace() const {
    constexpr Index triangle = 65 * 64;  // of the reference implementation's largest block
    return least() * reported_block + triangle;
  }
  constexpr int fault() const {
    if (!side) return 1;
    if (!trans) return 2;
    if (m < 0) return 3;
    if (n < 0) return 4;
    if (k < 0 || k > order()) return 5;
    if (const int position = fault_of(layout, {a(), c()})) return position;
    return lwork != query && lwork < least() ? 12 : 0;
  }
  constexpr int row_fault() const { return row_fault_of(layout, {a(), c()}); }

  template <class T>
  int nan(const T* of_a, const T* of_c, const T* tau) const {
    if (a().has_nan(layout, of_a)) return 6;
    if (c().has_nan(layout, of_c)) return 9;
    return vector_of(k).has_nan(Layout::column_major, tau) ? 7 : 0;
  }
};

}  // namespace tallcache::blas
