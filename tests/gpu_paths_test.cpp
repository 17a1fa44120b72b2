// The GPU's fast transpositions and counting sort at the edges of their paths: rows that start at multiples
// of 4, 8 and 16 bytes, one tile, one bucket, counters that overflow, most keys in one bucket. Skipped
// without a device.
#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "common/keys.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/ops/transpose.hpp"
#include "tests/key_draws.hpp"
#include "tests/on_executor.hpp"
#include "tests/support.hpp"

namespace tallcache::test {
namespace {

class Transposing : public OnExecutor {
 protected:
  static constexpr float around = -7;

  // B, `b_skip` elements behind a multiple of 4096 bytes, from A, `a_skip` behind one.
  void transpose(std::string_view name, Index m, Index n, Index lda, Index ldb, Index a_skip, Index b_skip) {
    SCOPED_TRACE(testing::Message() << name << " " << m << " x " << n << ", ld " << lda << " and " << ldb
                                    << ", " << a_skip << " and " << b_skip << " elements in");
    std::vector<float> a(a_skip + m * lda), b(b_skip + n * ldb + 64, around);
    std::iota(a.begin(), a.end(), 1.f);
    const auto a_memory = executor->allocate(a.size() * sizeof(float));
    const auto b_memory = executor->allocate(b.size() * sizeof(float));
    executor->upload(*a_memory, std::as_bytes(std::span(a)));
    executor->upload(*b_memory, std::as_bytes(std::span(b)));
    const Transpose<float>::Args<> args{{place<float>(*b_memory, b_skip), n, m, ldb},
                                        {place<float>(*a_memory, a_skip), m, n, lda}};
    run(find_variant(operation_of<Transpose<float>>, name, "gpu"), &args);
    EXPECT_TRUE(a_memory->guards_intact() && b_memory->guards_intact());
    std::vector<float> expected(b.size(), around);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < m; ++j) expected[b_skip + i * ldb + j] = a[a_skip + j * lda + i];
    executor->download(std::as_writable_bytes(std::span(b)), *b_memory);
    EXPECT_TRUE(b == expected) << "first at " << std::ranges::mismatch(b, expected).in1 - b.begin();
    ++cases;
  }

  void TearDown() override { RecordProperty("cases", cases); }

  int cases = 0;
};

TEST_F(Transposing, RowsThatStartAnywhere) {
  for (Index m : {64, 65, 71, 72, 128, 135})
    for (Index extra : {0, 1, 2, 4, 8})
      for (Index skip : {0, 1, 2, 4, 8}) {
        transpose("whole_sectors", m, 67, 67 + extra, m + extra, skip, 8 - skip);
        transpose("any_shape", m, 67, 67 + extra, m + extra, skip, 8 - skip);
      }
}

TEST_F(Transposing, RowsOfWholeSixteenBytes) {
  for (Index m : {1, 3, 4, 63, 64, 65, 127, 128, 129})
    for (Index n : {1, 63, 64, 65, 130})
      for (Index skip : {0, 4}) {
        const Index lda = (n + 3) / 4 * 4, ldb = (m + 3) / 4 * 4;
        transpose("sixteen_bytes", m, n, lda, ldb, skip, skip);
        transpose("sixteen_bytes", m, n, lda + 4, ldb + 4, 4 - skip, skip);
      }
}

TEST_F(Transposing, StripsThatGoTogether) {
  for (Index n : {129, 193, 256, 257}) transpose("any_shape", 65537, n, n, 65537, 0, 0);  // long ones

  constexpr Index rows = 65, far_rows = 32768;  // of 128 KiB
  for (Index n : {64, 2049, 4095, 4097, 12289})
    for (Index extra : {3, 4})
      for (Index skip : {0, 4, 1024, 3072}) {  // 4096 bytes and 12 KiB
        transpose("any_shape", rows, n, far_rows, rows + extra, skip, 0);
        transpose("any_shape", rows, n, 2 * far_rows, rows + extra, skip, 0);
      }
}

TEST_F(Transposing, NarrowMatrices) {
  for (Index narrow : {1, 2, 3, 8, 9, 31, 32, 33, 62, 63, 64, 65, 95, 96})
    for (Index wide : {1, 63, 64, 127, 128, 129, 4096, 4097}) {
      transpose("narrow_strips", narrow, wide, wide, narrow, 0, 0);
      transpose("narrow_strips", wide, narrow, narrow + 1, wide + 3, 1, 3);
      transpose("any_shape", wide, narrow, narrow, wide, 0, 0);
    }
}

TEST_F(Transposing, SixteenBytesRefusesOtherRows) {
  const auto memory = executor->allocate(1 << 16);
  float* const data = reinterpret_cast<float*>(memory->bytes().data());
  const Variant& variant = find_variant(operation_of<Transpose<float>>, "sixteen_bytes", "gpu");
  const Transpose<float>::Args<> args{{data + 1, 8, 8, 8}, {data + 1024, 8, 8, 8}};
  EXPECT_THROW(run(variant, &args), Error);
}

class CountingSorting : public OnExecutor {
 protected:
  // Of n keys, key_at(i) the i-th, `skip` of them behind a multiple of 4096 bytes.
  void sort(Index n, std::uint32_t range, const std::function<std::uint32_t(Index)>& key_at, Index skip = 0) {
    SCOPED_TRACE(testing::Message() << n << " keys in [0, " << range << "], " << skip << " in");
    std::vector<std::uint32_t> keys(n + skip), sorted(n + skip, 0xdeadbeef);
    for (Index i = 0; i < n; ++i) keys[skip + i] = key_at(i);
    const auto in = executor->allocate(keys.size() * 4), out = executor->allocate(keys.size() * 4);
    executor->upload(*in, std::as_bytes(std::span(keys)));
    executor->upload(*out, std::as_bytes(std::span(sorted)));
    const Variant& variant = find_variant(operation_of<CountingSort<false>>, "low_bits", "gpu");
    const Shape shape{{"n", n}, {"range", static_cast<Index>(range)}};
    const Params params = complete_params(variant, {});
    const auto scratch = executor->allocate(variant.scratch(shape, params));
    executor->fill(*scratch, 0xee);
    CountingSort<false>::Args<> args{};
    args.out = {reinterpret_cast<std::uint32_t*>(out->bytes().data()) + skip, n};
    args.in = {reinterpret_cast<const std::uint32_t*>(in->bytes().data()) + skip, n};
    args.range = range;
    args.scratch = Scratch<>(scratch->bytes());
    run(variant, &args, params);
    EXPECT_TRUE(in->guards_intact() && out->guards_intact() && scratch->guards_intact());
    executor->download(std::as_writable_bytes(std::span(sorted)), *out);
    std::fill_n(keys.begin(), skip, 0xdeadbeef);
    tbb::parallel_sort(keys.begin() + skip, keys.end());
    EXPECT_TRUE(sorted == keys) << "first at " << std::ranges::mismatch(sorted, keys).in1 - sorted.begin();
  }

  static std::uint32_t random(Index i, std::uint32_t max) {
    return static_cast<std::uint32_t>(random_up_to(1, static_cast<std::uint64_t>(i), max));
  }
};

TEST_F(CountingSorting, OneBucketOneValueNoKeys) {
  sort(0, 5, [](Index) { return 0u; });
  sort(1, 0, [](Index) { return 0u; });
  sort(100003, 0, [](Index) { return 0u; });
  for (std::uint32_t range : {1u, 2u, 1023u, 8191u, 8192u, 32767u, 32768u, 65536u})
    sort(100003, range, [=](Index i) { return random(i, range); });
}

TEST_F(CountingSorting, KeysThatStartAnywhere) {
  for (Index skip : {0, 1, 2, 3, 4, 5})
    for (Index n : {1, 3, 4, 5, 127, 128, 4096, 4097, 300001})
      for (std::uint32_t range : {5000u, 40'000u})
        sort(
            n, range, [=](Index i) { return random(i, range); }, skip);
}

// One block sorts up to 24576 keys: up to 14 bits by one digit, 23 by two, 32 by three.
TEST_F(CountingSorting, FewKeys) {
  for (Index n : {1, 2, 31, 32, 33, 1023, 1025, 2048, 2049, 4096, 4097, 24575, 24576, 24577})
    for (std::uint32_t range : {0u, 1u, 63u, 16383u, 16384u, 65536u, (1u << 23) - 1, 1u << 23, ~0u})
      for (std::uint32_t other : {3u, 2000u})
        sort(
            n, range, [=](Index i) { return i % other ? random(i, range) : range; }, n % 4);
}

// Few keys of a large range: spread and sorted by a block each, or, of large segments, spread again and
// counted.
TEST_F(CountingSorting, KeysThatAreFewInTheirRange) {
  for (Index n : {24577, 100'003, 1'048'575, 1'048'577, 8'388'608, 8'388'609})
    for (std::uint32_t range : {static_cast<std::uint32_t>(8 * n + 15), (1u << 30) + 5, ~0u}) {
      sort(
          n, range, [=](Index i) { return random(i, range); }, n % 4);
      sort(n, range, [=](Index) { return range; });
      sort(n, range, [=](Index i) { return random(static_cast<Index>(random(i, 299)), range); });
      sort(n, range, [=](Index i) { return range / 3 + random(i, i % 3 ? 5000u : range / 2); });
      for (const char* input : {"zipf_1.0_scattered", "zipf_1.5", "organ_pipe"})
        sort(n, range, Keys(input, 7, static_cast<std::uint64_t>(n), range));
    }
}

// As many large segments as there is room for, at both levels, which are those of 12289 keys and more, of
// leading digits of 7 bits and then of 12; and none, of as many neighbours.
TEST_F(CountingSorting, AsManyLargeSegmentsAsThereIsRoomFor) {
  for (std::uint32_t keys : {12'288u, 12'289u})
    for (std::uint32_t second : {0u, 1u, 4095u})
      sort(81 * keys, ~0u, [=](Index i) {
        const auto key = static_cast<std::uint32_t>(i);
        return key % 81 << 25 | (key % 81 * 50 & second) << 13 | random(i, (1u << 13) - 1);
      });
}

// 15 keys fit into 4 bits, 255 into 8, 65535 into 16: a value beside others of few keys.
TEST_F(CountingSorting, CountersAboutToOverflow) {
  for (Index keys : {14, 15, 16, 254, 255, 256, 65534, 65535, 65536, 131071, 200000})
    for (std::uint32_t value : {0u, 7u, 8u, 4095u, 65535u})
      sort(keys + 70000, 65535, [=](Index i) { return i % 2 && i < 2 * keys ? value : random(i, 65535); });
}

// Several values of one bucket are hot, so that sampling one of them does not help.
TEST_F(CountingSorting, HotValuesInOneBucket) {
  for (std::uint32_t values : {2u, 3u, 40u})
    sort(900000, 900000, [=](Index i) { return i % 10 ? 5 + random(i, values - 1) : random(i, 900000); });
}

// More than 65535 equal keys: in a bucket of 70312 that one block counts in 16 bits, and, of two values of
// which sampling finds only one, in pieces of 131072 keys of a heavy bucket.
TEST_F(CountingSorting, CountersOf16BitsOverflow) {
  constexpr std::uint32_t range = 200'000, first_of_next_bucket = 1024;
  sort(45'000'000, range, [](Index i) {
    return i % 640 == 7 ? 1000u : first_of_next_bucket + random(i, range - first_of_next_bucket);
  });
  sort(36'000'000, 40'000, [](Index i) { return random(i, 99) < 52 ? 4u : 5u; });
}

TEST_F(CountingSorting, MostKeysInOneBucket) {
  for (Index n : {20000, 400000, 3000000})
    sort(n, static_cast<std::uint32_t>(n), [=](Index i) {
      return i % 10 ? random(i, static_cast<std::uint32_t>(n / 1000))
                    : random(i, static_cast<std::uint32_t>(n));
    });
}

// Runs of every length between other keys: in buckets of 2^10 to 2^14 values, a block counts them again in
// wider counters, in those of 2^16 it leaves them to another kernel.
TEST_F(CountingSorting, LongRunsInEveryBucket) {
  for (const auto& [n, range] : {std::pair<Index, std::uint32_t>{1'000'000, 1'000'000},
                                 {4'000'000, 4'100'000},
                                 {9'000'000, 16'000'000},
                                 {9'000'000, 60'000'000}})
    for (const char* input : {"zipf_1.0_scattered", "zipf_1.5_scattered"})
      sort(n, range, Keys(input, 7, static_cast<std::uint64_t>(n), range));
  // Of every third key, more go to a later bucket, all to one of its values.
  constexpr std::uint32_t bucket_values = 4096, buckets = 733, max = bucket_values * buckets - 1;
  sort(3'000'000, max, [](Index i) {
    if (i % 3) return random(i, max);
    const std::uint32_t bucket = std::max(random(i, buckets - 1), random(i + 3'000'000, buckets - 1));
    return bucket * bucket_values + bucket * 2654435761u % bucket_values;
  });
}

// 2^24 keys and more are moved before they are counted, if a sample of each 2048th is even, and again if it
// was not like the others.
TEST_F(CountingSorting, MovedBeforeTheyAreCounted) {
  constexpr Index n = 1 << 24;
  for (std::uint32_t range : {1u << 24, (1u << 24) + 77'777, 70'000u})
    sort(
        n + 5, range, [=](Index i) { return random(i, range); }, 1);
  for (std::uint32_t hidden : {0u, 7'000'000u, 1u << 24})
    sort(n, 1 << 24, [=](Index i) { return i % 2048 && i % 3 ? hidden : random(i, 1 << 24); });
  sort(n, 1 << 24, [](Index i) { return i % 2048 ? (1 << 24) - random(i, 1 << 18) : random(i, 1 << 24); });
}

// Even keys of a large range, of which 16 or 19 bits are moved. Of the latter, two blocks count a bucket:
// 1545 buckets of 2^19 values. Some values, in either half of a bucket, have more keys than a counter of 4
// bits holds.
TEST_F(CountingSorting, EvenKeysOfLargeRanges) {
  for (std::uint32_t range : {140'000'000u, 550'000'000u, 810'000'000u})
    sort(range / 8 + 3, range, [=](Index i) {
      constexpr std::uint32_t often[] = {(1u << 18) - 1, 5u << 18, (6u << 18) - 1, 6u << 18, 8u << 18};
      return i % 70'000 == 3 ? often[i / 70'000 % 5] : random(i, range);
    });
}

// A third of the keys in heavy buckets of 2^16 and of 2^18 values.
TEST_F(CountingSorting, UnevenKeysOfLargeRanges) {
  for (std::uint32_t range : {140'000'000u, 810'000'000u})
    sort(range / 8 + 3, range,
         [=](Index i) { return i % 3 ? random(i, range) : 60'000'000 + random(i, 100'000); });
}

// Even for a sample of 8192 keys, but the others are in one bucket. Buckets of the larger range are then of
// fewer values than those that were guessed.
TEST_F(CountingSorting, LargeRangesThatTurnOutToBeUneven) {
  for (std::uint32_t range : {140'000'000u, 550'000'000u}) {
    const Index step = std::max<Index>(4096, range / 8 / 8192 + 1);
    sort(8192 * step, range,
         [=](Index i) { return i % step ? 60'000'000 + random(i, 100'000) : random(i, range); });
  }
}

class StablePairs : public OnExecutor {
 protected:
  void sort(Index n, std::uint32_t range, const std::function<std::uint32_t(Index)>& key_at) {
    SCOPED_TRACE(testing::Message() << n << " pairs with keys in [0, " << range << "]");
    std::vector<std::uint32_t> keys(n), values(n);
    for (Index i = 0; i < n; ++i) keys[i] = key_at(i);
    std::iota(values.begin(), values.end(), 0u);
    const auto bytes = static_cast<std::size_t>(n) * 4;
    const auto in = executor->allocate(bytes), in_values = executor->allocate(bytes),
               out = executor->allocate(bytes), out_values = executor->allocate(bytes);
    executor->upload(*in, std::as_bytes(std::span(keys)));
    executor->upload(*in_values, std::as_bytes(std::span(values)));
    const Variant& variant = find_variant(operation_of<CountingSort<true>>, "wide_digits", "gpu");
    const Shape shape{{"n", n}, {"range", static_cast<Index>(range)}};
    const Params params = complete_params(variant, {});
    const auto scratch = executor->allocate(variant.scratch(shape, params));
    executor->fill(*scratch, 0xee);
    CountingSort<true>::Args<> args{};
    args.out = {place<std::uint32_t>(*out, 0), n};
    args.payload_out = {place<std::uint32_t>(*out_values, 0), n};
    args.in = {place<std::uint32_t>(*in, 0), n};
    args.payload_in = {place<std::uint32_t>(*in_values, 0), n};
    args.range = range;
    args.scratch = Scratch<>(scratch->bytes());
    run(variant, &args, params);
    EXPECT_TRUE(out->guards_intact() && out_values->guards_intact() && scratch->guards_intact());
    std::vector<std::uint32_t> sorted(n), moved(n);
    executor->download(std::as_writable_bytes(std::span(sorted)), *out);
    executor->download(std::as_writable_bytes(std::span(moved)), *out_values);
    std::ranges::stable_sort(values, {}, [&](std::uint32_t i) { return keys[i]; });
    EXPECT_TRUE(moved == values) << "first at " << std::ranges::mismatch(moved, values).in1 - moved.begin();
    std::ranges::sort(keys);
    EXPECT_TRUE(sorted == keys) << "first at " << std::ranges::mismatch(sorted, keys).in1 - sorted.begin();
  }

  static std::uint32_t random(Index i, std::uint32_t max) {
    return static_cast<std::uint32_t>(random_up_to(1, static_cast<std::uint64_t>(i), max));
  }
};

// Blocks have one, two, three or many tiles: whole ones of 10240 pairs, of which an H200 takes 132 at a time,
// and a short one of a multiple of 2048, the last of all with a pair, all but one, or all; digits of 1 to 9
// bits in 1 to 4 passes.
TEST_F(StablePairs, TilesAndDigits) {
  for (Index n : {1, 2047, 2048, 2049, 10239, 10240, 10241, 20481, 270336, 270337, 1081345, 1351680, 1351681,
                  1622016, 1622017, 2703361})
    for (std::uint32_t range : {1u, 255u, 511u, 512u, 1000u, 1u << 20, ~0u}) {
      if (n > 100000 && range != 511 && range != ~0u) continue;
      sort(n, range, [=](Index i) { return random(i, range); });
      sort(n, range, [=](Index i) { return i % 7 ? range : random(i, range); });
    }
}

// Keys of one leading digit share both lower digits, one of them, or all but one of the keys do: one that no
// sample has, of a leading digit that others have or do not have.
TEST_F(StablePairs, LowerDigitsThatTheLeadingOneDecides) {
  struct Digits {
    std::uint32_t range;
    int bits, shift;  // of the leading digit
  };
  constexpr Index odd_one = 7'003;
  for (const Digits& digits : {Digits{1023, 5, 5}, Digits{(1u << 24) - 1, 8, 16}, Digits{~0u, 8, 24}})
    for (Index n : {10'241, 300'001}) {
      // Clang 14's lambdas take no structured bindings.
      const std::uint32_t range = digits.range;
      const int bits = digits.bits, shift = digits.shift;
      const std::uint32_t lower = (1u << shift) - 1, most = (1u << bits) - 2;
      const auto key = [=](Index i) {
        const std::uint32_t leading = random(i, most);
        return leading << shift | (leading * 2654435761u & lower);
      };
      const std::uint32_t unused = (most + 1) << shift;
      sort(n, range, key);
      sort(n, range, [=](Index i) { return key(i) ^ random(i + n, (1u << bits) - 1); });
      sort(n, range, [=](Index i) { return key(i) ^ random(i + n, (1u << bits) - 1) << (shift - bits); });
      sort(n, range, [=](Index i) { return key(i) ^ (i == odd_one); });
      sort(n, range, [=](Index i) { return i / 2 == odd_one / 2 ? unused + 5 - i % 2 : key(i); });
      sort(n, range, [=](Index i) { return i / 2 == odd_one / 2 ? unused | lower : key(i); });
      sort(n, range, [=](Index i) { return unused + random(i, 1) * lower; });
    }
}

// Problems drawn from the families of keys.
class DrawnKeys : public OnExecutor {};

TEST_F(DrawnKeys, AreSorted) {
  for (const Operation* operation : operations())
    if (takes_keys(*operation)) expect_right_on_draws(*operation, "gpu", *executor, 120, Index{1} << 22);
}

}  // namespace
}  // namespace tallcache::test
