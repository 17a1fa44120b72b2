// Every parallel variant gives the same bytes on any number of threads and under any fork policy, at sizes
// that keep them all busy, and runs on the number of threads that was requested.
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "common/execute.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/fork/parallel.hpp"
#include "cpu/matmul/recursive.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

std::vector<const Variant*> parallel_ones() {
  std::vector<const Variant*> list;
  std::ranges::copy_if(variants(), std::back_inserter(list),
                       [](const Variant* v) { return v->parallel && !v->peer && v->backend == "cpu"; });
  return list;
}

class Parallel : public testing::TestWithParam<const Variant*> {};

// The smallest leaves make the most forks. The number of blocks of a loop depends on the number of threads.
TEST_P(Parallel, SameBytesOnAnyNumberOfThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  const Variant& variant = *GetParam();
  if (const std::string reason = variant.unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  const Operation& operation = *variant.operation;
  const auto executor = make_executor("cpu");
  std::vector<Params> settings(1);
  for (const ParamSpec& spec : variant.params) settings.push_back({{spec.name, allowed_value(spec, 2)}});
  int compared = 0;
  std::vector<Shape> shapes = operation.test_shapes();
  // Of fewer keys a sort makes one chunk.
  if (operation.name == "counting_sort")
    for (Index range : {900, 70000, 5'000'000}) shapes.push_back({{"n", 140001}, {"range", range}});
  for (const Shape& shape : shapes) {
    for (std::string_view input : operation.inputs.first(inputs_to_run(operation, 2))) {
      Workspace workspace({&operation, shape, input}, *executor);
      if (!variant.supports(workspace.problem().shape)) continue;
      for (const Params& params : settings) {
        if (!params.empty() && largest_size(shape) > (sanitized ? 100 : 1100)) continue;
        const auto bytes_on = [&](int threads) {
          const Candidate candidate{&variant, params, threads};
          const Check check = workspace.verify(candidate);
          EXPECT_TRUE(check) << describe(candidate, workspace.problem()) << " on " << threads
                             << " threads: " << check.message();
          std::vector<std::vector<std::byte>> bytes;
          for (const auto output : workspace.outputs()) bytes.emplace_back(output.begin(), output.end());
          return bytes;
        };
        const auto serial = bytes_on(1);
        for (int threads = 2; threads <= std::min(usable_threads(), 4); ++threads)
          for (ForkPolicy policy : policies_of(threads)) {
            set_fork_policy(policy);
            EXPECT_EQ(serial, bytes_on(threads))
                << describe({&variant, params}, workspace.problem()) << " on " << threads
                << " threads, policy " << static_cast<int>(policy);
            ++compared;
          }
        set_fork_policy(default_fork_policy);
      }
    }
  }
  EXPECT_GE(compared, 8);
}

INSTANTIATE_TEST_SUITE_P(All, Parallel, testing::ValuesIn(parallel_ones()),
                         [](const auto& info) { return identifier(*info.param); });

// The largest number of threads of a test here: tests that the others leave out on fewer processors are
// skipped here by name.
class SeveralThreads : public testing::TestWithParam<int> {};

TEST_P(SeveralThreads, AreThoseThatWereAskedFor) {
  const int threads = GetParam();
  if (usable_threads() < threads)
    GTEST_SKIP() << "needs " << threads << " processors, as all on so many threads";
  // Branches that wait for each other: they finish only when as many threads run them.
  std::atomic<int> begun{0};
  const auto meet = [&] {
    ++begun;
    while (begun < threads) continue;
  };
  in_arena(threads, [&] {
    OneTbb fork{threads};
    const auto branches = [&](auto& self, int count) -> void {
      if (count == 1) return meet();
      fork(meet, [&] { self(self, count - 1); });
    };
    branches(branches, threads);
  });
  EXPECT_EQ(begun, threads);
}

INSTANTIATE_TEST_SUITE_P(All, SeveralThreads, testing::Values(2, 3, 4));

TEST(Threads, ASerialVariantRefusesMore) {
  const Operation& operation = find_operation("matmul", "double");
  const auto executor = make_executor("cpu");
  Workspace workspace({&operation, parse_shape(operation, "m=4"), {}}, *executor);
  const Candidate candidate{&find_variant(operation, "loops_ikj"), {}, 2};
  const auto results = measure(workspace, std::span(&candidate, 1), {.min_rounds = 1, .max_rounds = 1});
  EXPECT_EQ(results[0].outcome.reason, "runs on one thread only");

  std::vector<double> memory(48, 1.0);
  const MatrixView<double> c{memory.data(), 4, 4, 4};
  const MatrixView<const double> a{memory.data() + 16, 4, 4, 4}, b{memory.data() + 32, 4, 4, 4};
  expect_error([&] { execute<Matmul<double>>("loops_ikj", {c, a, b}, {}, 2); }, "runs on one thread only");
  expect_error([&] { execute<Matmul<double>>("recursive", {c, a, b}, {}, 0); }, "threads: 0 asked");
  expect_error(
      [&] {
        execute<Matmul<double>>("recursive", {c, a, b}, {}, usable_threads() + 1);
      },
      "this machine has 1 to");
  execute<Matmul<double>>("recursive", {c, a, b}, {}, usable_threads());
  EXPECT_EQ(c(3, 3), 4.0);
}

}  // namespace
}  // namespace tallcache::test
