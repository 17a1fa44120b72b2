// bucketed_streaming and lsd_radix at the edges of their strategies: counters that overflow, sizes around
// thresholds, both levels of the recursion, outputs that are not aligned to a line, every SIMD target, skewed
// keys on several threads.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "tests/each_target.hpp"
#include "tests/streaming_sorts.hpp"

namespace tallcache::test {
namespace {

TEST(BucketedStreaming, EverySkewAndWay) {
  const std::pair<Index, std::uint64_t> problems[] = {
      {40000, 65535},     {40000, 65536},     {40000, 65537},
      {8192, 65536},      {8193, 65536},      {100000, 10},
      {16384, (1 << 17)}, {16385, (1 << 17)}, {131072, (1 << 20) - 1},
      {131073, 1 << 20},  {1000, 0xffffffff}, {100000, 0xffffffff},
      {100000, 0},        {65537, 65535},     {262144, (1 << 18) - 1},
  };
  for (const auto& [n, range] : problems)
    for (std::string_view input : key_inputs) {
      const auto keys = seeded(input, n, range);
      for (int threads : thread_counts())
        for (ForkPolicy policy : policies_of(threads))
          expect_all_sort(keys, range, {.threads = threads, .policy = policy}, input);
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

// From one bucket to the most, and ranges beyond that, for which keys and pairs are sorted by digits.
TEST(BucketedStreaming, EveryNumberOfBuckets) {
  for (bool payload : {false, true}) {
    constexpr Index many = Index{1} << 28;
    EXPECT_EQ(cs::sort_strategy({many, (1u << 30) - 1, payload}), cs::SortStrategy::buckets);
    EXPECT_EQ(cs::sort_strategy({many, 1u << 30, payload}), cs::SortStrategy::digits);
  }
  for (std::uint64_t range : {1 << 11, 1 << 17, 1 << 24, (1 << 30) - 1})
    for (std::string_view input : {"uniform", "zipf_1.5", "max_key"}) {
      const auto keys = seeded(input, 500, range);
      for (int threads : thread_counts()) {
        expect_recursion_sorts<false>(keys, range, {threads}, input);
        expect_recursion_sorts<true>(keys, range, {threads}, input);
      }
    }
}

// Pairs whose positions have 16 bits: sizes and ranges around four counters, around the size from which ranks
// are noted, and the largest; most keys equal, so that a counter holds nearly all that 16 bits can.
TEST(BucketedStreaming, FewPairs) {
  for (Index n : {0, 1, 2, 3, 5, 63, 1000, 16383, 16384, 16385, 65534, 65535})
    for (std::uint64_t range : {0, 1, 2, 3, 4, 6, 1023, 65534, 65535})
      for (Index equal_of_ten : {0, 9}) {
        std::vector<Key> keys = seeded("uniform", n, range);
        for (std::size_t i = 0; i < keys.size(); ++i)
          if (static_cast<Index>(i % 10) < equal_of_ten) keys[i] = static_cast<Key>(range - range / 3);
        expect_sorted<true>(
            keys, range, cs::Histogram<Plain, true>::scratch(n, range, 1), {1, 3, 5},
            [](auto& fork, const auto& args) {
              cs::Histogram<Plain, true>::sort(fork, {args.in, args.payload_in}, {args.out, args.payload_out},
                                               args.range, args.scratch);
            },
            "few pairs");
      }
  for (int threads : thread_counts())
    expect_variant_sorts<cs::bucketed_streaming, true>(seeded("uniform", 65535, 65535), 65535,
                                                       {.threads = threads}, "the most that are few");
}

// A leaf counts in bytes, and the positions of pairs are 16 bits wide in its stage.
TEST(BucketedStreaming, CountersOverflow) {
  constexpr std::uint64_t range = 100000;
  for (Index equal : {255, 256, 257, 511, 512, 65535, 65536, 65537, 131072})
    for (Index others : {20000, 200000}) {
      std::vector<Key> keys = seeded("uniform", others, range);
      keys.insert(keys.begin() + others / 2, static_cast<std::size_t>(equal), 77777);
      const std::string what = std::to_string(equal) + " equal";
      expect_all_sort(keys, range, {}, what);
      if (others == 200000) continue;  // the smaller problem shows as much
      expect_recursion_sorts<false>(keys, range, {}, what);
      expect_recursion_sorts<true>(keys, range, {}, what);
    }
}

// One histogram of few keys counts in bytes too, eight of which are written at a time, 2^16 in a segment.
TEST(BucketedStreaming, CountersThatWrap) {
  for (std::uint64_t range : {9, 100, 4999, 65535, 65536, 199999})
    for (Index equal : {254, 255, 256, 257, 512, 1025, 30000}) {
      std::vector<Key> keys = seeded("uniform", static_cast<Index>(range) / 4 + 1000, range);
      for (Key value : {Key{0}, Key{1}, Key{7}, Key{8}, Key{65535}, Key{65536}, static_cast<Key>(range) - 1,
                        static_cast<Key>(range)})
        if (value <= range && (equal % 2 == 0 || value % 2 == 0))
          keys.insert(keys.begin() + value % 900, static_cast<std::size_t>(equal), value);
      for (int threads : thread_counts())
        expect_variant_sorts<cs::bucketed_streaming, false>(keys, range, {.threads = threads, .offset = 3},
                                                            std::to_string(equal) + " equal");
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

// Hot keys that are counted and not stored: fewer and more than are counted so, at the ends of buckets,
// others in the second half, which other threads sort, and leaves in which there are no keys else.
TEST(BucketedStreaming, HotKeys) {
  constexpr Key range = (1 << 20) - 1;
  for (Index hot : {1, 2, 3, 8, 9, 40})
    for (Key of_ten : {4u, 9u, 10u})
      for (Index n : {1023, 1024, 4096, 5120, 70001})
        for (int threads : thread_counts()) {
          std::vector<Key> keys = seeded("uniform", n, range);
          for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto h = static_cast<Key>(keys[i] / 16 % static_cast<Key>(hot));
            const bool is_late = 2 * i > keys.size();
            if (keys[i] % 10 < of_ten) keys[i] = is_late ? range - 4095 * h : 4096 * h + 4095;
          }
          expect_recursion_sorts<false>(keys, range, {threads}, "hot keys");
        }
}

// In a leaf of many equal keys those that follow each other are counted in different tables of bytes, whose
// sum wraps.
TEST(BucketedStreaming, SumsThatWrap) {
  for (int leaf : {12, 15})
    for (Index equal : {252, 255, 256, 257, 510, 1019, 1020, 1021, 1024, 1025}) {
      const std::uint64_t range = (std::uint64_t{1} << (leaf + 10)) - 1;
      ASSERT_EQ(cs::RangeBits(range, false).leaf, leaf);
      std::vector<Key> keys;
      for (Index i = 0; i < 4 * equal; ++i) {
        keys.push_back(static_cast<Key>(17 + i / 16 % 4));
        if (i % 7 == 0) keys.push_back(static_cast<Key>(i * 2531 % (1 << leaf)));
      }
      for (int threads : thread_counts())
        expect_recursion_sorts<false>(keys, range, {threads}, "sums that wrap");
    }
}

// What a trace names: elements of regions, each marked with what happened to it.
struct Named {
  struct Region {
    const std::byte* begin;
    std::vector<char> loaded, stored;
  };
  std::vector<Region> regions;
  Index outside = 0;

  template <class View>
  void add(const View& view) {
    const auto bytes = static_cast<std::size_t>(view.size) * sizeof(*view.data);
    regions.push_back(
        {reinterpret_cast<const std::byte*>(view.data), std::vector<char>(bytes), std::vector<char>(bytes)});
  }
  void load(const void* at, std::size_t bytes) { mark(at, bytes, &Region::loaded); }
  void store(const void* at, std::size_t bytes) { mark(at, bytes, &Region::stored); }
  void mark(const void* at, std::size_t bytes, std::vector<char> Region::*what) {
    for (Region& r : regions) {
      const auto offset = static_cast<const std::byte*>(at) - r.begin;
      if (offset < 0 || offset + bytes > r.loaded.size()) continue;
      std::fill_n((r.*what).begin() + offset, bytes, char{1});
      return;
    }
    ++outside;
  }
};

template <class V, bool with_payload>
void expect_traced(const std::vector<Key>& keys, std::uint64_t range, std::string_view what) {
  const Shape shape{{"n", static_cast<Index>(keys.size())}, {"range", static_cast<Index>(range)}};
  const std::size_t bytes = V::scratch(CountingSort<with_payload>{}, shape, Params{}, 1);
  expect_sorted<with_payload>(
      keys, range, bytes, {.offset = 3, .payload_offset = 3},
      [&](auto& fork, const auto& args) {
        Named named;
        named.add(args.in), named.add(args.out);
        if constexpr (with_payload) named.add(args.payload_in), named.add(args.payload_out);
        auto rest = args.scratch;
        named.add(rest.template vector<std::byte>(static_cast<Index>(bytes / 64 * 64)));
        V::run(fork, args.with(Traced<Named>{&named}), Params{});
        EXPECT_EQ(named.outside, 0) << what << ", " << args.in.size << " keys to " << range;
        const auto all = [](const std::vector<char>& marks) {
          return std::find(marks.begin(), marks.end(), 0) == marks.end();
        };
        const auto none = [](const std::vector<char>& marks) {
          return std::find(marks.begin(), marks.end(), 1) == marks.end();
        };
        for (std::size_t i = 0; i + 1 < named.regions.size(); i += 2) {
          EXPECT_TRUE(all(named.regions[i].loaded) && none(named.regions[i].stored)) << what;
          EXPECT_TRUE(all(named.regions[i + 1].stored)) << what;
        }
      },
      what);
}

// A trace is of the kernels themselves: it sorts, loads every key, stores every result, and names nothing but
// the arguments and the scratch.
TEST(BucketedStreaming, Traced) {
  const std::pair<Index, std::uint64_t> problems[] = {
      {2, 9}, {1000, 1000}, {70000, 65535}, {40000, 70000}, {40000, 1 << 18}};
  for_each_target([&] {
    for (const auto& [n, range] : problems)
      for (std::string_view input : {"uniform", "zipf_1.5", "two_values", "reversed", "max_key"}) {
        const auto keys = seeded(input, n, range);
        expect_traced<cs::bucketed_streaming, false>(keys, range, input);
        expect_traced<cs::bucketed_streaming, true>(keys, range, input);
        expect_traced<cs::lsd_radix, false>(keys, range, input);
        expect_traced<cs::lsd_radix, true>(keys, range, input);
      }
  });
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
    for (std::string_view input : {"uniform", "zipf_1.0", "zipf_1.5_scattered", "two_values", "sorted"}) {
      const std::string what = std::string(hwy::TargetName(target)) + ", " + std::string(input);
      for (std::uint64_t range : {5000, 70000, 300000})
        expect_all_sort(seeded(input, 70001, range), range, {.offset = 3, .payload_offset = 3}, what);
      expect_recursion_sorts<false>(seeded(input, 500, 1 << 28), 1 << 28, {}, what);
    }
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(targets, 1);
}

template <bool with_payload>
void expect_accesses(Index n, std::uint64_t range) {
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
  EXPECT_GE(watch.loads, n);
  EXPECT_LT(watch.loads, 2 * n + n / 2);
  EXPECT_EQ(watch.stores, n);
}

// A pass has no histogram before it. It loads a key for its bucket and for its element, besides a sample and
// the comparisons that look for rows of one bucket. The output is written once.
TEST(BucketedStreaming, Accesses) {
  expect_accesses<false>(5000, 1000);
  expect_accesses<false>(50000, 70000);
  expect_accesses<true>(50000, 70000);
}

}  // namespace
}  // namespace tallcache::test
