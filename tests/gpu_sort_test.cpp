// The GPU's sample sort on the host's model: several levels of merges, samples of samples, every kind of keys.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "common/catalogue.hpp"
#include "common/keys.hpp"
#include "gpu/kernel_text.hpp"

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

// 100003 keys are 6 to 23 tiles: of two sequences at a time, three to five levels.
TEST_P(SampleSort, SortsInSeveralLevels) {
  for (const Index ways : {2, 4, 64}) sort(100003, ways);
}

// All buckets hold what fits into a block, or the model would name a slot that does not exist.
TEST_P(SampleSort, SortsEveryKindOfKeys) {
  for (const std::string_view input : key_inputs) sort(60000, 4, input);
}

// Up to 35 tiles of each type, so that samples are too many for one block.
TEST_P(SampleSort, SortsSamplesOfSamples) { sort(400009, 64, "two_values"); }

INSTANTIATE_TEST_SUITE_P(Keys, SampleSort, testing::Values("uint32", "uint64", "double", "key_and_position"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tallcache::gpu
