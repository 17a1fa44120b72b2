// Batches of uneven strings of any bytes, as operations on pairs of strings take them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "common/ops/string_distance_batched.hpp"

namespace tallcache::test {

/// Pairs of strings that lie one behind the other.
struct Batch {
  std::vector<std::uint8_t> a, b;
  std::vector<std::uint32_t> a_begin{0}, b_begin{0};
  Index m = 0, n = 0;

  void add(const std::vector<std::uint8_t>& first, const std::vector<std::uint8_t>& second) {
    a.insert(a.end(), first.begin(), first.end());
    b.insert(b.end(), second.begin(), second.end());
    a_begin.push_back(static_cast<std::uint32_t>(a.size()));
    b_begin.push_back(static_cast<std::uint32_t>(b.size()));
    m = std::max(m, static_cast<Index>(first.size()));
    n = std::max(n, static_cast<Index>(second.size()));
  }
  Index pairs() const { return static_cast<Index>(a_begin.size()) - 1; }
  Shape shape() const { return {{"m", m}, {"n", n}, {"pairs", pairs()}}; }
};

template <class T>
VectorView<const T> view_of(const std::vector<T>& v) {
  return {v.data(), static_cast<Index>(v.size())};
}

/// `pairs` pairs of up to `most` of `letters` letters anywhere among the bytes. Some strings are empty, some
/// pairs are similar.
inline Batch uneven_batch(Index pairs, std::size_t most, unsigned letters, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> alphabet(256);
  std::iota(alphabet.begin(), alphabet.end(), std::uint8_t{0});
  std::shuffle(alphabet.begin(), alphabet.end(), random);
  const auto string = [&] {
    std::vector<std::uint8_t> s(random() % 5 == 0 ? 0 : random() % (most + 1));
    for (auto& letter : s) letter = alphabet[random() % letters];
    return s;
  };
  Batch batch;
  for (Index p = 0; p < pairs; ++p) {
    const auto first = string();
    auto second = random() % 3 == 0 ? first : string();
    for (auto& letter : second)
      if (random() % 16 == 0) letter = alphabet[random() % letters];
    batch.add(first, second);
  }
  return batch;
}

}  // namespace tallcache::test
