// The drop-in library's symbols of LAPACK, as a client declares them, by element type.
#pragma once

#include "tests/blas/blas.hpp"

extern "C" {
#define DECLARE(t, Element)                                                                                \
  void t##getrf_(const Int*, const Int*, Element*, const Int*, Int*, Int*);                                \
  void t##getrs_(const char*, const Int*, const Int*, const Element*, const Int*, const Int*, Element*,    \
                 const Int*, Int*);                                                                        \
  void t##gesv_(const Int*, const Int*, Element*, const Int*, Int*, Element*, const Int*, Int*);           \
  void t##potrf_(const char*, const Int*, Element*, const Int*, Int*);                                     \
  void t##potrs_(const char*, const Int*, const Int*, const Element*, const Int*, Element*, const Int*,    \
                 Int*);                                                                                    \
  void t##posv_(const char*, const Int*, const Int*, Element*, const Int*, Element*, const Int*, Int*);    \
  void t##geqrf_(const Int*, const Int*, Element*, const Int*, Element*, Element*, const Int*, Int*);      \
  void t##orgqr_(const Int*, const Int*, const Int*, Element*, const Int*, const Element*, Element*,       \
                 const Int*, Int*);                                                                        \
  void t##ormqr_(const char*, const char*, const Int*, const Int*, const Int*, const Element*, const Int*, \
                 const Element*, Element*, const Int*, Element*, const Int*, Int*);                        \
  Int LAPACKE_##t##getrf(int, Int, Int, Element*, Int, Int*);                                              \
  Int LAPACKE_##t##getrs(int, char, Int, Int, const Element*, Int, const Int*, Element*, Int);             \
  Int LAPACKE_##t##gesv(int, Int, Int, Element*, Int, Int*, Element*, Int);                                \
  Int LAPACKE_##t##potrf(int, char, Int, Element*, Int);                                                   \
  Int LAPACKE_##t##potrs(int, char, Int, Int, const Element*, Int, Element*, Int);                         \
  Int LAPACKE_##t##posv(int, char, Int, Int, Element*, Int, Element*, Int);                                \
  Int LAPACKE_##t##geqrf(int, Int, Int, Element*, Int, Element*);                                          \
  Int LAPACKE_##t##orgqr(int, Int, Int, Int, Element*, Int, const Element*);                               \
  Int LAPACKE_##t##ormqr(int, char, char, Int, Int, Int, const Element*, Int, const Element*, Element*,    \
                         Int);                                                                             \
  decltype(LAPACKE_##t##getrf) LAPACKE_##t##getrf_work;                                                    \
  decltype(LAPACKE_##t##potrf) LAPACKE_##t##potrf_work;                                                    \
  Int LAPACKE_##t##geqrf_work(int, Int, Int, Element*, Int, Element*, Element*, Int)
DECLARE(s, float);
DECLARE(d, double);
#undef DECLARE
}

template <class T>
struct Lapack;
#define LAPACK(t, Element)                            \
  template <>                                         \
  struct Lapack<Element> {                            \
    static constexpr auto getrf_ = t##getrf_;         \
    static constexpr auto getrs_ = t##getrs_;         \
    static constexpr auto gesv_ = t##gesv_;           \
    static constexpr auto potrf_ = t##potrf_;         \
    static constexpr auto potrs_ = t##potrs_;         \
    static constexpr auto posv_ = t##posv_;           \
    static constexpr auto geqrf_ = t##geqrf_;         \
    static constexpr auto orgqr_ = t##orgqr_;         \
    static constexpr auto ormqr_ = t##ormqr_;         \
    static constexpr auto getrf = LAPACKE_##t##getrf; \
    static constexpr auto getrs = LAPACKE_##t##getrs; \
    static constexpr auto gesv = LAPACKE_##t##gesv;   \
    static constexpr auto potrf = LAPACKE_##t##potrf; \
    static constexpr auto potrs = LAPACKE_##t##potrs; \
    static constexpr auto posv = LAPACKE_##t##posv;   \
    static constexpr auto geqrf = LAPACKE_##t##geqrf; \
    static constexpr auto orgqr = LAPACKE_##t##orgqr; \
    static constexpr auto ormqr = LAPACKE_##t##ormqr; \
  }
LAPACK(s, float);
LAPACK(d, double);
#undef LAPACK
