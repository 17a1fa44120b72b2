// How the GPU's sorts compare, load and store their keys.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/element.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::sort {

/// The order of the operation: `<`, of records by key, and NaNs behind all numbers, so that it is an order of
/// every double.
struct Ascending {
  template <class T>
  TALLCACHE_DEVICE bool operator()(const T& x, const T& y) const {
    if constexpr (std::is_same_v<T, KeyAndPosition>)
      return x.key < y.key;
    else if constexpr (std::is_floating_point_v<T>)
      return x < y || (y != y && x == x);
    else
      return x < y;
  }
};

/// Ascending doubles as unsigned integers of the same order, in which they are while they are sorted:
/// integers are compared in fewer instructions. It is the total order of IEEE 754: NaNs lie at the ends, by
/// their signs, and -0 before 0.
struct AscendingCodes {
  bool first = false, last = false;  ///< the launch loads, or stores, the keys themselves

  static TALLCACHE_DEVICE std::uint64_t code(std::uint64_t bits) {
    return bits ^ (bits >> 63 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
  }
  static TALLCACHE_DEVICE std::uint64_t bits(std::uint64_t code) {
    return code ^ (code >> 63 ? std::uint64_t{1} << 63 : ~std::uint64_t{0});
  }
  TALLCACHE_DEVICE bool operator()(std::uint64_t x, std::uint64_t y) const { return x < y; }
};

/// Whether keys that are equal in the order may change places. Numbers in ascending order may: no one sees
/// it. All others are sorted stably.
template <class T, class Less>
inline constexpr bool may_exchange_equals = std::is_arithmetic_v<T> && (std::is_same_v<Less, Ascending> ||
                                                                        std::is_same_v<Less, AscendingCodes>);

/// No key of the type is behind it.
template <class T>
TALLCACHE_DEVICE constexpr T last_key() {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return std::numeric_limits<T>::max();
}

/// Whether keys are sorted as codes.
template <class Less>
inline constexpr bool sorts_codes = std::is_same_v<Less, AscendingCodes>;

/// A key of 4, 8 or 16 bytes by one load.
template <class T, class Element>
TALLCACHE_DEVICE T load_key(Element&& element) {
  const Vector<T, 1> key = vector_at<1>(element);
  return key.at[0];
}
/// The same, stored.
template <class T, class Element>
TALLCACHE_DEVICE void store_key(Element&& element, const T& key) {
  vector_at<1>(element) = Vector<T, 1>{{key}};
}

template <class T>
TALLCACHE_DEVICE constexpr T smaller(T x, T y) {
  return y < x ? y : x;
}
template <class T>
TALLCACHE_DEVICE constexpr T larger(T x, T y) {
  return x < y ? y : x;
}

/// The last x of [0, size) with f(x) at most `bound`, where f rises and f(0) is.
template <class F>
TALLCACHE_DEVICE std::uint32_t last_at_most(std::uint32_t size, std::uint32_t bound, F f) {
  std::uint32_t begin = 0;
  while (size > 1) {
    const std::uint32_t half = size / 2;
    if (f(begin + half) <= bound) {
      begin += half;
      size -= half;
    } else {
      size = half;
    }
  }
  return begin;
}

/// The least multiple of `unit` that is at least x.
TALLCACHE_DEVICE constexpr int round_up(int x, int unit) { return (x + unit - 1) / unit * unit; }

/// The least exponent whose power of two is at least x > 0.
constexpr int log2_up(Index x) {
  int exponent = 0;
  while ((Index{1} << exponent) < x) ++exponent;
  return exponent;
}

/// Keys are loaded as vectors of one: they lie at a multiple of their size. Throws Error where not.
template <class T, class Access>
void check_alignment(const VectorView<T, Access>& keys) {
  if (reinterpret_cast<std::uintptr_t>(keys.data) % sizeof(T))
    throw Error("keys: a GPU's sort takes keys of " + std::to_string(sizeof(T)) +
                " bytes that begin at a multiple of " + std::to_string(sizeof(T)) + " bytes");
}

}  // namespace tallcache::gpu::sort
