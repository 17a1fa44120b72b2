// Seeded keys to be sorted, and the check that they were.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/compare.hpp"
#include "common/in_parts.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// The kinds of key that a sort is tested on; every one is a function of the position alone.
///   zipf_1.0, zipf_1.5: key x with a probability as 1 / (x + 1)^s;  one_percent: keys in the lowest 1 % of
///   the range;  shuffled: the sorted ones in random order;  organ_pipe: rising to the middle, then falling;
///   zipf_1.0_scattered, zipf_1.5_scattered: as probable, but the probable keys lie all over the range.
inline constexpr std::string_view key_inputs[] = {
    "uniform",    "all_equal",          "two_values",        "sorted",      "reversed",
    "max_key",    "zipf_1.0",           "zipf_1.5",          "one_percent", "shuffled",
    "organ_pipe", "zipf_1.0_scattered", "zipf_1.5_scattered"};

/// The seeded keys of one kind, by position: keys(i) is the i-th of n keys in [0, range].
class Keys {
 public:
  /// `input` is one of key_inputs. It is looked up once, as comparing names would cost more than making
  /// a key.
  Keys(std::string_view input, std::uint64_t seed, std::uint64_t n, std::uint64_t range)
      : kind_(std::ranges::find(key_inputs, input) - std::begin(key_inputs)),
        seed_(seed),
        n_(n),
        range_(range),
        factor_(static_cast<std::uint64_t>(0.618 * static_cast<double>(range))) {
    while (std::gcd(factor_, range + 1) != 1) ++factor_;
  }

  std::uint32_t operator()(std::uint64_t i) const { return static_cast<std::uint32_t>(key(i)); }

 private:
  std::uint64_t key(std::uint64_t i) const {
    const double u = random_unit(seed_, i);
    switch (kind_) {
      case 1:
        return random_up_to(seed_, 0, range_);
      case 2:
        return u < 0.5 ? range_ / 3 : range_ - range_ / 5;
      case 3:
        return sorted(i);
      case 4:
        return sorted(n_ - 1 - i);
      case 5:
        return u < 0.5 ? range_ : random_up_to(seed_ + 1, i, range_);
      case 6:
        return zipf_1(u);
      case 7:
        return zipf_1_5(u);
      case 8:
        return random_up_to(seed_, i, range_ / 100);
      case 9:
        return sorted(shuffled(i));
      case 10:
        return sorted(2 * std::min(i, n_ - 1 - i));
      case 11:
        return scattered(zipf_1(u));
      case 12:
        return scattered(zipf_1_5(u));
      default:
        return random_up_to(seed_, i, range_);
    }
  }

  std::uint64_t zipf_1(double u) const {
    return static_cast<std::uint64_t>(std::min<double>(range_, std::pow(range_ + 1.0, u) - 1));
  }
  std::uint64_t zipf_1_5(double u) const {
    return static_cast<std::uint64_t>(std::min<double>(range_, std::pow(1 - u, -2.0) - 1));
  }

  // A permutation of [0, range]: the factor and range + 1 have no common divisor.
  std::uint64_t scattered(std::uint64_t key) const { return key * factor_ % (range_ + 1); }

  std::uint64_t sorted(std::uint64_t i) const {
    return static_cast<std::uint64_t>(static_cast<double>(i) / n_ * range_);
  }

  // A permutation of [0, n): odd factors, summands and shifts permute the words of as many bits as n - 1 has;
  // a word that is no position is mapped again until it is one.
  std::uint64_t shuffled(std::uint64_t i) const {
    const int bits = n_ > 2 ? static_cast<int>(std::bit_width(n_ - 1)) : 1;
    do
      for (std::uint64_t round = 0; round < 3; ++round) {
        i = i * (random_bits(seed_, 2 * round) | 1) + random_bits(seed_, 2 * round + 1);
        i &= ~std::uint64_t{0} >> (64 - bits);
        i ^= i >> (bits + 1) / 2;
      }
    while (i >= n_);
    return i;
  }

  std::ptrdiff_t kind_;
  std::uint64_t seed_, n_, range_, factor_;
};

/// Two sums over a multiset of keys that two different multisets share with a chance of 2^-128.
struct KeyFingerprint {
  std::uint64_t first = 0, second = 0;
  template <class T>
  void add(T value) {
    const auto key = std::bit_cast<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>(value);
    first += random_bits(0x5eed, key);
    second += random_bits(0xfeed, key) * (2 * std::uint64_t{key} + 1);
  }
  /// Of both multisets together.
  KeyFingerprint& operator+=(const KeyFingerprint& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
  friend bool operator==(const KeyFingerprint&, const KeyFingerprint&) = default;
};

/// The keys that a thread makes or checks at a time.
inline constexpr Index part_of_keys = Index{1} << 16;

/// keys[i] = key_at(i)
template <class T, class KeyAt>
void fill_keys(VectorView<T> keys, const KeyAt& key_at) {
  in_parts(keys.size, part_of_keys, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) keys[i] = key_at(static_cast<std::uint64_t>(i));
  });
}

/// The outcome of a check that found key i below the one before it.
template <class T>
Check out_of_order(VectorView<T> keys, Index i) {
  return Check::wrong("key " + std::to_string(i), "at least " + digits(keys[i - 1]), digits(keys[i]));
}

/// Sorted keys of 4 or 8 bytes must be in order and the same multiset as those of key_at, by fingerprints.
template <class T, class KeyAt>
Check check_sorted(VectorView<T> keys, const KeyAt& key_at) {
  std::vector<KeyFingerprint> expected(static_cast<std::size_t>(ceil_div(keys.size, part_of_keys))),
      got(expected.size());
  Check order = first_wrong(keys.size, part_of_keys, [&](Index begin, Index end) -> Check {
    const auto part = static_cast<std::size_t>(begin / part_of_keys);
    for (Index i = begin; i < end; ++i) {
      if (i && keys[i] < keys[i - 1]) return out_of_order(keys, i);
      expected[part].add(key_at(static_cast<std::uint64_t>(i)));
      got[part].add(keys[i]);
    }
    return {};
  });
  if (!order) return order;
  KeyFingerprint all_expected, all_got;
  for (const KeyFingerprint& part : expected) all_expected += part;
  for (const KeyFingerprint& part : got) all_got += part;
  if (!(all_got == all_expected)) return Check::wrong("keys", "those of the input", "other keys");
  return {};
}

}  // namespace tallcache
