// Leaves over views of their regions.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/random.hpp"
#include "common/view.hpp"
#include "tests/leaf.hpp"

namespace tallcache::test {

template <class T>
Region region(const std::vector<T>& values, int bit = -1) {
  const auto bytes = std::as_bytes(std::span(values));
  return {.element = sizeof(T), .content = {bytes.begin(), bytes.end()}, .bit = bit};
}

/// Memory that a leaf fills before it loads from it.
template <class T>
Region own(Index elements) {
  Region memory = region(std::vector<T>(static_cast<std::size_t>(elements)));
  memory.idle = [](std::size_t) { return true; };
  return memory;
}

/// n random numbers of magnitudes in [0.25, 0.5), of either sign or positive.
template <class T>
std::vector<T> fractions(std::uint64_t seed, Index n, bool positive = false) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T magnitude = T(0.25) + T(random_up_to(seed, 2 * i, 4095)) / 16384;
    values[i] = positive || random_up_to(seed, 2 * i + 1, 1) ? magnitude : -magnitude;
  }
  return values;
}

/// The regions of a leaf one by one as views.
template <class Access>
struct Views {
  const At& at;
  const std::array<std::size_t, most_regions>& bytes;
  Access access;

  template <class T>
  VectorView<T, Access> of(std::size_t r) const {
    return VectorView<T>{reinterpret_cast<T*>(at[r]), static_cast<Index>(bytes[r] / sizeof(T))}.with(access);
  }
};

/// A leaf whose text is run(views).
template <class Run>
Leaf leaf_of(std::vector<Region> regions, Run run, std::size_t private_bytes = 0) {
  std::array<std::size_t, most_regions> bytes{};
  for (std::size_t r = 0; r < regions.size(); ++r) bytes[r] = regions[r].content.size();
  const auto text = [=](const At& at, auto access) { run(Views<decltype(access)>{at, bytes, access}); };
  return {std::move(regions), text, text, private_bytes};
}

inline std::vector<Region> operator+(std::vector<Region> a, std::vector<Region> b) {
  std::ranges::move(b, std::back_inserter(a));
  return a;
}

/// What is done with a leaf that stores to these regions.
using See = void (*)(const Leaf&, const std::vector<std::size_t>& stored);

/// A See that observes one leaf in `nth`, as an observer is slow.
template <int nth>
void observe(const Leaf& leaf, const std::vector<std::size_t>&) {
  static int number = 0;
  if (number++ % nth == 0) run_observed(leaf);
}

}  // namespace tallcache::test
