// Radix sort, least significant digit first: a stable pass for each digit of the range.
#pragma once

#include <bit>

#include "cpu/counting_sort/streaming_partition.hpp"

namespace tallcache::cpu::counting_sort {

/// The digits of a key in [0, range]: as few as possible with at most 11 bits each, or fewer, all of nearly
/// the same size.
struct RadixDigits {
  int bits, passes, digit_bits;

  explicit constexpr RadixDigits(std::uint64_t range, int max_bits = 11)
      : bits(std::max(1, static_cast<int>(std::bit_width(range)))),
        passes((bits + max_bits - 1) / max_bits),
        digit_bits((bits + passes - 1) / passes) {}
  constexpr Index buckets() const { return Index{1} << digit_bits; }
};

/// The bytes of scratch of sort_by_digits.
inline std::size_t digits_scratch_bytes(Index n, std::uint64_t range, bool payload, Index width) {
  const RadixDigits digits(range);
  const Index chunks = chunks_of(n, digits.buckets(), width);
  const std::size_t keys = digits.passes > 1 ? checked_product(n, sizeof(Word), "keys") : 0;
  return scratch_bytes(
      {partition_buffer_bytes(chunks, digits.buckets(), bucket_words(payload)), keys, payload ? keys : 0});
}

/// Sorts `in` stably to `out`. The passes alternate between `out` and `other`, so that the last one ends in
/// `out`. Where their number is even `in` may be `out`, and `other` where it is odd. Each pass has a
/// histogram of its own for each chunk, as the chunks' keys change between passes. Keys are written through
/// line buffers, as a plain scatter is slower (TUNING.md).
template <class Fork, class Access>
void sort_by_digits(Fork& fork, Records<const Word, Access> in, Records<Word, Access> out,
                    Records<Word, Access> other, RadixDigits digits,
                    const PartitionBuffers<Access>& buffers) {
  Records<const Word, Access> from = in;
  for (int pass = 0; pass < digits.passes; ++pass) {
    const Records to = (digits.passes - pass) % 2 == 1 ? out : other;
    const Digit digit{pass * digits.digit_bits, static_cast<Word>(digits.buckets() - 1)};
    partition(fork, from, to, digit, digits.buckets(), ~Word{0}, buffers);
    from = to;
  }
}

/// The same with room for the keys, where there are several passes, and the buffers from the scratch.
template <class Fork, class Args>
void sort_by_digits(Fork& fork, const Args& args) {
  constexpr bool payload = Args::has_payload;
  const RadixDigits digits(args.range);
  auto scratch = args.scratch;
  const Index chunks = chunks_of(args.in.size, digits.buckets(), fork.width());
  const auto buffers = take_partition_buffers(scratch, chunks, digits.buckets(), bucket_words(payload));
  const Index spare = digits.passes > 1 ? args.in.size : 0;
  using Access = typename decltype(args.out)::access_type;
  Records<Word, Access> other{scratch.template vector<Word>(spare), {}};
  if (payload) other.payload = scratch.template vector<Word>(spare);
  sort_by_digits(fork, Records<const Word, Access>{args.in, args.payload_in},
                 Records<Word, Access>{args.out, args.payload_out}, other, digits, buffers);
}

struct lsd_radix {
  static constexpr std::string_view idea =
      "radix sort, least significant digit first, digits of at most 11 bits through a line a bucket";
  static constexpr std::string_view source = "Knuth, TAOCP 3, 5.2.5; buffers: Satish et al. 2010";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&, Index width) {
    return digits_scratch_bytes(shape["n"], static_cast<std::uint64_t>(shape["range"]),
                                Op::template Args<>::has_payload, width);
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    sort_by_digits(fork, args);
  }
};

}  // namespace tallcache::cpu::counting_sort
