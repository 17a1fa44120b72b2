// Radix sort, least significant digit first: a stable pass for each digit of the range.
#pragma once

#include <bit>

#include "cpu/counting_sort/streaming_partition.hpp"

namespace tallcache::cpu::counting_sort {

/// The digits of a key in [0, range]: as few as possible with at most 11 bits each, all of nearly the
/// same size.
struct RadixDigits {
  int bits, passes, digit_bits;

  explicit constexpr RadixDigits(std::uint64_t range)
      : bits(std::max(1, static_cast<int>(std::bit_width(range)))),
        passes((bits + 10) / 11),
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

/// Sorts `args` stably. The passes alternate between the output and the scratch, so that the last one ends in
/// the output. Each pass has a histogram of its own for each chunk, as the chunks' keys change between
/// passes. Keys are written through line buffers, as a plain scatter is slower (TUNING.md).
template <class Fork, class Args>
void sort_by_digits(Fork& fork, const Args& args) {
  constexpr bool payload = Args::has_payload;
  const RadixDigits digits(args.range);
  auto scratch = args.scratch;
  const Index chunks = chunks_of(args.in.size, digits.buckets(), fork.width());
  const auto buffers = take_partition_buffers(scratch, chunks, digits.buckets(), bucket_words(payload));
  const Index spare = digits.passes > 1 ? args.in.size : 0;
  const Records out{args.out, args.payload_out};
  Records<Word, typename decltype(args.out)::access_type> other{scratch.template vector<Word>(spare), {}};
  if (payload) other.payload = scratch.template vector<Word>(spare);
  for (int pass = 0; pass < digits.passes; ++pass) {
    const bool to_out = (digits.passes - pass) % 2 == 1;
    const Digit digit{pass * digits.digit_bits, static_cast<Word>(digits.buckets() - 1)};
    const auto go = [&](Records<const Word, typename decltype(args.out)::access_type> from) {
      partition(fork, from, to_out ? out : other, digit, digits.buckets(), ~Word{0}, buffers);
    };
    if (pass == 0)
      go(Records{args.in, args.payload_in});
    else
      go(to_out ? other : out);
  }
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
