// Keys that need no counting: in order, of few values, falling, rising and then falling, and what nearly is
// so.
#include <fmt/format.h>

#include <cmath>

#include "tests/streaming_sorts.hpp"

namespace tallcache::test {
namespace {

// One key among those in order, or of few values, that the sample does not see, at every edge of a vector, a
// step and a chunk.
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

// Equal words, and one that differs, wherever it stands.
TEST(EasyKeys, EqualButForOne) {
  for (Index n : {0, 1, 2, 3, 16, 17, 33, 64, 65, 131, 16421}) {
    std::vector<Key> words(static_cast<std::size_t>(n), 7);
    const auto in_order = [&](bool falling) {
      return cpu::sort::number_kernels<Key>(Plain{}).in_order({words.data(), n}, falling);
    };
    EXPECT_TRUE(in_order(false) && in_order(true)) << n;
    const Index distance = n > 131 ? 37 : 1;
    for (Index at = 0; at < n; at += distance)
      for (Key other : {0u, 6u, 8u, ~0u}) {
        words[static_cast<std::size_t>(at)] = other;
        EXPECT_EQ(in_order(false), std::ranges::is_sorted(words)) << n << " " << at;
        EXPECT_EQ(in_order(true), std::ranges::is_sorted(words, std::greater{})) << n << " " << at;
        words[static_cast<std::size_t>(at)] = 7;
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

// What a sample says of the keys' entropy, in bits.
double sampled_entropy(const std::vector<Key>& keys) {
  const VectorView<const Key> all{keys.data(), static_cast<Index>(keys.size())};
  cs::KeySample sample(all, true);
  if (sample.values <= cs::few_values) sample.drop_values(all);
  return sample.entropy;
}

// That of v values is log2(v); of n keys that differ, log2(n). A mixture has that of the choice on top of the
// parts' mean.
TEST(EasyKeys, SampledEntropyIsThatOfTheDistribution) {
  constexpr Index n = 1 << 18;
  const auto expect_bits = [](const std::string& input, double bits) {
    EXPECT_NEAR(sampled_entropy(seeded(input, n, n)), bits, 0.5) << input;
  };
  for (const int values : {2, 11, 33, 64}) expect_bits(fmt::format("few:v={}", values), std::log2(values));
  expect_bits("shuffled", 18);
  for (const double p : {0.25, 0.5, 0.9})
    expect_bits(fmt::format("heavy:p={},at=0.5", p),
                -p * std::log2(p) - (1 - p) * std::log2(1 - p) + (1 - p) * 18);
  EXPECT_GT(sampled_entropy(seeded("few:v=11", n / 4, n / 4)), 1000) << "too few keys to sample so many";
}

// Keys of low entropy that would go to buckets are compared, by one thread; in place too.
TEST(EasyKeys, LowEntropyIsCompared) {
  constexpr Index n = 300001;
  const auto strategy = [](const std::vector<Key>& keys, cs::SortProblem problem) {
    const VectorView<const Key> all{keys.data(), problem.n};
    cs::KeySample sample(all, cs::depends_on_entropy(problem));
    return cs::sort_strategy(problem, sample);
  };
  for (const char* input :
       {"few:v=12", "few:v=375", "few:v=600", "heavy:p=0.9,at=0.5", "zipf:s=1.5,clamped,scattered"}) {
    const auto keys = seeded(input, n, n);
    EXPECT_EQ(strategy(keys, {n, n}), cs::SortStrategy::comparisons) << input;
    EXPECT_EQ(strategy(keys, {n, n, false, true}), cs::SortStrategy::comparisons) << input;
    EXPECT_NE(strategy(keys, {n, n, true}), cs::SortStrategy::comparisons) << "pairs";
    EXPECT_NE(strategy(keys, {n, n, false, false, 2}), cs::SortStrategy::comparisons) << "threads";
    for (const int threads : thread_counts())
      expect_variant_sorts<cs::bucketed_streaming, false>(keys, n, {threads, 3}, input);
    const auto narrow = seeded(input, n, 65535);
    EXPECT_EQ(strategy(narrow, {n, 65535}), cs::SortStrategy::histogram) << input;
  }
  for (const char* input : {"few:v=100000", "uniform", "heavy:p=0.1", "zipf:s=0.5"})
    EXPECT_EQ(strategy(seeded(input, n, n), {n, n}), cs::SortStrategy::buckets) << input;
  EXPECT_EQ(strategy(seeded("few:v=6", n, n), {n, n}), cs::SortStrategy::few_values);
}

// Up to eight values, of pairs and keys, of few and of many.
TEST(EasyKeys, EveryNumberOfValues) {
  for (Index n : {100, 4095, 4096, 70001})
    for (Key values = 1; values <= 10; ++values)
      for (const int threads : thread_counts()) {
        std::vector<Key> keys = seeded("uniform", n, n);
        for (Key& key : keys) key = key % values * 9;
        expect_variant_sorts<cs::bucketed_streaming, false>(keys, n, {threads, 3}, "few values");
        expect_variant_sorts<cs::bucketed_streaming, true>(keys, n, {threads, 3}, "few values");
      }
}

// Keys that fall, equal ones side by side, at once or from some key on; then one that the sample does not see
// rises, at every edge of a vector, of a block and of a chunk.
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

// Cuts as for several threads, and runs on one.
struct Wide : Serial {
  static constexpr Index width() { return 4; }
};

// Of keys in order each is compared with the one before it, and then copied.
TEST(EasyKeys, AccessesOfChunks) {
  constexpr Index n = 150000;
  ASSERT_EQ(cs::chunks_of(n, 1, Wide::width()), 4);
  std::vector<Key> keys(n), out(n);
  std::iota(keys.begin(), keys.end(), Key{0});
  CountingSort<false>::Args<> args;
  args.out = {out.data(), n};
  args.in = {keys.data(), n};
  args.range = n;
  Watch watch{reinterpret_cast<const std::byte*>(keys.data()), reinterpret_cast<const std::byte*>(out.data()),
              n * 4};
  AnySink sink(watch);
  Wide fork;
  using Access = Traced<AnySink>;
  const auto to = args.with(Access{&sink});
  EXPECT_TRUE(cs::EasyKeys<Access>({to.in}, {to.out}, fork.width()).copy_in_order(fork, false));
  EXPECT_EQ(watch.loads, 2 * (n - 1) + n);
  EXPECT_EQ(watch.stores, n);
}

}  // namespace
}  // namespace tallcache::test
