// One pass of a sort by digits: a histogram of each chunk's digits, their prefix sums as positions, and
// every key through its bucket's line buffer to its place. lsd_radix and bucketed_streaming are built from
// this pass.
#pragma once

#include <type_traits>

#include "cpu/counting_sort/distribute.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"

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

/// The scratch of chunks (or groups of buckets) that are processed in parallel, one row each: `count`, the
/// beginning of each bucket; `tables`, the histograms and later the positions; `lines`, the line buffers of
/// the buckets.
template <class Access>
struct PartitionBuffers {
  MatrixView<Word, Access> count, tables, lines;
  VectorView<Word, Access> total;

  /// The rows from `row` on.
  PartitionBuffers block(Index row, Index rows) const {
    return {count.block(row, 0, rows, count.cols), tables.block(row, 0, rows, tables.cols),
            lines.block(row, 0, rows, lines.cols), total.block(row, rows)};
  }
};

/// The words in the line buffers of a bucket: for its keys, and for their payload.
constexpr Index bucket_words(bool payload) { return (payload ? 2 : 1) * write_buffer_size<Word>; }

/// Rounds words up to whole lines, as no two threads may write to the same line.
constexpr Index whole_lines(Index words) { return (words + 15) / 16 * 16; }

inline std::size_t partition_buffer_bytes(Index rows, Index buckets, Index bucket_words) {
  const auto bytes = [&](Index words) {
    return checked_product(static_cast<std::size_t>(rows), static_cast<std::size_t>(words) * sizeof(Word),
                           "buffers");
  };
  return scratch_bytes({bytes(whole_lines(buckets)), bytes(whole_lines(tables_of(buckets) * buckets)),
                        bytes(buckets * bucket_words), bytes(1)});
}

template <class Access>
PartitionBuffers<Access> take_partition_buffers(Scratch<Access>& scratch, Index rows, Index buckets,
                                                Index bucket_words) {
  const auto count = scratch.template matrix<Word>(rows, whole_lines(buckets));
  const auto tables = scratch.template matrix<Word>(rows, whole_lines(tables_of(buckets) * buckets));
  const auto lines = scratch.template matrix<Word>(rows, buckets * bucket_words);
  return {count, tables, lines, scratch.template vector<Word>(rows)};
}

/// Counts the digits of `keys`, in one chunk for each row of `buffers`. Afterwards buffers.count(c, b) is the
/// position of chunk c's first key of bucket b.
template <class Fork, class Access>
void locate_digits(Fork& fork, VectorView<const Word, Access> keys, Digit digit, Index buckets,
                   const PartitionBuffers<Access>& buffers) {
  const auto count = buffers.count.block(0, 0, buffers.count.rows, buckets);
  fork.blocks(count.rows, [=](Index c) {
    const Index begin = block_begin(keys.size, count.rows, c);
    const auto chunk = keys.block(begin, block_begin(keys.size, count.rows, c + 1) - begin);
    reads(chunk);
    count_digits(chunk.data, chunk.size, digit, buckets, row_of(buffers.tables, c).data,
                 row_of(count, c).data);
    writes(row_of(count, c));
  });
  prefix_sums(fork, count, buffers.total);
}

/// Sends `in` stably to `out` by the digit of its keys, in one chunk for each row of `buffers`. Only the bits
/// `keep` of a key are stored. Afterwards buffers.count(0, b) is the beginning of bucket b.
template <class Fork, class Access>
void partition(Fork& fork, Records<const Word, Access> in, Records<Word, Access> out, Digit digit,
               Index buckets, Word keep, const PartitionBuffers<Access>& buffers) {
  locate_digits(fork, in.keys, digit, buckets, buffers);
  const auto count = buffers.count.block(0, 0, buffers.count.rows, buckets);
  fork.blocks(count.rows, [=](Index c) {
    const Index chunk_begin = block_begin(in.keys.size, count.rows, c);
    const auto chunk = in.block(chunk_begin, block_begin(in.keys.size, count.rows, c + 1) - chunk_begin);
    const auto begin = row_of(count, c);
    reads(chunk);
    reads(begin);
    partition(Chunk{.keys = chunk.keys.data,
                    .payload = chunk.payload.data,
                    .size = chunk.keys.size,
                    .digit = digit,
                    .keep = keep,
                    .buckets = buckets,
                    .begin = begin.data,
                    .position = row_of(buffers.tables, c).data,
                    .keys_out = out.keys.data,
                    .payload_out = out.payload.data,
                    .lines = row_of(buffers.lines, c).data,
                    .payload_lines = row_of(buffers.lines, c).data + buckets * write_buffer_size<Word>});
    if constexpr (!std::is_same_v<Access, Plain>)
      for (Index b = 0; b < buckets; ++b) {
        const Word to = row_of(buffers.tables, c).data[b];
        writes(out.block(begin.data[b], to - begin.data[b]));
      }
  });
}

/// The number of groups of buckets that are sorted in parallel: four times as many as threads, so that
/// stealing can balance the load.
constexpr Index groups_of(Index width) { return width == 1 ? 1 : 4 * width; }

/// Writes the keys `first` + v to `out`. The keys of value v begin at begin[v]. `out` is cut into even parts;
/// each part writes the runs that reach into it.
template <class Fork, class Access>
void write_runs(Fork& fork, VectorView<Word, Access> begin, VectorView<Word, Access> out, Word first,
                Index parts) {
  fork.blocks(parts, [=](Index part) {
    const Index from = block_begin(out.size, parts, part), to = block_begin(out.size, parts, part + 1);
    reads(begin);
    expand_runs(begin.data, begin.size, out.size, first, out.data, from, to);
    writes(out.block(from, to - from));
  });
}

/// Whether keys in [0, range] are sorted by one histogram: few different ones (16 bits), or few keys at all.
constexpr bool fits_histogram(Index n, std::uint64_t range) {
  constexpr Index few_keys = 1 << 18;
  return range < 1 << 16 || (range < 1 << 18 && n <= few_keys);
}

/// Sorts keys in [0, values) by one histogram, in as many chunks as `buffers` has rows. `out` may be `in`.
/// Few keys, if each value has few, are counted in bytes by one thread, as this and the writing of their runs
/// is several times faster.
template <class Fork, class Access>
void sort_by_histogram(Fork& fork, VectorView<const Word, Access> in, Index values,
                       VectorView<Word, Access> out, const PartitionBuffers<Access>& buffers) {
  constexpr Index few_a_value = 64, few = 1 << 18;
  const Index chunks = buffers.count.rows;
  if (in.size < few_a_value * values && (in.size <= few || chunks <= 2)) {
    reads(in);
    sort_in_bytes(in.data, in.size, values, out.data, reinterpret_cast<std::uint8_t*>(buffers.count.data),
                  buffers.tables.data);
    return writes(out);
  }
  locate_digits(fork, in, Digit{0}, values, buffers);
  write_runs(fork, row_of(buffers.count, 0).block(0, values), out, 0, chunks);
}

}  // namespace tallcache::cpu::counting_sort
