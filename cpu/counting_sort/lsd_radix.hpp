// Radix sort, least significant digit first: a stable pass for each digit of the range.
#pragma once

#include <bit>

#include "cpu/counting_sort/buckets.hpp"
#include "cpu/counting_sort/easy_keys.hpp"
#include "cpu/counting_sort/key_sort.hpp"

namespace tallcache::cpu::counting_sort {

/// The digits of n keys in [0, range]: as few as possible, all of nearly the same size, of at most 11 bits.
/// Few keys have digits of fewer bits, as a bucket costs as much as some ten keys.
struct RadixDigits {
  int passes, digit_bits;

  constexpr RadixDigits(Index n, std::uint64_t range) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(range)));
    const int most = std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 6, 4, 11);
    passes = (bits + most - 1) / most;
    digit_bits = (bits + passes - 1) / passes;
  }
  constexpr Index buckets() const { return Index{1} << digit_bits; }
};

/// Sorts by rounds: each one spreads the keys, or pairs, to blocks, and copies the buckets to the output,
/// from which the next one spreads them.
template <class Access, bool with_payload>
struct DigitRounds {
  using Element = std::conditional_t<with_payload, Pair, Word>;

  static std::size_t scratch(Index n, std::uint64_t range, Index width) {
    const Index buckets = RadixDigits(n, range).buckets(), chunks = chunks_of(n, buckets, width);
    return scratch_bytes({Buckets<Element, Access>::scratch(buckets, chunks, 0),
                          Buckets<Element, Access>::pool_bytes(n, buckets, chunks)});
  }

  /// `out` may be `in`.
  template <class Fork>
  static void sort(Fork& fork, Records<const Word, Access> in, Records<Word, Access> out, std::uint64_t range,
                   Scratch<Access> scratch) {
    const Index n = in.keys.size;
    const RadixDigits digits(n, range);
    const Index number = digits.buckets(), chunks = chunks_of(n, number, fork.width());
    Buckets<Element, Access> buckets(n, number, chunks, 0, scratch);
    buckets.take_pool(scratch);
    for (int pass = 0; pass < digits.passes; ++pass) {
      const Digit digit{pass * digits.digit_bits, static_cast<Word>(number - 1)};
      buckets.spread(fork, digit, in);
      fork.blocks(chunks, [=, &buckets](Index c) { copy_chunk(buckets, c, out); });
      in = out;
    }
  }

 private:
  static void copy_chunk(const Buckets<Element, Access>& buckets, Index c, Records<Word, Access> out) {
    const bool stream = buckets.n > cached_words;
    for (Index b = 0; b < buckets.size; ++b) {
      Index begin = static_cast<Word>(buckets.begins(c, b));
      buckets.for_each_block(buckets.chain_of_chunk(c, b), [&](auto block, Word) {
        const auto to = out.block(begin, block.size);
        if constexpr (with_payload)
          leaf_kernels().under(block.access()).separate_pairs(block, to, stream);
        else
          leaf_kernels().under(block.access()).copy_words(block, to.keys, false, stream);
        begin += block.size;
      });
    }
  }
};

struct lsd_radix : KeySort<DigitRounds> {
  static constexpr std::string_view idea =
      "radix sort, least significant digit first, digits of at most 11 bits through a line a bucket";
  static constexpr std::string_view source = "Knuth, TAOCP 3, 5.2.5; buffers: Satish et al. 2010";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;
};

}  // namespace tallcache::cpu::counting_sort
