// Edit distances on the GPU: batches of uneven strings of any bytes, strings of more stripes than a launch
// takes, and the same result each time. Skipped without a device.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/ops/edit_distance.hpp"
#include "common/ops/string_distance_batched.hpp"
#include "tests/on_executor.hpp"
#include "tests/string_batches.hpp"

namespace tallcache::test {
namespace {

class Strings : public OnExecutor {
 protected:
  using Bytes = std::vector<std::byte>;

  std::unique_ptr<Memory> on_device(const void* data, std::size_t bytes) {
    auto memory = executor->allocate(std::max<std::size_t>(bytes, 1));
    if (bytes) executor->upload(*memory, std::span(static_cast<const std::byte*>(data), bytes));
    return memory;
  }

  template <class T>
  std::unique_ptr<Memory> on_device(const std::vector<T>& v) {
    return on_device(v.data(), v.size() * sizeof(T));
  }

  template <class T>
  static VectorView<T> view(Memory& memory, std::size_t size) {
    return {place<T>(memory, 0), static_cast<Index>(size)};
  }

  /// The results of a variant on `batch`, which are checked.
  template <class Op>
  std::vector<std::int32_t> solve(std::string_view name, const Batch& batch) {
    const Variant& variant = find_variant(operation_of<Op>, name, "gpu");
    std::vector<std::int32_t> out(batch.pairs(), -1);
    const auto results = on_device(out), a = on_device(batch.a), b = on_device(batch.b),
               a_begin = on_device(batch.a_begin), b_begin = on_device(batch.b_begin);
    const Bytes none(variant.scratch(batch.shape(), {}));
    const auto scratch = on_device(none);
    const typename Op::template Args<> args{view<std::int32_t>(*results, out.size()),
                                            view<const std::uint8_t>(*a, batch.a.size()),
                                            view<const std::uint8_t>(*b, batch.b.size()),
                                            view<const std::uint32_t>(*a_begin, batch.a_begin.size()),
                                            view<const std::uint32_t>(*b_begin, batch.b_begin.size()),
                                            batch.m,
                                            batch.n,
                                            Scratch<>(scratch->bytes())};
    run(variant, &args);
    EXPECT_TRUE(results->guards_intact() && scratch->guards_intact());
    executor->download(std::as_writable_bytes(std::span(out)), *results);
    const typename Op::template Args<> on_host{
        {out.data(), batch.pairs()}, view_of(batch.a), view_of(batch.b), view_of(batch.a_begin),
        view_of(batch.b_begin),      batch.m,          batch.n};
    const Check check = Op::check(batch.shape(), "", 1, on_host);
    EXPECT_TRUE(check) << name << ": " << check.message();
    return out;
  }

  /// The result of a variant on one pair of strings.
  template <class Op>
  std::int32_t solve_one(std::string_view name, const std::string& first, const std::string& second) {
    const Variant& variant = find_variant(operation_of<Op>, name, "gpu");
    const Shape shape{{"m", static_cast<Index>(first.size())}, {"n", static_cast<Index>(second.size())}};
    std::vector<std::int32_t> out(1, -1);
    const Bytes none(variant.scratch(shape, {}));
    const auto result = on_device(out), scratch = on_device(none), a = on_device(first.data(), first.size()),
               b = on_device(second.data(), second.size());
    const typename Op::template Args<> args{
        view<std::int32_t>(*result, 1), view<const std::uint8_t>(*a, first.size()),
        view<const std::uint8_t>(*b, second.size()), Scratch<>(scratch->bytes())};
    run(variant, &args);
    executor->download(std::as_writable_bytes(std::span(out)), *result);
    return out[0];
  }
};

TEST_F(Strings, OfUnevenLengthsAndAnyBytes) {
  for (const unsigned letters : {1u, 2u, 4u, 5u, 20u, 33u, 256u})
    for (const std::size_t most : {20, 150, 600, 3000})
      for (const char* name : {"row_per_thread", "pairs_in_lane_groups"}) {
        const Batch batch = uneven_batch(301, most, letters, letters + static_cast<unsigned>(most));
        solve<LevenshteinBatched>(name, batch);
        solve<LongestCommonSubsequenceBatched>(name, batch);
      }
}

// So many that a pair has no more lanes than it needs.
TEST_F(Strings, OfLargeBatches) {
  for (const std::size_t most : {90, 250, 500})
    solve<LevenshteinBatched>("pairs_in_lane_groups", uneven_batch(40000, most, 20, 3));
}

TEST_F(Strings, GiveTheSameEachTime) {
  const Batch batch = uneven_batch(500, 1000, 20, 7);
  const auto once = solve<LevenshteinBatched>("pairs_in_lane_groups", batch);
  for (int again = 0; again < 20; ++again)
    EXPECT_EQ(solve<LevenshteinBatched>("pairs_in_lane_groups", batch), once);
  std::string a(5003, 'x'), b(4001, 'y');
  for (std::size_t i = 0; i < a.size(); i += 3) a[i] = static_cast<char>('a' + i % 7);
  for (std::size_t i = 0; i < b.size(); i += 4) b[i] = static_cast<char>('a' + i % 5);
  const std::int32_t distance = solve_one<LevenshteinDistance>("stripes_in_pipeline", a, b);
  EXPECT_EQ(distance, solve_one<LevenshteinDistance>("diagonals_of_tiles", a, b));
  for (int again = 0; again < 1000; ++again)
    ASSERT_EQ(solve_one<LevenshteinDistance>("stripes_in_pipeline", a, b), distance);
}

// A launch takes 1024 stripes of 2048 rows: this takes three launches.
TEST_F(Strings, OfMoreStripesThanALaunchTakes) {
  std::string a(4300000, 'a'), b = "the letters of a short string";
  for (std::size_t i = 0; i < b.size(); ++i) a[(i + 1) * 130003] = b[i];
  EXPECT_EQ(solve_one<LongestCommonSubsequence>("stripes_in_pipeline", a, b), 29);
  EXPECT_EQ(solve_one<LevenshteinDistance>("stripes_in_pipeline", a, b), 4300000 - 29);
  EXPECT_EQ(solve_one<LevenshteinDistance>("stripes_in_pipeline", b, a), 4300000 - 29);
}

}  // namespace
}  // namespace tallcache::test
