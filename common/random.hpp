// Seeded random data, the same on every machine: splitmix64 (Steele, Lea, Flood 2014), addressed by position.
#pragma once

#include <cmath>
#include <cstdint>

namespace tallcache {

/// The `position`-th value of the stream `seed`, uniform over all 64-bit words.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t position) {
  std::uint64_t z = seed + (position + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Uniform in [0, 1).
constexpr double random_unit(std::uint64_t seed, std::uint64_t position) {
  return static_cast<double>(random_bits(seed, position) >> 11) * 0x1p-53;
}

/// Uniform integer in [0, bound]; bound < 2^32 (multiply-shift, bias below 2^-32).
constexpr std::uint64_t random_up_to(std::uint64_t seed, std::uint64_t position, std::uint64_t bound) {
  return static_cast<std::uint64_t>(
      (static_cast<unsigned __int128>(random_bits(seed, position)) * (bound + 1)) >> 64);
}

}  // namespace tallcache
