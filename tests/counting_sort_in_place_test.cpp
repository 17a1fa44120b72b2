// The in-place counting sort at the edges of its ways: ranges of every size, buckets that need more room than
// is free, arrays that do not begin with a line, skewed keys, every SIMD target, several threads, its
// scratch.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <numeric>

#include "common/fork/parallel.hpp"
#include "cpu/counting_sort/in_place.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

namespace cs = cpu::counting_sort;
using Key = std::uint32_t;

std::vector<Key> seeded(std::string_view input, Index n, std::uint64_t range) {
  const Keys key_at(input, 5, static_cast<std::uint64_t>(n), range);
  std::vector<Key> keys;
  for (Index i = 0; i < n; ++i) keys.push_back(key_at(static_cast<std::uint64_t>(i)));
  return keys;
}

struct Setting {
  int threads = 1;
  Index offset = 0;                         ///< of the keys behind a line boundary
  Index width = 0;                          ///< not 0: on one thread, cut as for so many
  ForkPolicy policy = default_fork_policy;  ///< of several threads
};

// Cuts as for several threads, more than the machine may have, and runs on one.
struct Wide : Serial {
  Index blocks_at_once;
  Index width() const { return blocks_at_once; }
};

// Runs sort(fork, keys, scratch) between guards and compares with std::sort.
template <class Sort>
void expect_sorted(std::vector<Key> keys, std::size_t bytes, Setting setting, Sort sort,
                   const std::string& what) {
  constexpr Key guard = 0xc3c3c3c3;
  constexpr Index guards = 32;
  const Index n = static_cast<Index>(keys.size()), words = static_cast<Index>(bytes / 4);
  std::vector<Key> memory(static_cast<std::size_t>(n + words + 5 * guards), guard);
  const auto skip = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 / sizeof(Key);
  Key* const scratch = memory.data() + skip + guards;
  Key* const begin = scratch + (words + 15) / 16 * 16 + guards + setting.offset;
  std::copy(keys.begin(), keys.end(), begin);
  const VectorView<Key> view{begin, n};
  const Scratch<> room({reinterpret_cast<std::byte*>(scratch), bytes});
  if (setting.width > 0) {
    Wide fork{{}, setting.width};
    sort(fork, view, room);
  } else if (setting.threads > 1) {
    set_fork_policy(setting.policy);
    run_parallel(setting.threads, [&](auto& fork) { sort(fork, view, room); });
    set_fork_policy(default_fork_policy);
  } else {
    Serial fork;
    sort(fork, view, room);
  }
  std::ranges::sort(keys);
  const std::string where = what + ", " + std::to_string(n) + " keys, " + std::to_string(setting.threads) +
                            " threads, cut for " + std::to_string(setting.width) + ", offset " +
                            std::to_string(setting.offset) + ", " + std::string(name_of(setting.policy));
  EXPECT_TRUE(std::equal(keys.begin(), keys.end(), begin)) << where;
  const auto intact = [](const Key* from, const Key* to) {
    return std::all_of(from, to, [](Key key) { return key == guard; });
  };
  EXPECT_TRUE(intact(memory.data(), scratch) && intact(scratch + words, begin) &&
              intact(begin + n, memory.data() + memory.size()))
      << where;
}

void expect_variant_sorts(const std::vector<Key>& keys, std::uint64_t range, Setting setting,
                          std::string_view what) {
  const Shape shape{{"n", static_cast<Index>(keys.size())}, {"range", static_cast<Index>(range)}};
  expect_sorted(
      keys, cs::in_place::scratch(CountingSortInPlace{}, shape, Params{}, setting.threads), setting,
      [range](auto& fork, VectorView<Key> view, Scratch<> scratch) {
        cs::in_place::run(fork, CountingSortInPlace::Args<>{view, static_cast<Key>(range), scratch},
                          Params{});
      },
      std::string(what) + " in [0, " + std::to_string(range) + "]");
}

// The blocks alone, without a look for easy keys.
void expect_blocks_sort(const std::vector<Key>& keys, std::uint64_t range, Setting setting,
                        std::string_view what) {
  const Index n = static_cast<Index>(keys.size());
  const cs::InPlaceCut cut(n, range, std::max<Index>(setting.width, setting.threads));
  expect_sorted(
      keys, cs::InPlaceBlocks<Plain>::scratch(n, cut), setting,
      [&cut](auto& fork, VectorView<Key> view, Scratch<> scratch) {
        cs::InPlaceBlocks<Plain>(view, cut, scratch).sort(fork);
      },
      std::string(what) + " by blocks in [0, " + std::to_string(range) + "]");
}

TEST(CountingSortInPlace, EverySkewAndWay) {
  const std::pair<Index, std::uint64_t> problems[] = {
      {40000, 65535},     {40000, 65536},       {8192, 65536},       {8193, 65536},    {16385, 1 << 17},
      {131072, 1 << 20},  {131073, 1 << 20},    {300007, 300007},    {100000, 10},     {100000, 0},
      {1000, 0xffffffff}, {100000, 0xffffffff}, {32768, 0x7fffffff}, {32769, 1 << 30}, {100000, 200000},
  };
  for (const auto& [n, range] : problems)
    for (std::string_view input : key_inputs) {
      const auto keys = seeded(input, n, range);
      for (int threads : thread_counts())
        for (ForkPolicy policy : policies_of(threads))
          for (Index offset : {0, 7})
            expect_variant_sorts(keys, range, {.threads = threads, .offset = offset, .policy = policy},
                                 input);
    }
}

// More keys than the stages hold: several rounds of moving blocks together.
TEST(CountingSortInPlace, BlocksThatMove) {
  for (std::uint64_t range : {(1 << 17), (1 << 20) + 1, (1 << 21)})
    for (std::string_view input :
         {"uniform", "zipf_1.0", "zipf_1.5", "zipf_1.5_scattered", "one_percent", "organ_pipe", "max_key"}) {
      const auto keys = seeded(input, 1 << 20, range);
      for (Index width : {1, 2, 4, 16}) expect_blocks_sort(keys, range, {.offset = 9, .width = width}, input);
    }
}

// A bucket of most keys that a sample of 128 does not see as such, as it looks at every 128th part of a
// chunk: first, in the middle and last.
TEST(CountingSortInPlace, LargeBuckets) {
  constexpr Key range = (1 << 20) - 1;
  constexpr Index n = 1 << 19;
  for (Key large : {Key{0}, range / 2, range})
    for (Index width : {1, 3}) {
      std::vector<Key> keys = seeded("uniform", n, range);
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (i % 256 > 40) keys[i] = large ^ (keys[i] & 1023);
      expect_blocks_sort(keys, range, {.width = width}, "a large bucket");
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (i % 256 > 40) keys[i] = large;
      expect_blocks_sort(keys, range, {.width = width}, "a large value");
    }
}

// Every number of keys in a bucket round the size of a block.
TEST(CountingSortInPlace, FullBlocks) {
  constexpr Key range = (1 << 17) - 1;
  for (Index size : {511, 512, 513, 1024, 1056}) {
    std::vector<Key> keys;
    for (Index i = 0; i < 32 * size; ++i) keys.push_back(static_cast<Key>(i % 32 << 12 | i * 2531 % 4096));
    for (int threads : thread_counts()) expect_blocks_sort(keys, range, {threads, 1}, "full blocks");
  }
}

// One key that is not as the others, where a sample does not see it.
TEST(CountingSortInPlace, OneOfThemIsNotEasy) {
  for (Index n : {2, 3, 17, 4097, 70001})
    for (Index at : {Index{0}, Index{1}, n / 2, n - 2, n - 1})
      for (int threads : thread_counts()) {
        std::vector<Key> rising(static_cast<std::size_t>(n)), few(static_cast<std::size_t>(n), 7);
        std::iota(rising.begin(), rising.end(), Key{100});
        std::vector<Key> falling(rising.rbegin(), rising.rend());
        for (Index i = 0; i < n; i += 3) few[static_cast<std::size_t>(i)] = 90000;
        for (std::vector<Key>* keys : {&rising, &falling, &few}) {
          expect_variant_sorts(*keys, 100000, {threads, 3}, "easy");
          (*keys)[static_cast<std::size_t>(at)] = at % 2 ? 3 : 100000;
          expect_variant_sorts(*keys, 100000, {threads, 3}, "one is not");
        }
      }
}

TEST(CountingSortInPlace, EverySimdTarget) {
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    hwy::SetSupportedTargetsForTest(target);
    for (std::string_view input :
         {"uniform", "zipf_1.0", "zipf_1.5_scattered", "two_values", "sorted", "reversed"})
      for (std::uint64_t range : {5000, 70000, 300000})
        expect_variant_sorts(seeded(input, 70001, range), range, {.offset = 3},
                             std::string(hwy::TargetName(target)) + ", " + std::string(input));
  }
  hwy::SetSupportedTargetsForTest(0);
}

// What makes it in place: for keys as many as their range one thread needs 1/16 of their memory, and a few
// MB.
TEST(CountingSortInPlace, ScratchIsSmall) {
  for (Index n : {1 << 20, 1 << 24, 1 << 26})
    for (std::uint64_t range :
         {std::uint64_t{100}, static_cast<std::uint64_t>(n), std::uint64_t{0xffffffff}}) {
      const Shape shape{{"n", n}, {"range", static_cast<Index>(range)}};
      EXPECT_LE(cs::in_place::scratch(CountingSortInPlace{}, shape, Params{}, 1),
                static_cast<std::size_t>(n) / 4 + (std::size_t{3} << 20));
    }
}

}  // namespace
}  // namespace tallcache::test
