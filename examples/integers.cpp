// An exact integer of a million digits: 3^(2^21) by squaring, checked modulo a prime.
#include <tallcache/convolution.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr std::uint64_t prime = 4294967291;

std::uint64_t remainder_of(const std::vector<std::uint32_t>& limbs) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) rest = (rest << 32 | limbs[i]) % prime;
  return rest;
}

int main() {
  std::vector<std::uint32_t> power{3};
  std::uint64_t rest = 3;
  for (int i = 0; i < 21; ++i) {
    power = tallcache::multiply_integers(power, power);
    while (power.back() == 0) power.pop_back();
    rest = rest * rest % prime;
  }
  const double bits = 32.0 * (power.size() - 1) + std::log2(power.back());
  std::printf("3^(2^21) has %.0f decimal digits\n", std::floor(bits * std::log10(2)) + 1);
  return remainder_of(power) == rest ? 0 : 1;
}
