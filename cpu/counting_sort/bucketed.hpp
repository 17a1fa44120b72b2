// Counting sort made cache-friendly: the keys go into m buckets of neighbouring values first, and then each
// bucket is sorted with counts and output that fit in the cache.
#pragma once

#include <algorithm>

#include "common/ops/counting_sort.hpp"
#include "common/variant.hpp"
#include "cpu/counting_sort/classical.hpp"

namespace tallcache::cpu::counting_sort {

/// The bucket of a key among m: floor(key m / (range + 1)).
inline Index bucket_of(std::uint32_t key, std::uint64_t buckets, std::uint64_t range) {
  return static_cast<Index>(key * buckets / (range + 1));
}

/// The least key of a bucket; of bucket m, range + 1.
inline std::uint64_t first_key(std::uint64_t bucket, std::uint64_t buckets, std::uint64_t range) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bucket) * (range + 1) + buckets - 1) /
                                    buckets);
}

/// Preprocessing: the keys of `args` into `bucketed`, stably, bucket after bucket. Afterwards end[b] is the
/// position behind bucket b. 3n/L + 3m/L + m misses when the counters and one line a bucket fit in the cache.
template <class Args, class Ends, class Bucketed>
void bucket_keys(const Args& args, Ends end, Bucketed bucketed, Bucketed bucketed_payload) {
  const std::uint64_t buckets = end.size, range = args.range;
  for (Index b = 0; b < end.size; ++b) end[b] = 0;
  for (Index i = 0; i < args.in.size; ++i) end[bucket_of(args.in[i], buckets, range)] += 1;
  std::uint32_t total = 0;
  for (Index b = 0; b < end.size; ++b) {
    const std::uint32_t c = end[b];
    end[b] = total;
    total += c;
  }
  for (Index i = 0; i < args.in.size; ++i) {
    const std::uint32_t key = args.in[i];
    const std::uint32_t position = end[bucket_of(key, buckets, range)]++;
    bucketed[position] = key;
    if constexpr (Args::has_payload)
      bucketed_payload[position] = static_cast<std::uint32_t>(args.payload_in[i]);
  }
}

/// Sorting: a counting sort of each bucket from `bucketed` to its place in `args.out`.
template <class Args, class Ends, class Bucketed, class Count>
void sort_buckets(const Args& args, Ends end, Bucketed bucketed, Bucketed bucketed_payload, Count count) {
  const std::uint64_t buckets = end.size, range = args.range;
  Index begin = 0;
  for (Index b = 0; b < end.size; ++b) {
    const Index size = static_cast<std::uint32_t>(end[b]) - begin;
    const std::uint64_t first = first_key(b, buckets, range), next = first_key(b + 1, buckets, range);
    if (size > 0) {
      Args bucket = args;
      bucket.in = bucketed.block(begin, size);
      bucket.out = args.out.block(begin, size);
      if constexpr (Args::has_payload) {
        bucket.payload_in = bucketed_payload.block(begin, size);
        bucket.payload_out = args.payload_out.block(begin, size);
      }
      classical_sort(bucket, static_cast<std::uint32_t>(first),
                     count.block(0, static_cast<Index>(next - first)));
    }
    begin += size;
  }
}

struct bucketed {
  static constexpr std::string_view idea = "into m buckets first, then a counting sort of each in the cache";
  static constexpr std::string_view source = "M8: Counting sort: bucketing the input";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;
  static constexpr ParamSpec params[] = {{"buckets", 2048, "number of buckets m"}};
  static constexpr PhaseSpec phases[] = {{"preprocessing"}, {"sorting"}};

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params& params) {
    const std::size_t key = sizeof(std::uint32_t), keys = checked_product(shape["n"], key, "bucketed keys");
    return scratch_bytes({checked_product(params["buckets"], key, "bucket ends"), keys,
                          Op::template Args<>::has_payload ? keys : 0,
                          checked_product(widest(shape["range"], params["buckets"]), key, "counts")});
  }

  template <int phase, class Fork, class Args>
  static void run(Fork&, const Args& args, const Params& params) {
    auto scratch = args.scratch;
    const auto end = scratch.template vector<std::uint32_t>(params["buckets"]);
    const auto keys = scratch.template vector<std::uint32_t>(args.in.size);
    const auto payload = scratch.template vector<std::uint32_t>(Args::has_payload ? args.in.size : 0);
    const auto count = scratch.template vector<std::uint32_t>(widest(args.range, params["buckets"]));
    if constexpr (phase == 0)
      bucket_keys(args, end, keys, payload);
    else
      sort_buckets(args, end, keys, payload, count);
  }

 private:
  // The most different keys that one bucket can hold.
  static Index widest(std::uint64_t range, std::uint64_t buckets) {
    return static_cast<Index>((range + buckets) / buckets);
  }
};

}  // namespace tallcache::cpu::counting_sort
