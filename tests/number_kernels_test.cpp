// Numbers spread by vectors, under each SIMD target, beside a plain sort; and sorts of numbers spread so.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "common/keys.hpp"
#include "common/random.hpp"
#include "cpu/sort/number_kernels.hpp"
#include "tests/sort_in_parts.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::sort;

template <class T>
class NumbersByVectors : public testing::Test {};
using Numbers = testing::Types<std::uint32_t, std::uint64_t, std::int32_t, std::int64_t, double>;
TYPED_TEST_SUITE(NumbersByVectors, Numbers);

template <class T>
constexpr T above_all = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                             : std::numeric_limits<T>::max();

// Bits at random, so both signs and all magnitudes; where `values`, so many, of which two are the ends of the
// type.
template <class T>
std::vector<T> numbers_of(Index n, std::uint64_t values, std::uint64_t seed) {
  std::vector<T> numbers(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint64_t bits = random_bits(seed, i);
    if (values) bits = random_bits(seed + 1, bits % values);
    std::memcpy(&numbers[i], &bits, sizeof(T));
    if (numbers[i] != numbers[i]) numbers[i] = T{0};
    if (values && bits % values == 1) numbers[i] = above_all<T>;
    if (values && bits % values == 2) numbers[i] = std::numeric_limits<T>::lowest();
  }
  return numbers;
}

template <class T>
int part_of(T number, const FewSplitters<T>& few) {
  const T* const end = few.splitter + few_splitters;
  const T* const at = std::lower_bound(few.splitter, end, number);
  const int below = static_cast<int>(at - few.splitter);
  return few.equality ? 2 * below + (at != end && *at == number) : below;
}

// Distinct splitters out of the numbers, as many as there may be or fewer.
template <class T>
FewSplitters<T> splitters_of(std::vector<T> numbers, bool equality, int count) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  count = std::min<int>(count, static_cast<int>(numbers.size()));
  FewSplitters<T> few{{}, equality};
  std::fill_n(few.splitter, few_splitters, above_all<T>);
  for (int s = 0; s < count; ++s)
    few.splitter[s] =
        numbers[static_cast<std::size_t>(s + 1) * numbers.size() / static_cast<std::size_t>(count + 1)];
  return few;
}

// Two chunks, the second first, into an array in which each part of each has its place: a store that
// reaches beyond one destroys what is there.
template <class T>
void expect_spread(const std::vector<T>& numbers, const FewSplitters<T>& few, const std::string& what) {
  const auto& kernels = number_kernels<T>(Plain{});
  const Index n = static_cast<Index>(numbers.size()), cut = n / 3;
  const VectorView<const T> chunks[2]{{numbers.data(), cut}, {numbers.data() + cut, n - cut}};
  Index counts[2][2 * few_parts]{}, begin[2][few_parts], end[2][few_parts], next = 0;
  for (int chunk : {1, 0}) kernels.count(chunks[chunk], few, counts[chunk]);
  for (int part = 0; part < few_parts; ++part)
    for (int chunk : {0, 1})
      begin[chunk][part] = next, end[chunk][part] = next += counts[chunk][part << few.equality];
  Index expected_counts[2 * few_parts]{};
  for (const T number : numbers) ++expected_counts[part_of(number, few)];
  for (int part = 0; part < 2 * few_parts; ++part)
    ASSERT_EQ(counts[0][part] + counts[1][part], expected_counts[part]) << what << ", part " << part;
  std::vector<T> expected = numbers;
  std::erase_if(expected, [&](T number) { return few.equality && part_of(number, few) % 2; });
  std::stable_sort(expected.begin(), expected.end(),
                   [&](T a, T b) { return part_of(a, few) < part_of(b, few); });
  constexpr std::size_t beside = 16;
  std::vector<T> to(expected.size() + 2 * beside, T{77});
  for (int chunk : {1, 0})
    kernels.move(chunks[chunk], few, VectorView<T>{to.data() + beside, next}, begin[chunk], end[chunk]);
  EXPECT_TRUE(next == 0 || std::memcmp(to.data() + beside, expected.data(), expected.size() * sizeof(T)) == 0)
      << what;
  for (std::size_t i = 0; i < beside; ++i)
    EXPECT_TRUE(to[i] == T{77} && to[to.size() - 1 - i] == T{77}) << what << ", beside";
}

template <class T>
bool is_in_order(const std::vector<T>& numbers, bool falling = false) {
  return number_kernels<T>(Plain{}).in_order({numbers.data(), static_cast<Index>(numbers.size())}, falling);
}

TYPED_TEST(NumbersByVectors, OneThatFallsIsSeen) {
  for (const Index n : {2, 3, 17, 65, 130})
    for (Index at = 1; at < n; ++at) {
      std::vector<TypeParam> numbers(static_cast<std::size_t>(n), TypeParam{7});
      EXPECT_TRUE(is_in_order(numbers));
      for (Index i = at; i < n; ++i) numbers[static_cast<std::size_t>(i)] = TypeParam{6};
      EXPECT_FALSE(is_in_order(numbers)) << n << ", " << at;
    }
}

TYPED_TEST(NumbersByVectors, EverySimdTarget) {
  int targets = 0;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1, ++targets) {
    hwy::SetSupportedTargetsForTest(left & -left);
    for (const Index n : {0, 1, 2, 3, 15, 16, 17, 31, 64, 65, 127, 1021, 4099})
      for (const std::uint64_t values : {0, 1, 3, 5, 40})
        for (const bool equality : {false, true})
          for (const int count : {7, 3, 1}) {
            const auto numbers = numbers_of<TypeParam>(n, values, static_cast<std::uint64_t>(n) + values);
            const auto few = splitters_of(numbers, equality, count);
            const std::string what = std::string(hwy::TargetName(left & -left)) +
                                     ", n = " + std::to_string(n) + ", values " + std::to_string(values) +
                                     (equality ? ", equality" : "");
            expect_spread(numbers, few, what);
            auto ordered = numbers;
            std::sort(ordered.begin(), ordered.end());
            expect_spread(ordered, few, what + ", in order");
            EXPECT_EQ(is_in_order(numbers), std::is_sorted(numbers.begin(), numbers.end())) << what;
            EXPECT_TRUE(is_in_order(ordered)) << what;
            EXPECT_EQ(is_in_order(numbers, true), std::is_sorted(numbers.rbegin(), numbers.rend())) << what;
            std::reverse(ordered.begin(), ordered.end());
            EXPECT_TRUE(is_in_order(ordered, true)) << what;
          }
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(targets, 1);
}

// The recursion over parts that vectors find, in many chunks, and in one of a size that leaves others
// behind it.
TYPED_TEST(NumbersByVectors, AreSorted) {
  for (const Index n : {100, 1000, 4099, 50021})
    for (const std::uint64_t values : {0, 1, 2, 3, 7, 30, 1000})
      for (const Index chunk : {64, 1000, 1 << 15})
        for (const int threads : {1, std::min(2, usable_threads())}) {
          auto sorted = numbers_of<TypeParam>(n, values, 7), expected = sorted;
          std::stable_sort(expected.begin(), expected.end());
          sort_in_parts(sorted, std::less<>{}, {.leaf = 20, .chunk = chunk}, threads);
          EXPECT_EQ(sorted, expected) << n << ", values " << values << ", chunks " << chunk;
        }
}

}  // namespace
}  // namespace tallcache::test
