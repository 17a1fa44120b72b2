// The GPU's sample sort on the host's model: several levels of buckets, leaves larger than a block, orders
// that are none, every kind of keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/catalogue.hpp"
#include "common/keys.hpp"
#include "common/random.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/tallcache/device_sort.hpp"
#include "tests/support.hpp"

namespace tallcache::gpu {
namespace {

class SampleSort : public testing::TestWithParam<std::string_view> {
 protected:
  void sort(Index n, Index ways, std::string_view input = {}) {
    const Operation& operation = find_operation("sort", GetParam());
    warp::HostDevice device(cache::warp_machine("h200"));
    const Check check = run_kernel_text(device, find_kernel_text(operation, "sample_sort"), {{"n", n}},
                                        {{"ways", ways}}, input);
    EXPECT_TRUE(check) << n << " " << input << " keys, " << ways << " ways: " << check.message();
  }
};

// 100003 keys are 12 to 28 tiles: by two buckets at a time, five or six levels; 20011 are 3 to 6.
TEST_P(SampleSort, SortsInSeveralLevels) {
  for (const Index ways : {2, 4, 64}) sort(test::sanitized ? 20011 : 100003, ways);
}

TEST_P(SampleSort, SortsEveryKindOfKeys) {
  for (const std::string_view input : key_inputs) sort(20000, 4, input);
}

INSTANTIATE_TEST_SUITE_P(Keys, SampleSort, testing::Values("uint32", "uint64", "double", "key_and_position"),
                         [](const auto& test) { return std::string(test.param); });

/// `keys` sorted on the model.
template <class T, class... Less>
void sort_on_model(std::vector<T>& keys, Less... less) {
  warp::HostDevice device(cache::warp_machine("h200"));
  const Index n = std::ssize(keys);
  std::vector<std::byte> scratch(device_sort_scratch<T>(n));
  device_sort(device, VectorView<T, warp::Counted>{keys.data(), n, device.access(keys.data())},
              Scratch<warp::Counted>(scratch, device.access()), less...);
}

TEST(SampleSortOfOwnOrder, IsStable) {
  struct LastDigitFalling {
    bool operator()(const KeyAndPosition& x, const KeyAndPosition& y) const {
      return x.key % 10 > y.key % 10;
    }
  };
  std::vector<KeyAndPosition> records(30011);
  for (std::size_t i = 0; i < records.size(); ++i) records[i] = {random_bits(7, i), i};
  auto expected = records;
  std::ranges::stable_sort(expected, LastDigitFalling());
  sort_on_model(records, LastDigitFalling());
  EXPECT_TRUE(std::ranges::equal(records, expected, [](const auto& x, const auto& y) {
    return x.key == y.key && x.position == y.position;
  }));
}

struct ShortRecord {
  std::uint16_t key, position;
  bool operator==(const ShortRecord&) const = default;
};

/// The order by keys. It tells whose positions the first comparisons are of.
struct ByKeyTelling {
  std::set<int>* positions;
  int* left;
  bool operator()(const ShortRecord& x, const ShortRecord& y) const {
    if (*left > 0) --*left, positions->insert({x.position, y.position});
    return x.key < y.key;
  }
};

// The first comparisons are of the sample. Where its keys are the largest, all others are one bucket: of
// 10007 keys one that is larger than a tile, of 20011 one that is larger than a block's memory.
TEST(SampleSortOfOwnOrder, SortsALeafThatIsLargerThanATileOrABlock) {
  for (const auto& [n, of_sample] : {std::pair<std::size_t, int>{10007, 512}, {20011, 1024}}) {
    std::vector<ShortRecord> records(n);
    for (std::size_t i = 0; i < n; ++i)
      records[i] = {static_cast<std::uint16_t>(random_bits(7, i) % 50000), static_cast<std::uint16_t>(i)};
    std::set<int> sample;
    int left = 4 * of_sample;
    auto told = records;
    sort_on_model(told, ByKeyTelling{&sample, &left});
    EXPECT_GT(sample.size(), static_cast<std::size_t>(of_sample * 9 / 10));
    EXPECT_LE(sample.size(), static_cast<std::size_t>(of_sample)) << "others";
    for (const int position : sample) records[static_cast<std::size_t>(position)].key = 65535;
    auto expected = records;
    left = 0;
    std::ranges::stable_sort(expected, ByKeyTelling{&sample, &left});
    sort_on_model(records, ByKeyTelling{&sample, &left});
    EXPECT_EQ(records, expected) << n;
  }
}

/// Of the leaves of n keys: blocks of whole warps, for every leaf that a block has memory for.
template <std::size_t key_bytes>
void check_classes_of(Index n) {
  using Leaf = sort::LeafOf<key_bytes>;
  const sort::DistributionPlan plan(n, Leaf::tile, 16384, 256);
  const sort::LeafClasses& classes = plan.classes;
  ASSERT_GE(classes.number, 1);
  for (int c = 0; c < classes.number; ++c) {
    const std::uint32_t keys = classes.keys[c];
    EXPECT_EQ(keys % (32 * Leaf::keys), 0u) << n;
    EXPECT_EQ(classes.of(keys), c) << n;
    EXPECT_EQ(classes.of(keys + 1), std::min(c + 1, classes.number - 1)) << n;
  }
  EXPECT_EQ(classes.keys[classes.number - 1], static_cast<std::uint32_t>(Leaf::tile)) << n;
}

TEST(LeafClasses, AreOfWholeWarpsAndTakeEveryLeafOfABlock) {
  for (Index n = 10000; n < Index{1} << 32; n = n * 3 / 2)
    check_classes_of<4>(n), check_classes_of<8>(n), check_classes_of<16>(n);
}

/// No order: answers at random, or that every key is before every other. One type, as each takes seconds to
/// compile.
struct NoOrder {
  std::uint64_t* calls;
  bool at_random;
  bool operator()(std::uint64_t, std::uint64_t) const {
    return !at_random || random_bits(11, (*calls)++) % 2 == 1;
  }
};

TEST(SampleSortOfNoOrder, LosesNoKeys) {
  std::uint64_t calls = 0;
  for (const bool at_random : {true, false})
    for (const Index n : {2, 1000, 4353, 30011}) {
      std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = random_bits(7, i);
      auto sorted = keys;
      sort_on_model(keys, NoOrder{&calls, at_random});
      std::ranges::sort(keys);
      std::ranges::sort(sorted);
      EXPECT_EQ(keys, sorted) << n;
    }
}

TEST(DeviceSort, TakesNumbersAndRecordsOfEverySize) {
  struct Edge {
    float cost;
    std::int32_t to;
    bool operator==(const Edge&) const = default;
  };
  struct ByCost {
    constexpr bool operator()(const Edge& a, const Edge& b) const { return a.cost < b.cost; }
  };
  for (const Index n : {0, 1, 2, 16895, 16897, 40009}) {
    std::vector<Edge> edges(static_cast<std::size_t>(n));
    std::vector<float> floats;
    std::vector<std::int32_t> falling;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      edges[i] = {static_cast<float>(random_bits(7, i) % 100), static_cast<std::int32_t>(i)};
      floats.push_back(edges[i].cost), falling.push_back(static_cast<std::int32_t>(random_bits(8, i)));
    }
    auto edges_sorted = edges;
    std::ranges::stable_sort(edges_sorted, ByCost());
    sort_on_model(edges, ByCost());
    EXPECT_EQ(edges, edges_sorted) << n;
    sort_on_model(floats, std::less<float>());
    EXPECT_TRUE(std::ranges::is_sorted(floats)) << n;
    sort_on_model(falling, std::greater<>());
    EXPECT_TRUE(std::ranges::is_sorted(falling, std::greater())) << n;
  }
}

TEST(DeviceSort, RefusesKeysAtOddPlacesAndTooLittleScratch) {
  warp::HostDevice device(cache::warp_machine("h200"));
  std::vector<std::byte> memory(4096), scratch(device_sort_scratch<std::uint64_t>(100));
  auto* const odd = reinterpret_cast<std::uint64_t*>(memory.data() + 4);
  const auto sort_at = [&](std::uint64_t* keys, std::size_t bytes) {
    device_sort(device, VectorView<std::uint64_t, warp::Counted>{keys, 100, device.access(keys)},
                Scratch<warp::Counted>({scratch.data(), bytes}, device.access()));
  };
  EXPECT_THROW(sort_at(odd, scratch.size()), Error);
  EXPECT_THROW(sort_at(reinterpret_cast<std::uint64_t*>(memory.data()), scratch.size() / 2), Error);
}

TEST(SampleSortOfDoubles, KeepsNotANumbersAndZerosOfBothSigns) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> keys(40009);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = i % 7 == 0   ? std::nan("")
              : i % 5 == 0 ? (i % 2 ? -0.0 : 0.0)
              : i % 3 == 0 ? (i % 2 ? -infinity : infinity)
                           : static_cast<double>(random_bits(7, i)) - 0x1p63;
  auto expected = keys;
  std::ranges::sort(expected, [](double x, double y) { return std::strong_order(x, y) < 0; });
  sort_on_model(keys);
  EXPECT_TRUE(std::ranges::equal(keys, expected, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  }));
}

}  // namespace
}  // namespace tallcache::gpu
