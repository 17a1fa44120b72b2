// The drop-in BLAS's symbols, as a client declares them, by element type.
#pragma once

#include <cstdint>

#if TALLCACHE_BLAS_BITS == 64
using Int = std::int64_t;
#else
using Int = std::int32_t;
#endif

extern "C" {
#define DECLARE(t, Element)                                                                              \
  void t##gemm_(const char*, const char*, const Int*, const Int*, const Int*, const Element*,            \
                const Element*, const Int*, const Element*, const Int*, const Element*, Element*,        \
                const Int*);                                                                             \
  void t##gemmt_(const char*, const char*, const char*, const Int*, const Int*, const Element*,          \
                 const Element*, const Int*, const Element*, const Int*, const Element*, Element*,       \
                 const Int*);                                                                            \
  void t##syrk_(const char*, const char*, const Int*, const Int*, const Element*, const Element*,        \
                const Int*, const Element*, Element*, const Int*);                                       \
  void cblas_##t##gemm(int, int, int, Int, Int, Int, Element, const Element*, Int, const Element*, Int,  \
                       Element, Element*, Int);                                                          \
  void cblas_##t##gemmt(int, int, int, int, Int, Int, Element, const Element*, Int, const Element*, Int, \
                        Element, Element*, Int);                                                         \
  void cblas_##t##syrk(int, int, int, Int, Int, Element, const Element*, Int, Element, Element*, Int)
DECLARE(s, float);
DECLARE(d, double);
#undef DECLARE
}

template <class T>
struct Blas;
template <>
struct Blas<float> {
  static constexpr auto gemm = cblas_sgemm;
  static constexpr auto gemmt = cblas_sgemmt;
  static constexpr auto syrk = cblas_ssyrk;
  static constexpr auto gemm_ = sgemm_;
  static constexpr auto gemmt_ = sgemmt_;
  static constexpr auto syrk_ = ssyrk_;
};
template <>
struct Blas<double> {
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto gemmt = cblas_dgemmt;
  static constexpr auto syrk = cblas_dsyrk;
  static constexpr auto gemm_ = dgemm_;
  static constexpr auto gemmt_ = dgemmt_;
  static constexpr auto syrk_ = dsyrk_;
};

enum : int { row_major = 101, column_major = 102, no = 111, yes = 112, upper = 121, lower = 122 };
