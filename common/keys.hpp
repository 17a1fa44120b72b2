// Seeded keys to be sorted, and the check that they were.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

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

/// The keys that a thread makes or checks at a time.
inline constexpr Index part_of_keys = Index{1} << 16;

/// keys[i] = key_at(i)
void fill_keys(VectorView<std::uint32_t> keys, const Keys& key_at);

/// The outcome of a check that found key i below the one before it.
inline Check out_of_order(VectorView<const std::uint32_t> keys, Index i) {
  return Check::wrong("key " + std::to_string(i), "at least " + digits(keys[i - 1]), digits(keys[i]));
}

/// Sorted keys must be in order and the same multiset as those of key_at, by their fingerprints.
Check check_sorted(VectorView<const std::uint32_t> keys, const Keys& key_at);

}  // namespace tallcache
