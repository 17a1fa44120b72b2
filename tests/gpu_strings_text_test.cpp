// The texts of edit distances by bits on the model: strings that take several lanes and several stripes, and
// batches of uneven strings.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "common/catalogue.hpp"
#include "gpu/kernel_text.hpp"
#include "tests/string_batches.hpp"

namespace tallcache::test {
namespace {

template <class Op>
class BatchTexts : public testing::Test {};
using Batches = testing::Types<LevenshteinBatched, LongestCommonSubsequenceBatched>;
TYPED_TEST_SUITE(BatchTexts, Batches);

TYPED_TEST(BatchTexts, AreRightOnSeveralLanesAndStripes) {
  const auto& text =
      gpu::find_kernel_text(find_operation(TypeParam::name, TypeParam::element), "pairs_in_lane_groups");
  for (const auto& [m, n, pairs] : {std::tuple<Index, Index, Index>{32, 40, 70},
                                    {64, 9, 33},
                                    {160, 50, 9},
                                    {300, 65, 9},
                                    {1000, 31, 9},
                                    {2000, 17, 5},
                                    {4000, 9, 2},
                                    {4097, 9, 2},
                                    {8193, 20, 2}})
    for (const std::string_view input : {"random", "similar_20", "random_256"}) {
      warp::HostDevice device(cache::warp_machine("h200"));
      const Check check = run_kernel_text(device, text, {{"m", m}, {"n", n}, {"pairs", pairs}}, {}, input);
      EXPECT_TRUE(check) << m << " x " << n << " " << input << ": " << check.message();
    }
}

// Each warp finds by itself by which bits its letters differ.
TYPED_TEST(BatchTexts, AreRightOnUnevenStringsOfAnyBytes) {
  const Operation& operation = find_operation(TypeParam::name, TypeParam::element);
  for (const unsigned letters : {1u, 2u, 4u, 5u, 33u, 256u})
    for (const std::size_t most : {20, 120, 400}) {
      const Batch batch = uneven_batch(19, most, letters, letters + static_cast<unsigned>(most));
      for (const std::string_view name : {"row_per_thread", "pairs_in_lane_groups"}) {
        if (name == "row_per_thread" && most > 120) continue;  // cell by cell: the model takes its time
        const auto& text = gpu::find_kernel_text(operation, name);
        std::vector<std::int32_t> out(batch.pairs(), -1);
        std::vector<std::byte> scratch(text.scratch_bytes(batch.shape(), {}));
        const typename TypeParam::template Args<> args{
            {out.data(), batch.pairs()}, view_of(batch.a), view_of(batch.b), view_of(batch.a_begin),
            view_of(batch.b_begin),      batch.m,          batch.n,          Scratch<>(scratch)};
        warp::HostDevice device(cache::warp_machine("h200"));
        text.run(device, &args, {});
        const Check check = TypeParam::check(batch.shape(), "", 1, args);
        EXPECT_TRUE(check) << name << ", " << letters << " letters: " << check.message();
      }
    }
}

}  // namespace
}  // namespace tallcache::test
