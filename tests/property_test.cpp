// All variants of an operation agree on a few hundred seeded random shapes, paddings, inputs and parameters,
// on both sides of the variants' thresholds: to the last bit where the result is exact, and within the
// operation's check otherwise.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "common/catalogue.hpp"
#include "common/random.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"
#include "cpu/lu/lu_pivot_recursive.hpp"
#include "tests/key_draws.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

constexpr int shapes_each = 40;
/// Of one shape, in flops. Eight bytes of traffic count as one, a key, call, cell or edge as twelve.
constexpr double least_work = 1e4, most_work = 4.5e6;
/// Of keys. The classical sort counts each value.
constexpr Index most_range_bits = 21, most_range = 1 << most_range_bits;

double work(const Operation& operation, const Shape& shape) {
  const Cost cost = operation.cost(shape);
  return cost.flops + cost.bytes / 8 + 12 * cost.keys;
}

class Agreement : public testing::TestWithParam<const Operation*> {
 protected:
  /// The first shapes lie on both sides of each threshold. In the others sizes and the bound of the work are
  /// log-uniform, as many from 10 to 100 as from 1000 to 10000. In an eighth of them a size is 0.
  Shape shape_number(int i) {
    if (i < 2 * static_cast<int>(thresholds.size())) {
      const Index beyond = i % 2, threshold = thresholds[i / 2];
      const Shape shape = shape_of([&] { return threshold + beyond - (beyond ? 0 : random(0, 1)); });
      if (work(operation, shape) <= 4 * most_work) return shape;
    }
    const double bound = least_work * std::pow(most_work / least_work, unit());
    const bool has_zero = random(0, 7) == 0;
    const std::string_view zero =
        operation.dims[random(0, static_cast<Index>(operation.dims.size()) - 1)].name;
    Shape shape;
    do {
      shape = shape_of([&] { return log_uniform(largest); });
      if (has_zero) shape.set(zero, 0);
    } while (work(operation, shape) > bound);
    return shape;
  }

  /// Keys are drawn from their families.
  std::string input_number(int i) {
    const Index kinds = static_cast<Index>(operation.inputs.size());
    const auto named = std::string(operation.inputs[random(0, kinds - 1)]);
    return takes_keys(operation) ? draw_keys(draw_seed(), static_cast<std::uint64_t>(i)).input(operation)
                                 : named;
  }

  Index random(Index min, Index max) {
    return min + static_cast<Index>(random_up_to(2024, position++, static_cast<std::uint64_t>(max - min)));
  }

  const Operation& operation = *GetParam();

 private:
  /// The sizes at which a variant goes another way: the defaults of its parameters, but for flags and levels;
  /// the most pairs whose positions have 16 bits, the most keys that have one histogram of 18 bits, and the
  /// rows of which one strand looks for a pivot.
  static std::vector<Index> thresholds_of(const Operation& operation) {
    std::set<Index> sizes;
    if (operation.name == "counting_sort") sizes = {cpu::counting_sort::staged_pairs, 1 << 18};
    if (operation.name == "lu_pivot") sizes = {cpu::lu::panel_rows};
    for (const Variant* variant : variants_of(operation))
      for (const ParamSpec& spec : variant->params)
        if (variant->backend == "cpu" && spec.choices.empty() && spec.default_value >= 8)
          sizes.insert(spec.default_value);
    return {sizes.begin(), sizes.end()};
  }

  /// The last power of two at which a shape of equal sizes has no more than 64 times the most work: one size
  /// may be as large where the others are small.
  static Index largest_of(const Operation& operation) {
    const auto fits = [&](Index size) {
      Shape shape;
      for (const DimSpec& dim : operation.dims) shape.set(dim.name, dim.name == "pad" ? 0 : size);
      return work(operation, shape) <= 64 * most_work;
    };
    Index size = 1;
    while (size < 1 << 24 && fits(2 * size)) size *= 2;
    return size;
  }

  template <class Size>
  Shape shape_of(Size&& size) {
    Shape shape;
    for (const DimSpec& dim : operation.dims) {
      Index value = dim.name == "pad" ? random(0, 9) : dim.name == "range" ? random_range() : size();
      // A transform of another size is the library's alone.
      if (operation.name == "fft") value = static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(value)));
      shape.set(dim.name, value);
    }
    return shape;
  }

  /// Those at which a sort goes another way are powers of two, and one less.
  Index random_range() {
    return random(0, 1) ? log_uniform(most_range) : (Index{1} << random(0, most_range_bits)) - random(0, 1);
  }

  double unit() { return random_unit(2024, position++); }
  /// From 1 to max.
  Index log_uniform(Index max) {
    return static_cast<Index>(std::exp(unit() * std::log(static_cast<double>(max + 1))));
  }

  const std::vector<Index> thresholds = thresholds_of(operation);
  const Index largest = largest_of(operation);
  std::uint64_t position = 0;
};

TEST_P(Agreement, OnRandomShapes) {
  const auto executor = make_executor("cpu");
  int compared = 0;
  for (int i = 0; i < shapes_each; ++i) {
    const Shape shape = shape_number(i);
    const std::string input = input_number(i);
    Workspace workspace({&operation, shape, input, static_cast<std::uint64_t>(i)}, *executor);
    // Only a sum of products of floating-point numbers depends on its order, unless the numbers are whole.
    // The transforms' twiddles never are: only the check compares them.
    // Of alignments there are several of the least cost.
    const bool transform = operation.name.starts_with("fft"), several = operation.name == "alignment";
    const bool sums = operation.rate == Rate::gflop_per_s || operation.name == "gemv";
    const bool exact = !transform && !several &&
                       (!sums || operation.element == "int32" || workspace.problem().input == "integers");
    std::vector<std::vector<std::byte>> first;
    for (const Variant* variant : variants_of(operation)) {
      if (variant->backend != "cpu" || !variant->unavailable().empty() || !variant->supports(shape)) continue;
      Candidate candidate{variant};
      for (const ParamSpec& spec : variant->params)
        if (random(0, 1)) candidate.params.set(spec.name, allowed_value(spec, spec.min + random(0, 99)));
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
