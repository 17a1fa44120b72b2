// All variants of an operation agree on a few hundred seeded random shapes, paddings, inputs and parameters:
// to the last bit where the result is exact, and within the operation's check otherwise.
#include <gtest/gtest.h>

#include "common/catalogue.hpp"
#include "common/random.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

constexpr int shapes_each = 40;

class Agreement : public testing::TestWithParam<const Operation*> {
 protected:
  Index random(Index min, Index max) {
    return min + static_cast<Index>(random_up_to(2024, position++, static_cast<std::uint64_t>(max - min)));
  }

  const Operation& operation = *GetParam();
  std::uint64_t position = 0;
};

TEST_P(Agreement, OnRandomShapes) {
  const auto executor = make_executor("cpu");
  int compared = 0;
  for (int i = 0; i < shapes_each; ++i) {
    Shape shape;
    do {
      for (const DimSpec& dim : operation.dims)
        shape.set(dim.name, operation.name == "fft" ? Index{1} << random(0, 11)
                            : dim.name == "pad"     ? random(0, 9)
                            : dim.name == "range"   ? random(0, 2000)
                                                    : random(0, 90));
    } while (operation.cost(shape).keys > 1e5);  // fib
    const Index kinds = static_cast<Index>(operation.inputs.size());
    Workspace workspace(
        {&operation, shape, operation.inputs[random(0, kinds - 1)], static_cast<std::uint64_t>(i)},
        *executor);
    // Only a sum of products of floating-point numbers depends on its order, unless the numbers are whole.
    // The transforms' twiddles never are: only the check compares them.
    const bool transform = operation.name == "fft";
    const bool sums = operation.rate == Rate::gflop_per_s || operation.name == "gemv";
    const bool exact =
        !transform && (!sums || operation.element == "int32" || workspace.problem().input == "integers");
    std::vector<std::vector<std::byte>> first;
    for (const Variant* variant : variants_of(operation)) {
      if (variant->backend != "cpu" || !variant->unavailable().empty() || !variant->supports(shape)) continue;
      Candidate candidate{variant};
      for (const ParamSpec& spec : variant->params)
        candidate.params.set(spec.name, allowed_value(spec, spec.min + random(0, 99)));
      const Check check = workspace.verify(candidate);
      ASSERT_TRUE(check) << describe(candidate, workspace.problem()) << ": " << check.message();
      ++compared;
      if (!exact) continue;
      std::vector<std::vector<std::byte>> bytes;
      for (const auto& output : workspace.outputs()) bytes.emplace_back(output.begin(), output.end());
      if (first.empty())
        first = std::move(bytes);
      else
        ASSERT_EQ(first, bytes) << describe(candidate, workspace.problem())
                                << " differs from the first variant";
    }
  }
  EXPECT_GE(compared, shapes_each / 4);
}

// Only operations that have a variant on the CPU: the variants of the others are compared with the
// reference alone.
std::vector<const Operation*> on_the_cpu() {
  std::vector<const Operation*> list;
  for (const Variant* variant : variants())
    if (variant->backend == "cpu" && std::ranges::find(list, variant->operation) == list.end())
      list.push_back(variant->operation);
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, Agreement, testing::ValuesIn(on_the_cpu()), [](const auto& info) {
  return std::string(info.param->name) + "_" + std::string(info.param->element);
});

}  // namespace
}  // namespace tallcache::test
