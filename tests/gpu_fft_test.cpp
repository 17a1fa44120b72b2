// The GPU's transforms beyond the sizes that every variant is tested on: two passes of each length of
// columns, tiles of blocks and of clusters, and convolutions. Skipped without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "common/ops/fft.hpp"
#include "common/ops/fft_batched.hpp"
#include "common/random.hpp"
#include "tests/on_executor.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

class Transforming : public OnExecutor {
 protected:
  // Verifies a variant, and that runs that follow leave the same bytes.
  void transform(std::string_view name, Index n, std::string_view input = "uniform") {
    transform_of<double>(name, n, input);
    transform_of<float>(name, n, input);
  }

 private:
  template <class T>
  void transform_of(std::string_view name, Index n, std::string_view input) {
    SCOPED_TRACE(testing::Message() << name << " of " << n << " numbers of " << Element<T>::name << ", "
                                    << input);
    const Candidate candidate{&find_variant(operation_of<Fft<T>>, name, "gpu"), {}, 1};
    if (!candidate.variant->unavailable().empty()) return;
    ASSERT_TRUE(candidate.variant->supports({{"n", n}}));
    Workspace workspace({&operation_of<Fft<T>>, {{"n", n}}, input}, *executor);
    const Check check = workspace.verify(candidate);
    ASSERT_TRUE(check) << check.message();
    const auto bytes = workspace.outputs()[0];
    const std::vector<std::byte> first(bytes.begin(), bytes.end());
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(workspace.verify(candidate));
      EXPECT_TRUE(std::ranges::equal(first, workspace.outputs()[0])) << "run " << again + 2;
    }
  }
};

// The blocks of a cluster write to each other's memory, of which racecheck sees nothing.
template <class T>
class BatchRuns : public OnExecutor {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchRuns, Reals);

TYPED_TEST(BatchRuns, OfClustersLeaveTheSameBytes) {
  using Op = FftBatched<TypeParam>;
  using Complex = typename Op::Complex;
  const Variant& variant = find_variant(operation_of<Op>, "axes", "gpu");
  if (const std::string reason = variant.unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const auto& [lg, batch] : {std::pair<int, Index>{13, 40}, {14, 20}, {14, 5}, {15, 20}, {16, 20}}) {
    SCOPED_TRACE(testing::Message() << batch << " transforms of 2^" << lg);
    const Index n = Index{1} << lg;
    std::vector<Complex> in(static_cast<std::size_t>(n * batch)), first(in.size()), again(in.size());
    for (std::size_t j = 0; j < in.size(); ++j) in[j] = Element<Complex>::uniform(1, j);
    const std::size_t bytes = in.size() * sizeof(Complex);
    const auto from = this->executor->allocate(bytes), to = this->executor->allocate(bytes);
    this->executor->upload(*from, std::as_bytes(std::span(in)));
    const auto scratch = this->executor->allocate(variant.scratch({{"n", n}, {"batch", batch}}, {}));
    std::byte* const arrays[] = {to->bytes().data(), from->bytes().data()};
    const auto args = Op::bind({{"n", n}, {"batch", batch}}, arrays, Scratch<>(scratch->bytes()));
    const auto once = [&](std::vector<Complex>& out) {
      this->executor->fill(*to, 0xff);
      this->run(variant, &args);
      this->executor->download(std::as_writable_bytes(std::span(out)), *to);
    };
    once(first);
    for (int run = 1; run < 1000; ++run) {
      once(again);
      ASSERT_EQ(std::memcmp(first.data(), again.data(), bytes), 0) << "run " << run + 1;
    }
  }
}

TEST_F(Transforming, PowersOfTwoInTwoPasses) {
  for (int lg = 13; lg <= 21; ++lg)
    for (const char* name : {"two_passes", "clusters"}) transform(name, Index{1} << lg);
}

TEST_F(Transforming, TheLongestColumnsOfBlocks) { transform("two_passes", Index{1} << 23, "tone"); }

TEST_F(Transforming, TheLongestColumnsOfClusters) {
  transform("clusters", Index{1} << 23);
  transform("clusters", Index{1} << 25, "tone");
}

TEST_F(Transforming, SixStepsOfLongRows) { transform("six_step", Index{1} << 20); }

TEST_F(Transforming, MixedRadices) {
  for (const Index n :
       {124, 1000, 2187, 4064, 4095, 4116, 28561, 31744, 44100, 371293, 1000000, 17 * 65536, 2646000})
    for (const char* name : {"two_passes", "clusters"}) transform(name, n);
}

TEST_F(Transforming, SizesThatAreNoPowersOfTwo) {
  for (const Index n : {4097, 8191, 8193, 65535, 100003, 1000000})
    for (const char* name : {"bluestein", "clusters", "cufft"}) transform(name, n);
}

}  // namespace
}  // namespace tallcache::test
