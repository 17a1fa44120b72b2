// Inputs and checks of large arrays, part by part on all threads: nothing is left out, and nothing depends on
// the number of threads.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/in_parts.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/counting_sort_in_place.hpp"
#include "common/ops/sort.hpp"
#include "common/ops/transpose.hpp"

namespace tallcache::test {
namespace {

constexpr Index part = part_of_keys;

TEST(InParts, EveryIndexOnce) {
  for (const Index n : {0, 1, 9, 10, 11, 99, 100, 101})
    for (const Index grain : {1, 7, 10, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
      in_parts(n, grain, [&](Index begin, Index end) {
        EXPECT_EQ(begin % grain, 0);
        EXPECT_LE(end - begin, grain);
        for (Index i = begin; i < end; ++i) ++seen.at(static_cast<std::size_t>(i));
      });
      EXPECT_TRUE(std::ranges::all_of(seen, [](const auto& times) { return times == 1; }))
          << n << ", " << grain;
    }
}

TEST(InParts, TheFirstWrongPart) {
  const auto wrong_from = [](Index first) {
    return first_wrong(1000, 10, [=](Index begin, Index end) -> Check {
      if (end <= first) return {};
      return Check::wrong(std::to_string(std::max(begin, first)), "less", "more");
    });
  };
  for (const Index first : {0, 9, 10, 555, 999}) EXPECT_EQ(wrong_from(first).where, std::to_string(first));
  EXPECT_TRUE(wrong_from(1000).ok);
}

// A counting sort's buffers, of which the keys are made and sorted here.
template <bool with_payload>
struct Sorted {
  using Op = CountingSort<with_payload>;
  Shape shape;
  std::string_view input;
  std::vector<std::vector<std::uint32_t>> arrays;

  Sorted(Index n, std::string_view kind) : shape{{"n", n}, {"range", n}}, input(kind) {
    arrays.assign(with_payload ? 4 : 2, std::vector<std::uint32_t>(static_cast<std::size_t>(n)));
    Op::fill(shape, input, 3, buffers());
    std::vector<Index> order(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](Index i, Index j) { return arrays[1][i] < arrays[1][j]; });
    for (Index i = 0; i < n; ++i)
      for (std::size_t a = 0; a + 1 < arrays.size(); a += 2) arrays[a][i] = arrays[a + 1][order[i]];
  }
  std::vector<std::byte*> buffers() {
    std::vector<std::byte*> list;
    for (auto& array : arrays) list.push_back(reinterpret_cast<std::byte*>(array.data()));
    return list;
  }
  Check check() {
    return Op::check(shape, input, 3, Op::bind(shape, buffers(), Scratch<>(std::span<std::byte>())));
  }
};

TEST(InParts, KeysAreThoseOfTheirPositions) {
  for (const std::string_view kind : key_inputs) {
    const Index n = 2 * part + 17;
    Sorted<true> all(n, kind);
    const Keys keys(kind, 3, n, n);
    for (Index i = 0; i < n; ++i) ASSERT_EQ(all.arrays[1][i], keys(i)) << kind << ", " << i;
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(all.arrays, Sorted<true>(n, kind).arrays) << kind;
    EXPECT_TRUE(all.check()) << kind;
  }
}

// The keys of an operation that sorts in place, made on all threads and on one.
template <class Op>
void expect_keys_of_their_positions(const Shape& shape, std::uint64_t range) {
  const Index n = shape["n"];
  for (const std::string_view kind : key_inputs) {
    const auto made = [&] {
      std::vector<std::uint32_t> keys(static_cast<std::size_t>(n));
      std::byte* const buffers[] = {reinterpret_cast<std::byte*>(keys.data())};
      Op::fill(shape, kind, 3, buffers);
      return keys;
    };
    std::vector<std::uint32_t> all = made();
    const Keys keys(kind, 3, static_cast<std::uint64_t>(n), range);
    for (Index i = 0; i < n; ++i) ASSERT_EQ(all[i], keys(i)) << Op::name << ", " << kind << ", " << i;
    {
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      EXPECT_EQ(all, made()) << Op::name << ", " << kind;
    }
    std::ranges::sort(all);
    std::byte* const buffers[] = {reinterpret_cast<std::byte*>(all.data())};
    const auto check = [&] {
      return Op::check(shape, kind, 3, Op::bind(shape, buffers, Scratch<>(std::span<std::byte>())));
    };
    EXPECT_TRUE(check()) << Op::name << ", " << kind;
    for (const Index i : {Index{0}, part - 1, part, n - 1}) {
      const std::uint32_t right = all[i];
      all[i] = i == n - 1 ? right + 1 : all[i + 1] + 1;
      EXPECT_FALSE(check()) << Op::name << ", " << kind << ", " << i;
      all[i] = right;
    }
  }
}

TEST(InParts, KeysThatAreSortedInPlace) {
  const Index n = 2 * part + 17;
  expect_keys_of_their_positions<Sort>({{"n", n}}, std::numeric_limits<std::uint32_t>::max());
  expect_keys_of_their_positions<CountingSortInPlace>({{"n", n}, {"range", n}},
                                                      static_cast<std::uint64_t>(n));
}

TEST(InParts, WrongKeysInAnyPart) {
  for (const Index n : {part - 1, part, part + 1, 3 * part + 5}) {
    for (Index i = part - 1; i < n; i += part - 1) {
      Sorted<false> keys(n, "shuffled");
      ASSERT_TRUE(keys.check()) << n;
      std::vector<std::uint32_t>& sorted = keys.arrays[0];
      const std::uint32_t right = std::exchange(sorted[i], 0);  // below its neighbour before
      EXPECT_EQ(keys.check().where, "key " + std::to_string(i));
      sorted[i] = right;
      Index lost = i;
      while (sorted[lost] == sorted[lost - 1]) --lost;
      sorted[lost] = sorted[lost - 1];  // in order, and one key lost
      EXPECT_EQ(keys.check().where, "keys") << lost;
    }
  }
}

TEST(InParts, WrongPairsAcrossParts) {
  Sorted<true> pairs(2 * part, "all_equal");
  ASSERT_TRUE(pairs.check());
  std::swap(pairs.arrays[2][part - 1], pairs.arrays[2][part]);  // the ends of two parts
  EXPECT_EQ(pairs.check().where, "payload " + std::to_string(part));
}

TEST(InParts, WrongElementsInAnyPart) {
  const Shape shape{{"m", 300}, {"n", 517}, {"pad", 3}};
  std::vector<float> b(517 * 303), a(300 * 520);
  std::byte* const buffers[] = {reinterpret_cast<std::byte*>(b.data()),
                                reinterpret_cast<std::byte*>(a.data())};
  std::memset(b.data(), Element<float>::poison, b.size() * sizeof(float));
  Transpose<float>::fill(shape, "uniform", 5, buffers);
  const auto args = Transpose<float>::bind(shape, buffers, Scratch<>(std::span<std::byte>()));
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 517; ++j) args.b(j, i) = args.a(i, j);
  const auto check = [&] { return Transpose<float>::check(shape, "uniform", 5, args); };
  EXPECT_TRUE(check());
  for (const Index row : {0, 215, 216, 431, 432, 516}) {
    const float right = args.b(row, 299);
    args.b(row, 299) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(check().where, position(row, 299));
    args.b(row, 299) = right;
    args.b.data[row * 303 + 301] = 1;
    EXPECT_EQ(check().where, "padding of row " + std::to_string(row));
    std::memset(&args.b.data[row * 303 + 301], Element<float>::poison, sizeof(float));
  }
}

}  // namespace
}  // namespace tallcache::test
