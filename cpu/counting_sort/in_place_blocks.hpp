// Counting sort of keys in place. A pass over the keys writes their 16 low bits, half as large as the keys,
// over the keys that it has read. The other half of the array is then free. The buckets whose place lies
// there are counted and written as runs; the low bits that are left are moved together, which frees half of
// the rest.
#pragma once

#include <atomic>
#include <bit>

#include "cpu/counting_sort/leaves.hpp"

namespace tallcache::cpu::counting_sort {

/// How n keys in [0, range] are cut: into buckets of 2^leaf values, and into chunks that are spread in
/// parallel. A chunk's low bits may not reach keys that are still to be read, though each bucket has a block
/// before its first key comes. The first `stage` keys of a chunk are therefore copied aside. With several
/// chunks all stages take a quarter of the keys or less.
struct InPlaceCut {
  int leaf;
  Index buckets, chunks, stage;

  InPlaceCut(Index n, std::uint64_t range, Index width) {
    const int bits = static_cast<int>(std::bit_width(range));
    leaf = std::clamp(bits - 8, 12, max_leaf);
    const Index most = chunks_of(n, 1, width);  // few keys do not pay for larger leaves
    while (leaf < max_leaf && 4 * most * stage_of(bits) > n) ++leaf;
    stage = stage_of(bits);
    buckets = Index{1} << std::max(bits - leaf, 0);
    chunks = std::max<Index>(1, std::min(n / (4 * stage), chunks_of(n, buckets, width)));
  }

  Index values() const { return Index{1} << leaf; }
  /// The blocks that all stages hold.
  Index stage_blocks() const { return chunks * 2 * buckets; }

 private:
  static constexpr int max_leaf = 16;
  // The first r keys fill at most r / 2 words of blocks, and each bucket has one more block: as many words as
  // it has elements, halved. Two lines more are for an array that does not begin with a line.
  Index stage_of(int bits) const { return (block_size<LowBits> << std::max(bits - leaf, 0)) + 2 * 16; }
};

/// The scratch is a stage, two heavy buckets' counts and a leaf's counters for each chunk, and 16 bytes for
/// each block of the keys' memory, which is 1/64 of it.
template <class Access>
class InPlaceBlocks {
 public:
  static constexpr bool in_place = true;

  static std::size_t scratch(Index n, std::uint64_t range, Index width) {
    return scratch(n, InPlaceCut(n, range, width));
  }
  template <class Fork>
  static void sort(Fork& fork, Records<const Word, Access>, Records<Word, Access> out, std::uint64_t range,
                   Scratch<Access> scratch) {
    const InPlaceCut cut(out.keys.size, range, fork.width());
    InPlaceBlocks(out.keys, cut, scratch).sort(fork);
  }

  static std::size_t scratch(Index n, const InPlaceCut& cut) {
    const std::size_t slots = buffer_bytes(1, slots_of(n));
    return scratch_bytes({Buckets<LowBits, Access>::scratch(cut.buckets, cut.chunks, cut.values()),
                          Leaves<LowBits, Access>::scratch(cut.chunks, cut.leaf),
                          buffer_bytes(cut.chunks, whole_lines(cut.stage)),
                          buffer_bytes<Link>(1, slots_of(n)), slots, slots});
  }

  InPlaceBlocks(VectorView<Word, Access> keys, const InPlaceCut& cut, Scratch<Access> scratch)
      : cut_(cut),
        keys_(keys),
        skip_(words_to_line(keys.data)),
        buckets_(keys.size, cut.buckets, cut.chunks, cut.values(), scratch),
        leaves_(cut.chunks, cut.leaf, scratch) {
    stages_ = scratch.template matrix<Word>(cut.chunks, whole_lines(cut.stage));
    const Index slots = (keys.size - skip_) / block_words;
    buckets_.links = scratch.template vector<Link>(slots_of(keys.size)).block(0, slots);
    taken_ = scratch.template vector<Word>(slots_of(keys.size));
    free_ = scratch.template vector<Word>(slots_of(keys.size));
    buckets_.blocks = low_bits_at(keys.data + skip_, slots);
  }

  /// The buckets are written from the last to the first, a part of them at a time: those that have room. One
  /// that is larger than the room is counted first, which frees its blocks.
  template <class Fork>
  void sort(Fork& fork) {
    spread(fork);
    for (Index end = cut_.buckets; end > 0;) {
      const Index room = make_room(fork, end);
      Index begin = end;
      while (begin > 0 && buckets_.begin_of(begin - 1) >= room) --begin;
      if (begin < end) {
        leaves_.sort(fork, buckets_, begin, end, [this](Index b) { return place_of(b); });
        end = begin;
      } else {
        --end;
        const Index rows = leaves_.count(fork, buckets_, end);
        make_room(fork, end);
        leaves_.write(fork, buckets_, end, place_of(end), rows);
      }
    }
  }

 private:
  static constexpr Index block_words = block_size<LowBits> * static_cast<Index>(sizeof(LowBits)) / 4;

  // The keys before the first line.
  static Index words_to_line(const Word* keys) {
    const auto line = static_cast<std::uintptr_t>(line_bytes);
    return static_cast<Index>((line - reinterpret_cast<std::uintptr_t>(keys) % line) % line / sizeof(Word));
  }
  static Index slots_of(Index n) { return n / block_words + 1; }
  VectorView<LowBits, Access> low_bits_at(Word* words, Index blocks) const {
    return elements_of<LowBits>(VectorView<Word>{words, blocks * block_words}.with(keys_.access()));
  }

  Records<Word, Access> place_of(Index b) const {
    return {keys_.block(buckets_.begin_of(b), buckets_.size_of(b)), {}};
  }
  VectorView<LowBits, Access> block(Word at) const {
    return buckets_.blocks.block(Index{at} * block_size<LowBits>, block_size<LowBits>);
  }
  decltype(auto) next_of(Word at) const { return keys_.access().at(&buckets_.links.data[at].next); }

  template <class T>
  static void copy(VectorView<T, Access> from, VectorView<T, Access> to) {
    std::copy_n(load_n(from.access(), from.data, to.size), to.size, store_n(to.access(), to.data, to.size));
  }

  template <class Fork>
  void spread(Fork& fork) {
    const auto begin_of_chunk = [this](Index c) {
      return c == 0            ? 0
             : c < cut_.chunks ? skip_ + block_begin(buckets_.links.size, cut_.chunks, c) * block_words
                               : keys_.size;
    };
    buckets_.spread(fork, Digit{cut_.leaf}, [=, this](Index c) {
      const Index begin = begin_of_chunk(c), size = begin_of_chunk(c + 1) - begin;
      const auto staged = keys_.block(begin, cut_.stage);
      const auto stage = row_of(stages_, c).block(0, cut_.stage);
      copy(staged, stage);
      return SpreadChunk<Access>{{keys_.block(begin + cut_.stage, size - cut_.stage), {}}, stage};
    });
  }

  // Calls f(b) for the buckets below `end`, cut into groups.
  template <class Fork, class F>
  void for_each_bucket(Fork& fork, Index end, F f) const {
    const Index groups = groups_of(cut_.chunks);
    fork.blocks(groups, [=](Index g) {
      for (Index b = block_begin(end, groups, g); b < block_begin(end, groups, g + 1); ++b) f(b);
    });
  }

  // Moves the blocks of the buckets below `end` together, to the beginning of the keys, or into the stages
  // when they fit. Returns the number of keys whose memory they take. A bucket's first block stays where it
  // is.
  template <class Fork>
  Index make_room(Fork& fork, Index end) {
    if (staged_ || end == 0) return 0;
    for (Index i = 0; i < taken_.size; ++i) taken_[i] = 0;
    std::atomic<Index> all{0};
    for_each_bucket(fork, end, [this, &all](Index b) {
      Index blocks = 0;
      for (Word at = static_cast<Word>(b); at != no_block; at = next_of(at)) taken_[at] = 1, ++blocks;
      all += blocks;
    });
    const Index kept = all;
    Index free = 0;
    for (Word at = 0; at < kept; ++at)
      if (!taken_[at]) free_[free++] = at;
    std::atomic<Index> used{0};
    for_each_bucket(fork, end, [this, &used, kept](Index b) {
      for (Word before = static_cast<Word>(b), at; (at = next_of(before)) != no_block; before = at) {
        if (at < kept) continue;
        const Word to = free_[used++];
        copy(block(at), block(to));
        const Link link = buckets_.links[at];
        buckets_.links[to] = link;
        next_of(before) = at = to;
      }
    });
    if (kept > cut_.stage_blocks()) return skip_ + kept * block_words;
    const auto stage = low_bits_at(stages_.data, kept);
    copy(buckets_.blocks, stage);
    buckets_.blocks = stage;
    staged_ = true;
    return 0;
  }

  InPlaceCut cut_;
  VectorView<Word, Access> keys_;
  Index skip_;           // keys before the first line
  bool staged_ = false;  // the blocks lie in the stages
  Buckets<LowBits, Access> buckets_;
  Leaves<LowBits, Access> leaves_;
  MatrixView<Word, Access> stages_;
  VectorView<Word, Access> taken_, free_;
};

}  // namespace tallcache::cpu::counting_sort
