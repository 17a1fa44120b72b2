// Blocks of the GPU's sample sort take leaves as they come to them, in launches that overlap: whichever they
// take, the same bytes are left. Skipped without a device.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "common/ops/sort.hpp"
#include "tests/on_executor.hpp"

namespace tallcache::test {
namespace {

template <class T>
class SampleSortRuns : public OnExecutor {};
using Keys = testing::Types<std::uint32_t, std::uint64_t, double, KeyAndPosition>;
TYPED_TEST_SUITE(SampleSortRuns, Keys);

// One level and two, leaves of one class and of four.
TYPED_TEST(SampleSortRuns, LeaveTheSameBytes) {
  using Op = SortOf<TypeParam>;
  const Variant& variant = find_variant(operation_of<Op>, "sample_sort", "gpu");
  if (const std::string reason = variant.unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  const Params params = complete_params(variant, {});
  for (const Index n : {200003, 2100001, 6000011}) {
    const Shape shape{{"n", n}};
    SCOPED_TRACE(testing::Message() << n << " keys");
    std::vector<TypeParam> keys(static_cast<std::size_t>(n)), first(keys.size()), again(keys.size());
    std::byte* const host[] = {reinterpret_cast<std::byte*>(keys.data())};
    Op::fill(shape, "uniform", 1, host);
    const std::size_t bytes = keys.size() * sizeof(TypeParam);
    const auto array = this->executor->allocate(bytes);
    const auto scratch = this->executor->allocate(variant.scratch(shape, params));
    std::byte* const arrays[] = {array->bytes().data()};
    const auto args = Op::bind(shape, arrays, Scratch<>(scratch->bytes()));
    const auto once = [&](std::vector<TypeParam>& out) {
      this->executor->upload(*array, std::as_bytes(std::span(keys)));
      this->executor->fill(*scratch, 0xff);
      this->run(variant, &args, params);
      this->executor->download(std::as_writable_bytes(std::span(out)), *array);
    };
    once(first);
    for (int run = 1; run < (n < 3000000 ? 1000 : 100); ++run) {
      once(again);
      ASSERT_EQ(std::memcmp(first.data(), again.data(), bytes), 0) << "run " << run + 1;
    }
  }
}

}  // namespace
}  // namespace tallcache::test
