// The numbers that a point update of a stencil calculates with: a vector of 1, 2, 4 ... neighbouring points.
// The same text of the update is compiled for every width, and rounds alike in each: a product and a sum are
// never contracted to one operation.
#pragma once

#include <type_traits>

#include "common/named.hpp"

namespace tallcache::cpu::stencil {

namespace detail {
template <class T, int n>
struct Lanes {
  // Aligned as an element: a wider alignment has another calling convention in older versions of gcc.
  typedef T type __attribute__((vector_size(n * sizeof(T)), aligned(sizeof(T))));
};
template <class T>
struct Lanes<T, 1> {
  using type = T;
};

/// Hides from the compiler how `pack` was made, so that it contracts nothing. clang contracts within an
/// expression alone, and no expression here has a product and a sum.
template <class Pack>
[[gnu::always_inline]] inline void keep([[maybe_unused]] Pack& pack) {
#if defined(__GNUC__) && !defined(__clang__)
#if defined(__x86_64__)
  asm("" : "+v"(pack.v));
#elif defined(__aarch64__)
  asm("" : "+w"(pack.v));
#endif
#endif
}
}  // namespace detail

/// `n` numbers of float or double, with the arithmetic of one, by lanes. A number of any arithmetic type
/// converts to it, rounded to T, so that 0.25 * u is of T for floats too.
template <class T, int n>
struct Pack {
  using value_type = T;
  using Vector = typename detail::Lanes<T, n>::type;

  Vector v;

  Pack() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number>
  [[gnu::always_inline]] inline Pack(Number number) {
    if constexpr (n == 1)
      v = static_cast<T>(number);
    else
      v = static_cast<T>(number) - Vector{};  // minus zero keeps the sign of a zero
  }

  [[gnu::always_inline]] static inline Pack load(const T* from) {
    Pack pack;
    __builtin_memcpy(&pack.v, from, sizeof pack.v);
    return pack;
  }
  [[gnu::always_inline]] inline void store(T* to) const { __builtin_memcpy(to, &v, sizeof v); }

  [[gnu::always_inline]] friend inline Pack operator+(const Pack& a, const Pack& b) { return of(a.v + b.v); }
  [[gnu::always_inline]] friend inline Pack operator-(const Pack& a, const Pack& b) { return of(a.v - b.v); }
  [[gnu::always_inline]] friend inline Pack operator*(const Pack& a, const Pack& b) {
    Pack product = of(a.v * b.v);
    detail::keep(product);
    return product;
  }
  [[gnu::always_inline]] friend inline Pack operator/(const Pack& a, const Pack& b) { return of(a.v / b.v); }
  [[gnu::always_inline]] friend inline Pack operator-(const Pack& a) { return of(-a.v); }
  [[gnu::always_inline]] friend inline Pack operator+(const Pack& a) { return a; }
  [[gnu::always_inline]] inline Pack& operator+=(const Pack& b) { return *this = *this + b; }
  [[gnu::always_inline]] inline Pack& operator-=(const Pack& b) { return *this = *this - b; }
  [[gnu::always_inline]] inline Pack& operator*=(const Pack& b) { return *this = *this * b; }
  [[gnu::always_inline]] inline Pack& operator/=(const Pack& b) { return *this = *this / b; }

  /// a < b ? x : y in each lane.
  [[gnu::always_inline]] friend inline Pack where_less(const Pack& a, const Pack& b, const Pack& x,
                                                       const Pack& y) {
    return of(a.v < b.v ? x.v : y.v);
  }
  /// As std::min and std::max.
  [[gnu::always_inline]] friend inline Pack min(const Pack& a, const Pack& b) {
    return where_less(b, a, b, a);
  }
  [[gnu::always_inline]] friend inline Pack max(const Pack& a, const Pack& b) {
    return where_less(a, b, b, a);
  }
  [[gnu::always_inline]] friend inline Pack abs(const Pack& a) { return max(a, -a); }
  [[gnu::always_inline]] friend inline Pack sqrt(const Pack& a) {
    Pack root = a;
    if constexpr (n == 1)
      root.v = __builtin_sqrt(a.v);
    else
      for (int lane = 0; lane < n; ++lane) root.v[lane] = static_cast<T>(__builtin_sqrt(a.v[lane]));
    return root;
  }

 private:
  [[gnu::always_inline]] static inline Pack of(const Vector& value) {
    Pack pack;
    pack.v = value;
    return pack;
  }
};

}  // namespace tallcache::cpu::stencil
