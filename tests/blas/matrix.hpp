// Stored matrices of tests, in either order.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tests/blas/blas.hpp"

/// A stored matrix, with a leading dimension beyond its need and the rest poisoned.
template <class T>
struct Matrix {
  int order;
  Int rows, cols, ld;
  std::vector<T> data;

  Matrix(int order, Int rows, Int cols, Int pad)
      : order(order),
        rows(rows),
        cols(cols),
        ld(std::max<Int>(1, order == row_major ? cols : rows) + pad),
        data(static_cast<std::size_t>(ld * (order == row_major ? rows : cols) + 1),
             std::numeric_limits<T>::quiet_NaN()) {}

  std::size_t at(Int i, Int j) const {
    return static_cast<std::size_t>(order == row_major ? i * ld + j : j * ld + i);
  }
  T& operator()(Int i, Int j) { return data[at(i, j)]; }
  T operator()(Int i, Int j) const { return data[at(i, j)]; }

  template <class Random>
  void fill(Random& random) {
    std::uniform_real_distribution<T> distribution(-1, 1);
    for (Int i = 0; i < rows; ++i)
      for (Int j = 0; j < cols; ++j) (*this)(i, j) = distribution(random);
  }
};

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

constexpr char option(int trans) { return trans == no ? 'N' : 'T'; }

template <class T>
class RandomMatrices : public testing::Test {
 protected:
  std::mt19937_64 random{20261122};

  Int any(Int most) { return std::uniform_int_distribution<Int>(0, most)(random); }
  int trans() { return any(1) ? no : yes; }
  T scale() {
    const T scales[] = {0, 1, -1, T(0.75)};
    return scales[any(3)];
  }
  Matrix<T> made(int order, int trans, Int rows, Int cols) {
    if (trans == yes) std::swap(rows, cols);
    Matrix<T> x(order, rows, cols, any(3));
    x.fill(random);
    return x;
  }
  /// With beta = 0 nothing of C may be read: it stays NaN.
  Matrix<T> result(int order, Int rows, Int cols, T beta) {
    Matrix<T> c(order, rows, cols, any(3));
    if (beta != 0) c.fill(random);
    return c;
  }
};
using Elements = testing::Types<float, double>;

// Sizes around tiles and packing's threshold, thin ones, and none.
template <class Random>
Int size_of(Random& random) {
  static constexpr Int sizes[] = {0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 32, 33, 48, 63, 65, 100, 130};
  return sizes[std::uniform_int_distribution<std::size_t>(0, std::size(sizes) - 1)(random)];
}
