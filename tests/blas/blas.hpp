// The drop-in BLAS's symbols, as a client declares them, by element type.
#pragma once

#include <cstdint>

#if TALLCACHE_BLAS_BITS == 64
using Int = std::int64_t;
#else
using Int = std::int32_t;
#endif

extern "C" {
#define DECLARE(t, Element)                                                                                  \
  void t##gemm_(const char*, const char*, const Int*, const Int*, const Int*, const Element*,                \
                const Element*, const Int*, const Element*, const Int*, const Element*, Element*,            \
                const Int*);                                                                                 \
  void t##gemmt_(const char*, const char*, const char*, const Int*, const Int*, const Element*,              \
                 const Element*, const Int*, const Element*, const Int*, const Element*, Element*,           \
                 const Int*);                                                                                \
  void t##syrk_(const char*, const char*, const Int*, const Int*, const Element*, const Element*,            \
                const Int*, const Element*, Element*, const Int*);                                           \
  void cblas_##t##gemm(int, int, int, Int, Int, Int, Element, const Element*, Int, const Element*, Int,      \
                       Element, Element*, Int);                                                              \
  void cblas_##t##gemmt(int, int, int, int, Int, Int, Element, const Element*, Int, const Element*, Int,     \
                        Element, Element*, Int);                                                             \
  void cblas_##t##syrk(int, int, int, Int, Int, Element, const Element*, Int, Element, Element*, Int);       \
  void t##syr2k_(const char*, const char*, const Int*, const Int*, const Element*, const Element*,           \
                 const Int*, const Element*, const Int*, const Element*, Element*, const Int*);              \
  void t##symm_(const char*, const char*, const Int*, const Int*, const Element*, const Element*,            \
                const Int*, const Element*, const Int*, const Element*, Element*, const Int*);               \
  void t##trmm_(const char*, const char*, const char*, const char*, const Int*, const Int*, const Element*,  \
                const Element*, const Int*, Element*, const Int*);                                           \
  decltype(t##trmm_) t##trsm_;                                                                               \
  void cblas_##t##syr2k(int, int, int, Int, Int, Element, const Element*, Int, const Element*, Int, Element, \
                        Element*, Int);                                                                      \
  decltype(cblas_##t##syr2k) cblas_##t##symm;                                                                \
  void cblas_##t##trmm(int, int, int, int, int, Int, Int, Element, const Element*, Int, Element*, Int);      \
  decltype(cblas_##t##trmm) cblas_##t##trsm
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
  static constexpr auto syr2k = cblas_ssyr2k;
  static constexpr auto syr2k_ = ssyr2k_;
  static constexpr auto symm = cblas_ssymm;
  static constexpr auto symm_ = ssymm_;
  static constexpr auto trmm = cblas_strmm;
  static constexpr auto trmm_ = strmm_;
  static constexpr auto trsm = cblas_strsm;
  static constexpr auto trsm_ = strsm_;
};
template <>
struct Blas<double> {
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto gemmt = cblas_dgemmt;
  static constexpr auto syrk = cblas_dsyrk;
  static constexpr auto gemm_ = dgemm_;
  static constexpr auto gemmt_ = dgemmt_;
  static constexpr auto syrk_ = dsyrk_;
  static constexpr auto syr2k = cblas_dsyr2k;
  static constexpr auto syr2k_ = dsyr2k_;
  static constexpr auto symm = cblas_dsymm;
  static constexpr auto symm_ = dsymm_;
  static constexpr auto trmm = cblas_dtrmm;
  static constexpr auto trmm_ = dtrmm_;
  static constexpr auto trsm = cblas_dtrsm;
  static constexpr auto trsm_ = dtrsm_;
};

enum : int {
  row_major = 101,
  column_major = 102,
  no = 111,
  yes = 112,
  upper = 121,
  lower = 122,
  non_unit = 131,
  unit = 132,
  left = 141,
  right = 142
};
