// The inner loops of the counting sorts that write whole lines past the caches, dispatched at run time to the
// best target. They take views and are compiled for each access policy. TUNING.md gives the measurements
// behind their constants.
#pragma once

#include <cstdint>
#include <type_traits>

#include "common/traced.hpp"

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
using LowBits = std::uint16_t;
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

/// Keys with their payload, whose view is empty where keys are sorted alone.
template <class Key, class Access>
struct Records {
  VectorView<Key, Access> keys;
  VectorView<std::conditional_t<std::is_const_v<Key>, const Word, Word>, Access> payload{};

  Records block(Index begin, Index size) const {
    return {keys.block(begin, size), payload.data ? payload.block(begin, size) : payload};
  }
  operator Records<const Key, Access>() const requires(!std::is_const_v<Key>) { return {keys, payload}; }
};
// clang++ 14 deduces no arguments of an aggregate.
template <class Key, class Access, class... Payload>
Records(VectorView<Key, Access>, Payload...) -> Records<Key, Access>;

/// Words as elements of type T.
template <class T, class Access>
VectorView<T, Access> elements_of(VectorView<Word, Access> words) {
  constexpr auto bytes = static_cast<Index>(sizeof(T)), word = static_cast<Index>(sizeof(Word));
  return VectorView<T>{reinterpret_cast<T*>(words.data), words.size * word / bytes}.with(words.access());
}

/// Blocks `head` and on, up to `end`.
template <class T, class Access>
struct Chain {
  VectorView<const T, Access> blocks;
  VectorView<const Link, Access> links;
  Word head, end = no_block;
  Word following = no_block;  ///< the head of the chain that is probably read next

  /// The used part of block `at`.
  VectorView<const T, Access> block(Word at, Index size) const {
    return blocks.block(Index{at} * block_size<T>, size);
  }
};

/// What a chunk has most of, as a sample shows. The most common keys, where a quarter of the keys are equal
/// to others, are hot: they are counted and not stored. Buckets that hold more than a third of the other
/// keys, at most two, are heavy: their low bits are counted at once and not stored. Few of both are stored
/// like the others.
struct HeavyBuckets {
  static constexpr Index max_hot = 8;
  Index size = 0;
  Word bucket[2]{~Word{0}, ~Word{0}};  ///< if there is no other, one that does not exist
  Index hot_size = 0;
  Word hot[max_hot]{}, hot_keys[max_hot]{};  ///< hot keys, and the number of each
};

/// The counters of heavy buckets of `values` values, and a line in which all other keys are counted.
constexpr Index heavy_counters(Index values) {
  return 2 * values + line_bytes / static_cast<Index>(sizeof(Word));
}

/// A chunk of keys, and the blocks that spread() sends it to. Block `first_block` + b is the first of
/// bucket b.
template <class T, class Access>
struct Spread {
  VectorView<const Word, Access> first;  ///< keys without payload that come before `in`
  Records<const Word, Access> in;
  Digit digit;  ///< of a key, its bucket. Where low bits are stored it has all bits above its shift
  VectorView<T, Access> blocks;
  VectorView<Link, Access> links;
  Word first_block;
  Word next_chunk;                  ///< its first block, to which this chunk's chains are linked; or no_block
  VectorView<Word, Access> counts;  ///< of each bucket: afterwards, the number of its elements
  VectorView<Word, Access> targets;  ///< a word for each bucket
  VectorView<T, Access> lines;       ///< write_buffer_size<T> elements for each bucket, from a line on
  VectorView<HeavyBuckets, Access> heavy{};  ///< one, where low bits are stored
  /// Of each value in the first heavy bucket, then in the second; heavy_counters() words.
  VectorView<Word, Access> heavy_counts{};
};

/// Sends each key of the chunk, stably, to the end of its bucket, through line buffers that are written by
/// non-temporal stores.
template <class Access>
struct PassKernels {
  void (*spread_low_bits)(const Spread<LowBits, Access>&);
  void (*spread_keys)(const Spread<Word, Access>&);
  void (*spread_pairs)(const Spread<Pair, Access>&);

  void spread(const Spread<LowBits, Access>& chunk) const { spread_low_bits(chunk); }
  void spread(const Spread<Word, Access>& chunk) const { spread_keys(chunk); }
  void spread(const Spread<Pair, Access>& chunk) const { spread_pairs(chunk); }
};
const CompiledTexts<PassKernels>& pass_kernels();

/// The number of tables that keys are counted in. Beyond 2^14 values equal keys that follow each other are
/// rare, and one table is faster to clear and to add up.
constexpr Index tables_of(Index values) { return values <= 16384 ? 4 : 1; }

/// A counter of a byte for each value, and the values whose counter wrapped, one for each 256 keys that it
/// falls short of.
template <class Access>
struct ByteCounters {
  VectorView<std::uint8_t, Access> counters;  ///< byte_tables() bytes for each value
  VectorView<Word, Access> wraps;             ///< a word for each 256 keys
};
/// The tables of counters in which equal keys that follow each other are counted: as many as a private cache
/// holds.
constexpr Index byte_tables(Index values) { return values <= 16384 ? 4 : 2; }
/// The most keys of a chain that are counted in bytes, and the memory for its counters.
constexpr Index most_keys_in_bytes(Index values) { return 64 * values; }
constexpr Index byte_counter_words(Index values) { return (byte_tables(values) + 1) * values / 4; }
template <class Access>
ByteCounters<Access> byte_counters(VectorView<Word, Access> memory, Index values) {
  const Index words = byte_tables(values) * values / 4;
  return {elements_of<std::uint8_t>(memory.block(0, words)), memory.block(words, memory.size - words)};
}

template <class Access>
struct ByteKernels {
  /// Writes the low bits of the chain, at most most_keys_in_bytes(width), to `out` in order, each plus
  /// `first`. All are below `width`, a power of two, at least 64.
  void (*sort_low_bits)(const Chain<LowBits, Access>& chain, Index width, Word first,
                        VectorView<Word, Access> out, const ByteCounters<Access>& counters);
  /// Writes keys below `width`, a multiple of 64, to `out`, which may be `keys`, in order.
  void (*sort_in_bytes)(VectorView<const Word, Access> keys, Index width, VectorView<Word, Access> out,
                        const ByteCounters<Access>& counters);
};
const CompiledTexts<ByteKernels>& byte_kernels();

/// The number of pairs that positions of 16 bits can address.
inline constexpr Index staged_pairs = 65535;

/// The values that are few, for count_few() and split_payload().
inline constexpr Index few_values = 8;

/// Outputs are written past the caches where `stream`.
template <class Access>
struct LeafKernels {
  using Words = VectorView<Word, Access>;
  using ConstantWords = VectorView<const Word, Access>;
  using Positions = VectorView<std::uint16_t, Access>;

  /// counts[v] becomes the number of elements of the chain whose low bits are v. There is a power of two of
  /// counts.
  void (*count_low_bits)(const Chain<LowBits, Access>& chain, Words counts);
  void (*count_pairs)(const Chain<Pair, Access>& chain, Words counts);
  void count_values(const Chain<LowBits, Access>& chain, Words counts) const {
    count_low_bits(chain, counts);
  }
  void count_values(const Chain<Pair, Access>& chain, Words counts) const { count_pairs(chain, counts); }

  /// counts[v] becomes the number of the keys that are v; there are no others. `tables` has
  /// tables_of(counts.size) * counts.size counters or more.
  void (*count_keys)(ConstantWords keys, Words tables, Words counts);

  /// Writes the pairs of the chain, at most staged_pairs, whose keys are first + v, v < counters.size, stably
  /// to `out`. There is a power of two of counters, at least 2^12. `stage` has two words for each pair.
  void (*sort_pairs)(const Chain<Pair, Access>& chain, Word first, Records<Word, Access> out,
                     Positions counters, Words stage);
  /// The same for pairs in arrays, whose keys are below the number of the counters, a multiple of four.
  void (*sort_few_pairs)(Records<const Word, Access> in, Records<Word, Access> out, Positions counters,
                         Words stage);
  /// The payload of the chain's pairs of value v goes to `out`, from begin[v] on. `positions` has a word for
  /// each value, `stage` a line.
  void (*scatter_payload)(const Chain<Pair, Access>& chain, Words begin, Words positions, Words stage,
                          Words out);
  /// The keys and the payload of pairs, past the caches where `stream`.
  void (*separate_pairs)(VectorView<const Pair, Access> pairs, Records<Word, Access> out, bool stream);

  /// Writes elements [from, to) of the sorted keys `out`; those of value first + v begin at begin[v].
  void (*expand_runs)(ConstantWords begin, Word first, Words out, Index from, Index to);

  /// Copies words to `out`, which is as long, the last one first where `reversed`.
  void (*copy_words)(ConstantWords words, Words out, bool reversed, bool stream);
  void (*fill_words)(Word value, Words out, bool stream);
  /// Adds the number of keys of each of the values, which are in order, to `counts`; of equal ones the first
  /// is counted. Returns false where there are other keys.
  bool (*count_few)(ConstantWords keys, const Word (&values)[few_values], Word* counts);
  /// Sends each payload, stably, to the end of its key's value: from out[v] on for values[v], which are as
  /// above. Afterwards out[v] is behind the last.
  void (*split_payload)(Records<const Word, Access> in, const Word (&values)[few_values],
                        Word* (&out)[few_values], bool stream);
};
const CompiledTexts<LeafKernels>& leaf_kernels();

}  // namespace tallcache::cpu::counting_sort
