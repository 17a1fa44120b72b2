// What the distribution sort leaves behind where a comparator or a move throws, and where a comparator is no
// order: each record, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <tallcache/sort.hpp>
#include <vector>

#include "tests/sorted_records.hpp"

namespace tallcache::test {
namespace {

/// A record of which no more and no fewer may live than are in the range.
class Alive {
 public:
  explicit Alive(Numbered record) : record_(record) { ++living; }
  Alive(Alive&& other) noexcept : record_(other.record_) {
    EXPECT_TRUE(other.whole_) << "a record moved twice";
    other.whole_ = false;
    ++living;
  }
  ~Alive() { --living; }
  const Numbered& record() const {
    EXPECT_TRUE(whole_) << "a record compared that was moved";
    return record_;
  }

  static inline std::atomic<Index> living = 0;

 private:
  Numbered record_;
  bool whole_ = true;
};

struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws at call `at` and, if `always`, at all later ones.
struct Throws {
  Index at;
  bool always;
  std::atomic<Index>* calls;
  bool operator()(const Numbered& a, const Numbered& b) const {
    const Index call = ++*calls;
    if (call == at || (always && call > at)) throw Thrown("call " + std::to_string(call));
    return a < b;
  }
};

std::vector<Numbered> records_in(const std::vector<Alive>& range) {
  std::vector<Numbered> records;
  for (const Alive& alive : range) records.push_back(alive.record());
  return records;
}

void expect_nothing_lost(std::string_view family, Index n, Index at, bool always, int threads) {
  const auto input = records_of(family, n, 1);
  {
    std::vector<Alive> range;
    range.reserve(input.size());
    for (const Numbered& record : input) range.emplace_back(record);
    std::atomic<Index> calls{0};
    EXPECT_THROW(
        tallcache::sort(range.begin(), range.end(), Throws{at, always, &calls}, &Alive::record, threads),
        Thrown)
        << family << " " << n << ", call " << at;
    EXPECT_EQ(Alive::living, n);
    EXPECT_EQ(lost_of(records_in(range), input), "") << family << " " << n << ", call " << at;
  }
  EXPECT_EQ(Alive::living, 0);
  auto copied = input;  // records that are bytes go other ways
  std::atomic<Index> calls{0};
  EXPECT_THROW(tallcache::sort(copied.begin(), copied.end(), Throws{at, always, &calls}, {}, threads),
               Thrown);
  EXPECT_EQ(lost_of(copied, input), "") << family << " " << n << ", call " << at;
}

/// Each record of type MoveOnly, and each pointer to a string, is there once, and none that was moved from.
void expect_each_once(std::string_view family, Index n, Index at, int threads) {
  const auto input = records_of(family, n, 1);
  auto [records, texts, pointers] = other_records(input);
  std::atomic<Index> calls{0};
  const auto less = [&calls, at](const auto& a, const auto& b) {
    if (++calls == at) throw Thrown("once");
    return a < b;
  };
  EXPECT_THROW(tallcache::sort(records.begin(), records.end(), less, {}, threads), Thrown) << at;
  EXPECT_EQ(lost_of(numbered(records), input), "") << family << " " << n << ", call " << at;
  calls = 0;
  EXPECT_THROW(tallcache::sort(pointers.begin(), pointers.end(), less, {}, threads), Thrown) << at;
  std::map<const char*, Index> times;
  for (StringPointer pointer : pointers) ++times[pointer.text];
  for (const std::string& text : texts)
    EXPECT_EQ(times[text.c_str()], 1) << family << " " << n << ", call " << at;
}

TEST(DistributionSortFailures, MoveOnlyRecordsAndStringsAreEachThereOnce) {
  for (Index at = 1; at < 30; ++at) expect_each_once("uniform", 20, at, 1);
  for (std::string_view family : {"uniform", "few:v=50", "runs:r=10"})
    for (Index at = 1; at < 10000; at = at * 2 + 1) expect_each_once(family, 4000, at, 1);
  for (Index at = 1; at < 100000; at = at * 8 + 1)
    expect_each_once("zipf_1.0", 70001, at, std::min(2, usable_threads()));
}

TEST(DistributionSortFailures, AComparatorThatThrowsLosesNoRecord) {
  for (bool always : {false, true}) {
    for (Index at = 1; at < 60; ++at) expect_nothing_lost("uniform", 20, at, always, 1);
    for (Index at = 1; at < 30000; at = at * 5 / 4 + 1) expect_nothing_lost("uniform", 4000, at, always, 1);
    for (Index at = 1; at < 15000; at = at * 3 / 2 + 1) {
      expect_nothing_lost("runs:r=10", 5000, at, always, 1);
      expect_nothing_lost("few:v=50", 5000, at, always, 1);
    }
    for (Index at = 1; at < 2000000; at = at * 4 + 1)
      expect_nothing_lost("zipf_1.0", 200003, at, always, std::min(2, usable_threads()));
  }
}

TEST(DistributionSortFailures, AComparatorThatAlwaysThrowsIsSoonLeftAlone) {
  constexpr Index n = 400009;
  auto records = records_of("uniform", n, 1);
  std::atomic<Index> calls{0};
  EXPECT_THROW(tallcache::sort(records.begin(), records.end(), Throws{n, true, &calls}), Thrown);
  EXPECT_LE(calls, n + 100);
}

/// One type for all of them: a sort is compiled once, and not for each.
using Answers = bool (*)(const Numbered&, const Numbered&);

void expect_permutation(Answers less, std::string_view name) {
  for (Index n : {0, 1, 2, 8, 33, 64, 65, 600, 5000, 70001})
    for (std::string_view family : {"uniform", "few:v=50", "sorted"}) {
      const auto input = records_of(family, n, 1);
      auto records = input;
      tallcache::sort(records.begin(), records.end(), less);
      EXPECT_EQ(lost_of(records, input), "") << name << ", " << family << " " << n;
      std::vector<Alive> range;
      range.reserve(input.size());
      for (const Numbered& record : input) range.emplace_back(record);
      tallcache::sort(range.begin(), range.end(), less, &Alive::record, std::min(2, usable_threads()));
      EXPECT_EQ(lost_of(records_in(range), input), "") << name << ", " << family << " " << n;
    }
}

TEST(DistributionSortFailures, AnyAnswersLeaveThePermutation) {
  static std::atomic<std::uint64_t> calls;
  calls = 0;
  using Record = const Numbered;
  expect_permutation([](Record&, Record&) { return random_bits(1, ++calls) % 2 == 0; }, "random");
  expect_permutation([](Record&, Record&) { return random_bits(1, ++calls) % 16 == 0; }, "seldom");
  expect_permutation([](Record&, Record&) { return true; }, "always true");
  expect_permutation([](Record&, Record&) { return false; }, "always false");
  expect_permutation([](Record& a, Record& b) { return a.key <= b.key; }, "less or equal");
  expect_permutation([](Record& a, Record& b) { return (b.key - a.key) % 3 == 1; }, "stone, paper, scissors");
}

TEST(DistributionSortFailures, NansLeaveThePermutation) {
  for (Index n : {5, 64, 1000, 100003}) {
    std::vector<double> keys(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = i % 7 == 3 ? std::numeric_limits<double>::quiet_NaN()
                           : static_cast<double>(random_bits(1, i) % 999);
    auto sorted = keys;
    tallcache::sort(sorted.begin(), sorted.end());
    const auto order = [](double a, double b) { return std::strong_order(a, b) < 0; };
    // By an order that has a place for them, they are where std::stable_sort puts them.
    auto by_order = keys, expected = keys;
    tallcache::sort(by_order.begin(), by_order.end(), order);
    std::ranges::stable_sort(expected, order);
    EXPECT_EQ(std::memcmp(by_order.data(), expected.data(), keys.size() * sizeof(double)), 0) << n;
    std::ranges::sort(keys, order);
    std::ranges::sort(sorted, order);
    EXPECT_TRUE(
        std::ranges::equal(keys, sorted, [](double a, double b) { return std::strong_order(a, b) == 0; }));
  }
}

/// Its moves throw where they are told to.
class MoveThrows {
 public:
  explicit MoveThrows(Numbered record) : record_(record) {}
  MoveThrows(MoveThrows&& other) : record_(other.record_) { count(other); }
  MoveThrows& operator=(MoveThrows&& other) {
    count(other);
    record_ = other.record_;
    return *this;
  }
  Numbered record() const { return record_; }

  static inline Index calls = 0, at = 0;

 private:
  static void count(MoveThrows&) {
    if (++calls == at) throw Thrown("a move");
  }
  Numbered record_;
};

TEST(DistributionSortFailures, AMoveThatThrowsLosesNoRecord) {
  const auto input = records_of("uniform", 300, 1);
  for (Index at = 1;; at = at + 1 + at / 8) {
    std::vector<MoveThrows> range;
    range.reserve(input.size());
    for (const Numbered& record : input) range.emplace_back(record);
    MoveThrows::calls = 0, MoveThrows::at = at;
    bool thrown = false;
    try {
      tallcache::sort(range.begin(), range.end(), {}, &MoveThrows::record);
    } catch (const Thrown&) {
      thrown = true;
    }
    std::vector<Numbered> records;
    for (const MoveThrows& record : range) records.push_back(record.record());
    EXPECT_EQ(lost_of(records, input), "") << "move " << at;
    if (!thrown) {
      EXPECT_EQ(problem_of(records, input), "");
      EXPECT_GT(at, 300);
      return;
    }
  }
}

}  // namespace
}  // namespace tallcache::test
