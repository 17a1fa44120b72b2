// The pass that every counting sort consists of: a histogram, its prefix sums as positions, and a move of
// every key to its place.
#pragma once

#include "common/fork/fork.hpp"
#include "common/ops/counting_sort.hpp"
#include "common/variant.hpp"

namespace tallcache::cpu::counting_sort {

/// The number of chunks into which n keys are cut, each on a thread of its own, on at most `width` threads. A
/// chunk takes several times as long as it takes a thread to come for it. More than one chunk means that the
/// counters of all `buckets` are visited once more for each: where these are many a chunk has more keys, and
/// where they outweigh the keys there is one chunk (TUNING.md).
constexpr Index chunks_of(Index n, Index buckets, Index width) {
  constexpr Index counters_a_key = 4;
  const Index least_keys = buckets > 65536 ? 131072 : 32768;
  if (n < buckets / counters_a_key) return 1;
  return std::clamp<Index>(n / least_keys, 1, width);
}

/// Calls body(begin, end) for each of the chunks of n keys.
template <class Fork, class Body>
void fork_chunks(Fork& fork, Index n, Index chunks, Body body) {
  fork.blocks(chunks, [=](Index c) { body(block_begin(n, chunks, c), block_begin(n, chunks, c + 1)); });
}

/// Exclusive prefix sums over the counters, bucket after bucket, and block after block within each bucket.
/// `count` has a row of counters for each block, `total` one element for each block. The buckets are cut into
/// as many parts as there are blocks; a part begins with the sum of the parts before it.
template <class Fork, class Count, class Total>
void prefix_sums(Fork& fork, Count count, Total total) {
  const Index parts = count.rows;
  const auto bucket_begin = [buckets = count.cols, parts](Index p) { return block_begin(buckets, parts, p); };
  if (parts > 1) {
    fork.blocks(parts, [=](Index p) {
      std::uint32_t sum = 0;
      for (Index block = 0; block < count.rows; ++block)
        for (Index bucket = bucket_begin(p); bucket < bucket_begin(p + 1); ++bucket)
          sum += count(block, bucket);
      total[p] = sum;
    });
    std::uint32_t sum = 0;
    for (Index p = 0; p < parts; ++p) {
      const std::uint32_t part = total[p];
      total[p] = sum;
      sum += part;
    }
  }
  fork.blocks(parts, [=](Index p) {
    std::uint32_t sum = 0;
    if (parts > 1) sum = total[p];
    for (Index bucket = bucket_begin(p); bucket < bucket_begin(p + 1); ++bucket)
      for (Index block = 0; block < count.rows; ++block) {
        const std::uint32_t c = count(block, bucket);
        count(block, bucket) = sum;
        sum += c;
      }
  });
}

/// Sends the keys of args.in to args.out, stably, with their payload when Args has one, in the order of
/// bucket_of(key), which is in [0, count.cols). The input is cut into count.rows blocks, which are counted
/// and placed in parallel; the result does not depend on their number. Afterwards count(b, bucket) is the
/// position behind block b's keys of the bucket. The accesses to the counters and to the output are random:
/// up to 3n misses when they exceed the cache.
template <class Fork, class Args, class Count, class Total, class BucketOf>
void distribute(Fork& fork, const Args& args, Count count, Total total, BucketOf bucket_of) {
  const auto in = args.in;
  const auto key_begin = [n = in.size, blocks = count.rows](Index b) { return block_begin(n, blocks, b); };
  fork.blocks(count.rows, [=](Index b) {
    for (Index bucket = 0; bucket < count.cols; ++bucket) count(b, bucket) = 0;
    const Index end = key_begin(b + 1);
    for (Index i = key_begin(b); i < end; ++i) count(b, bucket_of(in[i])) += 1;
  });
  prefix_sums(fork, count, total);
  fork.blocks(count.rows, [=](Index b) {
    const Index end = key_begin(b + 1);
    for (Index i = key_begin(b); i < end; ++i) {
      const std::uint32_t key = in[i];
      const std::uint32_t position = count(b, bucket_of(key))++;
      args.out[position] = key;
      if constexpr (Args::has_payload)
        args.payload_out[position] = static_cast<std::uint32_t>(args.payload_in[i]);
    }
  });
}

/// The bytes of scratch: one row of counters for each block, and the blocks' totals.
inline std::size_t counter_bytes(std::size_t buckets, Index blocks) {
  return scratch_bytes({checked_product(checked_product(buckets, sizeof(std::uint32_t), "counts"),
                                        static_cast<std::size_t>(blocks), "counts"),
                        static_cast<std::size_t>(blocks) * sizeof(std::uint32_t)});
}

}  // namespace tallcache::cpu::counting_sort
