// Numbers modulo two primes at once, for number-theoretic transforms on the host and on devices (Pollard,
// "The fast Fourier transform in a finite field", Mathematics of Computation 25(114), 1971).
#pragma once

#include <cstdint>
#include <utility>

#include "common/named.hpp"

namespace tallcache {

/// A number modulo the odd prime p < 2^31, in the form of Montgomery ("Modular multiplication without trial
/// division", Mathematics of Computation 44(170), 1985): `form` is x 2^32 mod p for the number x.
template <std::uint32_t p>
struct Modular {
  std::uint32_t form;

  static constexpr Modular of(std::uint32_t x) { return reduced(std::uint64_t{x} * square()); }
  /// 0 <= value() < p.
  constexpr std::uint32_t value() const { return reduced(form).form; }

  friend constexpr Modular operator+(Modular a, Modular b) { return less(a.form + b.form, p); }
  friend constexpr Modular operator-(Modular a, Modular b) { return less(a.form - b.form + p, p); }
  friend constexpr Modular operator*(Modular a, Modular b) { return reduced(std::uint64_t{a.form} * b.form); }
  friend constexpr bool operator==(Modular, Modular) = default;

  constexpr Modular power(std::uint32_t exponent) const {
    Modular product = of(1), factor = *this;
    for (; exponent; exponent /= 2, factor = factor * factor)
      if (exponent % 2) product = product * factor;
    return product;
  }
  constexpr Modular inverse() const { return power(p - 2); }

 private:
  static_assert(p % 2 == 1 && p < 1u << 31);

  static constexpr std::uint32_t square() { return static_cast<std::uint32_t>(-std::uint64_t{p} % p); }
  static constexpr std::uint32_t inverse_of_p() {
    std::uint32_t x = p;  // right in 3 bits, and in twice as many after each step
    for (int bits = 3; bits < 32; bits *= 2) x *= 2 - p * x;
    return x;
  }
  /// x - by, where that is not negative.
  static constexpr Modular less(std::uint32_t x, std::uint32_t by) { return {x - by < x ? x - by : x}; }
  /// t / 2^32 for t < p 2^32.
  static constexpr Modular reduced(std::uint64_t t) {
    constexpr std::uint32_t inverse = inverse_of_p();
    const std::uint32_t quotient = static_cast<std::uint32_t>(t) * inverse;
    const auto high = static_cast<std::uint32_t>(t >> 32);
    return less(high + p - static_cast<std::uint32_t>(std::uint64_t{quotient} * p >> 32), p);
  }
};

/// A number modulo the product of two primes as what it is modulo each of them. There are roots of unity of
/// the orders 1, 2, 4 ... 2^26, so that a transform over these numbers is one over both primes.
struct alignas(8) Residues {
  static constexpr std::uint32_t p = 15 * (1u << 27) + 1, q = 27 * (1u << 26) + 1;
  static constexpr int max_lg_order = 26;
  static constexpr std::uint64_t modulus = std::uint64_t{p} * q;

  Modular<p> first;
  Modular<q> second;

  static constexpr Residues of(std::uint32_t x) { return {Modular<p>::of(x), Modular<q>::of(x)}; }

  /// The number, 0 <= value() < modulus, by the Chinese remainder theorem.
  constexpr std::uint64_t value() const {
    constexpr Modular<q> inverse = Modular<q>::of(p).inverse();
    const std::uint32_t low = first.value();
    return low + std::uint64_t{p} * ((second - Modular<q>::of(low)) * inverse).value();
  }

  friend constexpr Residues operator+(Residues a, Residues b) {
    return {a.first + b.first, a.second + b.second};
  }
  friend constexpr Residues operator-(Residues a, Residues b) {
    return {a.first - b.first, a.second - b.second};
  }
  friend constexpr Residues operator*(Residues a, Residues b) {
    return {a.first * b.first, a.second * b.second};
  }
  friend constexpr bool operator==(Residues, Residues) = default;

  constexpr Residues inverse() const { return {first.inverse(), second.inverse()}; }

  /// The k-th power of a root of unity of order n, for 0 <= k < n, n a power of two up to 2^26.
  static constexpr Residues root(Index k, Index n) {
    Residues power = of(1);
    // Unrolled: a device would keep a table that is indexed in memory.
    [&]<int... lg>(std::integer_sequence<int, lg...>) { (times_root<lg + 1>(power, k & n >> (lg + 1)), ...); }
    (std::make_integer_sequence<int, max_lg_order>());
    return power;
  }

 private:
  /// power *= the root of order 2^lg, if `taken`. 31 generates all numbers but 0 modulo p, and 13 modulo q.
  template <int lg>
  static constexpr void times_root(Residues& power, bool taken) {
    constexpr Residues root{Modular<p>::of(31).power(p >> lg), Modular<q>::of(13).power(q >> lg)};
    if (taken) power = power * root;
  }
};

}  // namespace tallcache
