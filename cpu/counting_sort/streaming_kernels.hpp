// The inner loops of the counting sorts that write whole lines past the caches. They work on bare pointers
// and are dispatched at run time to the best target. TUNING.md gives the measurements behind their constants.
#pragma once

#include <cstdint>

#include "common/named.hpp"

namespace tallcache::cpu::counting_sort {

using Word = std::uint32_t;

/// Bits of a key, used as the number of a bucket.
struct Digit {
  int shift;
  Word mask = ~Word{0};
  Word operator()(Word key) const { return key >> shift & mask; }
};

inline constexpr Index line_bytes = 64;

/// The elements of type T that are buffered for a bucket before they are written: two lines, the fewest that
/// were as fast as eight (TUNING.md). The processor rarely predicts which key fills a buffer.
template <class T>
inline constexpr Index write_buffer_size = 2 * line_bytes / static_cast<Index>(sizeof(T));
/// The same where buckets are many and the buffer itself stores its count: one line, but two for pairs, of
/// which a line holds only eight.
template <class T>
inline constexpr Index small_write_buffer_size = sizeof(T) == 8 ? write_buffer_size<T>
                                                                : write_buffer_size<T> / 2;

/// The part of a key that a bucket stores: the bits below the bucket's, at most 16. A pair holds the key and,
/// above it, the payload, so that one store writes both.
using Residue = std::uint16_t;
using Pair = std::uint64_t;

/// Buckets grow by blocks of one pool. No histogram has to compute their sizes in advance, and no line is
/// shared by two buckets.
template <class T>
inline constexpr Index block_size = 512;

/// For a block: the next one in its bucket, and the number of its elements.
struct Link {
  Word next, size;
};
inline constexpr Word no_block = ~Word{0};

/// Blocks `head` and on, up to `end`.
template <class T>
struct Chain {
  const T* blocks;
  const Link* links;
  Word head, end = no_block;
  Word following = no_block;  ///< the head of the chain that is probably read next
};

/// What a chunk has most of, as a sample shows. The most common keys, where a quarter of the keys are equal
/// to others, are hot: they are counted and not stored. Buckets that hold more than a third of the other
/// keys, at most two, are heavy: their residues are counted at once and not stored. Few of both are stored
/// like the others.
struct HeavyBuckets {
  static constexpr Index max_hot = 8;
  Word* counts;  ///< of each residue in the first bucket, then in the second; room for heavy_counters() words
  Index size = 0;
  Word bucket[2]{};
  Index hot_size = 0;
  Word hot[max_hot]{}, hot_keys[max_hot]{};  ///< hot keys, and the number of each
};

/// The counters of heavy buckets of `values` values, and a line in which all other keys are counted.
constexpr Index heavy_counters(Index values) {
  return 2 * values + line_bytes / static_cast<Index>(sizeof(Word));
}

/// A chunk of keys, and the blocks that spread() sends it to. Block `first_block` + b is the first of
/// bucket b.
template <class T>
struct Spread {
  const Word* keys;
  const Word* payload;  ///< of pairs
  Index size;
  Digit digit;  ///< of a key, its bucket. Where residues are stored it has all bits above its shift
  Index buckets;
  T* blocks;
  Link* links;
  Word first_block;
  Word next_chunk;  ///< its first block, to which this chunk's chains are linked; or no_block
  Word* counts;     ///< of each bucket: afterwards, the number of its elements
  Word* targets;    ///< room for a word for each bucket
  T* lines;         ///< room for write_buffer_size<T> elements for each bucket, aligned to a line
  const Word* first_keys = nullptr;  ///< keys without payload that come before `keys`
  Index first_size = 0;
  HeavyBuckets* heavy = nullptr;  ///< where residues are stored
};

/// Sends each key of the chunk, stably, to the end of its bucket, through line buffers that are written by
/// non-temporal stores.
void spread(const Spread<Residue>& chunk);
void spread(const Spread<Word>& chunk);
void spread(const Spread<Pair>& chunk);

/// counts[v] becomes the number of elements of the chain whose low bits are v, for v < width, a power of two.
void count_values(const Chain<Residue>& chain, Index width, Word* counts);
void count_values(const Chain<Pair>& chain, Index width, Word* counts);

/// The number of tables that count_keys counts in. Beyond 2^14 values equal keys that follow each other are
/// rare, and one table is faster to clear and to add up.
constexpr Index tables_of(Index values) { return values <= 16384 ? 4 : 1; }

/// counts[v] becomes the number of the n keys that are v, for v < width. All are. `tables` has room for
/// tables_of(width) * width counters.
void count_keys(const Word* keys, Index n, Index width, Word* tables, Word* counts);

/// A counter of a byte for each value, and the values whose counter wrapped, one for each 256 keys that it
/// falls short of.
struct ByteCounters {
  std::uint8_t* counters;  ///< byte_tables() bytes for each value
  Word* wraps;             ///< room for a word for each 256 keys
};
/// The tables of counters in which equal keys that follow each other are counted: as many as a private cache
/// holds.
constexpr Index byte_tables(Index values) { return values <= 16384 ? 4 : 2; }
/// The most keys of a chain that are counted in bytes, and the memory for its counters.
constexpr Index most_keys_in_bytes(Index values) { return 64 * values; }
constexpr Index byte_counter_words(Index values) { return (byte_tables(values) + 1) * values / 4; }
inline ByteCounters byte_counters(Word* memory, Index values) {
  return {reinterpret_cast<std::uint8_t*>(memory), memory + byte_tables(values) * values / 4};
}

/// Writes the residues of the chain, at most most_keys_in_bytes(width), to `out` in order, each plus `first`.
/// All are below `width`, a power of two, at least 64.
void sort_residues(const Chain<Residue>& chain, Index width, Word first, Word* out, ByteCounters counters);

/// Writes n keys below `width`, a multiple of 64, to `out`, which may be `keys`, in order. There is room for
/// n / 256 wraps.
void sort_in_bytes(const Word* keys, Index n, Index width, Word* out, ByteCounters counters);

/// The number of pairs that positions of 16 bits can address.
inline constexpr Index staged_pairs = 65535;
/// Writes the n <= staged_pairs pairs of the chain, whose keys are first + v, v < width, stably to `out` and
/// `payload_out`. `width` is a power of two, at least 2^12. `counters` has room for `width` numbers, `stage`
/// for n pairs.
void sort_pairs(const Chain<Pair>& chain, Index n, Index width, Word first, Word* out, Word* payload_out,
                std::uint16_t* counters, Word* stage);
/// The same for pairs in arrays, whose keys are below `width`, a multiple of four.
void sort_few_pairs(const Word* keys, const Word* payload, Index n, Index width, Word* out, Word* payload_out,
                    std::uint16_t* counters, Word* stage);
/// The payload of the chain's pairs of value v goes to `out`, from begin[v] on. `positions` has room for
/// `width` words, `stage` for a line for each value.
void scatter_payload(const Chain<Pair>& chain, Index width, const Word* begin, Word* positions, Word* stage,
                     Word* out);
/// The keys and the payload of n pairs, past the caches where `stream`.
void separate_pairs(const Pair* pairs, Index n, Word* keys, Word* payload, bool stream);

/// Writes elements [from, to) of the n sorted keys, of which those of value first + v begin at begin[v], v
/// < width.
void expand_runs(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to);

}  // namespace tallcache::cpu::counting_sort
