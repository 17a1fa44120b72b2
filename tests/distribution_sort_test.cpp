// The distribution sort and tallcache::sort: any records, any comparator. They are sorted stably, and inputs
// take the routes that are made for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <tallcache/sort.hpp>
#include <vector>

#include "common/fork/parallel.hpp"
#include "common/keys.hpp"
#include "common/random.hpp"
#include "tests/sort_in_parts.hpp"
#include "tests/sorted_records.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::sort;

const std::vector<Index> sizes_to_test{0,  1,  2,   3,   7,   8,   9,   15,  16,   17,   31,    63,    64,
                                       65, 97, 127, 128, 129, 511, 512, 513, 1021, 4099, 32771, 131071};

TEST(DistributionSort, SortsStably) {
  for (Index n : sizes_to_test)
    for (std::string_view family : families)
      for (std::uint64_t seed : {1, 2}) {
        const std::vector<Numbered> input = records_of(family, n, seed);
        auto sorted = input;
        tallcache::sort(sorted.begin(), sorted.end());
        EXPECT_EQ(problem_of(sorted, input), "") << family << " " << n;
        if (n > 40000) continue;
        auto in_parts = input;
        sort_in_parts(in_parts, std::less<>{});
        EXPECT_EQ(problem_of(in_parts, input), "") << family << " " << n << ", small parts";
      }
}

/// Blocks and merges of a leaf differ by its size. Nothing beside it is touched.
TEST(DistributionSort, LeavesOfEverySize) {
  constexpr std::ptrdiff_t beside = 9;
  for (Index n = 0; n <= 600; ++n)
    for (std::string_view family : {"uniform", "few:v=4"}) {
      const std::vector<Numbered> input = records_of(family, n + 2 * beside, static_cast<std::uint64_t>(n));
      auto expected = input, sorted = input;
      std::stable_sort(expected.begin() + beside, expected.end() - beside);
      tallcache::sort(sorted.begin() + beside, sorted.end() - beside);
      EXPECT_EQ(sorted, expected) << family << " " << n;
    }
}

TEST(DistributionSort, IsTheSameOnTwoThreads) {
  const int threads = std::min(2, usable_threads());
  for (ForkPolicy policy : fork_policies) {
    set_fork_policy(policy);
    for (std::string_view family : families) {
      const std::vector<Numbered> input = records_of(family, 200003, 5);
      auto sorted = input;
      tallcache::sort(sorted.begin(), sorted.end(), {}, {}, threads);
      EXPECT_EQ(problem_of(sorted, input), "") << family << ", " << name_of(policy);
      sorted = input;
      sort_in_parts(sorted, std::less<>{}, small_sizes, threads);
      EXPECT_EQ(problem_of(sorted, input), "") << family << ", small parts, " << name_of(policy);
    }
  }
  set_fork_policy(default_fork_policy);
}

TEST(DistributionSort, SortsKeysOfEveryKind) {
  const auto check = [](auto convert) {
    using Key = decltype(convert(std::uint64_t{}));
    std::vector<Key> keys(50021);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = convert(random_bits(3, i));
    auto expected = keys;
    std::ranges::stable_sort(expected);
    tallcache::sort(keys.begin(), keys.end());
    EXPECT_EQ(keys, expected);
  };
  check([](std::uint64_t bits) { return static_cast<std::uint32_t>(bits % 70000); });
  check([](std::uint64_t bits) { return bits; });
  check([](std::uint64_t bits) { return static_cast<double>(static_cast<std::int64_t>(bits)); });
  check([](std::uint64_t bits) { return static_cast<std::int8_t>(bits); });
  check([](std::uint64_t bits) { return static_cast<std::uint16_t>(bits); });
  check([](std::uint64_t bits) { return static_cast<std::int32_t>(bits); });
  check([](std::uint64_t bits) { return static_cast<std::int64_t>(bits); });
  check([](std::uint64_t bits) { return static_cast<float>(static_cast<std::int64_t>(bits)); });
  check([](std::uint64_t bits) { return std::pair{static_cast<std::uint16_t>(bits >> 48), bits}; });
  check([](std::uint64_t bits) { return std::to_string(bits % 9999); });
  check([](std::uint64_t bits) { return std::string(40, 'x') + std::to_string(bits % 999); });
  check([](std::uint64_t bits) { return std::vector<int>{static_cast<int>(bits % 50), 1}; });
}

/// Zeros of both signs are equal, and keep their order.
TEST(DistributionSort, ZerosOfBothSigns) {
  for (Index n : {2, 64, 65, 1000, 70001})
    for (int threads : {1, std::min(2, usable_threads())}) {
      std::vector<double> numbers;
      for (Index i = 0; i < n; ++i)
        numbers.push_back(i % 3
                              ? static_cast<double>(random_bits(1, static_cast<std::uint64_t>(i)) % 100) - 50
                              : (i % 2 ? 0.0 : -0.0));
      auto expected = numbers;
      std::ranges::stable_sort(expected);
      tallcache::sort(numbers.begin(), numbers.end(), {}, {}, threads);
      EXPECT_EQ(std::memcmp(numbers.data(), expected.data(), numbers.size() * sizeof(double)), 0) << n;
    }
}

/// One value has many, and stands between others, or is the least or the greatest, or one of three.
TEST(DistributionSort, DoublesOfWhichOneRepeats) {
  const auto check = [](Index n, std::uint64_t most, double value, int others, bool repeats) {
    std::vector<double> numbers;
    for (Index i = 0; i < n; ++i) {
      const std::uint64_t bits = random_bits(7, static_cast<std::uint64_t>(i));
      numbers.push_back(bits % 100 < most
                            ? value
                            : static_cast<double>(bits / 100 % static_cast<std::uint64_t>(others)) -
                                  others / 2 + 0.5);
    }
    EXPECT_EQ(cpu::sort::repeats_between_others(numbers.data(), n), repeats)
        << n << " " << most << " " << value;
    auto expected = numbers;
    std::ranges::sort(expected);
    tallcache::sort(numbers.begin(), numbers.end());
    EXPECT_EQ(numbers, expected);
  };
  for (std::uint64_t most : {40, 90}) {
    for (double value : {-7.25, -1e9, 1e9}) check(70001, most, value, 100000, true);
    check(70001, most, 0.25, 2, false);
    check(4001, most, -7.25, 100000, true);
    check(1000, most, -7.25, 100000, false);
  }
  check(70001, 4, -7.25, 100000, false);
}

/// So small that what vqsort takes for the double before another one is far from it.
TEST(DistributionSort, SmallDoublesOfWhichOneRepeats) {
  for (double scale : {1e-300, 1e-17, -1e-17, 1e-14, 0.7, 1e3})
    for (double greatest : {1., 2.})
      for (std::uint64_t share : {2, 50, 98})
        for (Index n : {300, 1000, 100003}) {
          std::vector<double> numbers;
          for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i)
            numbers.push_back(random_bits(8, i) % 100 < share
                                  ? scale
                                  : scale * greatest * static_cast<double>(random_bits(9, i) >> 11) *
                                        0x1p-53);
          auto expected = numbers;
          std::ranges::sort(expected);
          tallcache::sort(numbers.begin(), numbers.end());
          EXPECT_EQ(numbers, expected) << scale << " " << greatest << " " << share << " " << n;
        }
}

/// As leaves of several threads, in the range and in the buffer; and with a NaN, which has no place.
TEST(DistributionSort, NumbersInParts) {
  const auto check = [](auto convert, auto less) {
    using Key = decltype(convert(std::uint64_t{}));
    static_assert(is_number_order<Key, Caught<std::less<Key>>>);
    for (Index n : {600, 70001, 200003}) {
      std::vector<Key> keys;
      for (Index i = 0; i < n; ++i) keys.push_back(convert(random_bits(4, static_cast<std::uint64_t>(i))));
      auto expected = keys, in_parts = keys;
      std::ranges::sort(expected);
      sort_in_parts(in_parts, std::less<>{}, {.leaf = 100, .part = 25, .chunk = 1000});
      EXPECT_EQ(in_parts, expected) << n;
      tallcache::sort(keys.begin(), keys.end(), less, {}, std::min(2, usable_threads()));
      EXPECT_EQ(keys, expected) << n;
    }
  };
  check([](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); }, std::less<std::uint32_t>{});
  check([](std::uint64_t bits) { return bits; }, std::less<>{});
  check([](std::uint64_t bits) { return static_cast<std::int32_t>(bits % 90000) - 45000; }, std::less<>{});
  check([](std::uint64_t bits) { return static_cast<std::int64_t>(bits); }, std::less<>{});
  const auto thirds = [](std::uint64_t bits) {
    return static_cast<double>(static_cast<std::int64_t>(bits)) / 3;
  };
  check(thirds, std::less<>{});
  const auto of_every_magnitude = [](std::uint64_t bits) {  // infinite among them
    const double x = std::bit_cast<double>(bits % 9 ? bits : bits << 63 | 0x7ffull << 52);
    return std::isnan(x) || x == 0 ? 1 / 3. : x;
  };
  check(of_every_magnitude, std::less<>{});
  std::vector<double> numbers(3001, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < numbers.size(); i += 2) numbers[i] = static_cast<double>(i % 100);
  tallcache::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::ranges::count_if(numbers, [](double x) { return std::isnan(x); }), 1500);
}

TEST(DistributionSort, SortsByAProjectionInAnyOrder) {
  std::vector<std::string> words(5003);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = std::string(random_bits(1, i) % 30, 'a') + std::to_string(i);
  auto expected = words;
  std::ranges::stable_sort(expected, std::greater<>{}, &std::string::size);
  tallcache::sort(words.begin(), words.end(), std::greater<>{}, &std::string::size);
  EXPECT_EQ(words, expected);
  std::vector<const std::string*> pointers;
  for (const std::string& word : words) pointers.push_back(&word);
  tallcache::sort(
      pointers.begin(), pointers.end(), {}, [](const std::string* word) -> auto& { return *word; });
  EXPECT_TRUE(std::ranges::is_sorted(
      pointers, {}, [](const std::string* word) -> auto& { return *word; }));
}

/// Can only be moved, and has no default constructor.
struct OnlyMoved {
  explicit OnlyMoved(int number) : value(std::make_unique<int>(number)) {}
  std::unique_ptr<int> value;
};
/// The same, and cannot be assigned.
struct NeverAssigned {
  explicit NeverAssigned(int number) : value(number) {}
  NeverAssigned(NeverAssigned&& other) noexcept : value(other.value) { other.value = -1; }
  ~NeverAssigned() {}
  int value;
};

template <class T, class Number>
void expect_sorts(Number number) {
  for (int n : {0, 1, 2, 40, 65, 1000, 20011}) {
    std::vector<T> records;
    records.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) records.emplace_back(static_cast<int>(random_bits(n, i) % 1000));
    std::vector<int> expected, got;
    for (const T& record : records) expected.push_back(number(record));
    std::ranges::sort(expected);
    tallcache::sort(records.begin(), records.end(), {}, number);
    for (const T& record : records) got.push_back(number(record));
    EXPECT_EQ(got, expected) << n;
  }
}

TEST(DistributionSort, MovesWhatCanOnlyBeMoved) {
  expect_sorts<OnlyMoved>([](const OnlyMoved& record) { return *record.value; });
  expect_sorts<NeverAssigned>([](const NeverAssigned& record) { return record.value; });
}

/// The records of the operation sort, by comparators of their own, on one thread and two.
TEST(DistributionSort, MoveOnlyRecordsAndStringsByAComparator) {
  for (int threads : {1, std::min(2, usable_threads())})
    for (std::string_view family : families)
      for (Index n : {0, 1, 50, 65, 4099, 70001}) {
        const std::vector<Numbered> input = records_of(family, n, 3);
        auto [records, texts, pointers] = other_records(input);
        auto expected = pointers;
        const auto later = [](StringPointer a, StringPointer b) { return std::strcmp(a.text, b.text) > 0; };
        std::ranges::stable_sort(expected, later);
        tallcache::sort(pointers.begin(), pointers.end(), later, {}, threads);
        EXPECT_TRUE(std::ranges::equal(pointers, expected, {}, &StringPointer::text, &StringPointer::text))
            << family << " " << n;
        const auto by_key = [](const MoveOnly& a, const MoveOnly& b) {
          return static_cast<std::int64_t>(a.key) < static_cast<std::int64_t>(b.key);
        };
        tallcache::sort(records.begin(), records.end(), by_key, {}, threads);
        EXPECT_EQ(problem_of(numbered(records), input), "") << family << " " << n;
      }
}

TEST(DistributionSort, SortsByIndexWhatItDoesNotMoveOften) {
  std::deque<std::string> words;
  struct Large {
    Index key, position;
    char rest[200];
  };
  std::vector<Large> large;
  for (Index i = 0; i < 5003; ++i) {
    words.push_back(std::to_string(random_bits(1, i) % 500));
    large.push_back({static_cast<Index>(random_bits(2, i) % 300), i, {}});
  }
  auto expected = words;
  std::ranges::stable_sort(expected);
  tallcache::sort(words.begin(), words.end());
  EXPECT_EQ(words, expected);
  tallcache::sort(large.begin(), large.end(), {}, &Large::key);
  EXPECT_TRUE(std::ranges::is_sorted(large, {}, [](const Large& l) { return std::pair{l.key, l.position}; }));
}

TEST(SortedRecords, ChecksNameWhatIsWrong) {
  const auto input = records_of("few:v=50", 1000, 1);
  auto sorted = input;
  std::ranges::stable_sort(sorted, std::less<>{});
  EXPECT_EQ(problem_of(sorted, input), "");
  const auto broken = [&](auto change) {
    auto records = sorted;
    change(records);
    return problem_of(records, input);
  };
  EXPECT_EQ(broken([](auto& r) { std::swap(r.front(), r.back()); }), "out of order at 1");
  EXPECT_EQ(broken([](auto& r) { std::swap(r[0], r[1]); }), "not stable at 1");
  EXPECT_EQ(broken([](auto& r) { r[1] = r[0]; }), "a record is lost");
  EXPECT_EQ(broken([](auto& r) { r[0].key -= 1; }), "a record is lost");
  EXPECT_EQ(broken([](auto& r) { r.pop_back(); }), "a record is lost");
}

}  // namespace
}  // namespace tallcache::test
