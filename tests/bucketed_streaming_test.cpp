// bucketed_streaming and lsd_radix at the edges of their strategies: counters that overflow, sizes around
// thresholds, both levels of the recursion, outputs that are not aligned to a line, every SIMD target, skewed
// keys on several threads.
#include "cpu/counting_sort/bucketed_streaming.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <numeric>

#include "common/traced.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

namespace cs = cpu::counting_sort;
using Key = std::uint32_t;

constexpr Key guard = 0xc3c3c3c3;
constexpr Index guards = 64;

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
};

// Runs sort(fork, args) on the keys with `bytes` of scratch and compares with std::stable_sort.
template <bool with_payload, class Sort>
void expect_sorted(const std::vector<Key>& keys, std::uint64_t range, std::size_t bytes, Setting setting,
                   Sort sort, std::string_view what) {
  const Index n = static_cast<Index>(keys.size());
  std::vector<Key> order(keys.size());
  std::iota(order.begin(), order.end(), Key{0});
  std::stable_sort(order.begin(), order.end(), [&](Key a, Key b) { return keys[a] < keys[b]; });

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
    in_arena(setting.threads, [&] {
      OneTbb fork{setting.threads};
      sort(fork, args);
    });
  } else {
    Serial fork;
    sort(fork, args);
  }

  std::vector<Key> expected;
  for (Key i : order) expected.push_back(keys[i]);
  const std::string where = std::string(what) + ": " + std::to_string(n) + " keys in [0, " +
                            std::to_string(range) + "], " + (with_payload ? "pairs, " : "") +
                            std::to_string(setting.threads) + " threads";
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

void expect_all_sort(const std::vector<Key>& keys, std::uint64_t range, Setting setting,
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
        Recursion(args, fork.width()).sort(fork, {args.in, args.payload_in});
      },
      what);
}

std::vector<Key> seeded(std::string_view input, Index n, std::uint64_t range) {
  const Keys key_at(input, 3, static_cast<std::uint64_t>(n), range);
  std::vector<Key> keys;
  for (Index i = 0; i < n; ++i) keys.push_back(key_at(static_cast<std::uint64_t>(i)));
  return keys;
}

std::vector<int> thread_counts() {
  std::vector<int> counts{1};
  for (int threads = 2; threads <= std::min(usable_threads(), 4); ++threads) counts.push_back(threads);
  return counts;
}

TEST(BucketedStreaming, EverySkewAndWay) {
  const std::pair<Index, std::uint64_t> problems[] = {
      {40000, 65535},     {40000, 65536},     {40000, 65537},
      {8192, 65536},      {8193, 65536},      {100000, 10},
      {16384, (1 << 17)}, {16385, (1 << 17)}, {131072, (1 << 20) - 1},
      {131073, 1 << 20},  {1000, 0xffffffff}, {100000, 0xffffffff},
      {100000, 0},
  };
  for (const auto& [n, range] : problems)
    for (std::string_view input : key_inputs)
      for (int threads : thread_counts()) expect_all_sort(seeded(input, n, range), range, {threads}, input);
}

// One key among those in order, or of few values, that the sample does not see, at every edge of a vector, a step
// and a chunk.
TEST(EasyKeys, OneOfThemIsNot) {
  for (Index n : {2, 3, 17, 4097, 70001}) {
    std::vector<Index> places{0, 1, n / 2, n - 2, n - 1};
    for (Index edge : {16, 63, 4096, 4111, 35000})
      if (edge < n) places.push_back(edge);
    for (const Index at : places)
      for (const int threads : thread_counts()) {
        std::vector<Key> ordered(static_cast<std::size_t>(n)), few(static_cast<std::size_t>(n), 7);
        std::iota(ordered.begin(), ordered.end(), Key{100});
        ordered[static_cast<std::size_t>(at)] = at % 2 ? 3 : 100000;
        for (Index i = 0; i < n; i += 3) few[static_cast<std::size_t>(i)] = 90000;
        few[static_cast<std::size_t>(at)] = 80;
        for (const Index offset : {0, 5}) {
          const Setting setting{threads, offset, offset};
          expect_variant_sorts<cs::bucketed_streaming, false>(ordered, 100000, setting, "one out of order");
          expect_variant_sorts<cs::bucketed_streaming, true>(ordered, 100000, setting, "one out of order");
          expect_variant_sorts<cs::bucketed_streaming, false>(few, 100000, setting, "one more value");
          expect_variant_sorts<cs::bucketed_streaming, true>(few, 100000, setting, "one more value");
        }
      }
  }
}

// The outputs are beyond the caches, so that they are written past them.
TEST(EasyKeys, Large) {
  const Index n = (1 << 19) + 37;
  for (std::string_view input : {"all_equal", "two_values", "sorted", "reversed"})
    for (const int threads : thread_counts()) {
      expect_variant_sorts<cs::bucketed_streaming, false>(seeded(input, n, n), n, {threads, 3}, input);
      expect_variant_sorts<cs::bucketed_streaming, true>(seeded(input, n, n), n, {threads, 3}, input);
    }
}

// Keys that fall, equal ones side by side, at once or from some key on; then one that the sample does not see rises,
// at every edge of a vector, of a block and of a chunk.
TEST(EasyKeys, Fall) {
  for (Index n : {2, 3, 17, 600, 70001, (1 << 19) + 37})
    for (Index equal : {1, 2, 3, 70, 1000})
      for (int threads : thread_counts()) {
        std::vector<Key> keys;
        for (Index i = 0; i < n; ++i) keys.push_back(static_cast<Key>((n - 1 - i) / equal));
        const Setting setting{threads, 3, equal % 2};
        expect_variant_sorts<cs::bucketed_streaming, true>(keys, n, setting, "falling");
        for (Index i = n / 3; i + 1 < n / 3 * 2; i += 101) keys[static_cast<std::size_t>(i)] = keys[n / 3];
        expect_variant_sorts<cs::bucketed_streaming, true>(keys, n, setting, "not always falling");
        keys[static_cast<std::size_t>(n / 2)] = static_cast<Key>(n);
        expect_variant_sorts<cs::bucketed_streaming, true>(keys, n, setting, "one greater");
      }
  const Index n = 70001;
  for (const Index at : {1, 2, 15, 16, 17, 511, 512, 513, 35000, 35001, 69488, 69999, 70000})
    for (int threads : thread_counts()) {
      std::vector<Key> keys;
      for (Index i = 0; i < n; ++i) keys.push_back(static_cast<Key>(n - 1 - i) / 2);
      keys[static_cast<std::size_t>(at)] += 2;
      expect_variant_sorts<cs::bucketed_streaming, true>(keys, n, {threads, 3, 3}, "one greater");
    }
}

// Keys that rise and then fall, with equal ones side by side and in both runs; one is then moved.
TEST(EasyKeys, RiseAndFall) {
  for (Index n : {2, 3, 100, 5000, 70001})
    for (Index top : {Index{0}, n / 3, n - 2})
      for (Index equal : {1, 2, 70}) {
        std::vector<Key> keys;
        for (Index i = 0; i < n; ++i)
          keys.push_back(static_cast<Key>((i <= top ? i : 2 * n - 2 * i) / equal));
        for (int threads : thread_counts())
          expect_variant_sorts<cs::bucketed_streaming, true>(keys, 200000, {threads, 3, 3}, "rise and fall");
        keys[static_cast<std::size_t>(n * 2 / 3)] += 3;
        expect_variant_sorts<cs::bucketed_streaming, true>(keys, 200000, {}, "not quite");
      }
}

// A leaf of more pairs than its stage holds, which threads share.
TEST(BucketedStreaming, SharedPairs) {
  constexpr std::uint64_t range = (1 << 20) - 1;
  for (Key modulus : {1u, 5u, 4000u}) {
    std::vector<Key> keys = seeded("uniform", 200000, range);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (i % 10 > 0) keys[i] = 700000 / 4096 * 4096 + keys[i] % modulus;
    for (int threads : thread_counts())
      expect_recursion_sorts<true>(keys, range, {threads, 7, 7}, "shared pairs");
  }
}

TEST(BucketedStreaming, BothLevelsOfTheRecursion) {
  for (std::uint64_t range : {std::uint64_t{1} << 17, std::uint64_t{1} << 28, (std::uint64_t{1} << 30) - 1,
                              std::uint64_t{1} << 30, std::uint64_t{0xffffffff}}) {
    for (bool payload : {false, true})
      EXPECT_EQ(cs::RangeBits(range, payload).second > 0, range >= std::uint64_t{1} << 30);
    for (std::string_view input : key_inputs)
      for (int threads : thread_counts()) {
        const auto keys = seeded(input, 500, range);
        expect_recursion_sorts<false>(keys, range, {threads}, input);
        expect_recursion_sorts<true>(keys, range, {threads}, input);
      }
  }
}

// A leaf counts in bytes, and the positions of pairs are 16 bits wide in its stage.
TEST(BucketedStreaming, CountersOverflow) {
  constexpr std::uint64_t range = 100000;
  for (Index equal : {255, 256, 257, 511, 512, 65535, 65536, 65537, 131072})
    for (Index others : {20000, 200000}) {
      std::vector<Key> keys = seeded("uniform", others, range);
      keys.insert(keys.begin() + others / 2, static_cast<std::size_t>(equal), 77777);
      expect_all_sort(keys, range, {}, std::to_string(equal) + " equal");
    }
}

// Runs from the length of a vector to more than a counter of a byte holds.
TEST(BucketedStreaming, ManyKeysAValue) {
  for (Index keys_per_value : {2, 4, 8, 9, 15, 30, 63, 65}) {
    const auto keys = seeded("uniform", keys_per_value * 4096, 4095);
    for (int threads : thread_counts())
      expect_recursion_sorts<false>(keys, (1 << 17) - 1, {.threads = threads, .offset = 5}, "one leaf");
  }
}

TEST(BucketedStreaming, AsManyPairsInALeafAsItsStageHolds) {
  for (int leaf : {12, 15}) {
    const std::uint64_t range = (std::uint64_t{1} << (leaf + 12)) - 1;
    ASSERT_EQ(cs::RangeBits(range, true).leaf, leaf);
    for (Index in_leaf : {65534, 65535, 65536, 65537})
      expect_recursion_sorts<true>(seeded("uniform", in_leaf, (1u << leaf) - 1), range, {}, "one leaf");
  }
}

// Buckets that end at the end of a line or a block, or next to it, on one thread and on several.
TEST(BucketedStreaming, FullBlocks) {
  constexpr Index block = cs::block_size<cs::Pair>;
  constexpr std::uint64_t range = (1 << 20) - 1;
  for (Index size : {block - 1, block, block + 1, 2 * block, 3 * block + cs::write_buffer_size<cs::Pair>})
    for (int threads : thread_counts()) {
      std::vector<Key> keys;
      for (Index i = 0; i < size; ++i)
        for (Key bucket : {3u, 77u, 255u}) keys.push_back(bucket << 12 | static_cast<Key>(i * 2531 % 4096));
      expect_recursion_sorts<false>(keys, range, {threads}, "full blocks");
      expect_recursion_sorts<true>(keys, range, {threads}, "full blocks");
    }
}

// One to three values, at the ends of the range, that have all of the keys or every second one: buckets that
// a sample of the keys finds, or just misses. Sizes near that of the sample and of the blocks of keys.
TEST(BucketedStreaming, HeavyValues) {
  constexpr Key range = (1 << 20) - 1;
  for (const std::vector<Key>& values : {std::vector<Key>{0}, {range}, {0, range}, {0, range / 2, range}})
    for (bool others : {false, true})
      for (Index n : {1, 127, 128, 129, 527, 528, 529, 1025, 20011})
        for (int threads : thread_counts()) {
          std::vector<Key> keys = seeded("uniform", n, range);
          for (std::size_t i = 0; i < keys.size(); ++i)
            if (!others || keys[i] % 2 == 0) keys[i] = values[keys[i] / 2 % values.size()];
          expect_recursion_sorts<false>(keys, range, {threads}, "heavy values");
          expect_recursion_sorts<true>(keys, range, {threads}, "heavy values");
        }
}

TEST(BucketedStreaming, OutputsOffALine) {
  for (Index n : {1, 15, 16, 17, 63, 64, 65, 20011})
    for (Index offset : {0, 1, 5, 15})
      for (Index payload_offset : {offset, Index{3}})
        for (std::uint64_t range : {100, 70000, 1 << 24}) {
          const auto keys = seeded("uniform", n, range);
          const Setting setting{.offset = offset, .payload_offset = payload_offset};
          expect_all_sort(keys, range, setting, "off a line");
          expect_recursion_sorts<false>(keys, range, setting, "off a line");
          expect_recursion_sorts<true>(keys, range, setting, "off a line");
        }
}

TEST(BucketedStreaming, EverySimdTarget) {
  int targets = 0;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    hwy::SetSupportedTargetsForTest(target);
    for (std::string_view input : {"uniform", "zipf_1.0", "two_values", "sorted"}) {
      const std::string what = std::string(hwy::TargetName(target)) + ", " + std::string(input);
      for (std::uint64_t range : {5000, 70000, 300000})
        expect_all_sort(seeded(input, 70001, range), range, {.offset = 3, .payload_offset = 3}, what);
      expect_recursion_sorts<false>(seeded(input, 500, 0xffffffff), 0xffffffff, {}, what);
    }
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(targets, 1);
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

template <bool with_payload>
void expect_footprint(Index n, std::uint64_t range, Index loads, Index stores) {
  const auto keys = seeded("uniform", n, range);
  std::vector<Key> out(keys.size()), payload(keys.size()), payload_out(keys.size());
  const Shape shape{{"n", n}, {"range", static_cast<Index>(range)}};
  std::vector<Key> scratch(
      cs::bucketed_streaming::scratch(CountingSort<with_payload>{}, shape, Params{}, 1) / 4 + 16);
  typename CountingSort<with_payload>::template Args<> args;
  args.out = {out.data(), n};
  args.in = {keys.data(), n};
  if (with_payload) args.payload_out = {payload_out.data(), n}, args.payload_in = {payload.data(), n};
  args.range = static_cast<Key>(range);
  void* aligned = scratch.data();
  std::size_t room = scratch.size() * 4;
  std::align(64, room - 64, aligned, room);
  args.scratch = Scratch<>({static_cast<std::byte*>(aligned), room});
  Watch watch{reinterpret_cast<const std::byte*>(keys.data()), reinterpret_cast<const std::byte*>(out.data()),
              n * 4};
  Serial fork;
  cs::bucketed_streaming::run(fork, args.with(Traced<Watch>{&watch}), Params{});
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  EXPECT_GE(watch.loads, loads);
  EXPECT_LE(watch.loads, loads + 128) << "more than a sample";
  EXPECT_EQ(watch.stores, stores);
}

// Without a preceding histogram a pass reads the keys once, besides a sample; the output is written once.
TEST(BucketedStreaming, Footprint) {
  expect_footprint<false>(5000, 1000, 5000, 5000);
  expect_footprint<false>(50000, 70000, 50000, 50000);
  expect_footprint<true>(50000, 70000, 50000, 50000);
}

// Cuts as for several threads, and runs on one.
struct Wide : Serial {
  static constexpr Index width() { return 4; }
};

// Keys in order are read once, besides a sample, and those before a chunk's first once more.
TEST(EasyKeys, FootprintOfChunks) {
  constexpr Index n = 150000, sample = 128;
  ASSERT_EQ(cs::chunks_of(n, 1, Wide::width()), 4);
  std::vector<Key> keys(n), out(n);
  std::iota(keys.begin(), keys.end(), Key{0});
  CountingSort<false>::Args<> args;
  args.out = {out.data(), n};
  args.in = {keys.data(), n};
  args.range = n;
  Watch watch{reinterpret_cast<const std::byte*>(keys.data()), reinterpret_cast<const std::byte*>(out.data()),
              n * 4};
  Wide fork;
  EXPECT_TRUE(cs::sort_easy_keys(fork, args.with(Traced<Watch>{&watch})));
  EXPECT_EQ(watch.loads, n + sample + 3);
  EXPECT_EQ(watch.stores, n);
}

}  // namespace
}  // namespace tallcache::test
