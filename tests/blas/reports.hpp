// What the library said last of a wrong argument: arguments_test.cpp has xerbla_, cblas_xerbla and
// LAPACKE_xerbla.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "blas/tallcache_blas.h"

inline std::string reported;
inline int reported_position = 0;

/// Calls `call`, which must compute nothing, and returns what it reported.
template <class Call>
std::string report_of(const Call& call) {
  reported.clear();
  reported_position = 0;
  const auto calls = tallcache_blas_calls();
  call();
  EXPECT_EQ(tallcache_blas_calls(), calls);
  return reported + " " + std::to_string(reported_position);
}
