// The buckets of most keys, whose residues were counted as the keys were spread.
#pragma once

#include "cpu/counting_sort/distribute.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

/// The heavy buckets of each chunk, with room for their counts.
template <class Access>
struct HeavyChunks {
  VectorView<HeavyBuckets, Access> chunks;
  MatrixView<Word, Access> counts;
  Index values = 0;  ///< of a bucket

  static std::size_t scratch(Index chunks, Index values) {
    return scratch_bytes(
        {static_cast<std::size_t>(chunks) * sizeof(HeavyBuckets),
         checked_product(static_cast<std::size_t>(chunks),
                         static_cast<std::size_t>(heavy_counters(values)) * sizeof(Word), "heavy buckets")});
  }
  HeavyChunks() = default;
  HeavyChunks(Index number, Index bucket_values, Scratch<Access>& scratch)
      : chunks(scratch.template vector<HeavyBuckets>(number)),
        counts(scratch.template matrix<Word>(number, heavy_counters(bucket_values))),
        values(bucket_values) {}

  /// For spread(); empty where nothing is counted at once.
  VectorView<HeavyBuckets, Access> chunk(Index c) const { return chunks.size ? chunks.block(c, 1) : chunks; }
  VectorView<Word, Access> counts_of(Index c) const { return row_of(counts, chunks.size ? c : 0); }

  bool has(Index bucket) const {
    for (Index c = 0; c < chunks.size; ++c) {
      const HeavyBuckets chunk = chunks[c];
      for (Index h = 0; h < chunk.size; ++h)
        if (Index{chunk.bucket[h]} == bucket) return true;
      for (Index h = 0; h < chunk.hot_size; ++h)
        if (Index{chunk.hot[h]} / values == bucket) return true;
    }
    return false;
  }

  /// Adds what was counted of a bucket to `sums`, which has an element for each value.
  template <class Fork>
  void add(Fork& fork, Index bucket, VectorView<Word, Access> sums) const {
    if (!has(bucket)) return;
    fork.blocks(chunks.size, [=, this](Index part) {
      const Index from = block_begin(values, chunks.size, part),
                  size = block_begin(values, chunks.size, part + 1) - from;
      const auto sum = sums.block(from, size);
      for (Index c = 0; c < chunks.size; ++c) {
        const HeavyBuckets chunk = chunks[c];
        for (Index h = 0; h < chunk.size; ++h)
          if (chunk.bucket[h] == static_cast<Word>(bucket)) {
            const auto counted = counts_of(c).block(h * values + from, size);
            for (Index v = 0; v < size; ++v) sum[v] += counted[v];
          }
        for (Index h = 0; h < chunk.hot_size; ++h)
          if (const Index v = Index{chunk.hot[h]} - bucket * values - from; 0 <= v && v < size)
            sum[v] += chunk.hot_keys[h];
      }
    });
  }
};

}  // namespace tallcache::cpu::counting_sort
