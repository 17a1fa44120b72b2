// The basic parts: named numbers, parsing, names, statistics, random numbers, overflow.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/catalogue.hpp"
#include "common/compare.hpp"
#include "common/measure/harness.hpp"
#include "common/measure/host_memory.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/transpose.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

const Operation& matmul = operation_of<Matmul<double>>;
const Operation& sort = operation_of<CountingSort<false>>;

TEST(Named, KeepsItsOrderAndReplacesByName) {
  Named named{{"m", 1}, {"n", 2}};
  named.set("m", 3);
  EXPECT_EQ(to_string(named), "m=3,n=2");
  EXPECT_EQ(named["n"], 2);
  EXPECT_EQ(named.find("k"), nullptr);
  expect_error([&] { named["k"]; }, "'k'");
  EXPECT_EQ(named.with("n", 5)["n"], 5);
  EXPECT_EQ(named["n"], 2);
  EXPECT_EQ(named, (Named{{"m", 3}, {"n", 2}}));
  EXPECT_NE(named, (Named{{"n", 2}, {"m", 3}}));
  EXPECT_NE(named, (Named{{"m", 3}}));
}

TEST(Named, HasRoomForEight) {
  constexpr std::string_view names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  Named named;
  for (std::string_view name : names) named.set(name, 1);
  expect_error([&] { named.set("i", 1); }, "too many");
}

TEST(ParseShape, FillsInWhatIsLeftOut) {
  EXPECT_EQ(parse_shape(matmul, "m=5"), (Shape{{"m", 5}, {"n", 5}, {"k", 5}, {"pad", 0}}));
  EXPECT_EQ(parse_shape(matmul, "k=7,m=5,pad=2"), (Shape{{"m", 5}, {"n", 5}, {"k", 7}, {"pad", 2}}));
  EXPECT_EQ(parse_shape(sort, "n=10"), (Shape{{"n", 10}, {"range", 10}}));
}

TEST(ParseShape, IsTheInverseOfToString) {
  for (const Operation* operation : operations())
    for (const Shape& shape : operation->test_shapes()) {
      const Shape complete = complete_shape(*operation, shape);
      EXPECT_EQ(parse_shape(*operation, to_string(*operation, complete)), complete);
    }
}

TEST(ParseShape, NamesWhatIsWrong) {
  const auto wrong = [](const char* text, const char* expected) {
    expect_error([&] { parse_shape(matmul, text); }, expected);
  };
  wrong("", "m is missing");
  wrong("n=4", "m is missing");
  wrong("m", "expected NAME=NUMBER");
  wrong("m=4,,n=4", "expected NAME=NUMBER");
  wrong("m=", "not a whole number");
  wrong("m=4.5", "not a whole number");
  wrong("m=4x", "not a whole number");
  wrong("m= 4", "not a whole number");
  wrong("m=99999999999999999999", "too large");
  wrong("m=-1", "m=-1");
  wrong("m=4,pad=-1", "smaller than the columns");
  wrong("m=4,padd=1", "did you mean 'pad'?");
  wrong("m=4294967296,n=4294967296", "overflows");
  wrong("m=9223372036854775807", "overflows");
  expect_error([] { parse_shape(sort, "n=4294967296"); }, "at most 4294967295");
  expect_error([] { parse_shape(sort, "n=4,range=4294967296"); }, "at most 4294967295");
}

TEST(ParseParams, FillsInAndRejects) {
  const Variant& tiled = find_variant(matmul, "tiled");
  EXPECT_EQ(parse_params(tiled, "tile_n=7"), (Params{{"tile_m", 64}, {"tile_n", 7}, {"tile_k", 64}}));
  EXPECT_EQ(to_string(parse_params(tiled, "")), "tile_m=64,tile_n=64,tile_k=64");
  expect_error([&] { parse_params(tiled, "tile_n=0"); }, "less than 1");
  expect_error([&] { parse_params(tiled, "tile_n=-3"); }, "less than 1");
  expect_error([&] { parse_params(tiled, "tile=3"); }, "did you mean 'tile_m'?");
  expect_error([&] { parse_params(tiled, "tile_n=4,tile_m=4,tile_n=8"); },
               "parameter 'tile_n' is given twice");
  expect_error([&] { parse_shape(matmul, "m=5,m=6"); }, "size 'm' is given twice");
  expect_error([&] { parse_params(tiled, "tile_n=x"); }, "not a whole number");
  expect_error([&] { parse_params(find_variant(matmul, "naive"), "tile=3"); }, "unknown parameter 'tile'");
  expect_error([&] { complete_params(find_variant(matmul, "naive"), {{"tile", 3}}); }, "no parameters");
}

TEST(Names, NearestIsSuggested) {
  constexpr std::string_view names[] = {"matmul", "transpose", "copy", "counting_sort"};
  EXPECT_EQ(nearest_name("matmull", names), "matmul");
  EXPECT_EQ(nearest_name("tranpsose", names), "transpose");
  EXPECT_EQ(nearest_name("sort", names), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(unknown_name("operation", "coppy", names), "unknown operation 'coppy'; did you mean 'copy'?");
  EXPECT_EQ(unknown_name("operation", "zzzzzzzzzz", names),
            "unknown operation 'zzzzzzzzzz'; there are: matmul, transpose, copy, counting_sort");
  EXPECT_EQ(unknown_name("parameter", "tile", {}), "unknown parameter 'tile'; there are none");
  // Of many, as many as fit a terminal.
  const std::vector<std::string_view> many(30, "transpose");
  EXPECT_EQ(unknown_name("operation", "q", many),
            "unknown operation 'q'; there are 30: transpose, transpose, transpose, transpose, ...");
}

TEST(Catalogue, FindsByNameAndElement) {
  EXPECT_EQ(&find_operation("matmul", "double"), &matmul);
  EXPECT_EQ(find_operation("matmul").name, "matmul");
  expect_error([] { find_operation("matmol"); }, "did you mean 'matmul'?");
  expect_error([] { find_operation("matmul", "flaot"); }, "did you mean 'float'?");
  expect_error([] { find_variant(matmul, "tyled"); }, "did you mean 'tiled'?");
  EXPECT_EQ(find_variant(matmul, "recursive").operation, &matmul);
}

TEST(Catalogue, IsComplete) {
  std::vector<std::string> seen;
  for (const Variant* variant : variants()) {
    seen.push_back(identifier(*variant));
    EXPECT_FALSE(variant->idea.empty()) << seen.back();
    EXPECT_FALSE(variant->source.empty()) << seen.back();
    EXPECT_EQ(variant->entries.size(), variant->phases.size()) << seen.back();
    for (const ParamSpec& spec : variant->params) {
      EXPECT_GE(spec.default_value, spec.min) << seen.back();
      EXPECT_EQ(allowed_value(spec, spec.default_value), spec.default_value) << seen.back();
    }
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << "two variants have one name";
}

TEST(Statistics, Median) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({1, 1, 1, 1000}), 1);
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_EQ(median_absolute_deviation({1, 2, 3, 4, 100}), 1);
  EXPECT_EQ(median_absolute_deviation({1, 3}), 1);
  EXPECT_EQ(median_absolute_deviation({5}), 0);
  EXPECT_TRUE(std::isnan(median_absolute_deviation({})));
}

TEST(Statistics, Rates) {
  const Cost cost{.flops = 2e9, .bytes = 4e9, .keys = 6e6};
  EXPECT_DOUBLE_EQ(per_second(Rate::gflop_per_s, cost, 0.5), 4);
  EXPECT_DOUBLE_EQ(per_second(Rate::gb_per_s, cost, 0.5), 8);
  EXPECT_DOUBLE_EQ(per_second(Rate::mkeys_per_s, cost, 0.5), 12);
  EXPECT_DOUBLE_EQ(Matmul<float>::cost({{"m", 2}, {"n", 3}, {"k", 5}}).flops, 60);
  EXPECT_DOUBLE_EQ(Matmul<float>::cost({{"m", 2}, {"n", 3}, {"k", 5}}).bytes, 4 * (6 + 10 + 15));
  EXPECT_DOUBLE_EQ(Transpose<double>::cost({{"m", 2}, {"n", 3}}).bytes, 96);
}

TEST(Random, IsUniformAndSeeded) {
  constexpr int draws = 100000, cells = 10;
  int histogram[cells + 1] = {};
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    const double u = random_unit(1, i);
    ASSERT_TRUE(0 <= u && u < 1);
    sum += u;
    ++histogram[random_up_to(2, i, cells)];
  }
  EXPECT_NEAR(sum / draws, 0.5, 0.005);  // five standard deviations
  for (int count : histogram) EXPECT_NEAR(count, draws / (cells + 1.0), 500);
  EXPECT_NE(random_bits(1, 0), random_bits(2, 0));
  EXPECT_NE(random_bits(1, 0), random_bits(1, 1));
  EXPECT_EQ(random_bits(0, 0), 0xe220a8397b1dcdafu);  // the published first value of splitmix64 from 0
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random_up_to(3, i, 0), 0u);
}

TEST(Random, KeysStayInTheirRange) {
  for (std::string_view input : key_inputs)
    for (std::uint64_t range :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{99}, std::uint64_t{4294967295}}) {
      std::uint32_t greatest = 0;
      for (int i = 0; i < 1000; ++i) {
        const std::uint32_t key = Keys(input, 5, 1000, range)(i);
        ASSERT_LE(key, range) << input;
        greatest = std::max(greatest, key);
      }
      if (input == "max_key") {
        EXPECT_EQ(greatest, range);
      }
    }
}

TEST(Overflow, IsAnError) {
  constexpr auto max = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(checked_product(3, 5, "x"), 15u);
  EXPECT_EQ(checked_sum(max - 1, 1, "x"), max);
  expect_error([] { checked_product(max / 2, 3, "tiles"); }, "tiles");
  expect_error([] { checked_sum(max, 1, "tiles"); }, "overflows");
  expect_error([] { scratch_bytes({max}); }, "overflows");
  expect_error([] { matrix_bytes<double>(Index{1} << 62, 2, 0); }, "overflows");
}

TEST(Within, ANanNeverIs) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(within(1, 1, 0));
  EXPECT_FALSE(within(nan, 1, infinity));
  EXPECT_FALSE(within(1, nan, infinity));
  EXPECT_FALSE(within(1, 1, nan));
  EXPECT_FALSE(within(infinity, infinity, 1));
}

TEST(Scratch, GivesNoMoreThanAskedFor) {
  alignas(64) std::byte memory[256];
  Scratch<> scratch(memory);
  const auto first = scratch.vector<float>(3);
  const auto second = scratch.matrix<double>(2, 3);
  EXPECT_EQ(reinterpret_cast<std::byte*>(first.data), memory);
  EXPECT_EQ(reinterpret_cast<std::byte*>(second.data), memory + 64);
  EXPECT_EQ(scratch_bytes({3 * sizeof(float), 6 * sizeof(double)}), 128u);
  expect_error([&] { scratch.vector<double>(17); }, "more than it asked for");
}

TEST(Units, AreReadable) {
  EXPECT_EQ(human_bytes(0), "0 bytes");
  EXPECT_EQ(human_bytes(999), "999 bytes");
  EXPECT_EQ(human_bytes(1000), "1 KB");
  EXPECT_EQ(human_bytes(12.8e9), "12.8 GB");
}

// A type has an Element of its own or none; no other type's is used for it.
static_assert(ElementType<float> && ElementType<double> && ElementType<std::int32_t> &&
              ElementType<std::uint32_t>);
static_assert(ElementType<std::uint64_t> && ElementType<Uint32Pair> && ElementType<Tf32>);
static_assert(!ElementType<short> && !ElementType<long double> && !ElementType<char>);

TEST(Elements, EveryOperationsElementIsKnown) {
  for (const Operation* operation : operations())
    EXPECT_EQ(find_element(operation->element).name, operation->element);
  EXPECT_EQ(find_element("double").word_bytes, 8u);
  EXPECT_EQ(find_element("uint32_pair").word_bytes, 4u);
  expect_error([] { find_element("short"); }, "'short'");
}

TEST(Elements, PoisonIsNoUsualValue) {
  const auto filled = []<class T>(T value) {
    std::memset(&value, Element<T>::poison, sizeof value);
    return value;
  };
  EXPECT_TRUE(std::isnan(filled(0.0f)) && std::isnan(filled(0.0)));
  EXPECT_EQ(filled(std::uint32_t{0}), 0xa5a5a5a5u);
  EXPECT_LT(filled(std::int32_t{0}), -100);
}

}  // namespace
}  // namespace tallcache::test
