// The inner loops of the counting sorts that write whole lines past the caches: on bare pointers, dispatched
// at run time to the best target.
#pragma once

#include <cstdint>

#include "common/named.hpp"

namespace tallcache::cpu::counting_sort {

using Word = std::uint32_t;

/// Bits of a key, as the number of a bucket.
struct Digit {
  int shift;
  Word mask = ~Word{0};
  Word operator()(Word key) const { return key >> shift & mask; }
};

inline constexpr Index line_bytes = 64;

/// The elements of type T that are gathered for a bucket before they are written: two lines of them. Of 1, 2,
/// 4 and 8 lines of 16-bit keys, for 10^7 keys into 611 buckets: 1.53, 1.20, 1.52 and 1.19 ns a key, as the
/// processor rarely foresees which key fills a line.
template <class T>
inline constexpr Index gathered = 2 * line_bytes / static_cast<Index>(sizeof(T));
/// Where buckets are many and the line itself says how many it holds: one line, but of pairs, of which it
/// holds eight, two: 6 10^7 of them to 3663 buckets take 2.3 ns each, through one line 2.5.
template <class T>
inline constexpr Index gathered_by_many = sizeof(T) == 8 ? gathered<T> : gathered<T> / 2;

/// The tables in which count_digits counts side by side: keys in a row that share a bucket would otherwise
/// wait for one another's counters (keys of zipf_1.0, sorted: 4.1 ns each against 4.6 where a leaf of 2^14
/// values has one table). Beyond 2^14 buckets keys hardly meet, and one table is less to clear and to add up.
constexpr Index tables_of(Index buckets) { return buckets <= 16384 ? 4 : 1; }

/// counts[b] = how many of the n keys are in bucket b. `tables` is room for tables_of(buckets) * buckets
/// counters.
void count_digits(const Word* keys, Index n, Digit digit, Index buckets, Word* tables, Word* counts);

/// A chunk of keys, and where a pass of partition() sends it.
struct Chunk {
  const Word* keys;
  const Word* payload;  ///< null: keys alone
  Index size;
  Digit digit;
  Word keep;  ///< the bits of a key that stay
  Index buckets;
  const Word* begin;  ///< of each bucket: where in `keys_out` the chunk's first key goes
  Word* position;     ///< of each bucket: afterwards, behind the chunk's last key
  Word* keys_out;
  Word* payload_out;
  Word* lines;          ///< room for gathered<Word> keys a bucket, on a line
  Word* payload_lines;  ///< room for as many words of payload, on a line
};

/// Sends each key of the chunk, stably, to the end of its bucket. A bucket's keys are gathered in
/// lines, which leave whole by non-temporal stores, or by plain ones where keys and payload begin
/// differently on their lines. What is less than a line at either end of a bucket's part is stored plainly:
/// its neighbours are not touched.
void partition(const Chunk& chunk);

/// What a bucket holds of a key whose bucket is known: the bits below, which are at most 16; of a pair, the
/// key and, above it, the payload: one store for both, 2.3 ns a pair to 2442 buckets against 3.5 for two.
using Residue = std::uint16_t;
using Pair = std::uint64_t;

/// Buckets grow by blocks of one pool, so that no histogram has to foresee their sizes, and no line is but
/// partly a bucket's: of 10^7 keys, 0.55 + 1.4 to 1.1 ns each.
template <class T>
inline constexpr Index block_size = 512;

/// Of a block: which one follows in its bucket, and how many elements it holds.
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
  Word following = no_block;  ///< the head of the chain that is likely to be read next
};

/// A chunk of keys, and the blocks that spread() sends it to: `first_block` + b is bucket b's first one.
template <class T>
struct Spread {
  const Word* keys;
  const Word* payload;  ///< of pairs
  Index size;
  int shift;  ///< a key's bucket is what is left of it
  Index buckets;
  T* blocks;
  Link* links;
  Word first_block;
  Word next_chunk;  ///< its first block, to which this chunk's chains are linked; or no_block
  Word* counts;     ///< of each bucket: afterwards, its elements
  Word* targets;    ///< room for a word a bucket
  T* lines;         ///< room for gathered<T> elements a bucket, on a line
};

/// Sends each key of the chunk, stably, to the end of its bucket, through lines that leave whole by
/// non-temporal stores.
void spread(const Spread<Residue>& chunk);
void spread(const Spread<Pair>& chunk);

/// counts[v] = how many residues of the chain are v, v < width.
void count_residues(const Chain<Residue>& chain, Index width, Word* counts);

/// The n residues, all below `width`, in order and each plus `first`, to `out`; or false where too many of
/// them are equal. `counters` is room for `width` bytes, a multiple of 8.
bool sort_residues(const Chain<Residue>& chain, Index n, Index width, Word first, Word* out,
                   std::uint8_t* counters);

/// The n pairs of the chain, whose keys are first + v, v < width, stably to `out` and `payload_out`. `width`
/// is a power of two, at least 2^12; `counters` and `positions` are room for `width` words each, `stage`, on
/// a line, for stage_words(width).
void sort_pairs(const Chain<Pair>& chain, Index n, Index width, Word first, Word* out, Word* payload_out,
                Word* counters, Word* positions, Word* stage);
constexpr Index stage_words(Index width) { return gathered<Word> * width; }
/// As many as positions of 16 bits tell apart.
inline constexpr Index staged_pairs = 65535;
static_assert(2 * staged_pairs <= stage_words(Index{1} << 12));

/// Elements [from, to) of the n sorted keys of which those that are first + v begin at begin[v], v < width.
void expand_runs(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to);

}  // namespace tallcache::cpu::counting_sort
