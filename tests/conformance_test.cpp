// Every variant of the catalogue on every test shape and every kind of input of its operation: the result is
// right, inputs are unchanged, and nothing is written into the padding or outside the buffers.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "common/catalogue.hpp"
#include "tests/every_shape.hpp"
#include "tests/hard_factors.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

struct Totals {
  int variants = 0, cases = 0, unsupported = 0, unavailable = 0;
};
std::map<std::string_view, Totals> totals_of;

class Summary : public testing::Environment {
  void TearDown() override {
    for (const auto& [backend, totals] : totals_of)
      std::printf(
          "conformance on the %s: %d variants ran %d variant x shape x input cases; %d cases unsupported, %d "
          "tests "
          "of variants unavailable\n",
          std::string(backend).c_str(), totals.variants, totals.cases, totals.unsupported,
          totals.unavailable);
  }
};
const auto* const summary = testing::AddGlobalTestEnvironment(new Summary);

class Conformance : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (const std::string reason = variant.unavailable(); !reason.empty()) {
      ++totals.unavailable;
      if (variant.backend == "gpu" && gpu_required()) GTEST_FAIL() << identifier(variant) << ": " << reason;
      GTEST_SKIP() << identifier(variant) << ": " << reason;
    }
    executor = make_executor(variant.backend);
  }

  // Runs the candidates on one problem; false when the variant does not support its shape.
  bool run(const Shape& shape, std::string_view input, const std::vector<Candidate>& candidates) {
    Workspace workspace({&operation, shape, input}, *executor);
    if (!variant.supports(workspace.problem().shape)) {
      totals.unsupported += static_cast<int>(candidates.size());
      return false;
    }
    for (const Candidate& candidate : candidates) {
      const Check check = workspace.verify(candidate);
      ++totals.cases;
      EXPECT_TRUE(check) << describe(candidate, workspace.problem()) << ": " << check.message();
    }
    return true;
  }

  const Variant& variant = *GetParam();
  const Operation& operation = *variant.operation;
  std::unique_ptr<Executor> executor;
  Totals& totals = totals_of[variant.backend];
};

// GPU sanitizers check every access and are slow: TALLCACHE_MOST_WORK leaves out shapes of more flops and
// bytes, and all kinds of input but the first.
bool too_much_work(const Operation& operation, const Shape& shape) {
  const char* limit = std::getenv("TALLCACHE_MOST_WORK");
  const Cost cost = operation.cost(shape);
  return limit && cost.flops + cost.bytes > std::stod(limit);
}

std::span<const std::string_view> inputs_of(const Operation& operation, std::size_t max) {
  if (std::getenv("TALLCACHE_MOST_WORK")) max = 1;
  return operation.inputs.first(std::min(max, operation.inputs.size()));
}

TEST_P(Conformance, EveryShape) {
  const auto shapes = operation.test_shapes();
  std::size_t left = 0, ran = 0, large = 0;
  Index largest = 0;
  for (const Shape& shape : shapes) largest = std::max(largest, largest_size(shape));
  const Index large_size = std::min<Index>(64, largest / 2);  // fib's work is exponential in its size
  for (const Shape& shape : shapes) {
    bool supported = variant.supports(complete_shape(operation, shape));
    if (!too_much_work(operation, shape)) {
      for (std::string_view input : inputs_of(operation, inputs_to_run(operation, operation.inputs.size())))
        supported = run(shape, input, {{&variant}}) && supported;
      ++left;
      ran += supported;
    }
    large += supported && largest_size(shape) >= large_size;
  }
  ++totals.variants;
  // A supports() that excludes most shapes, or all but the trivial ones, is a defect of the variant.
  EXPECT_GE(ran, left / 4) << "of " << left << " shapes";
  EXPECT_GE(large, 3u) << "shapes of " << large_size << " and more";
  if (variant.backend == "cpu" && left == shapes.size()) {  // others depend on the machine and the build
    const auto differs = every_shape_difference(every_shape_lines(EVERY_SHAPE), variant, ran, shapes.size());
    if (!differs.empty()) ADD_FAILURE() << differs;
  }
  RecordProperty("shapes", static_cast<int>(ran));
}

TEST(EveryShapeList, NamesVariantsThatExist) {
  if (std::getenv("TALLCACHE_WRITE_EVERY_SHAPE")) write_every_shape(EVERY_SHAPE);
  auto lines = every_shape_lines(EVERY_SHAPE);
  EXPECT_FALSE(lines.empty());
  for (const Variant* variant : variants())
    if (variant->backend == "cpu") lines.erase(every_shape_name(*variant));
  for (const auto& [name, line] : lines)
    ADD_FAILURE() << "tests/every_shape.txt:" << line.number << "\n- " << name
                  << " (there is no such variant)";
}

// A count that is another one, a line that is missing, and one that cannot be read are named.
TEST(EveryShapeList, NamesTheLineThatDiffers) {
  const Variant& variant = find_variant(find_operation("fft"), "fft_six_step");
  const std::map<std::string, EveryShapeLine> lines{{every_shape_name(variant), {7, 12}}};
  EXPECT_EQ(every_shape_difference(lines, variant, 12, 20), "");
  EXPECT_EQ(every_shape_difference({}, variant, 20, 20), "");
  const std::string name = every_shape_name(variant);
  EXPECT_EQ(every_shape_difference(lines, variant, 11, 20),
            "tests/every_shape.txt:7\n- " + name + " 12\n+ " + name + " 11");
  EXPECT_EQ(every_shape_difference({}, variant, 11, 20),
            "tests/every_shape.txt\n- (no line: all shapes, 20)\n+ " + name + " 11");
}

// Each parameter at its minimum and at values that divide nothing, alone and all of them at once.
class Parameters : public Conformance {};

TEST_P(Parameters, LeastAndOdd) {
  std::vector<Candidate> candidates;
  std::set<std::string> seen;  // several values may stand for one choice
  const auto add = [&](const Params& params) {
    if (seen.insert(to_string(params)).second) candidates.push_back({&variant, params});
  };
  for (Index value : {1, 3, 7, 100}) {
    Params all;
    for (const ParamSpec& spec : variant.params) {
      const Index allowed = value == 1 && spec.choices.empty() ? spec.min : allowed_value(spec, value);
      all.set(spec.name, allowed);
      add({{spec.name, allowed}});
    }
    if (variant.params.size() > 1) add(all);
  }
  if (variant.parallel)
    for (int threads : {2, 3, 4})
      if (threads <= usable_threads()) candidates.push_back({.variant = &variant, .threads = threads});
  std::size_t ran = 0;
  // What is read and written of the large ones EveryShape checks under sanitizers.
  const Index large = sanitized ? 100 : 1000;
  for (const Shape& shape : operation.test_shapes())
    if ((largest_size(shape) <= 100 || largest_size(shape) == large) && !too_much_work(operation, shape))
      for (std::string_view input : inputs_of(operation, inputs_to_run(operation, 2)))
        ran += run(shape, input, candidates);
  EXPECT_GE(ran, sanitized ? 4u : 8u);
}

// Products of factors that take errors to their bound, each held to that of its variant's error class: short
// sums, in which no slack of a long one hides what is lost of each product, and longer ones, which are cut
// and split.
class HardFactors : public Conformance {
 protected:
  Problem problem_of(const Shape& shape, std::string_view kind) const {
    return {.operation = &operation,
            .shape = complete_shape(operation, shape),
            .input = kind,
            .own_inputs = [this, shape, kind](std::span<std::byte* const> buffers) {
              if (operation.element == Element<double>::name)
                fill<double>(shape, kind, buffers);
              else if (operation.element == Element<Bfloat16>::name)
                fill<Bfloat16>(shape, kind, buffers);
              else
                fill<float>(shape, kind, buffers);
            }};
  }

 private:
  template <class T>
  void fill(const Shape& given, std::string_view kind, std::span<std::byte* const> buffers) const {
    const Shape shape = complete_shape(operation, given);
    const auto factor = [&](std::size_t buffer) {
      return std::span(reinterpret_cast<T*>(buffers[buffer]),
                       operation.buffers(shape)[buffer].bytes / sizeof(T));
    };
    fill_hard(factor(1), kind, true, 1, shape["k"]);
    fill_hard(factor(2), kind, false, 11, shape["k"]);
  }
};

constexpr Index hard_shapes[][3] = {{5, 7, 1}, {5, 7, 2},  {5, 7, 3},    {16, 16, 1},  {16, 16, 3},
                                    {8, 8, 9}, {1, 1, 40}, {33, 34, 35}, {32, 32, 64}, {66, 41, 130}};

Params least_params(const Variant& variant) {
  Params params;
  for (const ParamSpec& spec : variant.params)
    params.set(spec.name, spec.choices.empty() ? spec.min : allowed_value(spec, 1));
  return params;
}

TEST_P(HardFactors, KeepTheBoundOfTheClass) {
  int ran = 0;
  for (const auto& [m, n, k] : hard_shapes)
    for (const std::string_view kind : hard_kinds) {
      Workspace workspace(problem_of({{"m", m}, {"n", n}, {"k", k}}, kind), *executor);
      if (!variant.supports(workspace.problem().shape)) continue;
      for (const Candidate& candidate : {Candidate{&variant}, Candidate{&variant, least_params(variant)}}) {
        const Check check = workspace.verify(candidate);
        EXPECT_TRUE(check) << describe(candidate, workspace.problem()) << ": " << check.message();
        ++ran;
      }
    }
  EXPECT_GE(ran, 30);
}

// A class that is not needed would let a defect pass.
class NeededClass : public HardFactors {};

TEST_P(NeededClass, TheOperationsOwnBoundIsExceeded) {
  Variant strict = variant;
  strict.error_class = ErrorClass::standard;
  int exceeded = 0;
  for (const auto& [m, n, k] : hard_shapes)
    for (const std::string_view kind : hard_kinds)
      exceeded += !Workspace(problem_of({{"m", m}, {"n", n}, {"k", k}}, kind), *executor)
                       .verify({&strict, least_params(variant)});
  EXPECT_GT(exceeded, 0);
}

// More rows of 32 x 32 tiles than a grid may have along y, 65535.
class ManyRows : public Conformance {};

TEST_P(ManyRows, BeyondTheGridsLimit) {
  Shape shape;
  for (const DimSpec& dim : operation.dims)
    shape.set(dim.name, dim.name == "m" ? 65536 * 32 + 1 : dim.name == "pad" ? 0 : 2);
  if (!variant.supports(shape)) GTEST_SKIP() << identifier(variant) << ": does not support so many rows";
  if (too_much_work(operation, shape)) GTEST_SKIP() << "more than TALLCACHE_MOST_WORK";
  EXPECT_TRUE(run(shape, operation.inputs.front(), {{&variant}}));
}

std::string name_of(const testing::TestParamInfo<const Variant*>& info) { return identifier(*info.param); }

std::vector<const Variant*> parametrised_variants() {
  std::vector<const Variant*> list;
  std::ranges::copy_if(variants(), std::back_inserter(list),
                       [](const Variant* v) { return v->parallel || !v->params.empty(); });
  return list;
}

std::vector<const Variant*> of_matrices_on_the_gpu() {
  std::vector<const Variant*> list;
  std::ranges::copy_if(variants(), std::back_inserter(list), [](const Variant* v) {
    return v->backend == "gpu" && v->operation->dims.front().name == "m";
  });
  return list;
}

// The products of numbers that are rounded; those of them that have a class of their own.
std::vector<const Variant*> rounded_products(bool all) {
  std::vector<const Variant*> list;
  std::ranges::copy_if(variants(), std::back_inserter(list), [all](const Variant* v) {
    return v->operation->has_error_classes && v->operation->element != Element<std::int32_t>::name &&
           (all || v->error_class != ErrorClass::standard);
  });
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, HardFactors, testing::ValuesIn(rounded_products(true)), name_of);
INSTANTIATE_TEST_SUITE_P(All, NeededClass, testing::ValuesIn(rounded_products(false)), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ManyRows);  // in a build without CUDA
INSTANTIATE_TEST_SUITE_P(All, ManyRows, testing::ValuesIn(of_matrices_on_the_gpu()), name_of);
INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(variants().begin(), variants().end()), name_of);
INSTANTIATE_TEST_SUITE_P(All, Parameters, testing::ValuesIn(parametrised_variants()), name_of);

}  // namespace
}  // namespace tallcache::test
