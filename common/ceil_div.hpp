// ceil(a / b) of sizes.
#pragma once

#include <concepts>
#include <type_traits>

namespace tallcache {

/// The number of pieces of b that cover a: ceil(a / b) for a >= 0 and b > 0. a + b - 1 must not overflow.
template <std::integral T>
constexpr T ceil_div(T a, std::type_identity_t<T> b) {
  return (a + b - 1) / b;
}

}  // namespace tallcache
