// Every sort on the CPU is right on problems drawn from the families of keys; a sort that is wrong on one
// family alone is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "common/ops/counting_sort.hpp"
#include "common/variant_records.hpp"
#include "cpu/counting_sort/in_place.hpp"
#include "tests/key_draws.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

constexpr int draws_each = 80;

class KeyDraws : public testing::TestWithParam<const Operation*> {};

TEST_P(KeyDraws, AreSorted) {
  const auto executor = make_executor("cpu");
  expect_right_on_draws(*GetParam(), "cpu", *executor, draws_each);
}

std::vector<const Operation*> sorts() {
  std::vector<const Operation*> list;
  std::ranges::copy_if(operations(), std::back_inserter(list), [](const Operation* operation) {
    return takes_keys(*operation) && !variants_of(*operation).empty();
  });
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, KeyDraws, testing::ValuesIn(sorts()), [](const auto& info) {
  return std::string(info.param->name) + "_" + std::string(info.param->element);
});

namespace cs = cpu::counting_sort;

// The route that a sort of keys takes, as the folder's page names it. In place it sorts what it writes.
template <class Routes>
std::string route_of(std::vector<std::uint32_t> keys, std::uint64_t range, bool payload, bool in_place) {
  static constexpr const char* names[] = {"in order",  "in order", "few values", "comparisons",
                                          "histogram", "buckets",  "digits"};
  const auto n = static_cast<Index>(keys.size());
  std::vector<std::uint32_t> out(in_place ? std::vector<std::uint32_t>() : keys), payload_out(keys);
  const std::size_t bytes = Routes::scratch(n, range, 1);
  std::vector<std::byte> memory(bytes + 64);
  void* aligned = memory.data();
  std::size_t room = memory.size();
  std::align(64, bytes, aligned, room);
  const VectorView<std::uint32_t> from{keys.data(), n}, to{in_place ? keys.data() : out.data(), n};
  const VectorView<std::uint32_t> loads =
      payload ? VectorView<std::uint32_t>{payload_out.data(), n} : VectorView<std::uint32_t>{};
  Serial fork;
  const cs::SortStrategy route = Routes::sort(fork, {from, payload ? from : loads}, {to, loads}, range,
                                              Scratch<>({static_cast<std::byte*>(aligned), bytes}));
  return names[static_cast<int>(route)];
}

// Draws until each of so many routes was taken twice, and verifies these draws.
template <class Routes>
void expect_every_route(std::string_view name, std::string_view element, std::string_view variant_name,
                        std::size_t routes) {
  const Operation& operation = find_operation(name, element);
  const Variant& variant = find_variant(operation, variant_name);
  const auto executor = make_executor("cpu");
  std::map<std::string, int> taken;
  const auto is_done = [&] {
    return taken.size() == routes && std::ranges::all_of(taken, [](auto& t) { return t.second > 1; });
  };
  for (std::uint64_t i = 0; i < 2000 && !is_done(); ++i) {
    const KeyDraw draw = draw_keys(draw_seed(), i, 1 << 20);
    const std::string input = draw.input(operation);
    const auto range = static_cast<std::uint64_t>(draw.range);
    std::vector<std::uint32_t> keys(static_cast<std::size_t>(draw.n));
    fill_keys(VectorView<std::uint32_t>{keys.data(), draw.n},
              Keys(input, i, static_cast<std::uint64_t>(draw.n), range));
    if (++taken[route_of<Routes>(keys, range, element == "uint32_pair", variant_name == "in_place")] > 2)
      continue;
    Workspace workspace({&operation, draw.shape(operation), input, i}, *executor);
    for (const int threads : thread_counts()) {
      const Candidate candidate{.variant = &variant, .threads = threads};
      const Check check = workspace.verify(candidate);
      EXPECT_TRUE(check) << rerun_text(candidate, workspace.problem()) << ": " << check.message();
    }
  }
  EXPECT_TRUE(is_done()) << taken.size() << " routes";
}

TEST(CountingSortRoutes, OfDraws) {
  expect_every_route<cs::StreamingRoutes<Plain, false>>("counting_sort", "uint32", "bucketed_streaming", 5);
  expect_every_route<cs::StreamingRoutes<Plain, true>>("counting_sort", "uint32_pair", "bucketed_streaming",
                                                       6);
  expect_every_route<cs::InPlaceRoutes<Plain, false>>("counting_sort_in_place", "uint32", "in_place", 5);
}

TEST(KeyDrawsOfEverySort, AreOfAllFour) { EXPECT_GE(sorts().size(), 4u); }

using Keys32 = CountingSort<false>;

// Sorts, but for keys that `is_left_out` says.
template <bool (*is_left_out)(VectorView<const std::uint32_t>)>
struct wrong_on {
  static constexpr std::string_view idea = "for this test", source = "this test";
  using operations = OperationList<Keys32>;
  static void call(const Launch&, const Keys32::Args<>& args, const Params&) {
    std::copy_n(args.in.data, args.in.size, args.out.data);
    if (!is_left_out(args.in)) std::sort(args.out.data, args.out.data + args.out.size);
  }
};

// A sample of the keys is in order, and so taken for all of them.
bool sample_in_order(VectorView<const std::uint32_t> keys) {
  for (Index i = 64; i < keys.size; i += 64)
    if (keys[i] <= keys[i - 64]) return false;
  return true;
}

// The three least keys are ever less probable, and one of eight is the least.
bool falling_counts(VectorView<const std::uint32_t> keys) {
  const auto count = [&](std::uint32_t key) {
    return static_cast<double>(std::count(keys.data, keys.data + keys.size, key));
  };
  const double first = count(0), second = count(1), third = count(2);
  return first * 8 > static_cast<double>(keys.size) && first > 1.3 * second && second > 1.2 * third &&
         third > 9;
}

// Rising and falling keys in turn, sixteen and more at a time.
bool in_runs(VectorView<const std::uint32_t> keys) {
  Index turns = 0;
  for (Index i = 2; i < keys.size; ++i) turns += (keys[i - 2] <= keys[i - 1]) != (keys[i - 1] <= keys[i]);
  return turns > 0 && turns < keys.size / 16;
}

template <bool (*is_left_out)(VectorView<const std::uint32_t>)>
void expect_found(std::string_view family) {
  static const auto records = variant_records<wrong_on<is_left_out>>("wrong", "cpu", false);
  const Variant* const variant = &records[0];
  const auto executor = make_executor("cpu");
  constexpr std::uint64_t seed = 1;
  const auto [count, wrong] = verify_draws(std::span(&variant, 1), *executor, draws_each, seed);
  EXPECT_FALSE(wrong.empty()) << family;
  for (const std::string& line : wrong) {
    EXPECT_NE(line.find("tallcache run counting_sort wrong --element uint32 --backend cpu --shape n="),
              line.npos);
    EXPECT_NE(line.find(family), line.npos) << line;
    const std::size_t begin = line.find("--input '") + 9;
    const KeyPoint again = parse_key_input(line.substr(begin, line.find('\'', begin) - begin));
    EXPECT_NE(line.find("'" + to_string(again) + "'"), line.npos) << "is the draw's own text";
  }
}

TEST(WrongOnOneFamily, IsFound) {
  expect_found<sample_in_order>("displaced");
  expect_found<falling_counts>("zipf");
  expect_found<in_runs>("runs");
}

}  // namespace
}  // namespace tallcache::test
