// The profiles of the catalogue's variants: the same twice, and the same on one thread and on two.
#include <gtest/gtest.h>

#include "common/cache/run_traced.hpp"
#include "common/catalogue.hpp"
#include "tests/support.hpp"
#include "tests/work_span/programs.hpp"

namespace tallcache::test {
namespace {

TEST(WorkSpan, IsTheSameTwice) {
  for (const Variant* variant : variants()) {
    if (!variant->profile || !variant->unavailable().empty()) continue;
    const Operation& operation = *variant->operation;
    Profile profiles[2];
    for (Profile& profile : profiles) {
      // The second of the shapes above 20, so that there is something to fork.
      Shape shape;
      for (const Shape& test : operation.test_shapes())
        if (largest_size(test) > 20 && variant->supports(complete_shape(operation, test))) {
          shape = complete_shape(operation, test);
          if (largest_size(test) > 40) break;
        }
      const Params params = complete_params(*variant, {});
      const cache::TracedProblem problem(operation, shape, variant->scratch(shape, params, 3));
      profile = variant->profile(problem.args(), params, CostUnit::accesses, {.burden = 10, .width = 3});
    }
    EXPECT_EQ(profiles[0], profiles[1]) << identifier(*variant);
    EXPECT_GT(profiles[0].work, 10) << identifier(*variant);
    EXPECT_LE(profiles[0].span, profiles[0].work) << identifier(*variant);
    EXPECT_LE(profiles[0].span, profiles[0].burdened_span) << identifier(*variant);
    if (!variant->parallel) {
      EXPECT_EQ(profiles[0].parallelism(), 1) << identifier(*variant);
    }
  }
}

TEST(WorkSpan, OfVariantsIsTheSameOnTwoThreads) {
  if (usable_threads() < 2) GTEST_SKIP() << "needs 2 processors";
  int compared = 0;
  for (const Variant* variant : variants()) {
    if (!variant->profile || !variant->parallel || !variant->unavailable().empty()) continue;
    const Operation& operation = *variant->operation;
    for (const Shape& test : operation.test_shapes()) {
      const Shape shape = complete_shape(operation, test);
      if (largest_size(shape) < 30 || largest_size(shape) > 70 || !variant->supports(shape)) continue;
      const Params params = complete_params(*variant, {});
      Profile profiles[2];
      for (int threads : {1, 2}) {
        const cache::TracedProblem problem(operation, shape, variant->scratch(shape, params, 2));
        profiles[threads - 1] = variant->profile(problem.args(), params, CostUnit::accesses,
                                                 {.burden = 10, .threads = threads, .width = 2});
        EXPECT_TRUE(operation.check(shape, operation.inputs[0], 1, problem.args(), variant->error_class))
            << identifier(*variant);
      }
      EXPECT_EQ(profiles[0], profiles[1]) << identifier(*variant) << " at " << to_string(operation, shape);
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace tallcache::test
