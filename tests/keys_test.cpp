// Families of keys: what each promises, counted; their texts; their draws.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "common/key_inputs.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/sort.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

using Key = std::uint32_t;
constexpr std::uint64_t all_words = 0xffffffff;

std::vector<Key> keys_of(const std::string& input, std::uint64_t n, std::uint64_t range,
                         std::uint64_t seed = 3) {
  const Keys keys(input, seed, n, range);
  std::vector<Key> list(n);
  for (std::uint64_t i = 0; i < n; ++i) list[i] = keys(i);
  return list;
}

std::map<Key, std::uint64_t> counts_of(const std::vector<Key>& keys) {
  std::map<Key, std::uint64_t> counts;
  for (const Key key : keys) ++counts[key];
  return counts;
}

// A share of n independent keys is within four standard deviations of p.
void expect_share(std::uint64_t count, double p, std::uint64_t n, const std::string& what) {
  const double of = static_cast<double>(n);
  EXPECT_NEAR(static_cast<double>(count), p * of, 4 * std::sqrt(of * p * (1 - p)) + 1e-9) << what;
}

// The keys of the names, as they were before there were families: documents name them.
struct Named {
  std::uint64_t seed, n, range;

  std::uint64_t operator()(std::string_view name, std::uint64_t i) const {
    const double u = random_unit(seed, i), ends = static_cast<double>(range);
    const auto upto = [&](double key) { return static_cast<std::uint64_t>(std::min(ends, key)); };
    const std::uint64_t zipf_1 = upto(std::pow(ends + 1.0, u) - 1),
                        zipf_1_5 = upto(std::pow(1 - u, -2.0) - 1);
    if (name == "all_equal") return random_up_to(seed, 0, range);
    if (name == "two_values") return u < 0.5 ? range / 3 : range - range / 5;
    if (name == "sorted") return sorted(i);
    if (name == "reversed") return sorted(n - 1 - i);
    if (name == "max_key") return u < 0.5 ? range : random_up_to(seed + 1, i, range);
    if (name == "zipf_1.0") return zipf_1;
    if (name == "zipf_1.5") return zipf_1_5;
    if (name == "one_percent") return random_up_to(seed, i, range / 100);
    if (name == "shuffled") return sorted(shuffled(i));
    if (name == "organ_pipe") return sorted(2 * std::min(i, n - 1 - i));
    if (name == "zipf_1.0_scattered") return scattered(zipf_1);
    if (name == "zipf_1.5_scattered") return scattered(zipf_1_5);
    return random_up_to(seed, i, range);
  }

 private:
  std::uint64_t sorted(std::uint64_t i) const {
    return static_cast<std::uint64_t>(static_cast<double>(i) / static_cast<double>(n) *
                                      static_cast<double>(range));
  }
  std::uint64_t scattered(std::uint64_t key) const {
    auto factor = static_cast<std::uint64_t>(0.618 * static_cast<double>(range));
    while (std::gcd(factor, range + 1) != 1) ++factor;
    return key * factor % (range + 1);
  }
  std::uint64_t shuffled(std::uint64_t i) const {
    const int bits = n > 2 ? static_cast<int>(std::bit_width(n - 1)) : 1;
    do
      for (std::uint64_t round = 0; round < 3; ++round) {
        i = i * (random_bits(seed, 2 * round) | 1) + random_bits(seed, 2 * round + 1);
        i &= ~std::uint64_t{0} >> (64 - bits);
        i ^= i >> (bits + 1) / 2;
      }
    while (i >= n);
    return i;
  }
};

TEST(KeyFamilies, HaveThePointsOfAllNames) {
  for (const auto& [name, text] : named_key_points())
    for (const std::uint64_t seed : {1, 7})
      for (const std::uint64_t n : {1, 2, 3, 5, 1000, 4099})
        for (const std::uint64_t range :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{99}, std::uint64_t{300},
              std::uint64_t{60000000}, all_words - 10, all_words}) {
          const Keys named(name, seed, n, range), point(text, seed, n, range);
          const Named expected{seed, n, range};
          for (std::uint64_t i = 0; i < n; ++i) {
            ASSERT_EQ(named(i), expected(name, i)) << name << " " << n << " " << range << " " << i;
            ASSERT_EQ(point(i), expected(name, i)) << text << " " << n << " " << range << " " << i;
          }
        }
}

TEST(KeyFamilies, FewHaveNoMoreValues) {
  for (const std::uint64_t v : {1, 2, 3, 17, 1000}) {
    const auto counts = counts_of(keys_of("few:v=" + std::to_string(v), 200000, all_words));
    EXPECT_EQ(counts.size(), v);
    for (const auto& [key, count] : counts)
      expect_share(count, 1.0 / static_cast<double>(v), 200000, std::to_string(v) + " values");
  }
  EXPECT_LE(counts_of(keys_of("few:v=1000", 5000, 99)).size(), 100u);
  EXPECT_LE(counts_of(keys_of("few:v=4294967295", 5000, all_words)).size(), 5000u);
}

// The runs of keys that rise or fall, where all keys of one differ.
TEST(KeyFamilies, RunsAreAsManyAndGoThatWay) {
  for (const std::uint64_t r : {1, 2, 3, 12, 1000})
    for (const std::string direction : {"up", "down", "alternating"})
      for (const std::uint64_t n : {8000, 10007}) {
        const auto keys = keys_of("runs:r=" + std::to_string(r) + ",direction=" + direction, n, all_words);
        std::uint64_t rises = 0, turns = 0;
        for (std::uint64_t i = 1; i < n; ++i) rises += keys[i - 1] < keys[i];
        for (std::uint64_t i = 2; i < n; ++i) turns += (keys[i - 2] < keys[i - 1]) != (keys[i - 1] < keys[i]);
        const std::string what = direction + " " + std::to_string(r) + " " + std::to_string(n);
        // Two runs of an organ pipe share a key at their ends where they are as long as each other.
        if (direction != "alternating") {
          EXPECT_EQ(direction == "up" ? n - rises : rises + 1, r) << what;
        } else if (n % (2 * r) == 0) {
          EXPECT_EQ(turns, r - 1) << what;
        }
      }
  // More runs than keys.
  EXPECT_EQ(keys_of("runs:r=4294967295", 10, all_words), std::vector<Key>(10, 0));
}

TEST(KeyFamilies, DisplacedKeysAreMovedNoFarther) {
  for (const std::uint64_t n : {1, 2, 3, 64, 10007})
    for (const std::uint64_t d : {0, 1, 2, 3, 7, 64, 1000, 10005, 10006, 20000}) {
      const auto keys = keys_of("displaced:d=" + std::to_string(d), n, all_words);
      std::vector<std::uint64_t> order(n);
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      std::ranges::sort(order, {}, [&](std::uint64_t i) { return keys[i]; });
      std::uint64_t farthest = 0;
      for (std::uint64_t rank = 0; rank < n; ++rank)
        farthest = std::max(farthest, std::max(order[rank], rank) - std::min(order[rank], rank));
      EXPECT_LE(farthest, d) << n;
      EXPECT_GE(farthest, n == 10007 ? std::min(d, n - 1) / 2 : 0) << "hardly moved";
      EXPECT_EQ(counts_of(keys).size(), n) << "a permutation";
    }
}

TEST(KeyFamilies, HeavyValuesHaveTheirShare) {
  constexpr std::uint64_t n = 100000;
  for (const double p : {0.0, 0.01, 0.4, 0.99, 1.0})
    for (const auto& [at, value] : {std::pair{0.0, Key{0}}, {0.25, Key{250000}}, {1.0, Key{1000000}}}) {
      const std::string input = fmt::format("heavy:p={},at={}", p, at);
      auto counts = counts_of(keys_of(input, n, 1000000));
      expect_share(counts[value], p + (1 - p) / 1000001, n, input);
    }
  // Without a place it is the seed's.
  std::set<Key> places;
  for (std::uint64_t seed = 0; seed < 50; ++seed) places.insert(keys_of("heavy:p=1", 1, all_words, seed)[0]);
  EXPECT_EQ(places.size(), 50u);
}

TEST(KeyFamilies, BucketsHaveTheirShare) {
  constexpr std::uint64_t n = 100000, range = 1000000;
  for (const double p : {0.0, 0.1, 0.7, 1.0})
    for (const auto& [at, begin] : {std::pair{0.0, Key{0}}, {0.5, Key{495000}}, {1.0, Key{990000}}}) {
      const std::string input = fmt::format("bucket:p={},width=0.01,at={}", p, at);
      std::uint64_t within = 0, first_half = 0;
      for (const Key key : keys_of(input, n, range)) {
        within += key >= begin && key <= begin + 10000;
        first_half += key >= begin && key < begin + 5000;
      }
      const double uniform = (1 - p) / static_cast<double>(range + 1);
      expect_share(within, p + 10001 * uniform, n, input);
      expect_share(first_half, p * 5000 / 10001 + 5000 * uniform, n, input + ", its first half");
    }
}

// The whole parts of numbers with the density x^-s on [1, range + 2): the masses of the first two.
TEST(KeyFamilies, ZipfKeysHaveTheirProbabilities) {
  constexpr std::uint64_t n = 200000;
  for (const double s : {0.0, 0.5, 1.0, 1.3, 1.5, 4.0})
    for (const std::uint64_t range : {std::uint64_t{100}, std::uint64_t{100000}}) {
      const auto until = [s](double x) { return s == 1 ? std::log(x) : (1 - std::pow(x, 1 - s)) / (s - 1); };
      const double all = until(static_cast<double>(range) + 1);
      for (const std::string scattered : {"", ",scattered"}) {
        const std::string input = fmt::format("zipf:s={}{}", s, scattered);
        auto counts = counts_of(keys_of(input, n, range));
        auto factor = static_cast<std::uint64_t>(0.618 * static_cast<double>(range));
        while (std::gcd(factor, range + 1) != 1) ++factor;
        const Key second = scattered.empty() ? 1 : static_cast<Key>(factor % (range + 1));
        expect_share(counts[0], until(2) / all, n, input + ", the first");
        expect_share(counts[second], (until(3) - until(2)) / all, n, input + ", the second");
      }
    }
}

TEST(KeyFamilies, MixturesHaveTheirShares) {
  constexpr std::uint64_t n = 100000;
  for (const double q : {0.0, 0.1, 0.5, 1.0}) {
    const std::string input = fmt::format("mixture:q={}(heavy:p=1,at=0)(heavy:p=1,at=1)", q);
    auto counts = counts_of(keys_of(input, n, 77));
    expect_share(counts[0], q, n, input);
    EXPECT_EQ(counts[0] + counts[77], n) << input;
  }
  // Whose a key is says nothing of the key.
  auto counts = counts_of(keys_of("mixture:q=0.3(heavy:p=0.3,at=0)(heavy:p=1,at=1)", n, 1000000));
  expect_share(counts[0], 0.09, n, "a share of a share");
}

TEST(KeyInputs, TextsAreReadBack) {
  for (const auto& [name, text] : named_key_points()) {
    EXPECT_EQ(to_string(parse_key_input(name)), text);
    EXPECT_EQ(parse_key_input(name), parse_key_input(text));
  }
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const KeyPoint point = draw_keys(5, i).point;
    EXPECT_EQ(parse_key_input(to_string(point)), point) << to_string(point);
  }
  EXPECT_EQ(to_string(parse_key_input("mixture:q=3e-1(sorted)(zipf:scattered,s=1.30)")),
            "mixture:q=0.3(runs:r=1)(zipf:s=1.3,scattered)");
  EXPECT_EQ(to_string(parse_key_input("mixture:range=9,q=0.5(uniform:range=3)(sorted)")),
            "mixture:q=0.5,range=9(uniform:range=3)(runs:r=1)");
  for (const Key key : keys_of("mixture:q=1(uniform:range=3)(uniform)", 1000, 50)) ASSERT_LE(key, 3u);
}

TEST(KeyInputs, BadOnesAreNamed) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"zpf:s=1", "did you mean 'zipf'?"},
           {"sortde", "did you mean 'sorted'?"},
           {"", "unknown input ''"},
           {"zipf", "'s=' is missing: exponent, a number from 0 to 8"},
           {"zipf:s", "'s' has no value"},
           {"zipf:s=nan", "'s=nan' is not a number from 0 to 8"},
           {"zipf:s=-1", "'s=-1' is not"},
           {"zipf:s=inf", "'s=inf' is not"},
           {"zipf:s=1x", "'s=1x' is not"},
           {"zipf:s=", "'s=' is not"},
           {"zipf:s=1,s=1", "'s' is given twice"},
           {"zipf:s=1,scatered", "did you mean 'scattered'?"},
           {"zipf:s=1,scattered=1", "is a flag"},
           {"zipf:s=1,", "unknown parameter of zipf ''"},
           {"zipf:s=1(uniform)", "zipf has 0 parts, not 1"},
           {"uniform:x=1", "unknown parameter of uniform 'x'"},
           {"uniform:range=-1", "'range=-1' is not a whole number from 0 to 4294967295"},
           {"uniform:range=1,range=1", "'range' is given twice"},
           {"uniform:range", "'range' has no value"},
           {"few:v=0", "'v=0' is not a whole number from 1 to 4294967295"},
           {"runs:r=2.5", "'r=2.5' is not a whole number"},
           {"runs:r=2,direction=dwon", "did you mean 'down'?"},
           {"heavy:p=1.1", "'p=1.1' is not a number from 0 to 1"},
           {"mixture:q=0.5(uniform)", "mixture has 2 parts, not 1"},
           {"mixture:q=0.5(uniform)(uniform", "is not (INPUT)(INPUT)"},
           {"mixture:q=0.5(uniform)(two_values)", "'two_values' has parts of its own"},
           {"mixture:q=0.5(uniform)(mixture:q=0.5(uniform)(uniform))", "is not (INPUT)(INPUT)"}}) {
    SCOPED_TRACE(text);
    expect_error([&text = text] { parse_key_input(text); }, message.c_str());
    expect_error([&text = text] { require_input(operation_of<Sort>, text); }, message.c_str());
  }
  EXPECT_NO_THROW(require_input(operation_of<Sort>, "zipf:s=1.3"));
  EXPECT_NO_THROW(require_input(operation_of<Matmul<float>>, "integers"));
  expect_error([] { require_input(operation_of<Matmul<float>>, "zipf:s=1.3"); }, "unknown input");
}

TEST(KeyInputs, GrammarNamesAllThatCanBeTyped) {
  const std::string grammar = key_grammar();
  for (const auto& [name, text] : named_key_points()) EXPECT_NE(grammar.find(name), grammar.npos) << name;
  for (const KeyFamily& family : key_families()) {
    EXPECT_NE(grammar.find(family.name), grammar.npos) << family.name;
    for (const KeyParam& param : family.params) EXPECT_NE(grammar.find(param.what), grammar.npos);
  }
}

TEST(KeyDraws, CoverAllFamiliesSizesAndRanges) {
  std::map<std::string_view, std::uint64_t> families;
  std::uint64_t small = 0, ranges[3] = {};
  constexpr std::uint64_t draws = 4000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const KeyDraw draw = draw_keys(11, i);
    ++families[draw.point.family->name];
    EXPECT_TRUE(draw.n >= least_drawn_n && draw.n <= most_drawn_n) << draw.n;
    small += draw.n < Index{1} << 17;
    ++ranges[draw.range == draw.n ? 0 : draw.range == draw.n / 16 ? 1 : 2];
    EXPECT_TRUE(draw.range == draw.n || draw.range == draw.n / 16 || draw.range == Index{0xffffffff});
    EXPECT_EQ(draw_keys(11, i).point, draw.point);
    EXPECT_LE(draw_keys(11, i, 1000).n, 1000);
    EXPECT_GE(draw_keys(11, i, 2000, 1000).n, 1000);
  }
  EXPECT_EQ(families.size(), key_families().size());
  for (const auto& [name, count] : families)
    expect_share(count, 1.0 / static_cast<double>(key_families().size()), draws, std::string(name));
  expect_share(small, 0.5, draws, "half of the sizes below the middle power");
  for (const std::uint64_t count : ranges) expect_share(count, 1 / 3.0, draws, "a range");
  EXPECT_NE(to_string(draw_keys(11, 0).point), to_string(draw_keys(12, 0).point));
}

// Every draw is in its ranges, also of as few keys as there can be, and every number is drawn anywhere there.
TEST(KeyDraws, StayInTheirRanges) {
  const auto expect_in_range = [](const KeyPoint& point, Index n, const auto& self) -> void {
    for (std::size_t p = 0; p < point.family->params.size(); ++p) {
      const KeyParam& param = point.family->params[p];
      if (!param.is_number()) continue;
      const double value = point.values[p].value();
      EXPECT_GE(value, param.drawn_min) << param.name;
      EXPECT_LE(value, param.drawn_max) << param.name;
      const double of_n = param.drawn_share > 0 ? param.drawn_share * static_cast<double>(n) : most_drawn_n;
      EXPECT_LE(value, std::max(1.0, of_n)) << param.name;
    }
    for (const KeyPoint& part : point.parts) self(part, n, self);
  };
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const KeyDraw draw = draw_keys(i, 0, i % 2 ? least_drawn_n : 1 + static_cast<Index>(i % 100));
    expect_in_range(draw.point, draw.n, expect_in_range);
    for (const Key key : keys_of(to_string(draw.point), 100, 99, i)) ASSERT_LE(key, 99u);
  }
}

TEST(KeyDraws, AreShapesOfEverySort) {
  const KeyDraw draw = draw_keys(1, 1);
  EXPECT_EQ(draw.shape(operation_of<Sort>), (Shape{{"n", draw.n}}));
  EXPECT_EQ(draw.shape(operation_of<CountingSort<true>>), (Shape{{"n", draw.n}, {"range", draw.range}}));
  // A sort by comparisons has no range in its shape, and gets it with its keys.
  std::map<bool, int> ranges;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const KeyDraw one = draw_keys(2, i, 4000);
    const std::string input = one.input(operation_of<Sort>), text = to_string(one.point);
    EXPECT_EQ(one.input(operation_of<CountingSort<false>>), text);
    EXPECT_EQ(input == text, one.range == Index{0xffffffff}) << input;
    ++ranges[input == text];
    const auto n = static_cast<std::uint64_t>(one.n), range = static_cast<std::uint64_t>(one.range);
    EXPECT_EQ(keys_of(input, n, 0xffffffff, i), keys_of(text, n, range, i)) << input;
  }
  EXPECT_EQ(ranges.size(), 2u);
}

}  // namespace
}  // namespace tallcache::test
