// The element types of the suite. Everything that depends on the type of an element is in one trait. A new
// type is a specialisation of Element, its line in element_types, and its name in the operations of each
// variant that supports it.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/bfloat16.hpp"
#include "common/error.hpp"
#include "common/random.hpp"

namespace tallcache {

/// What has to be known of an element type T. It is left undefined: a type without a specialisation of its
/// own does not compile. A specialisation has
///   name                     std::string_view, in the catalogue, on the command line and in JSON
///   word_bytes               the bytes of one of them in an array
///   is_exact                 bool: its sums and products have no rounding errors
///   epsilon                  double, the distance from 1 to the next value; 0 when it is exact
///   poison                   the byte that an output holds everywhere before it is written
///   Wide                     the type of the reference sums that a check makes
///   Sum                      the type of the elements of a product of its matrices
///   Device                   the type that stands for it in the code of a kernel, of the same size
///   text(T)                  its full digits: two values that differ print differently
///   uniform(seed, position)  element number `position` of a random input: in [-1, 1), of an exact type in
///                            [-100, 100]
template <class T>
struct Element;

namespace detail {

template <class T, class WideType>
struct FloatingElement {
  static constexpr std::size_t word_bytes = sizeof(T);
  static constexpr bool is_exact = false;
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
  static constexpr unsigned char poison = 0xff;  // a NaN of every floating type
  using Wide = WideType;
  using Sum = T;
  using Device = T;

  static std::string text(T value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.*g", std::numeric_limits<T>::max_digits10,
                  static_cast<double>(value));
    return digits;
  }
  static T uniform(std::uint64_t seed, std::uint64_t position) {
    return static_cast<T>(2 * random_unit(seed, position) - 1);
  }
};

template <class T>
struct IntegerElement {
  static constexpr std::size_t word_bytes = sizeof(T);
  static constexpr bool is_exact = true;
  static constexpr double epsilon = 0;
  static constexpr unsigned char poison = 0xa5;  // 0xff... is the largest key
  using Wide = std::int64_t;
  using Sum = T;
  using Device = T;

  static std::string text(T value) { return std::to_string(value); }
  static T uniform(std::uint64_t seed, std::uint64_t position) {
    return static_cast<T>(static_cast<int>(random_up_to(seed, position, 200)) - 100);
  }
};

}  // namespace detail

template <>
struct Element<float> : detail::FloatingElement<float, double> {
  static constexpr std::string_view name = "float";
};
template <>
struct Element<double> : detail::FloatingElement<double, long double> {
  static constexpr std::string_view name = "double";
};
/// Its products are exact in float, and its sums are float's.
template <>
struct Element<Bfloat16> {
  static constexpr std::string_view name = "bfloat16";
  static constexpr std::size_t word_bytes = sizeof(Bfloat16);
  static constexpr bool is_exact = false;
  static constexpr double epsilon = 0x1p-7;
  static constexpr unsigned char poison = 0xff;  // a NaN
  using Wide = double;
  using Sum = float;
  using Device = Bfloat16;

  static std::string text(Bfloat16 value) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%.4g", static_cast<double>(value));
    return digits;
  }
  static Bfloat16 uniform(std::uint64_t seed, std::uint64_t position) {
    return Bfloat16(static_cast<float>(2 * random_unit(seed, position) - 1));
  }
};
template <>
struct Element<std::int32_t> : detail::IntegerElement<std::int32_t> {
  static constexpr std::string_view name = "int32";
};
template <>
struct Element<std::uint32_t> : detail::IntegerElement<std::uint32_t> {
  static constexpr std::string_view name = "uint32";
};
template <>
struct Element<std::uint64_t> : detail::IntegerElement<std::uint64_t> {
  static constexpr std::string_view name = "uint64";
};

/// A uint32 key with a uint32 payload. Keys and payloads lie in arrays of their own, and no array holds
/// a pair.
struct Uint32Pair;
template <>
struct Element<Uint32Pair> : detail::IntegerElement<std::uint32_t> {
  static constexpr std::string_view name = "uint32_pair";
};

/// A key and the position of its record in the input, which shows whether a sort is stable. It is compared by
/// its key.
struct KeyAndPosition {
  std::uint64_t key, position;
  friend bool operator<(const KeyAndPosition& a, const KeyAndPosition& b) { return a.key < b.key; }
};
template <>
struct Element<KeyAndPosition> : detail::IntegerElement<KeyAndPosition> {
  static constexpr std::string_view name = "key_and_position";

  static std::string text(KeyAndPosition record) {
    return std::to_string(record.key) + " from position " + std::to_string(record.position);
  }
  static KeyAndPosition uniform(std::uint64_t seed, std::uint64_t position) {
    return {random_bits(seed, position), position};
  }
};

/// The same, which can only be moved. No record of the input is where one was moved from.
struct MoveOnly {
  std::uint64_t key, position;

  MoveOnly(std::uint64_t key_, std::uint64_t position_) : key(key_), position(position_) {}
  MoveOnly(MoveOnly&& other) noexcept : key(other.key), position(std::exchange(other.position, moved)) {}
  MoveOnly& operator=(MoveOnly&& other) noexcept {
    key = other.key;
    position = std::exchange(other.position, moved);
    return *this;
  }
  static constexpr std::uint64_t moved = ~std::uint64_t{0};
  friend bool operator<(const MoveOnly& a, const MoveOnly& b) { return a.key < b.key; }
};
template <>
struct Element<MoveOnly> : detail::IntegerElement<MoveOnly> {
  static constexpr std::string_view name = "move_only";

  static std::string text(const MoveOnly& record) {
    return std::to_string(record.key) + " from position " + std::to_string(record.position);
  }
  static MoveOnly uniform(std::uint64_t seed, std::uint64_t position) {
    return {random_bits(seed, position), position};
  }
};

/// A string of decimal digits that lies elsewhere. It is compared by its characters.
struct StringPointer {
  const char* text;
  friend bool operator<(StringPointer a, StringPointer b) { return std::strcmp(a.text, b.text) < 0; }
};
template <>
struct Element<StringPointer> : detail::IntegerElement<StringPointer> {
  static constexpr std::string_view name = "string_pointer";

  /// Where it lies, as a wrong one may be nowhere.
  static std::string text(StringPointer string) {
    return "the string at " + std::to_string(reinterpret_cast<std::uintptr_t>(string.text));
  }
  static StringPointer uniform(std::uint64_t seed, std::uint64_t position) {
    static constexpr char texts[] = "0\0001\0002\0003\0004\0005\0006\0007\0008\0009";
    return {texts + 2 * random_up_to(seed, position, 9)};
  }
};

/// A float whose mantissa may be cut to 10 bits before it is multiplied.
struct Tf32;
template <>
struct Element<Tf32> : detail::FloatingElement<float, double> {
  static constexpr std::string_view name = "tf32";
  static constexpr double epsilon = 0x1p-10;
};

template <class T>
struct Element<std::complex<T>> {
  static constexpr std::string_view name =
      std::is_same_v<T, float> ? std::string_view("complex_float") : "complex_double";
  static constexpr std::size_t word_bytes = sizeof(std::complex<T>);
  static constexpr bool is_exact = false;
  static constexpr double epsilon = Element<T>::epsilon;
  static constexpr unsigned char poison = Element<T>::poison;
  using Wide = std::complex<typename Element<T>::Wide>;
  using Sum = std::complex<T>;
  using Device = std::complex<T>;

  static std::string text(std::complex<T> z) {
    return "(" + Element<T>::text(z.real()) + ", " + Element<T>::text(z.imag()) + ")";
  }
  static std::complex<T> uniform(std::uint64_t seed, std::uint64_t position) {
    return {Element<T>::uniform(seed, 2 * position), Element<T>::uniform(seed, 2 * position + 1)};
  }
};

/// The type has a complete Element.
template <class T>
concept ElementType = requires(std::uint64_t seed) {
  requires std::same_as<decltype(Element<T>::name), const std::string_view>;
  requires Element<T>::word_bytes == sizeof(typename Element<T>::Device);
  requires std::same_as<decltype(Element<T>::is_exact), const bool>;
  requires Element<T>::is_exact == (Element<T>::epsilon == 0);
  requires std::same_as<decltype(Element<T>::poison), const unsigned char>;
  typename Element<T>::Wide;
  typename Element<T>::Sum;
  { Element<T>::text(Element<T>::uniform(seed, seed)) } -> std::same_as<std::string>;
};

/// The run-time part of an Element.
struct ElementFacts {
  std::string_view name;
  std::size_t word_bytes;
};

namespace detail {
template <ElementType... T>
inline constexpr ElementFacts facts_of[] = {{Element<T>::name, Element<T>::word_bytes}...};
}

/// Every element type.
inline constexpr auto& element_types =
    detail::facts_of<float, double, std::int32_t, std::uint32_t, std::uint64_t, Uint32Pair, KeyAndPosition,
                     MoveOnly, StringPointer, Tf32, Bfloat16, std::complex<double>, std::complex<float>>;

/// The element type called `name`. Throws Error when there is none.
constexpr const ElementFacts& find_element(std::string_view name) {
  for (const ElementFacts& element : element_types)
    if (element.name == name) return element;
  throw Error("no element type is called '" + std::string(name) + "'");
}

}  // namespace tallcache

/// The element types of the operations on matrices and vectors of numbers: USE(type) for each.
#define TALLCACHE_NUMBERS(USE) USE(float) USE(double) USE(std::int32_t)
