// Spreading keys to buckets of blocks, stably and in parallel, without a histogram: what every streaming
// sort is made of.
#pragma once

#include <type_traits>

#include "common/fork/fork.hpp"
#include "cpu/counting_sort/distribute.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

/// Rounds words up to whole lines, as no two threads may write to the same line.
constexpr Index whole_lines(Index words) { return (words + 15) / 16 * 16; }

/// The bytes of rows x cols elements of type T in a scratch.
template <class T = Word>
std::size_t buffer_bytes(Index rows, Index cols) {
  return checked_product(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols) * sizeof(T),
                         "buffers");
}

/// The number of groups of buckets that are sorted in parallel: four times as many as chunks, so that
/// stealing can balance the load.
constexpr Index groups_of(Index chunks) { return chunks == 1 ? 1 : 4 * chunks; }

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

  /// Whether something of a bucket was counted.
  bool has(Index bucket) const {
    bool found = false;
    for_each(bucket, [&](Index, Word) { found = true; });
    return found;
  }
  /// Adds what was counted of a bucket to `sums`, which has an element for each value.
  void add(Index bucket, VectorView<Word, Access> sums) const {
    for_each(bucket, [=](Index v, Word count) { sums[v] += count; });
  }

 private:
  // Calls f(value, count) for what was counted of a bucket.
  template <class F>
  void for_each(Index bucket, F f) const {
    for (Index c = 0; c < chunks.size; ++c) {
      const HeavyBuckets chunk = chunks[c];
      for (Index h = 0; h < chunk.size; ++h)
        if (Index{chunk.bucket[h]} == bucket)
          for (Index v = 0; v < values; ++v) f(v, counts_of(c)[h * values + v]);
      for (Index h = 0; h < chunk.hot_size; ++h)
        if (Index{chunk.hot[h]} / values == bucket) f(Index{chunk.hot[h]} % values, chunk.hot_keys[h]);
    }
  }
};

/// What a chunk of keys is, and copies of keys that come before it.
template <class Access>
struct SpreadChunk {
  Records<const Word, Access> in;
  VectorView<const Word, Access> stage{};
};

/// The buckets of n keys, spread in chunks, as elements T in blocks of one pool. Chunk c has an even part of
/// the pool, and takes each bucket's first block at once. A bucket's blocks are linked, chunk after chunk.
template <class T, class Access>
struct Buckets {
  /// The low bits of dominant values are counted at once, as their bucket is a leaf.
  static constexpr bool counts_heavy = std::is_same_v<T, LowBits>;

  Index n, size, chunks;  ///< keys, buckets, chunks
  MatrixView<Word, Access> begins, targets, lines;
  VectorView<Word, Access> total, late;
  HeavyChunks<Access> heavy;
  VectorView<T, Access> blocks;
  VectorView<Link, Access> links;

  /// The blocks that a pool of its own needs.
  static Index pool_blocks(Index n, Index size, Index chunks) {
    return n / block_size<T> + chunks * (size + 1);
  }
  static std::size_t pool_bytes(Index n, Index size, Index chunks) {
    const Index number = pool_blocks(n, size, chunks);
    return scratch_bytes({buffer_bytes<T>(number, block_size<T>), buffer_bytes<Link>(number, 1)});
  }
  /// Without the pool. A bucket has `values` values.
  static std::size_t scratch(Index size, Index chunks, Index values) {
    const std::size_t counters = buffer_bytes(chunks, whole_lines(size));
    return scratch_bytes({counters, counters, buffer_bytes(chunks, size * line_words),
                          buffer_bytes(1, chunks), buffer_bytes(1, size),
                          HeavyChunks<Access>::scratch(heavy_chunks(chunks), values)});
  }

  Buckets(Index keys, Index buckets, Index number, Index values, Scratch<Access>& scratch)
      : n(keys), size(buckets), chunks(number) {
    begins = scratch.template matrix<Word>(chunks, whole_lines(size));
    targets = scratch.template matrix<Word>(chunks, whole_lines(size));
    lines = scratch.template matrix<Word>(chunks, size * line_words);
    total = scratch.template vector<Word>(chunks);
    late = scratch.template vector<Word>(size);
    heavy = HeavyChunks<Access>(heavy_chunks(chunks), values, scratch);
  }
  void take_pool(Scratch<Access>& scratch) {
    const Index number = pool_blocks(n, size, chunks);
    blocks = scratch.template vector<T>(number * block_size<T>);
    links = scratch.template vector<Link>(number);
  }

  Index begin_of(Index b) const {
    if (b >= size) return n;
    const Word begin = begins(0, b);
    return begin;
  }
  Index size_of(Index b) const { return begin_of(b + 1) - begin_of(b); }

  /// The blocks of bucket b, or those of chunk c in it. `end`: the bucket before it is read next.
  Chain<T, Access> chain(Index b, Index end) const {
    return {blocks, links, static_cast<Word>(b), no_block, b + 1 < end ? static_cast<Word>(b + 1) : no_block};
  }
  Chain<T, Access> chain_of_chunk(Index c, Index b) const {
    const auto head = [&](Index chunk) { return first_block(chunk) + static_cast<Word>(b); };
    return {blocks, links, head(c), c + 1 < chunks ? head(c + 1) : no_block};
  }

  /// Calls f(block, number) with the used part of each block of a chain.
  template <class F>
  static void for_each_block(const Chain<T, Access>& chain, F f) {
    for (Word at = chain.head; at != chain.end;) {
      const Link link = chain.links[at];
      f(chain.block(at, link.size), at);
      at = link.next;
    }
  }

  /// Sends the keys of each chunk, chunk_of(c), to the buckets of a digit. Afterwards begins(c, b) is the
  /// place of chunk c's first key of bucket b, in the order of the buckets.
  template <class Fork, class ChunkOf>
  void spread(Fork& fork, Digit digit, ChunkOf chunk_of) const {
    const auto count = begins.block(0, 0, chunks, size);
    fork.blocks(chunks, [=, this](Index c) {
      const SpreadChunk<Access> chunk = chunk_of(c);
      pass_kernels()
          .under(blocks.access())
          .spread(Spread<T, Access>{.first = chunk.stage,
                                    .in = chunk.in,
                                    .digit = digit,
                                    .blocks = blocks,
                                    .links = links,
                                    .first_block = first_block(c),
                                    .next_chunk = c + 1 < chunks ? first_block(c + 1) : no_block,
                                    .counts = row_of(count, c),
                                    .targets = row_of(targets, c),
                                    .lines = elements_of<T>(row_of(lines, c)),
                                    .heavy = heavy.chunk(c),
                                    .heavy_counts = heavy.counts_of(c)});
    });
    prefix_sums(fork, count, total);
  }

  /// The same for even chunks of `in`.
  template <class Fork>
  void spread(Fork& fork, Digit digit, Records<const Word, Access> in) const {
    spread(fork, digit, [=, this](Index c) {
      const Index begin = block_begin(n, chunks, c);
      return SpreadChunk<Access>{in.block(begin, block_begin(n, chunks, c + 1) - begin)};
    });
  }

 private:
  static constexpr Index line_words = write_buffer_size<T> * static_cast<Index>(sizeof(T)) / 4;

  static Index heavy_chunks(Index chunks) { return counts_heavy ? chunks : 0; }
  Word first_block(Index chunk) const { return static_cast<Word>(block_begin(links.size, chunks, chunk)); }
};

}  // namespace tallcache::cpu::counting_sort
