// The kernels of the counting sorts as leaves: what they say under Traced is what they load and store.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "common/ceil_div.hpp"
#include "common/random.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"
#include "tests/each_target.hpp"
#include "tests/leaf_views.hpp"

namespace tallcache::test {
namespace {

using namespace cpu::counting_sort;
using tallcache::test::Leaf;

constexpr int lowest = 0, lowest_of_size = 32;  // bits; of a Link's size

/// n numbers below `end`. Where there are `equal` values, two neighbours of four are of them: some kernels
/// look for equal neighbours.
template <class T>
std::vector<T> draws(std::uint64_t seed, Index n, std::uint64_t end, std::uint64_t equal = 0) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(random_up_to(seed, 2 * i, equal && i / 2 % 2 ? equal - 1 : end - 1));
  return values;
}

template <class T>
std::vector<Pair> with_payload(const std::vector<T>& keys) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < keys.size(); ++i)
    pairs.push_back(keys[i] | static_cast<Pair>(random_up_to(9, i, ~Word{0})) << 32);
  return pairs;
}

/// Elements in blocks 0, 2, 4 ... of a pool, of which the last is used in part. An odd number is in each, so
/// that a bit less is an element less.
template <class T>
std::vector<Region> chain_regions(const std::vector<T>& elements, int bit) {
  constexpr Index most = block_size<T> - 1;
  const auto n = static_cast<Index>(elements.size());
  const Index blocks = 2 * std::max<Index>(1, ceil_div(n, most));
  std::vector<T> pool(static_cast<std::size_t>(blocks * block_size<T>));
  std::vector<Link> links(static_cast<std::size_t>(blocks));
  for (Index b = 0, done = 0; b < blocks; b += 2) {
    const Index size = std::min(most, n - done);
    std::copy_n(elements.begin() + done, size, pool.begin() + b * block_size<T>);
    done += size;
    links[static_cast<std::size_t>(b)] = {done < n ? static_cast<Word>(b + 2) : no_block,
                                          static_cast<Word>(size)};
  }
  return {region(pool, bit), region(links, lowest_of_size)};
}
template <class T, class Access>
Chain<T, Access> chain_in(const Views<Access>& views) {
  return {views.template of<const T>(0), views.template of<const Link>(1), 0};
}

constexpr Index sizes[] = {1, 33, 513};
constexpr std::uint64_t equal_ones[] = {0, 1, 3};

void for_each_case(void (*cases)(See, Index n, std::uint64_t equal)) {
  for_each_target([&] {
    for (const Index n : sizes)
      for (const std::uint64_t equal : equal_ones) {
        SCOPED_TRACE(testing::Message() << n << " elements, half of them of " << equal << " values");
        cases(expect_exact, n, equal);
        if (testing::Test::HasFailure()) return;
      }
  });
}

void see_counts(See see, Index n, std::uint64_t equal) {
  constexpr Index values = 64;
  const auto low_bits = draws<LowBits>(1, n, values, equal);
  see(leaf_of(chain_regions(low_bits, lowest) + std::vector{own<Word>(values)},
              [](const auto& v) {
                leaf_kernels().under(v.access).count_low_bits(chain_in<LowBits>(v), v.template of<Word>(2));
              }),
      {2});
  see(leaf_of(chain_regions(with_payload(low_bits), lowest) + std::vector{own<Word>(values)},
              [](const auto& v) {
                leaf_kernels().under(v.access).count_pairs(chain_in<Pair>(v), v.template of<Word>(2));
              }),
      {2});
  // In four tables, and once in one.
  for (const Index counted : {values, n == sizes[2] && equal == 0 ? Index{16448} : values})
    see(leaf_of({region(draws<Word>(2, n, values, equal), lowest), own<Word>(tables_of(counted) * counted),
                 own<Word>(counted)},
                [](const auto& v) {
                  leaf_kernels().under(v.access).count_keys(v.template of<const Word>(0),
                                                            v.template of<Word>(1), v.template of<Word>(2));
                }),
        {1, 2});
}
TEST(CountingSortLeaf, Counts) { for_each_case(see_counts); }

void see_pairs(See see, Index n, std::uint64_t equal) {
  constexpr Index values = 1 << 12, few = 68;
  const auto pairs = with_payload(draws<Word>(3, n, values, equal));
  const std::vector out{own<Word>(n), own<Word>(n)};
  see(leaf_of(chain_regions(pairs, -1) + out + std::vector{own<std::uint16_t>(values), own<Word>(2 * n)},
              [](const auto& v) {
                leaf_kernels().under(v.access).sort_pairs(
                    chain_in<Pair>(v), 5, {v.template of<Word>(2), v.template of<Word>(3)},
                    v.template of<std::uint16_t>(4), v.template of<Word>(5));
              }),
      {2, 3, 4, 5});
  see(leaf_of(
          std::vector{region(draws<Word>(4, n, few, equal), lowest), region(draws<Word>(5, n, ~Word{0}))} +
              out + std::vector{own<std::uint16_t>(few), own<Word>(2 * n)},
          [](const auto& v) {
            leaf_kernels().under(v.access).sort_few_pairs(
                {v.template of<const Word>(0), v.template of<const Word>(1)},
                {v.template of<Word>(2), v.template of<Word>(3)}, v.template of<std::uint16_t>(4),
                v.template of<Word>(5));
          }),
      {2, 3, 4, 5});
  for (const bool stream : {false, true})
    see(leaf_of(std::vector{region(pairs)} + out,
                [stream](const auto& v) {
                  leaf_kernels().under(v.access).separate_pairs(
                      v.template of<const Pair>(0), {v.template of<Word>(1), v.template of<Word>(2)}, stream);
                }),
        {1, 2});
}
TEST(CountingSortLeaf, Pairs) { for_each_case(see_pairs); }

void see_scattered_payload(See see, Index n, std::uint64_t equal) {
  constexpr Index values = 8, line = line_bytes / 4;
  const auto keys = draws<Word>(6, n, values, equal);
  // Even places, with one to spare behind each value.
  std::vector<Word> begin(values);
  Word end = 0;
  for (std::size_t v = 0; v < begin.size(); ++v) {
    begin[v] = end;
    end += static_cast<Word>(std::ranges::count(keys, static_cast<Word>(v)) + 2) / 2 * 2;
  }
  see(leaf_of(chain_regions(with_payload(keys), -1) + std::vector{region(begin, lowest), own<Word>(values),
                                                                  own<Word>(values * line), own<Word>(end)},
              [](const auto& v) {
                leaf_kernels().under(v.access).scatter_payload(chain_in<Pair>(v), v.template of<Word>(2),
                                                               v.template of<Word>(3), v.template of<Word>(4),
                                                               v.template of<Word>(5));
              }),
      {3, 4, 5});
}
TEST(CountingSortLeaf, PayloadToItsPlace) { for_each_case(see_scattered_payload); }

TEST(CountingSortLeaf, Runs) {
  for_each_target([] {
    for (const std::uint64_t longest : {2, 8, 40, 600}) {
      std::vector<Word> begin(37);
      Word n = 0;
      for (Word& at : begin) {
        at = n;
        n += 2 + 2 * static_cast<Word>(random_up_to(longest, n, longest / 2));
      }
      for (const auto& [from, to] : {std::pair{Word{0}, n}, {n / 3, n / 2}, {n / 2, n}, {n / 2, n / 2 + 1}}) {
        SCOPED_TRACE(testing::Message() << "runs to " << longest << ", " << from << " to " << to);
        Region begins = region(begin, lowest);
        begins.idle = [=, from = from, to = to](std::size_t v) { return begin[v] < from || begin[v] >= to; };
        expect_exact(leaf_of({begins, own<Word>(n)},
                             [from = from, to = to](const auto& v) {
                               leaf_kernels().under(v.access).expand_runs(v.template of<const Word>(0), 7,
                                                                          v.template of<Word>(1), from, to);
                             }),
                     {1});
      }
    }
  });
}

template <class Access>
ByteCounters<Access> counters_in(const Views<Access>& views, std::size_t first) {
  return {views.template of<std::uint8_t>(first), views.template of<Word>(first + 1)};
}

/// Bytes of the runs of low bits from which keys are written.
constexpr std::size_t staged_runs = 6 << 10;

void see_byte_counters(See see, Index n, std::uint64_t equal) {
  constexpr Index width = 64;
  const std::vector counters{own<Word>(n), own<std::uint8_t>(byte_tables(width) * width), own<Word>(8)};
  see(leaf_of(
          chain_regions(draws<LowBits>(7, n, width, equal), lowest) + counters,
          [](const auto& v) {
            byte_kernels().under(v.access).sort_low_bits(chain_in<LowBits>(v), width, 3,
                                                         v.template of<Word>(2), counters_in(v, 3));
          },
          staged_runs),
      {2, 3, 4});
  see(leaf_of(
          std::vector{region(draws<Word>(8, n, width, equal), lowest)} + counters,
          [](const auto& v) {
            byte_kernels().under(v.access).sort_in_bytes(v.template of<const Word>(0), width,
                                                         v.template of<Word>(1), counters_in(v, 2));
          },
          staged_runs),
      {1, 2, 3});
}
TEST(CountingSortLeaf, CountersOfAByte) { for_each_case(see_byte_counters); }

/// Bytes of a pass's sample.
constexpr std::size_t sample_bytes = 1 << 10;

/// A pass over n keys with payload where T is Pair. A tenth of them come first where it is not.
template <class T>
Leaf pass_leaf(Index n, std::uint64_t equal) {
  constexpr Index buckets = 8;
  constexpr Digit digit{4, std::is_same_v<T, LowBits> ? ~Word{0} : Word{buckets - 1}};
  constexpr std::uint64_t range = buckets << digit.shift;
  const Index first = std::is_same_v<T, Pair> ? 0 : n / 10, blocks = 1 + buckets + n / block_size<T> + 1;
  const std::vector regions{region(draws<Word>(10, first, range, equal), lowest),
                            region(draws<Word>(11, n, range, equal), lowest),
                            region(draws<Word>(12, n, ~Word{0})),
                            own<T>(blocks * block_size<T>),
                            own<T>(buckets * write_buffer_size<T>),
                            own<Link>(blocks),
                            own<Word>(buckets),
                            own<Word>(buckets),
                            own<HeavyBuckets>(1),
                            own<Word>(heavy_counters(1 << digit.shift))};
  return leaf_of(
      regions,
      [=](const auto& v) {
        using Access = decltype(v.access);
        Records<const Word, Access> in{v.template of<const Word>(1)};
        if constexpr (std::is_same_v<T, Pair>) in.payload = v.template of<const Word>(2);
        pass_kernels().under(v.access).spread(Spread<T, Access>{.first = v.template of<const Word>(0),
                                                                .in = in,
                                                                .digit = digit,
                                                                .blocks = v.template of<T>(3),
                                                                .links = v.template of<Link>(5),
                                                                .first_block = 1,
                                                                .next_chunk = no_block,
                                                                .counts = v.template of<Word>(6),
                                                                .targets = v.template of<Word>(7),
                                                                .lines = v.template of<T>(4),
                                                                .heavy = v.template of<HeavyBuckets>(8),
                                                                .heavy_counts = v.template of<Word>(9)});
      },
      sample_bytes);
}

void see_passes(See see, Index n, std::uint64_t equal) {
  const std::vector<std::size_t> stored{3, 4, 5, 6, 7, 8, 9};
  // Of 4096 keys on each of these passes takes a sample.
  const Index size = n == sizes[2] && equal == 3 ? 4100 : n;
  see(pass_leaf<LowBits>(size, equal), stored);
  see(pass_leaf<Word>(size, equal), stored);
  see(pass_leaf<Pair>(size, equal), stored);
}
TEST(CountingSortLeaf, Passes) { for_each_case(see_passes); }

// Not a test: a program that leaf_lackey_test.cpp runs.
TEST(LackeySubject, DISABLED_counting_sorts) {
  for (const auto cases : {see_counts, see_pairs, see_scattered_payload, see_byte_counters, see_passes})
    for (const std::uint64_t equal : {0, 3}) cases(observe<1>, equal ? 161 : 33, equal);
}

}  // namespace
}  // namespace tallcache::test
