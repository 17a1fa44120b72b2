// Every name in the suites is one of the catalogue, and each library's variant is held or left out by
// its name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/suites/suite.hpp"
#include "common/backend.hpp"
#include "common/catalogue.hpp"

namespace tallcache::test {
namespace {

// Suites name what every build could have; a build without a GPU has less.
bool in_this_build(std::string_view backend) {
  return std::ranges::any_of(backends(), [&](const Backend* built) { return built->name == backend; });
}

TEST(Suites, NameWhatTheCatalogueHas) {
  for (const Suite* suite : suites()) {
    find_operation(suite->operation);
    if (has_sizes(*suite)) find_operation(suite->operation, suite->sizes.element);
    for (const OptimizationSteps& steps : suite->steps) {
      if (!in_this_build(steps.backend)) continue;
      const Operation& operation = find_operation(suite->operation, steps.element);
      for (const Shape& shape : {steps.shape, steps.smoke}) complete_shape(operation, shape);
      for (const Step& step : steps.steps) {
        const Variant& variant = find_variant(operation, step.variant, steps.backend);
        complete_params(variant, step.params);
        EXPECT_EQ(std::isnan(step.bytes), step.peer || std::isnan(steps.min_bytes)) << step.label;
      }
    }
    for (const PeerComparison& comparison : suite->peers) {
      if (!in_this_build(comparison.backend)) continue;
      const Operation& operation = find_operation(suite->operation, comparison.element);
      const auto compared = compared_variants(operation, comparison);
      EXPECT_GE(compared.size(), 2u);
      EXPECT_TRUE(comparison.baseline.empty() ||
                  std::ranges::count(compared, comparison.baseline, &Variant::name))
          << suite->operation << ": " << comparison.baseline << " is not measured";
      for (const Scale scale : {Scale::smoke, Scale::quick, Scale::full})
        for (const PeerCase& peer_case : cases_at(comparison, scale)) {
          complete_shape(operation, peer_case.shape);
          EXPECT_TRUE(peer_case.input.empty() || std::ranges::count(operation.inputs, peer_case.input));
        }
    }
  }
}

// A new peer needs no line in a suite: each is held, or left out by its name.
TEST(Suites, HoldEveryPeerOfTheCatalogueButThoseThatTheyLeaveOut) {
  for (const Suite* suite : suites())
    for (const PeerComparison& comparison : suite->peers) {
      if (!in_this_build(comparison.backend)) continue;
      const Operation& operation = find_operation(suite->operation, comparison.element);
      const auto held = compared_variants(operation, comparison);
      for (const Variant* variant : variants_of(operation)) {
        const bool left_out = std::ranges::count(comparison.without, variant->name);
        if (!variant->peer || variant->backend != comparison.backend) continue;
        EXPECT_EQ(std::ranges::count(held, variant), left_out ? 0 : 1) << variant->name;
      }
      EXPECT_EQ(held.front()->name, comparison.variant);
    }
}

TEST(Suites, HaveCasesByScale) {
  const PeerComparison comparison{.smoke = {{"n", 3}},
                                  .cases = {{.shape = {{"n", 8}}, .group = "g"},
                                            {.shape = {{"n", 9}}, .group = "g"},
                                            {.shape = {{"n", 10}}},
                                            {.shape = {{"n", 11}}, .from = Scale::full}}};
  EXPECT_EQ(cases_at(comparison, Scale::full).size(), 4u);
  EXPECT_EQ(cases_at(comparison, Scale::quick).size(), 3u);
  const auto smoke = cases_at(comparison, Scale::smoke);
  ASSERT_EQ(smoke.size(), 2u);
  EXPECT_EQ(smoke[1].shape["n"], 3);
  const std::string unknown[] = {"matmull"};
  EXPECT_THROW(find_suites(unknown, has_peers, "operation with peers"), Error);
  const std::string sorted[] = {"counting_sort_in_place"};
  EXPECT_THROW(find_suites(sorted, has_steps, "operation with steps"), Error);
  EXPECT_EQ(find_suites({}, has_sizes, "").size(), 11u);
}

}  // namespace
}  // namespace tallcache::test
