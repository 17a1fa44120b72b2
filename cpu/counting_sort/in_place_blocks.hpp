// Counting sort of keys in place. A pass over the keys writes 16-bit residues, half as large as the keys,
// over the keys that it has read. The other half of the array is then free. The buckets whose place lies
// there are counted and written as runs; the residues that are left are moved together, which frees half of
// the rest.
#pragma once

#include <atomic>
#include <bit>

#include "common/fork/fork.hpp"
#include "cpu/counting_sort/heavy_buckets.hpp"

namespace tallcache::cpu::counting_sort {

/// How n keys in [0, range] are cut: into buckets of 2^leaf values, and into chunks that are spread in
/// parallel. A chunk's residues may not reach keys that are still to be read, though each bucket has a block
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
  // it has residues, halved. Two lines more are for an array that does not begin with a line.
  Index stage_of(int bits) const { return (block_size<Residue> << std::max(bits - leaf, 0)) + 2 * 16; }
};

/// The scratch is a stage, two heavy buckets' counts and a leaf's counters for each chunk, and 16 bytes for
/// each block of the keys' memory, which is 1/64 of it.
template <class Access>
class InPlaceBlocks {
 public:
  static std::size_t scratch(Index n, const InPlaceCut& cut) {
    const auto bytes = [](Index rows, Index cols, std::size_t size = sizeof(Word)) {
      return checked_product(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols) * size,
                             "in-place buffers");
    };
    const std::size_t slots = bytes(1, slots_of(n));
    return scratch_bytes({partition_buffer_bytes(cut.chunks, cut.buckets, line_words),
                          bytes(cut.chunks, whole_lines(cut.stage)),
                          HeavyChunks<Access>::scratch(cut.chunks, cut.values()),
                          bytes(cut.chunks, cut.values()), bytes(1, cut.chunks),
                          bytes(groups_of(cut.chunks), byte_counter_words(cut.values())),
                          bytes(1, cut.buckets), bytes(1, slots_of(n), sizeof(Link)), slots, slots});
  }

  InPlaceBlocks(VectorView<Word, Access> keys, const InPlaceCut& cut, Scratch<Access>& scratch)
      : cut_(cut), keys_(keys), skip_(words_to_line(keys.data)), slots_((keys.size - skip_) / block_words) {
    buffers_ = take_partition_buffers(scratch, cut.chunks, cut.buckets, line_words);
    stages_ = scratch.template matrix<Word>(cut.chunks, whole_lines(cut.stage));
    heavy_ = HeavyChunks<Access>(cut.chunks, cut.values(), scratch);
    counts_ = scratch.template matrix<Word>(cut.chunks, cut.values());
    total_ = scratch.template vector<Word>(cut.chunks);
    bytes_ = scratch.template matrix<Word>(groups_of(cut.chunks), byte_counter_words(cut.values()));
    late_ = scratch.template vector<Word>(cut.buckets);
    links_ = scratch.template vector<Link>(slots_of(keys.size));
    taken_ = scratch.template vector<Word>(slots_of(keys.size));
    free_ = scratch.template vector<Word>(slots_of(keys.size));
    blocks_ = residues_at(keys.data + skip_, slots_);
  }

  /// The buckets are written from the last to the first, a part of them at a time: those that have room. One
  /// that is larger than the room is counted first, which frees its blocks.
  template <class Fork>
  void sort(Fork& fork) {
    spread(fork);
    for (Index end = cut_.buckets; end > 0;) {
      const Index room = make_room(fork, end);
      Index begin = end;
      while (begin > 0 && begin_of(begin - 1) >= room) --begin;
      if (begin < end) {
        sort_buckets(fork, begin, end);
        end = begin;
      } else {
        --end;
        count(fork, end);
        make_room(fork, end);
        write(fork, end);
      }
    }
  }

 private:
  static constexpr Index block_words = block_size<Residue> * static_cast<Index>(sizeof(Residue)) / 4;
  static constexpr Index line_words = write_buffer_size<Residue> * static_cast<Index>(sizeof(Residue)) / 4;

  // The keys before the first line.
  static Index words_to_line(const Word* keys) {
    const auto line = static_cast<std::uintptr_t>(line_bytes);
    return static_cast<Index>((line - reinterpret_cast<std::uintptr_t>(keys) % line) % line / sizeof(Word));
  }
  static Index slots_of(Index n) { return n / block_words + 1; }
  VectorView<Residue, Access> residues_at(Word* words, Index blocks) const {
    return VectorView<Residue>{reinterpret_cast<Residue*>(words), blocks * block_size<Residue>}.with(
        keys_.access());
  }

  Index begin_of(Index b) const { return b < cut_.buckets ? Index{buffers_.count.data[b]} : keys_.size; }
  Index size_of(Index b) const { return begin_of(b + 1) - begin_of(b); }
  Word first_of(Index b) const { return static_cast<Word>(b) << cut_.leaf; }
  Index head_of(Index chunk) const { return block_begin(slots_, cut_.chunks, chunk); }
  VectorView<Residue, Access> block(Word at) const {
    return blocks_.block(Index{at} * block_size<Residue>, block_size<Residue>);
  }
  Chain<Residue> chain(Index b, Index end) const {
    return {blocks_.data, links_.data, static_cast<Word>(b), no_block,
            b + 1 < end ? static_cast<Word>(b + 1) : no_block};
  }
  // Calls f(block) for the used part of each block of a bucket.
  template <class F>
  void touch(Index b, F f) const {
    if constexpr (!std::is_same_v<Access, Plain>)
      for (Word at = static_cast<Word>(b); at != no_block; at = links_.data[at].next)
        f(block(at).block(0, links_.data[at].size));
  }

  template <class Fork>
  void spread(Fork& fork) {
    fork.blocks(cut_.chunks, [=, this](Index c) {
      const auto begin_of_chunk = [=, this](Index chunk) {
        return chunk == 0 ? 0 : chunk == cut_.chunks ? keys_.size : skip_ + head_of(chunk) * block_words;
      };
      const Index begin = begin_of_chunk(c), size = begin_of_chunk(c + 1) - begin;
      const auto chunk = keys_.block(begin, size);
      const auto stage = row_of(stages_, c).block(0, cut_.stage);
      const auto count = row_of(buffers_.count, c).block(0, cut_.buckets);
      reads(chunk);
      std::copy_n(chunk.data, cut_.stage, stage.data);
      writes(stage);
      counting_sort::spread(
          Spread<Residue>{.keys = chunk.data + cut_.stage,
                          .payload = nullptr,
                          .size = size - cut_.stage,
                          .shift = cut_.leaf,
                          .buckets = cut_.buckets,
                          .blocks = blocks_.data,
                          .links = links_.data,
                          .first_block = static_cast<Word>(head_of(c)),
                          .next_chunk = c + 1 < cut_.chunks ? static_cast<Word>(head_of(c + 1)) : no_block,
                          .counts = count.data,
                          .targets = row_of(buffers_.tables, c).data,
                          .lines = reinterpret_cast<Residue*>(row_of(buffers_.lines, c).data),
                          .first_keys = stage.data,
                          .first_size = cut_.stage,
                          .heavy = heavy_.begin(c)});
      reads(stage);
      writes(count);
    });
    for (Index b = 0; b < cut_.buckets; ++b) touch(b, [](auto used) { writes(used); });
    prefix_sums(fork, buffers_.count.block(0, 0, cut_.chunks, cut_.buckets), buffers_.total);
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
    std::fill_n(taken_.data, taken_.size, 0);
    std::atomic<Index> all{0};
    for_each_bucket(fork, end, [this, &all](Index b) {
      Index blocks = 0;
      for (Word at = static_cast<Word>(b); at != no_block; at = links_.data[at].next)
        taken_.data[at] = 1, ++blocks;
      all += blocks;
    });
    const Index kept = all;
    Word* free = free_.data;
    for (Word at = 0; at < kept; ++at)
      if (!taken_.data[at]) *free++ = at;
    std::atomic<const Word*> next{free_.data};
    for_each_bucket(fork, end, [this, &next, kept](Index b) {
      for (Word before = static_cast<Word>(b), at; (at = links_.data[before].next) != no_block; before = at) {
        if (at < kept) continue;
        const Word to = *next++;
        reads(block(at));
        std::copy_n(block(at).data, block_size<Residue>, block(to).data);
        writes(block(to));
        links_.data[to] = links_.data[at];
        links_.data[before].next = at = to;
      }
    });
    if (kept > cut_.stage_blocks()) return skip_ + kept * block_words;
    const auto stage = residues_at(stages_.data, kept);
    reads(blocks_.block(0, stage.size));
    std::copy_n(blocks_.data, stage.size, stage.data);
    writes(stage);
    blocks_ = stage;
    staged_ = true;
    return 0;
  }

  // Sorts buckets [first, end), whose places hold no residues. Those that bytes cannot count, or for which a
  // group would be waited for though all threads can share them, come last, each on all threads.
  template <class Fork>
  void sort_buckets(Fork& fork, Index first, Index end) {
    const Index begin = begin_of(first), n = begin_of(end) - begin, groups = groups_of(cut_.chunks);
    std::fill_n(late_.data + first, end - first, 0);
    fork.blocks(groups, [=, this](Index g) {
      const Index from = begin + block_begin(n, groups, g), to = begin + block_begin(n, groups, g + 1);
      for (Index b = first; b < end; ++b)
        if (from <= begin_of(b) && begin_of(b) < to && size_of(b) > 0)
          late_.data[b] = (size_of(b) > n / groups && is_shared(b)) || !sort_in_bytes(b, end, g);
    });
    for (Index b = first; b < end; ++b)
      if (late_.data[b]) {
        count(fork, b);
        write(fork, b);
      }
  }

  // Whether it pays that several threads count a bucket, each in counters of a word.
  bool is_shared(Index b) const {
    constexpr Index keys_a_counter = 8;
    return size_of(b) / keys_a_counter > cut_.values() &&
           chunks_of(size_of(b), cut_.values(), cut_.chunks) > 1;
  }

  // Counters of a byte suffice for most buckets, and four times as many fit into the same memory.
  bool sort_in_bytes(Index b, Index end, Index group) const {
    const Index size = size_of(b), values = cut_.values();
    if (size > most_keys_in_bytes(values) || heavy_.has(b)) return false;
    const ByteCounters counters = byte_counters(row_of(bytes_, group).data, values);
    touch(b, [](auto used) { reads(used); });
    const Word* const wraps_end = count_residues_in_bytes(chain(b, end), values, counters);
    const auto out = keys_.block(begin_of(b), size);
    write_runs_of_bytes(counters, wraps_end, values, first_of(b), out.data);
    writes(out);
    return true;
  }

  // The beginnings of a bucket's values, as the first row of counts_. Its blocks are cut into one piece for
  // each row, whose first blocks stand in free_.
  template <class Fork>
  void count(Fork& fork, Index b) {
    Index blocks = 0;
    for (Word at = static_cast<Word>(b); at != no_block; at = links_.data[at].next) ++blocks;
    const Index rows = std::min(chunks_of(size_of(b), cut_.values(), cut_.chunks), blocks);
    Word at = static_cast<Word>(b);
    for (Index p = 0, i = 0; p < rows; ++p) {
      for (; i < block_begin(blocks, rows, p); ++i) at = links_.data[at].next;
      free_.data[p] = at;
    }
    free_.data[rows] = no_block;
    touch(b, [](auto used) { reads(used); });
    const auto counts = counts_.block(0, 0, rows, cut_.values());
    fork.blocks(rows, [=, this](Index p) {
      count_residues({blocks_.data, links_.data, free_.data[p], free_.data[p + 1]}, cut_.values(),
                     row_of(counts, p).data);
      writes(row_of(counts, p));
    });
    heavy_.add(fork, b, row_of(counts_, 0));
    prefix_sums(fork, counts, total_);
  }

  template <class Fork>
  void write(Fork& fork, Index b) const {
    write_runs(fork, row_of(counts_, 0), keys_.block(begin_of(b), size_of(b)), first_of(b), cut_.chunks);
  }

  InPlaceCut cut_;
  VectorView<Word, Access> keys_;
  Index skip_, slots_;   // keys before the first line; blocks in the keys' memory
  bool staged_ = false;  // the blocks lie in the stages
  PartitionBuffers<Access> buffers_;
  MatrixView<Word, Access> stages_, counts_, bytes_;
  HeavyChunks<Access> heavy_;
  VectorView<Word, Access> total_, late_, taken_, free_;
  VectorView<Link, Access> links_;
  VectorView<Residue, Access> blocks_;
};

}  // namespace tallcache::cpu::counting_sort
