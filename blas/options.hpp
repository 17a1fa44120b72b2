// The options of BLAS's and LAPACK's routines: Fortran's letters, and the values of CBLAS's enumerations,
// which are LAPACKE's for the layout. None: not a valid value.
#pragma once

#include <optional>

#include "blas/level3.hpp"

namespace tallcache::blas {

inline std::optional<Trans> trans_of(char option) {
  switch (option) {
    case 'N':
    case 'n':
      return Trans::no;
    case 'T':
    case 't':
    case 'C':
    case 'c':
      return Trans::yes;
    default:
      return {};
  }
}

inline std::optional<Triangle> triangle_of(char option) {
  switch (option) {
    case 'U':
    case 'u':
      return Triangle::upper;
    case 'L':
    case 'l':
      return Triangle::lower;
    default:
      return {};
  }
}

inline std::optional<Side> side_of(char option) {
  switch (option) {
    case 'L':
    case 'l':
      return Side::left;
    case 'R':
    case 'r':
      return Side::right;
    default:
      return {};
  }
}

inline std::optional<Diagonal> diagonal_of(char option) {
  switch (option) {
    case 'U':
    case 'u':
      return Diagonal::unit;
    case 'N':
    case 'n':
      return Diagonal::non_unit;
    default:
      return {};
  }
}

// The values of CBLAS's enumerations.
inline std::optional<Layout> cblas_layout(int order) {
  if (order == 101) return Layout::row_major;
  if (order == 102) return Layout::column_major;
  return {};
}

inline std::optional<Trans> cblas_trans(int trans) {
  if (trans == 111) return Trans::no;
  if (trans == 112 || trans == 113) return Trans::yes;
  return {};
}

inline std::optional<Triangle> cblas_triangle(int uplo) {
  if (uplo == 121) return Triangle::upper;
  if (uplo == 122) return Triangle::lower;
  return {};
}

inline std::optional<Side> cblas_side(int side) {
  if (side == 141) return Side::left;
  if (side == 142) return Side::right;
  return {};
}

inline std::optional<Diagonal> cblas_diagonal(int diagonal) {
  if (diagonal == 131) return Diagonal::non_unit;
  if (diagonal == 132) return Diagonal::unit;
  return {};
}

}  // namespace tallcache::blas
