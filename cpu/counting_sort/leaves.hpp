// Leaves of the recursion: a bucket whose values the low bits of its keys tell apart is counted, and its runs
// are written in order. One histogram of keys is a leaf alone.
#pragma once

#include "cpu/counting_sort/buckets.hpp"

namespace tallcache::cpu::counting_sort {

/// Writes the keys `first` + v to `out`. The keys of value v begin at begin[v]. `out` is cut into even parts;
/// each part writes the runs that reach into it.
template <class Fork, class Access>
void write_runs(Fork& fork, VectorView<Word, Access> begin, VectorView<Word, Access> out, Word first,
                Index parts) {
  fork.blocks(parts, [=](Index part) {
    const Index from = block_begin(out.size, parts, part), to = block_begin(out.size, parts, part + 1);
    leaf_kernels().under(out.access()).expand_runs(begin, first, out, from, to);
  });
}

/// The leaves of buckets of 2^bits values, at most 16 bits. Counters of a byte suffice for the keys of most
/// buckets, and four times as many values fit into the same memory; the pairs of most fit a stage, and their
/// positions 16 bits. Other leaves have counters of a word, in as many rows as it pays to share them by.
template <class T, class Access>
class Leaves {
 public:
  static std::size_t scratch(Index chunks, int bits) {
    const Index values = Index{1} << bits, groups = groups_of(chunks);
    return scratch_bytes({buffer_bytes(groups, small_words(values)),
                          buffer_bytes(groups, stage_words(values)), buffer_bytes(chunks, values),
                          buffer_bytes(1, chunks), buffer_bytes(1, chunks + 1)});
  }
  Leaves(Index chunks, int bits, Scratch<Access>& scratch) : bits_(bits), values_(Index{1} << bits) {
    small_ = scratch.template matrix<Word>(groups_of(chunks), small_words(values_));
    stages_ = scratch.template matrix<Word>(groups_of(chunks), stage_words(values_));
    counts_ = scratch.template matrix<Word>(chunks, values_);
    total_ = scratch.template vector<Word>(chunks);
    pieces_ = scratch.template vector<Word>(chunks + 1);
  }

  /// Sorts buckets first ... end - 1 to place(b): each on one thread, in groups of those that begin in the
  /// group's share of the keys, not of the range, because keys may be skewed; and on all threads those that
  /// need counters of a word, or that a group would be waited for though it pays to share them.
  template <class Fork, class Place>
  void sort(Fork& fork, const Buckets<T, Access>& from, Index first, Index end, Place place) const {
    const Index begin = from.begin_of(first), keys = from.begin_of(end) - begin, groups = small_.rows;
    fork.blocks(groups, [=, this, &from](Index g) {
      const Index low = begin + block_begin(keys, groups, g), high = begin + block_begin(keys, groups, g + 1);
      for (Index b = first; b < end; ++b)
        if (const Index size = from.size_of(b); low <= from.begin_of(b) && from.begin_of(b) < high)
          from.late[b] = size > 0 && ((size > keys / groups && is_shared(size)) ||
                                      !sort_small(from, b, end, place(b), g));
    });
    for (Index b = first; b < end; ++b)
      if (from.size_of(b) > 0 && from.late[b]) write(fork, from, b, place(b), count(fork, from, b));
  }

  /// The beginnings of a bucket's values, for each piece of its blocks. Returns the number of the pieces.
  template <class Fork>
  Index count(Fork& fork, const Buckets<T, Access>& from, Index b) const {
    const Index rows = cut(from, b);
    const auto counts = counts_.block(0, 0, rows, values_);
    fork.blocks(rows,
                [=, this, &from](Index p) { kernels().count_values(piece(from, p), row_of(counts, p)); });
    from.heavy.add(b, row_of(counts_, 0));
    prefix_sums(fork, counts, total_);
    return rows;
  }
  /// Writes the bucket that was counted last.
  template <class Fork>
  void write(Fork& fork, const Buckets<T, Access>& from, Index b, Records<Word, Access> out,
             Index rows) const {
    write_runs(fork, row_of(counts_, 0), out.keys, first_of(b), total_.size);
    if constexpr (is_pair) {
      fork.blocks(rows, [=, this, &from](Index p) {
        kernels().scatter_payload(piece(from, p), row_of(counts_, p), row_of(small_, p), row_of(stages_, p),
                                  out.payload);
      });
    }
  }

 private:
  static constexpr bool is_pair = std::is_same_v<T, Pair>;
  // For the pairs that are put in order, or for a line of each value.
  static Index stage_words(Index values) {
    return is_pair ? std::max(whole_lines(2 * staged_pairs), 16 * values) : 0;
  }
  static Index small_words(Index values) { return is_pair ? values : byte_counter_words(values); }

  const LeafKernels<Access>& kernels() const { return leaf_kernels().under(small_.access()); }

  Word first_of(Index b) const { return static_cast<Word>(b) << bits_; }

  // Whether it pays that several threads count n keys of a bucket.
  bool is_shared(Index n) const {
    constexpr Index keys_a_counter = 8;
    return n / keys_a_counter > values_ && chunks_of(n, values_, total_.size) > 1;
  }

  // Sorts bucket b to `out`, or returns false where it needs counters of a word.
  bool sort_small(const Buckets<T, Access>& from, Index b, Index end, Records<Word, Access> out,
                  Index group) const {
    const Index most = is_pair ? staged_pairs : most_keys_in_bytes(values_);
    if (out.keys.size > most || from.heavy.has(b)) return false;
    const auto chain = from.chain(b, end);
    const auto memory = row_of(small_, group);
    if constexpr (is_pair)
      kernels().sort_pairs(chain, first_of(b), out, elements_of<std::uint16_t>(memory).block(0, values_),
                           row_of(stages_, group));
    else
      byte_kernels()
          .under(memory.access())
          .sort_low_bits(chain, values_, first_of(b), out.keys, byte_counters(memory, values_));
    return true;
  }

  // Cuts the blocks of a bucket into pieces. They may have moved, and no chunk's are together then.
  Index cut(const Buckets<T, Access>& from, Index b) const {
    const auto chain = from.chain(b, 0);
    Index blocks = 0, i = 0, p = 0;
    from.for_each_block(chain, [&](auto, Word) { ++blocks; });
    const Index rows = std::min(chunks_of(from.size_of(b), values_, total_.size), blocks);
    from.for_each_block(chain, [&](auto, Word at) {
      if (p < rows && i++ == block_begin(blocks, rows, p)) pieces_[p++] = at;
    });
    pieces_[rows] = no_block;
    return rows;
  }
  Chain<T, Access> piece(const Buckets<T, Access>& from, Index p) const {
    return {from.blocks, from.links, pieces_[p], pieces_[p + 1]};
  }

  int bits_;
  Index values_;
  MatrixView<Word, Access> small_, stages_, counts_;
  VectorView<Word, Access> total_, pieces_;
};

/// Whether keys in [0, range] are sorted by one histogram: few different ones (16 bits), or few keys at all.
constexpr bool fits_histogram(Index n, std::uint64_t range) {
  constexpr Index few_keys = 1 << 18;
  return range < 1 << 16 || (range < 1 << 18 && n <= few_keys);
}

/// Sorts keys in [0, range], or at most staged_pairs pairs, by one histogram. Few keys, if each value has
/// few, are counted in bytes by one thread, as this and the writing of their runs is several times faster.
/// Pairs have counters of 16 bits, as half as many lines hold them, and a stage. Keys' `out` may be `in`.
template <class Access, bool with_payload>
struct Histogram {
  static std::size_t scratch(Index n, std::uint64_t range, Index threads) {
    const Index values = width(range), rows = rows_of(n, values, threads);
    return scratch_bytes(
        {buffer_bytes(rows, values), buffer_bytes(rows, table_words(n, values)), buffer_bytes(1, rows)});
  }

  template <class Fork>
  static void sort(Fork& fork, Records<const Word, Access> in, Records<Word, Access> out, std::uint64_t range,
                   Scratch<Access> scratch) {
    constexpr Index few_a_value = 64, few = 1 << 18;
    const Index n = in.keys.size, values = width(range), rows = rows_of(n, values, fork.width());
    const auto count = scratch.template matrix<Word>(rows, values);
    const auto tables = scratch.template matrix<Word>(rows, table_words(n, values));
    const auto total = scratch.template vector<Word>(rows);
    const auto& leaf = leaf_kernels().under(count.access());
    if constexpr (with_payload) {
      const auto counters = elements_of<std::uint16_t>(row_of(count, 0)).block(0, values);
      return leaf.sort_few_pairs(in, out, counters, row_of(tables, 0));
    }
    if (n < few_a_value * values && (n <= few || rows <= 2)) {
      const auto counters = byte_counters(row_of(tables, 0), values);
      return byte_kernels().under(count.access()).sort_in_bytes(in.keys, values, out.keys, counters);
    }
    fork.blocks(rows, [=, &leaf](Index c) {
      const Index begin = block_begin(n, rows, c), size = block_begin(n, rows, c + 1) - begin;
      leaf.count_keys(in.keys.block(begin, size), row_of(tables, c), row_of(count, c));
    });
    prefix_sums(fork, count, total);
    write_runs(fork, row_of(count, 0), out.keys, 0, rows);
  }

 private:
  // Counters for whole vectors of bytes.
  static Index width(std::uint64_t range) { return static_cast<Index>(range) / 64 * 64 + 64; }
  static Index rows_of(Index n, Index values, Index threads) {
    return with_payload ? 1 : chunks_of(n, values, threads);
  }
  static Index table_words(Index n, Index values) {
    return with_payload ? 2 * n : std::max(tables_of(values) * values, byte_counter_words(values));
  }
};

}  // namespace tallcache::cpu::counting_sort
