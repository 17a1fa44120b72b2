// Spreading keys to buckets of blocks, stably and in parallel, without a histogram: what every streaming
// sort is made of.
#pragma once

#include <type_traits>

#include "common/fork/fork.hpp"
#include "cpu/counting_sort/heavy_buckets.hpp"

namespace tallcache::cpu::counting_sort {

/// Keys with their payload, whose view is empty where keys are sorted alone.
template <class Key, class Access>
struct Records {
  VectorView<Key, Access> keys;
  VectorView<std::conditional_t<std::is_const_v<Key>, const Word, Word>, Access> payload;

  Records block(Index begin, Index size) const {
    return {keys.block(begin, size), payload.data ? payload.block(begin, size) : payload};
  }
  operator Records<const Key, Access>() const requires(!std::is_const_v<Key>) { return {keys, payload}; }
};

template <class Key, class Access>
void reads(Records<Key, Access> records) {
  reads(records.keys);
  reads(records.payload);
}
template <class Key, class Access>
void writes(Records<Key, Access> records) {
  writes(records.keys);
  writes(records.payload);
}

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

/// What a chunk of keys is, and copies of keys that come before it.
template <class Access>
struct SpreadChunk {
  Records<const Word, Access> in;
  VectorView<Word, Access> stage{};
};

/// The buckets of n keys, spread in chunks, as elements T in blocks of one pool. Chunk c has an even part of
/// the pool, and takes each bucket's first block at once. A bucket's blocks are linked, chunk after chunk.
template <class T, class Access>
struct Buckets {
  /// Residues of dominant values are counted at once, as their bucket is a leaf.
  static constexpr bool counts_heavy = std::is_same_v<T, Residue>;

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

  Index begin_of(Index b) const { return b < size ? Index{begins.data[b]} : n; }
  Index size_of(Index b) const { return begin_of(b + 1) - begin_of(b); }

  /// The blocks of bucket b, or those of chunk c in it. `end`: the bucket before it is read next.
  Chain<T> chain(Index b, Index end) const {
    return {blocks.data, links.data, static_cast<Word>(b), no_block,
            b + 1 < end ? static_cast<Word>(b + 1) : no_block};
  }
  Chain<T> chain_of_chunk(Index c, Index b) const {
    const auto head = [&](Index chunk) { return first_block(chunk) + static_cast<Word>(b); };
    return {blocks.data, links.data, head(c), c + 1 < chunks ? head(c + 1) : no_block};
  }

  /// Calls f(block, number) with the used part of each block of a chain.
  template <class F>
  void for_each_block(const Chain<T>& chain, F f) const {
    for (Word at = chain.head; at != chain.end; at = links.data[at].next)
      f(blocks.block(Index{at} * block_size<T>, links.data[at].size), at);
  }
  void touch(const Chain<T>& chain) const {
    if constexpr (!std::is_same_v<Access, Plain>)
      for_each_block(chain, [](auto block, Word) { reads(block); });
  }

  /// Sends the keys of each chunk, chunk_of(c), to the buckets of a digit. Afterwards begins(c, b) is the
  /// place of chunk c's first key of bucket b, in the order of the buckets.
  template <class Fork, class ChunkOf>
  void spread(Fork& fork, Digit digit, ChunkOf chunk_of) const {
    const auto count = begins.block(0, 0, chunks, size);
    fork.blocks(chunks, [=, this](Index c) {
      const SpreadChunk<Access> chunk = chunk_of(c);
      reads(chunk.in), reads(chunk.stage);
      counting_sort::spread(Spread<T>{.keys = chunk.in.keys.data,
                                      .payload = chunk.in.payload.data,
                                      .size = chunk.in.keys.size,
                                      .digit = digit,
                                      .buckets = size,
                                      .blocks = blocks.data,
                                      .links = links.data,
                                      .first_block = first_block(c),
                                      .next_chunk = c + 1 < chunks ? first_block(c + 1) : no_block,
                                      .counts = row_of(count, c).data,
                                      .targets = row_of(targets, c).data,
                                      .lines = reinterpret_cast<T*>(row_of(lines, c).data),
                                      .first_keys = chunk.stage.data,
                                      .first_size = chunk.stage.size,
                                      .heavy = heavy.begin(c)});
      if constexpr (!std::is_same_v<Access, Plain>)
        for (Index b = 0; b < size; ++b)
          for_each_block(chain_of_chunk(c, b), [](auto block, Word) { writes(block); });
      writes(row_of(count, c));
    });
    prefix_sums(fork, count, total);
  }

  /// Sorts buckets first ... end - 1: small(b, group) on one thread, for each group of them; and where that
  /// is false, or a group would be waited for though is_shared(b), large(fork, b) on all threads. A group's
  /// buckets are those that begin in its share of the keys, not of the range, because keys may be skewed.
  template <class Fork, class Small, class IsShared, class Large>
  void sort_each(Fork& fork, Index first, Index end, Small small, IsShared is_shared, Large large) const {
    const Index begin = begin_of(first), keys = begin_of(end) - begin, groups = groups_of(chunks);
    fork.blocks(groups, [=, this](Index g) {
      const Index from = begin + block_begin(keys, groups, g), to = begin + block_begin(keys, groups, g + 1);
      for (Index b = first; b < end; ++b)
        if (from <= begin_of(b) && begin_of(b) < to)
          late.data[b] = size_of(b) > 0 && ((size_of(b) > keys / groups && is_shared(b)) || !small(b, g));
    });
    for (Index b = first; b < end; ++b)
      if (size_of(b) > 0 && late.data[b]) large(fork, b);
  }

 private:
  static constexpr Index line_words = write_buffer_size<T> * static_cast<Index>(sizeof(T)) / 4;

  static Index heavy_chunks(Index chunks) { return counts_heavy ? chunks : 0; }
  Word first_block(Index chunk) const { return static_cast<Word>(block_begin(links.size, chunks, chunk)); }
};

}  // namespace tallcache::cpu::counting_sort
