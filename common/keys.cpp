#include "common/keys.hpp"

#include <vector>

#include "common/ceil_div.hpp"
#include "common/key_inputs.hpp"

namespace tallcache {
namespace {

/// Two sums over a multiset of keys that two different multisets share with a chance of 2^-128.
struct KeyFingerprint {
  std::uint64_t first = 0, second = 0;
  void add(std::uint32_t key) {
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

}  // namespace

Keys::Keys(std::string_view input, std::uint64_t seed, std::uint64_t n, std::uint64_t range)
    : stream_(make_keys(parse_key_input(input), {seed, n, range})) {}

void fill_keys(VectorView<std::uint32_t> keys, const Keys& key_at) {
  in_parts(keys.size, part_of_keys, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) keys[i] = key_at(static_cast<std::uint64_t>(i));
  });
}

Check check_sorted(VectorView<const std::uint32_t> keys, const Keys& key_at) {
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
