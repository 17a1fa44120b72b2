// Seeded keys to be sorted, and the check that they were.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/compare.hpp"
#include "common/in_parts.hpp"
#include "common/operation.hpp"
#include "common/random.hpp"

namespace tallcache {

/// The names of those inputs that a sort is always tested and timed on. Each is a point of a family of inputs
/// (common/key_families.hpp), of which a sort takes any.
///   zipf_1.0, zipf_1.5: key x with a probability as 1 / (x + 1)^s;  one_percent: keys in the lowest 1 % of
///   the range;  shuffled: the sorted ones in random order;  organ_pipe: rising to the middle, then falling;
///   zipf_1.0_scattered, zipf_1.5_scattered: as probable, but the probable keys lie all over the range.
inline constexpr std::string_view key_inputs[] = {
    "uniform",    "all_equal",          "two_values",        "sorted",      "reversed",
    "max_key",    "zipf_1.0",           "zipf_1.5",          "one_percent", "shuffled",
    "organ_pipe", "zipf_1.0_scattered", "zipf_1.5_scattered"};

/// The keys of one input by position, each a function of its position alone.
class KeyStream {
 public:
  virtual ~KeyStream() = default;
  virtual std::uint64_t operator()(std::uint64_t i) const = 0;
};

/// The seeded keys of one input, by position: keys(i) is the i-th of n keys in [0, range].
class Keys {
 public:
  /// `input` is one of key_inputs or the text of a family's point: "zipf:s=1.3". Throws Error as
  /// parse_key_input() does.
  Keys(std::string_view input, std::uint64_t seed, std::uint64_t n, std::uint64_t range);

  std::uint32_t operator()(std::uint64_t i) const { return static_cast<std::uint32_t>((*stream_)(i)); }

 private:
  std::shared_ptr<const KeyStream> stream_;
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
