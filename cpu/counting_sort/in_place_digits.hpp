// In-place radix sort, most significant digit first, for keys that are few in their range. Buckets of a few
// keys are sorted by digits, the least significant first, through a spare array of fixed size.
#pragma once

#include <array>

#include "cpu/counting_sort/lsd_radix.hpp"

namespace tallcache::cpu::counting_sort {

inline constexpr int flag_bits = 8;
/// The keys that the spare array holds.
inline constexpr Index spare_keys = 1 << 15;

/// Groups of buckets that are sorted in parallel, each with a spare array.
template <class Access>
struct SpareArrays {
  PartitionBuffers<Access> buffers;
  MatrixView<Word, Access> keys;

  static std::size_t scratch(Index n, Index width) {
    const Index groups = groups_of(width);
    return scratch_bytes(
        {partition_buffer_bytes(groups, 1 << flag_bits, bucket_words(false)),
         static_cast<std::size_t>(groups * whole_lines(std::min(n, spare_keys))) * sizeof(Word)});
  }
  SpareArrays(Index n, Index width, Scratch<Access>& scratch) {
    const Index groups = groups_of(width);
    buffers = take_partition_buffers(scratch, groups, 1 << flag_bits, bucket_words(false));
    keys = scratch.template matrix<Word>(groups, whole_lines(std::min(n, spare_keys)));
  }
};

/// Sorts at most spare_keys keys that differ in their lowest `bits` bits alone.
template <class Access>
void sort_few_by_digits(VectorView<Word, Access> keys, int bits, const SpareArrays<Access>& spare,
                        Index group) {
  Serial serial;
  const RadixDigits digits((std::uint64_t{1} << bits) - 1, flag_bits);
  const Records<Word, Access> own{keys, {}}, other{row_of(spare.keys, group).block(0, keys.size), {}};
  const bool copied = digits.passes % 2 == 1;
  if (copied) {
    reads(keys);
    std::copy_n(keys.data, keys.size, other.keys.data);
    writes(other.keys);
  }
  sort_by_digits(serial, Records<const Word, Access>(copied ? other : own), own, other, digits,
                 spare.buffers.block(group, 1));
}

/// American flag sort: sends the keys to the buckets of a digit by swaps along cycles. Returns the ends of
/// the buckets.
template <class Access>
std::array<Word, 1 << flag_bits> permute_by_digit(VectorView<Word, Access> keys, Digit digit) {
  constexpr Index buckets = 1 << flag_bits;
  std::array<Word, 4 * buckets> tables;
  std::array<Word, buckets> next, end;
  reads(keys);
  count_digits(keys.data, keys.size, digit, buckets, tables.data(), next.data());
  Word sum = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    const Word count = next[b];
    next[b] = sum;
    end[b] = sum += count;
  }
  reads(keys);
  for (std::size_t b = 0; b < buckets; ++b)
    while (next[b] < end[b]) {
      Word key = keys.data[next[b]];
      for (std::size_t to; (to = digit(key)) != b;) std::swap(key, keys.data[next[to]++]);
      keys.data[next[b]++] = key;
    }
  writes(keys);
  return end;
}

/// Sorts keys that differ in their lowest `bits` bits alone, with the spare arrays from `group` on. Buckets
/// for which a group would be waited for are sorted first, on all threads.
///
/// Source: McIlroy, Bostic and McIlroy 1993, Engineering radix sort, Computing Systems 6(1), page 5.
template <class Fork, class Access>
void sort_by_top_digits(Fork& fork, VectorView<Word, Access> keys, int bits, const SpareArrays<Access>& spare,
                        Index group) {
  if (keys.size < 2 || bits == 0) return;
  if (keys.size <= spare_keys) return sort_few_by_digits(keys, bits, spare, group);
  const int below = std::max(bits - flag_bits, 0);
  const auto ends = permute_by_digit(keys, Digit{below, (Word{1} << (bits - below)) - 1});
  if (below == 0) return;
  const Index groups = std::is_same_v<Fork, Serial> ? 1 : spare.keys.rows, share = keys.size / groups;
  const auto bucket = [=, &ends](std::size_t b) {
    const Index begin = b == 0 ? 0 : ends[b - 1];
    return keys.block(begin, ends[b] - begin);
  };
  for (std::size_t b = 0; groups > 1 && b < ends.size(); ++b)
    if (bucket(b).size > share) sort_by_top_digits(fork, bucket(b), below, spare, group);
  fork.blocks(groups, [=, &spare](Index g) {
    Serial serial;
    const Word *from = keys.data + block_begin(keys.size, groups, g),
               *to = keys.data + block_begin(keys.size, groups, g + 1);
    for (std::size_t b = 0; b < ends.size(); ++b)
      if (const auto part = bucket(b);
          from <= part.data && part.data < to && (groups == 1 || part.size <= share))
        sort_by_top_digits(serial, part, below, spare, group + g);
  });
}

}  // namespace tallcache::cpu::counting_sort
