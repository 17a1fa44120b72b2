// The streaming counting sorts beside std::stable_sort, with guards around what they write and a watch on
// what they access.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "common/fork/parallel.hpp"
#include "common/traced.hpp"
#include "cpu/counting_sort/bucketed_streaming.hpp"
#include "tests/support.hpp"

namespace tallcache::test {

namespace cs = cpu::counting_sort;
using Key = std::uint32_t;

inline constexpr Key guard = 0xc3c3c3c3;
inline constexpr Index guards = 64;

// An output with guards on both sides, which begins `offset` elements after a line boundary.
struct Guarded {
  std::vector<Key> words;
  Key* data;
  Index size;

  Guarded(Index n, Index offset) : words(static_cast<std::size_t>(n + 3 * guards), guard), size(n) {
    const auto address = reinterpret_cast<std::uintptr_t>(words.data());
    data = words.data() + guards + (64 - address % 64) % 64 / sizeof(Key) + offset;
  }
  std::vector<Key> values() const { return {data, data + size}; }
  bool intact() const {
    const auto is_guard = [](Key k) { return k == guard; };
    return std::all_of(words.data(), const_cast<const Key*>(data), is_guard) &&
           std::all_of(const_cast<const Key*>(data) + size, words.data() + words.size(), is_guard);
  }
};

struct Setting {
  int threads = 1;
  Index offset = 0, payload_offset = 0;
  ForkPolicy policy = default_fork_policy;  ///< of several threads
};

// The order into which std::stable_sort brings the keys. It is kept, as several sorts run on the same keys.
inline const std::vector<Key>& stable_order(const std::vector<Key>& keys) {
  static std::vector<Key> last, order;
  if (last != keys) {
    last = keys;
    order.resize(keys.size());
    std::iota(order.begin(), order.end(), Key{0});
    std::stable_sort(order.begin(), order.end(), [&](Key a, Key b) { return keys[a] < keys[b]; });
  }
  return order;
}

// Runs sort(fork, args) on the keys with `bytes` of scratch and compares with std::stable_sort.
template <bool with_payload, class Sort>
void expect_sorted(const std::vector<Key>& keys, std::uint64_t range, std::size_t bytes, Setting setting,
                   Sort sort, std::string_view what) {
  const Index n = static_cast<Index>(keys.size());
  const std::vector<Key>& order = stable_order(keys);
  Guarded out(n, setting.offset), payload_out(n, setting.payload_offset),
      scratch(static_cast<Index>(bytes / 4), 0);
  std::vector<Key> payload(keys.size());
  std::iota(payload.begin(), payload.end(), Key{0});
  typename CountingSort<with_payload>::template Args<> args;
  args.out = {out.data, n};
  args.in = {keys.data(), n};
  if (with_payload) {
    args.payload_out = {payload_out.data, n};
    args.payload_in = {payload.data(), n};
  }
  args.range = static_cast<Key>(range);
  args.scratch = Scratch<>({reinterpret_cast<std::byte*>(scratch.data), bytes});
  if (setting.threads > 1) {
    set_fork_policy(setting.policy);
    run_parallel(setting.threads, [&](auto& fork) { sort(fork, args); });
    set_fork_policy(default_fork_policy);
  } else {
    Serial fork;
    sort(fork, args);
  }

  std::vector<Key> expected;
  for (Key i : order) expected.push_back(keys[i]);
  const std::string where = std::string(what) + ": " + std::to_string(n) + " keys in [0, " +
                            std::to_string(range) + "], " + (with_payload ? "pairs, " : "") +
                            std::to_string(setting.threads) + " threads, " +
                            std::string(name_of(setting.policy));
  EXPECT_TRUE(out.values() == expected) << where;
  EXPECT_TRUE(!with_payload || payload_out.values() == order) << where;
  EXPECT_TRUE(out.intact() && payload_out.intact() && scratch.intact()) << where;
}

template <class V, bool with_payload>
void expect_variant_sorts(const std::vector<Key>& keys, std::uint64_t range, Setting setting,
                          std::string_view what) {
  const Shape shape{{"n", static_cast<Index>(keys.size())}, {"range", static_cast<Index>(range)}};
  const std::size_t bytes = V::scratch(CountingSort<with_payload>{}, shape, Params{}, setting.threads);
  expect_sorted<with_payload>(
      keys, range, bytes, setting, [](auto& fork, const auto& args) { V::run(fork, args, Params{}); }, what);
}

inline void expect_all_sort(const std::vector<Key>& keys, std::uint64_t range, Setting setting,
                            std::string_view what) {
  expect_variant_sorts<cs::bucketed_streaming, false>(keys, range, setting, what);
  expect_variant_sorts<cs::bucketed_streaming, true>(keys, range, setting, what);
  expect_variant_sorts<cs::lsd_radix, false>(keys, range, setting, what);
  expect_variant_sorts<cs::lsd_radix, true>(keys, range, setting, what);
}

// Forces the recursion on the range, whatever the number of keys.
template <bool with_payload>
void expect_recursion_sorts(const std::vector<Key>& keys, std::uint64_t range, Setting setting,
                            std::string_view what) {
  using Recursion = cs::BucketedStreaming<Plain, with_payload>;
  expect_sorted<with_payload>(
      keys, range, Recursion::scratch(static_cast<Index>(keys.size()), range, setting.threads), setting,
      [](auto& fork, const auto& args) {
        Recursion::sort(fork, {args.in, args.payload_in}, {args.out, args.payload_out}, args.range,
                        args.scratch);
      },
      what);
}

inline std::vector<Key> seeded(std::string_view input, Index n, std::uint64_t range) {
  const Keys key_at(input, 3, static_cast<std::uint64_t>(n), range);
  std::vector<Key> keys;
  for (Index i = 0; i < n; ++i) keys.push_back(key_at(static_cast<std::uint64_t>(i)));
  return keys;
}

// Loads from one range of addresses and stores to another.
struct Watch {
  const std::byte *loads_from, *stores_to;
  std::ptrdiff_t bytes;
  Index loads = 0, stores = 0;

  void load(const void* address, std::size_t) { loads += within(address, loads_from); }
  void store(const void* address, std::size_t) { stores += within(address, stores_to); }
  bool within(const void* address, const std::byte* begin) const {
    return begin <= address && address < static_cast<const void*>(begin + bytes);
  }
};

}  // namespace tallcache::test
