// execute() on a user's own arguments: it runs the operation, and bad arguments give one line and
// change nothing.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>

#include "common/execute.hpp"
#include "common/ops/copy.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/transpose.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

template <class T>
MatrixView<T> view(std::vector<T>& data, Index rows, Index cols, Index ld = 0) {
  return {data.data(), rows, cols, ld ? ld : cols};
}

class Multiply : public testing::Test {
 protected:
  using Op = Matmul<double>;
  std::vector<double> c = std::vector<double>(12, 42), a = {1, 2, 3, 4, 5, 6},
                      b = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Op::Args<> args{view(c, 2, 4, 6), view(a, 2, 3), view(b, 3, 4)};

  void rejected(const Op::Args<>& wrong, std::string_view expected, std::string_view variant = "tiled",
                const Params& params = {}) {
    expect_error([&] { execute<Op>(variant, wrong, params); }, expected);
    EXPECT_EQ(c, std::vector<double>(12, 42)) << "written, in spite of the error about " << expected;
  }
};

TEST_F(Multiply, WithEveryVariantAndPaddedRows) {
  const std::vector<double> expected{38, 44, 50, 56, 42, 42, 83, 98, 113, 128, 42, 42};
  for (const Variant* variant : variants_of(operation_of<Op>)) {
    if (variant->backend != "cpu" || !variant->unavailable().empty() ||
        !variant->supports(Op::shape_of(args)))
      continue;
    c.assign(12, 42);
    execute<Op>(variant->name, args);
    EXPECT_EQ(c, expected) << variant->name;
  }
}

TEST_F(Multiply, WithParameters) {
  execute<Op>("recursive", args, {{"base", 1}});
  EXPECT_EQ(c[0], 38);
}

TEST_F(Multiply, RejectsUnknownNamesAndParameters) {
  rejected(args, "did you mean 'naive'?", "naiv");
  rejected(args, "tile_m=0 is less than 1", "tiled", {{"tile_m", 0}});
  rejected(args, "base=-1 is less than 1", "recursive", {{"base", -1}});
  rejected(args, "did you mean 'tile_m'?", "tiled", {{"tile", 3}});
}

TEST_F(Multiply, RejectsSizesThatDoNotFit) {
  auto wrong = args;
  wrong.a.cols = 2;
  wrong.a.ld = 2;
  rejected(wrong, "does not fit");
  wrong = args;
  wrong.b.cols = 3;
  rejected(wrong, "does not fit");
  wrong = args;
  wrong.c.rows = 1;
  rejected(wrong, "does not fit");
}

TEST_F(Multiply, RejectsImpossibleViews) {
  auto wrong = args;
  wrong.c.ld = 3;
  rejected(wrong, "leading dimension 3 is smaller than 4 columns");
  wrong = args;
  wrong.b.ld = -4;
  rejected(wrong, "leading dimension");
  wrong = args;
  wrong.a.rows = wrong.c.rows = -2;
  rejected(wrong, "negative size");
  wrong = args;
  wrong.a.data = nullptr;
  rejected(wrong, "A: no data");
  wrong = args;
  wrong.a.rows = wrong.c.rows = Index{1} << 61;
  rejected(wrong, "overflows");
}

TEST_F(Multiply, RejectsOverlap) {
  auto wrong = args;
  std::vector<double> shared(12, 42);
  wrong.c = view(c, 3, 3);
  wrong.a = {c.data() + 8, 3, 1, 1};
  wrong.b = {b.data(), 1, 3, 3};
  rejected(wrong, "C and A overlap");
  wrong.a = {a.data(), 3, 1, 1};
  wrong.b = {c.data(), 1, 3, 3};
  rejected(wrong, "C and B overlap");
  // Memory right behind it does not overlap.
  wrong.c = {c.data(), 3, 1, 1};
  wrong.a = {c.data() + 3, 3, 1, 1};
  wrong.b = {b.data(), 1, 1, 1};
  EXPECT_NO_THROW(execute<Op>("naive", wrong));
}

TEST_F(Multiply, OfNothingNeedsNoData) {
  execute<Op>("recursive", {});
  // With an empty inner dimension the sums are empty.
  auto empty = args;
  empty.a = {nullptr, 2, 0, 0};
  empty.b = {nullptr, 0, 4, 4};
  execute<Op>("recursive", empty);
  EXPECT_EQ(c, (std::vector<double>{0, 0, 0, 0, 42, 42, 0, 0, 0, 0, 42, 42}));
}

TEST(ExecuteTranspose, RejectsWhatDoesNotFit) {
  using Op = Transpose<float>;
  std::vector<float> a(6, 1), b(6, 42);
  execute<Op>("recursive", {view(b, 3, 2), view(a, 2, 3)});
  EXPECT_EQ(b, a);
  expect_error([&] { execute<Op>("recursive", {view(b, 2, 3), view(a, 2, 3)}); }, "does not fit");
  expect_error([&] { execute<Op>("recursive", {view(a, 3, 2), view(a, 2, 3)}); }, "overlap");
  expect_error([&] { execute<TransposeInPlace<float>>("in_place", {view(a, 2, 3)}); }, "not square");
  expect_error([&] { execute<Copy<float>>("rows", {view(b, 3, 2), view(a, 2, 3)}); }, "does not fit");
}

class Sort : public testing::Test {
 protected:
  std::vector<std::uint32_t> keys{5, 3, 9, 3, 0}, sorted = std::vector<std::uint32_t>(5, 42),
                                                  payload{0, 1, 2, 3, 4},
                                                  sorted_payload = std::vector<std::uint32_t>(5, 42);

  template <class Op>
  typename Op::template Args<> args(std::uint32_t range) {
    typename Op::template Args<> result{
        .out = {sorted.data(), 5}, .in = {keys.data(), 5}, .payload_out = {}, .payload_in = {}};
    if (Op::template Args<>::has_payload) {
      result.payload_out = {sorted_payload.data(), 5};
      result.payload_in = {payload.data(), 5};
    }
    result.range = range;
    return result;
  }
  template <class Op>
  void rejected(const typename Op::template Args<>& wrong, std::string_view expected) {
    expect_error([&] { execute<Op>("bucketed", wrong); }, expected);
    EXPECT_EQ(sorted, std::vector<std::uint32_t>(5, 42));
    EXPECT_EQ(sorted_payload, std::vector<std::uint32_t>(5, 42));
  }
};

TEST_F(Sort, KeysAndPairs) {
  for (const char* variant : {"classical", "bucketed"}) {
    execute<CountingSort<false>>(variant, args<CountingSort<false>>(9));
    EXPECT_EQ(sorted, (std::vector<std::uint32_t>{0, 3, 3, 5, 9}));
    execute<CountingSort<true>>(variant, args<CountingSort<true>>(9));
    EXPECT_EQ(sorted_payload, (std::vector<std::uint32_t>{4, 1, 3, 0, 2}));
  }
}

TEST_F(Sort, RejectsAKeyAboveTheRange) {
  rejected<CountingSort<false>>(args<CountingSort<false>>(8), "key 2 is 9, above the range 8");
  rejected<CountingSort<true>>(args<CountingSort<true>>(4), "key 0 is 5, above the range 4");
}

TEST_F(Sort, RejectsImpossibleVectors) {
  using Op = CountingSort<true>;
  auto wrong = args<Op>(9);
  wrong.out.size = 4;
  rejected<Op>(wrong, "sorted keys: 4 of them, not 5");
  wrong = args<Op>(9);
  wrong.payload_in = {};
  rejected<Op>(wrong, "payload: 0 of them, not 5");
  wrong = args<Op>(9);
  wrong.in.size = -5;
  rejected<Op>(wrong, "negative size");
  wrong = args<Op>(9);
  wrong.in.data = nullptr;
  rejected<Op>(wrong, "no data");
  wrong = args<Op>(9);
  wrong.out = {keys.data(), 5};
  rejected<Op>(wrong, "overlap");
  wrong = args<Op>(9);
  wrong.payload_out = {sorted.data(), 5};
  rejected<Op>(wrong, "overlap");
}

TEST(Sessions, KeepTheirMemoryForTheNextCall) {
  release_memory();
  std::byte* first = nullptr;
  {
    const detail::SessionLease session({});
    first = session->memory(0, 1 << 20).data();
    EXPECT_EQ(session->memory(0, 1000).data(), first);  // smaller: the same
    EXPECT_NE(session->memory(1, 1000).data(), first);
  }
  const detail::SessionLease again({});
  EXPECT_EQ(again->memory(0, 1 << 20).data(), first);
  EXPECT_GE(again->memory(0, 1 << 21).size(), std::size_t{1} << 21);
}

TEST(Sessions, AreOneACallUnderWay) {
  const detail::SessionLease outer({}), inner({});
  EXPECT_NE(outer->memory(0, 4096).data(), inner->memory(0, 4096).data());
}

TEST(Sessions, BelongToAStream) {
  release_memory();
  int a = 0, b = 0;
  std::byte* of_a = nullptr;
  {
    const detail::SessionLease session({.device_views = true, .stream = &a});
    of_a = session->memory(0, 4096).data();
  }
  const detail::SessionLease other({.device_views = true, .stream = &b});
  EXPECT_NE(other->memory(0, 4096).data(), of_a);
}

/// Whether a session there still has memory of an earlier call. Puts it back.
bool has_memory(const ExecuteOptions& options) {
  const detail::SessionLease session(options);
  return session->memory(0, 16).size() >= 4096;
}

TEST(Sessions, ReferToNoStringOfTheCaller) {
  release_memory();
  auto name = std::make_unique<std::string>("cpu");
  detail::SessionLease(ExecuteOptions{.backend = *name})->memory(0, 4096);
  name->replace(0, 3, "xyz");
  EXPECT_TRUE(has_memory({}));
  name.reset();
  EXPECT_TRUE(has_memory({}));
  EXPECT_TRUE(has_memory({.backend = std::string_view("cpu, a part of a text").substr(0, 3)}));
  expect_error([] { detail::SessionLease({.backend = "xyz"}); }, "no backend 'xyz'");
}

TEST(Sessions, AreNotKeptForEver) {
  release_memory();
  constexpr std::size_t more = 8;
  std::vector<int> streams(detail::most_idle_sessions + more);
  const auto of = [&](std::size_t i) { return ExecuteOptions{.device_views = true, .stream = &streams[i]}; };
  for (std::size_t i = 0; i < streams.size(); ++i) detail::SessionLease(of(i))->memory(0, 4096);
  // From the last one back, as each that is not there any more takes the place of the oldest.
  for (std::size_t i = streams.size(); i-- > 0;) EXPECT_EQ(has_memory(of(i)), i >= more) << i;
  {
    std::vector<std::unique_ptr<detail::SessionLease>> side_by_side;
    for (std::size_t i = 0; i < streams.size(); ++i)
      side_by_side.push_back(std::make_unique<detail::SessionLease>(ExecuteOptions{}));
    for (const auto& session : side_by_side) (*session)->memory(0, 4096);
  }
  EXPECT_FALSE(has_memory(of(0))) << "the last 32 are those that ran side by side";
  EXPECT_TRUE(has_memory({}));
  release_memory();
  EXPECT_FALSE(has_memory({}));
}

TEST_F(Multiply, RejectsDeviceViewsOnTheCpu) {
  expect_error([&] { execute<Op>("tiled", args, {}, ExecuteOptions{.device_views = true}); },
               "the host's memory");
  int stream = 0;
  expect_error([&] { execute<Op>("tiled", args, {}, ExecuteOptions{.stream = &stream}); }, "device views");
}

TEST_F(Multiply, SaysWhyAGpuCannotDoIt) {
  bool any = false;
  for (const Variant* variant : variants_of(operation_of<Op>)) {
    if (variant->backend != "gpu") continue;
    any = true;
    const std::string reason = variant->unavailable();
    if (reason.empty()) continue;  // gpu_test runs it
    expect_error([&] { execute<Op>(variant->name, args, {}, {.backend = "gpu"}); }, reason);
  }
  if (!any) expect_error([&] { execute<Op>("tiled", args, {}, {.backend = "gpu"}); }, "has no variant");
}

}  // namespace
}  // namespace tallcache::test
