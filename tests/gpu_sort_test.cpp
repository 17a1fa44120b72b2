// The GPU's sample sort on the host's model: several levels of merges, samples of samples, every kind of
// keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/catalogue.hpp"
#include "common/keys.hpp"
#include "common/random.hpp"
#include "gpu/kernel_text.hpp"
#include "gpu/sort/sample_sort.hpp"

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

// 100003 keys are 6 to 28 tiles: of two sequences at a time, three to five levels.
TEST_P(SampleSort, SortsInSeveralLevels) {
  for (const Index ways : {2, 4, 64}) sort(100003, ways);
}

// All buckets hold what fits into a block, or the model would name a slot that does not exist.
TEST_P(SampleSort, SortsEveryKindOfKeys) {
  for (const std::string_view input : key_inputs) sort(34000, 4, input);
}

// 24 to 112 tiles, so that samples are too many for one block.
TEST_P(SampleSort, SortsSamplesOfSamples) { sort(400009, 64, "two_values"); }

INSTANTIATE_TEST_SUITE_P(Keys, SampleSort, testing::Values("uint32", "uint64", "double", "key_and_position"),
                         [](const auto& test) { return std::string(test.param); });

/// `keys` sorted by the text that sorts them `as` a view of theirs, merging four sequences at a time.
template <class T, class As, class Less>
void sort_on_model(std::vector<T>& keys, As as, Less less) {
  using Tile = sort::TileOf<sizeof(T)>;
  warp::HostDevice device(cache::warp_machine("h200"));
  const Index n = std::ssize(keys);
  std::vector<std::byte> scratch(sort::sample_sort_scratch<Tile, T>(n, 4));
  const VectorView<T, warp::Counted> view{keys.data(), n, device.access(keys.data())};
  sort::sort_by_samples<Tile>(device, as(view), Scratch<warp::Counted>(scratch, device.access()), 4, less);
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
  sort_on_model(records, std::identity(), LastDigitFalling());
  EXPECT_TRUE(std::ranges::equal(records, expected, [](const auto& x, const auto& y) {
    return x.key == y.key && x.position == y.position;
  }));
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
  sort_on_model(
      keys, [](const auto& view) { return sort::codes_of(view); }, sort::AscendingCodes{});
  EXPECT_TRUE(std::ranges::equal(keys, expected, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  }));
}

}  // namespace
}  // namespace tallcache::gpu
