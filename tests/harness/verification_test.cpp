// The verification of a run, in memory of the host's own and in memory apart from it, and the inputs of
// a problem.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/harness/scripted_executor.hpp"

namespace tallcache::test {
namespace {

struct corrupts_input : Base {
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    const_cast<float*>(args.a.data)[0] += 1;
  }
};
struct writes_behind : Base {
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    args.b.data[args.b.rows * args.b.ld] = 0;
  }
};
struct exceeds_scratch : Base {
  static std::size_t scratch(Op, const Shape&, const Params&) { return 64; }
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    auto scratch = args.scratch;
    scratch.template vector<float>(16)[16] = 0;
  }
};
struct needs_zeroed_scratch : Base {
  static std::size_t scratch(Op, const Shape&, const Params&) { return 64; }
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    auto scratch = args.scratch;
    args.b(0, 0) += scratch.template vector<float>(1)[0];
  }
};

struct changes_a_bit : Base {
  static void run(auto&, const auto& args, const Params&) {
    copy(args);
    reinterpret_cast<std::byte*>(args.b.data)[17] ^= std::byte{1};
  }
};

// In memory of the host's own, and in memory apart from it, as a device's is.
class Verification : public testing::TestWithParam<bool> {
 protected:
  template <class V>
  Check verify() {
    return workspace.verify({&variant_of<V>()});
  }
  template <class V>
  void rejected(std::string_view where) {
    const Check check = verify<V>();
    EXPECT_FALSE(check);
    EXPECT_NE(check.where.find(where), std::string::npos) << check.message();
  }
  ScriptedExecutor executor{GetParam()};
  Workspace workspace{{&operation_of<Op>, {{"m", 32}, {"n", 32}}, {}}, executor};
};

TEST_P(Verification, PoisonsTheOutputOfTheRunBefore) {
  EXPECT_TRUE(verify<honest<0>>());
  rejected<no_op>("(0, 0)");
}

TEST_P(Verification, RestoresAnInputThatWasChanged) {
  rejected<corrupts_input>("input A");
  const Check check = verify<honest<0>>();
  EXPECT_TRUE(check) << check.message();
}

TEST_P(Verification, SeesWritesOutOfBounds) { rejected<writes_behind>("around B"); }
TEST_P(Verification, SeesWritesBehindTheScratch) { rejected<exceeds_scratch>("around the scratch"); }
TEST_P(Verification, PoisonsTheScratch) {
  // 0xa5a5a5a5 is -2.9e-16 as a float: too small to change any element but a zero.
  std::uint64_t seed = 0;
  while (matrix_element<float>("integers", seed, 0) != 0) ++seed;
  Workspace zero({&operation_of<Copy<float>>, {{"m", 1}, {"n", 1}}, "integers", seed}, executor);
  EXPECT_TRUE(zero.verify({&variant_of<honest<0>>()}));
  EXPECT_FALSE(zero.verify({&variant_of<needs_zeroed_scratch>()}));
}

int checks;

TEST_P(Verification, ChecksOutputsOfOtherBytesAlone) {
  Operation counted = operation_of<Op>;
  counted.check = [](const Shape& shape, std::string_view input, std::uint64_t seed, const void* args,
                     ErrorClass error_class) {
    ++checks;
    return operation_of<Op>.check(shape, input, seed, args, error_class);
  };
  Workspace copies({&counted, {{"m", 32}, {"n", 32}}, {}}, executor);
  checks = 0;
  EXPECT_TRUE(copies.verify({&variant_of<honest<0>>()}));
  EXPECT_TRUE(copies.verify({&variant_of<honest<1>>()}));
  EXPECT_EQ(checks, 1);
  EXPECT_FALSE(copies.verify({&variant_of<changes_a_bit>()}));
  EXPECT_FALSE(copies.verify({&variant_of<changes_a_bit>()}));
  EXPECT_EQ(checks, 3);
  EXPECT_TRUE(copies.verify({&variant_of<honest<0>>()}));
  EXPECT_EQ(checks, 3);
  EXPECT_FALSE(copies.verify({&variant_of<writes_behind>()}));
}

TEST_P(Verification, GivesTheOutput) {
  ASSERT_TRUE(verify<honest<0>>());
  const auto outputs = workspace.outputs();
  ASSERT_EQ(outputs.size(), 1u);
  ASSERT_EQ(outputs[0].size(), 32 * 32 * sizeof(float));
  EXPECT_EQ(reinterpret_cast<const float*>(outputs[0].data())[33], matrix_element<float>("uniform", 1, 33));
}

INSTANTIATE_TEST_SUITE_P(Memory, Verification, testing::Bool(),
                         [](const auto& info) { return info.param ? "OfTheHost" : "Apart"; });

TEST(WorkspaceInput, UnknownIsAnError) {
  const auto executor = make_executor("cpu");
  expect_error(
      [&] {
        Workspace({&operation_of<Op>, {{"m", 1}}, "unifrom"}, *executor);
      },
      "did you mean 'uniform'?");
}

}  // namespace
}  // namespace tallcache::test
