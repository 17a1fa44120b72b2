// The fork-join classics: the inputs that they refuse, and work, span and results that do not depend on the
// number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "common/execute.hpp"
#include "common/ops/cholesky.hpp"
#include "common/ops/fib.hpp"
#include "common/ops/lu.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/sort.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

/// The profile of `variant` at `shape`, in unit costs.
Profile unit_cost(const Operation& operation, std::string_view variant, const Shape& shape,
                  const Params& params = {}, std::string_view input = {}) {
  const Variant& chosen = find_variant(operation, variant);
  const Shape complete = complete_shape(operation, shape);
  const Params all = complete_params(chosen, params);
  std::vector<std::vector<std::byte>> buffers;
  std::vector<std::byte*> pointers;
  for (const BufferSpec& spec : operation.buffers(complete))
    pointers.push_back(buffers.emplace_back(spec.bytes + 1).data());
  operation.fill(complete, input.empty() ? operation.inputs.front() : input, 1, pointers);
  std::vector<std::byte> scratch(chosen.scratch(complete, all));
  ArgsStorage args;
  operation.bind(complete, pointers, scratch, args);
  return chosen.profile(args.bytes, all, CostUnit::accesses, {});
}

/// The outputs are the same bytes on one thread and on all threads.
void expect_same_on_all_threads(const Operation& operation, const Shape& shape) {
  const auto executor = make_executor("cpu");
  for (const Variant* variant : variants_of(operation)) {
    if (!variant->parallel || variant->peer || variant->backend != "cpu") continue;
    for (std::string_view input : operation.inputs) {
      Workspace workspace({&operation, shape, input}, *executor);
      std::vector<std::vector<std::byte>> serial;
      for (int threads : {1, usable_threads(), usable_threads()}) {
        const Candidate candidate{variant, {}, threads};
        const Check check = workspace.verify(candidate);
        ASSERT_TRUE(check) << describe(candidate, workspace.problem()) << ": " << check.message();
        std::vector<std::vector<std::byte>> bytes;
        for (const auto& output : workspace.outputs()) bytes.emplace_back(output.begin(), output.end());
        if (serial.empty())
          serial = std::move(bytes);
        else
          EXPECT_EQ(serial, bytes) << describe(candidate, workspace.problem()) << " on " << threads;
      }
    }
  }
}

TEST(ForkJoinFib, RefusesWhatItCannotCompute) {
  const Operation& operation = operation_of<Fib>;
  expect_error([&] { complete_shape(operation, {{"n", -1}}); }, "n=-1: a size is not negative");
  expect_error(
      [&] {
        complete_shape(operation, {{"n", 93}});
      },
      "n=93 is not from 0 to 92: the result overflows");
  std::uint64_t number = 7;
  for (Index n : {-1, 93})
    expect_error([&] { execute<Fib>("fib", {{&number, 1}, n}); }, "fib: n=" + std::to_string(n));
  expect_error([&] { execute<Fib>("fib", {{&number, 0}, 3}); }, "one number");
  EXPECT_EQ(number, 7u);
  execute<Fib>("fib", {{&number, 1}, 22}, {{"grain", 0}}, usable_threads());
  EXPECT_EQ(number, 17711u);
}

// Every call of the definition is made: 2 F(n + 1) - 1 calls of which F(n + 1) - 1 fork, and the span grows
// by the same amount with each n.
TEST(ForkJoinFib, SpawnsAtEveryCallWithoutAGrain) {
  const auto profile = [](Index n) {
    return unit_cost(operation_of<Fib>, "fib", {{"n", n}}, {{"grain", 0}});
  };
  EXPECT_EQ(profile(20).spawns, 10945u);
  EXPECT_EQ(profile(20).span - profile(15).span, profile(25).span - profile(20).span);
  EXPECT_NEAR(profile(24).work / profile(23).work, std::numbers::phi, 0.01);
}

TEST(ForkJoinFib, IsTheSameOnAllThreads) { expect_same_on_all_threads(operation_of<Fib>, {{"n", 27}}); }

TEST(ForkJoinSort, IsTheSameOnAllThreads) { expect_same_on_all_threads(operation_of<Sort>, {{"n", 100003}}); }

// No kind of input costs more than a few times the work of a uniform one, and none needs a deep stack.
TEST(ForkJoinSort, HasNoBadInput) {
  for (std::string_view variant : {"quicksort", "quicksort_blocks", "merge_sort"})
    for (std::string_view input : operation_of<Sort>.inputs) {
      const auto work = [&](std::string_view kind) {
        return unit_cost(operation_of<Sort>, variant, {{"n", 30000}}, {}, kind).work;
      };
      EXPECT_LT(work(input), 1.6 * work("uniform")) << variant << " " << input;
    }
}

// The serial partition limits the parallelism to about lg n. A parallel partition and a parallel merge let it
// grow with n.
TEST(ForkJoinSort, ParallelPartitionAndMergeHaveTheBetterSpan) {
  const auto span = [&](std::string_view variant, Index n) {
    Params params;
    if (variant == "quicksort_blocks") params = {{"block", 32}};
    if (variant == "merge_sort") params = {{"base", 32}};
    return unit_cost(operation_of<Sort>, variant, {{"n", n}}, params).span;
  };
  const auto growth = [&](std::string_view variant) { return span(variant, 200000) / span(variant, 12500); };
  EXPECT_GT(growth("quicksort"), 8);  // Theta(n): 16
  EXPECT_LT(growth("quicksort_blocks"), 3);
  EXPECT_LT(growth("merge_sort"), 3);
  EXPECT_LT(20 * span("quicksort_blocks", 200000), span("quicksort", 200000));
}

template <class T>
class ForkJoinMatrix : public testing::Test {};
using Floating = testing::Types<double, float>;
TYPED_TEST_SUITE(ForkJoinMatrix, Floating);

TYPED_TEST(ForkJoinMatrix, IsTheSameOnAllThreads) {
  expect_same_on_all_threads(operation_of<Matmul<TypeParam>>,
                             {{"m", 300}, {"n", 270}, {"k", 290}, {"pad", 0}});
  expect_same_on_all_threads(operation_of<Lu<TypeParam>>, {{"n", 301}, {"pad", 3}});
  expect_same_on_all_threads(operation_of<LuPivot<TypeParam>>, {{"n", 601}, {"m", 601}, {"pad", 0}});
  expect_same_on_all_threads(operation_of<LuPivot<TypeParam>>, {{"n", 130}, {"m", 9001}, {"pad", 2}});
  expect_same_on_all_threads(operation_of<Cholesky<TypeParam>>, {{"n", 601}, {"pad", 3}});
}

TYPED_TEST(ForkJoinMatrix, PivotsOfZeroAndNanAreRefused) {
  constexpr Index n = 150, ld = 153;
  const auto refused = [&](std::vector<TypeParam> a, std::string_view expected, bool may_be_missed = false) {
    std::vector<std::int32_t> exchanges(n);
    for (int threads : {1, usable_threads()}) {
      auto copy = a;
      expect_error(
          [&] {
            execute<Lu<TypeParam>>("lu_recursive", {{copy.data(), n, n, ld}}, {{"base", 4}}, threads);
          },
          "lu: " + std::string(expected));
      for (const Variant* variant : variants_of(operation_of<LuPivot<TypeParam>>)) {
        if (variant->backend != "cpu" || !variant->unavailable().empty()) continue;
        // A library may not detect a NaN.
        if (variant->peer && may_be_missed) continue;
        copy = a;
        const Params params = variant->params.empty() ? Params{} : Params{{"base", 4}};
        expect_error(
            [&] {
              execute<LuPivot<TypeParam>>(variant->name, {{copy.data(), n, n, ld}, {exchanges.data(), n}},
                                          params, threads);
            },
            "lu_pivot: " + std::string(expected));
      }
    }
  };
  std::vector<TypeParam> a(n * ld);
  refused(a, "the matrix is singular: pivot 0 is 0");
  // Whole numbers, so that the pivot is exactly zero: the unit matrix with two equal rows.
  for (Index i = 0; i < n; ++i) a[i * ld + i] = 1;
  auto twice = a;
  twice[100 * ld + 100] = 0, twice[100 * ld + 7] = 1;
  refused(twice, "the matrix is singular: pivot 100 is 0");
  a[77 * ld + 77] = std::numeric_limits<TypeParam>::quiet_NaN();
  refused(a, "pivot 77 is NaN: an element is NaN", true);
}

// Theta(n^lg 7): the work of one level more is seven times as much.
TYPED_TEST(ForkJoinMatrix, StrassensWorkAndSpan) {
  const auto profile = [](Index n) {
    return unit_cost(operation_of<Matmul<TypeParam>>, "strassen", {{"m", n}},
                     {{"cutover", 8}, {"base", 8}, {"parallel_levels", 9}});
  };
  const Profile p32 = profile(32), p64 = profile(64), p128 = profile(128);
  EXPECT_NEAR(std::log2(p128.work / p64.work), std::log2(7.0), 0.1);
  EXPECT_LT(p64.span / p32.span, 1.8);
  EXPECT_LT(p128.span / p64.span, 1.6);
}

}  // namespace
}  // namespace tallcache::test
