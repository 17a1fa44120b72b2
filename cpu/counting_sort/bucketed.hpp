// Cache-friendly counting sort. The keys first go into m buckets of neighbouring values. Each bucket is then
// sorted with counts and output that fit in the cache.
#pragma once

#include <optional>

#include "common/cache/ideal_misses.hpp"
#include "common/fork/fork.hpp"
#include "cpu/counting_sort/distribute.hpp"

namespace tallcache::cpu::counting_sort {

/// The bucket of a key among m: floor(key m / (range + 1)).
inline Index bucket_of(std::uint32_t key, std::uint64_t buckets, std::uint64_t range) {
  return static_cast<Index>(key * buckets / (range + 1));
}

/// The smallest key of a bucket; for bucket m it is range + 1.
inline std::uint64_t first_key(std::uint64_t bucket, std::uint64_t buckets, std::uint64_t range) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bucket) * (range + 1) + buckets - 1) /
                                    buckets);
}

/// Preprocessing: copies the keys of `args` to `bucketed`, stably, bucket after bucket. Incurs 3n/L + 3m/L +
/// m misses when the counters and one line for each bucket fit in the cache.
template <class Fork, class Args, class Bucketed, class Count, class Total>
void bucket_keys(Fork& fork, const Args& args, Bucketed bucketed, Bucketed bucketed_payload, Count count,
                 Total total) {
  Args pass = args;
  pass.out = bucketed;
  pass.payload_out = bucketed_payload;
  distribute(fork, pass, count, total,
             [buckets = static_cast<std::uint64_t>(count.cols), range = args.range](std::uint32_t key) {
               return bucket_of(key, buckets, range);
             });
}

/// Sorting: a counting sort of each bucket from `bucketed` to its place in `args.out`. `last` is the row of
/// the last block after bucket_keys: last[b] is the position behind bucket b. Groups of buckets are sorted in
/// parallel, each with its own row of `count`.
template <class Fork, class Args, class Ends, class Bucketed, class Count>
void sort_buckets(Fork& fork, const Args& args, Ends last, Bucketed bucketed, Bucketed bucketed_payload,
                  Count count) {
  const std::uint64_t buckets = last.size, range = args.range;
  fork.blocks(count.rows, [=, &args](Index row) {
    Serial serial;
    Index b = block_begin(last.size, count.rows, row);
    Index begin = 0;
    if (b > 0) begin = static_cast<std::uint32_t>(last[b - 1]);
    for (; b < block_begin(last.size, count.rows, row + 1); ++b) {
      const Index size = static_cast<std::uint32_t>(last[b]) - begin;
      const std::uint64_t first = first_key(b, buckets, range), next = first_key(b + 1, buckets, range);
      if (size > 0) {
        Args bucket = args;
        bucket.in = bucketed.block(begin, size);
        bucket.out = args.out.block(begin, size);
        if constexpr (Args::has_payload) {
          bucket.payload_in = bucketed_payload.block(begin, size);
          bucket.payload_out = args.payload_out.block(begin, size);
        }
        distribute(serial, bucket, count.block(row, 0, 1, static_cast<Index>(next - first)), last.block(0, 0),
                   [first](std::uint32_t key) { return static_cast<Index>(key - first); });
      }
      begin += size;
    }
  });
}

struct bucketed {
  static constexpr std::string_view idea = "into m buckets first, then a counting sort of each in the cache";
  static constexpr std::string_view source = "M8: Counting sort: bucketing the input";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;
  static constexpr ParamSpec params[] = {{"buckets", 2048, "number of buckets m"}};
  static constexpr PhaseSpec phases[] = {{"preprocessing"}, {"sorting"}};
  static constexpr bool parallel = true;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params& params, Index width) {
    const Index chunks = chunks_of(shape["n"], params["buckets"], width);
    const std::size_t key = sizeof(std::uint32_t), keys = checked_product(shape["n"], key, "bucketed keys");
    return scratch_bytes({counter_bytes(params["buckets"], chunks), keys,
                          Op::template Args<>::has_payload ? keys : 0,
                          counter_bytes(widest(shape["range"], params["buckets"]), rows(chunks))});
  }

  /// M5: Cache friendly counting sort: complete cache complexity analysis. Nothing where a bucket with its
  /// counters, or the counters and a line for each bucket, exceed the cache.
  template <class Op>
  static std::optional<cache::Prediction> predicted_misses(Op, const Shape& shape, const Params& params,
                                                           cache::IdealCache ideal) {
    const auto [Z, L] = ideal;
    constexpr bool has_payload = Op::template Args<>::has_payload;
    const auto n = static_cast<double>(shape["n"]), k = static_cast<double>(shape["range"]) + 1,
               m = static_cast<double>(params["buckets"]);
    const double payload = has_payload ? 1 : 0, passes = 1 + payload / 3;
    if (2 * n / m * (1 + payload) + k / m > Z || m * L * (1 + payload) + m > Z) return {};
    return cache::Prediction{9 * n * passes / L + 3 * m / L + m * (1 + payload) + 2 * k / L,
                             has_payload ? "12n/L + 3m/L + 2m + 2k/L" : "9n/L + 3m/L + m + 2k/L"};
  }

  template <int phase, class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params& params) {
    auto scratch = args.scratch;
    const Index chunks = chunks_of(args.in.size, params["buckets"], fork.width());
    const auto count = scratch.template matrix<std::uint32_t>(chunks, params["buckets"]);
    const auto total = scratch.template vector<std::uint32_t>(chunks);
    const auto keys = scratch.template vector<std::uint32_t>(args.in.size);
    const auto payload = scratch.template vector<std::uint32_t>(Args::has_payload ? args.in.size : 0);
    const auto in_bucket =
        scratch.template matrix<std::uint32_t>(rows(chunks), widest(args.range, params["buckets"]));
    if constexpr (phase == 0)
      bucket_keys(fork, args, keys, payload, count, total);
    else
      sort_buckets(fork, args, row_of(count, count.rows - 1), keys, payload, in_bucket);
  }

 private:
  // The maximum number of different keys in a bucket.
  static Index widest(std::uint64_t range, std::uint64_t buckets) {
    return static_cast<Index>((range + buckets) / buckets);
  }
  // Eight times as many groups of buckets as chunks: the buckets of skewed keys differ in size, and stealing
  // balances the load.
  static Index rows(Index chunks) { return chunks == 1 ? 1 : 8 * chunks; }
};

}  // namespace tallcache::cpu::counting_sort
