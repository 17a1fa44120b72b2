// Counting sort by recursion on the range. A pass sends the keys to buckets of neighbouring values. It writes
// whole lines past the caches to blocks that a bucket takes as it grows. The recursion ends when 16 bits tell
// a bucket's values apart. Each bucket is then counted, and its runs are written in order.
#pragma once

#include <bit>

#include "common/fork/fork.hpp"
#include "cpu/counting_sort/easy_keys.hpp"
#include "cpu/counting_sort/heavy_buckets.hpp"
#include "cpu/counting_sort/lsd_radix.hpp"
#include "cpu/counting_sort/wide_keys.hpp"

namespace tallcache::cpu::counting_sort {

/// How the recursion divides the bits of a range, from the top: first | second | leaf. With one level
/// `second` is 0. No number here depends on a cache: a leaf has at most the values of a 16-bit residue, and
/// at least 2^12 of them, so that its counters and runs outweigh its call.
struct RangeBits {
  int bits, first, second, leaf;

  /// 2^10 buckets while leaves can be smaller, and 2^12 for pairs, whose leaves are slower the larger they
  /// are. At most 2^14 buckets where leaves cannot be smaller; beyond that, two passes of half the bits
  /// each (TUNING.md).
  constexpr RangeBits(std::uint64_t range, bool payload) : bits(static_cast<int>(std::bit_width(range))) {
    leaf = std::clamp(bits - (payload ? 12 : 10), 12, max_leaf);
    const int digits = std::max(bits - leaf, 0);
    second = digits > 14 ? digits / 2 : 0;
    first = digits - second;
  }
  static constexpr int max_leaf = 16;

  constexpr Index first_buckets() const { return Index{1} << first; }
  constexpr Index second_buckets() const { return Index{1} << second; }
  constexpr Index leaf_values() const { return Index{1} << leaf; }
};

enum class SortStrategy { comparisons, histogram, buckets, digits };

/// Chooses how n keys in [0, range] are sorted. Few in their range, they are compared; but pairs that exceed
/// the caches are sorted by digits, as their payload would be fetched at random. So are many pairs of few
/// different keys. Pairs are for a histogram where 16 bits tell their positions apart.
inline SortStrategy sort_strategy(Index n, std::uint64_t range, bool payload) {
  constexpr Index cached_pairs = 1 << 19;
  const bool one_leaf = RangeBits(range, payload).bits <= RangeBits::max_leaf;
  if (are_few_in_range(n, range))
    return payload && n > cached_pairs ? SortStrategy::digits : SortStrategy::comparisons;
  if (!payload && fits_histogram(n, range)) return SortStrategy::histogram;
  if (!one_leaf) return SortStrategy::buckets;
  return n > staged_pairs ? SortStrategy::digits : SortStrategy::histogram;
}

/// The scratch of sort_few_pairs(): counters of 16 bits, as half as many lines hold them, and a stage.
template <class Access>
struct FewPairs {
  VectorView<std::uint16_t, Access> counters;
  VectorView<Word, Access> stage;

  static Index width(Index values) { return (values + 3) / 4 * 4; }
  static std::size_t scratch(Index n, Index values) {
    return scratch_bytes({static_cast<std::size_t>(width(values)) * sizeof(std::uint16_t),
                          static_cast<std::size_t>(n) * sizeof(Pair)});
  }
  FewPairs(Index n, Index values, Scratch<Access>& scratch)
      : counters(scratch.template vector<std::uint16_t>(width(values))),
        stage(scratch.template vector<Word>(2 * n)) {}
};

template <class Args>
void sort_few_pairs(const Args& args) {
  auto scratch = args.scratch;
  const Index n = args.in.size;
  const FewPairs<typename decltype(args.out)::access_type> to(n, Index{args.range} + 1, scratch);
  reads(args.in), writes(to.counters);
  reads(args.in), reads(to.counters), reads(args.payload_in), writes(to.stage);
  sort_few_pairs(args.in.data, args.payload_in.data, n, to.counters.size, args.out.data,
                 args.payload_out.data, to.counters.data, to.stage.data);
  reads(to.stage), writes(args.out), writes(args.payload_out);
}

template <class Access, bool with_payload>
class BucketedStreaming {
  using Element = std::conditional_t<with_payload, Pair, Residue>;

  // The result of spread(): `size` keys in `rows` chunks of blocks.
  struct Buckets {
    Index size, rows, buckets, first_block;

    // The first block of chunk c.
    Word block_of(Index c) const {
      if (c == rows) return no_block;
      return static_cast<Word>(first_block + block_begin(size, rows, c) / block_size<Element> + c * buckets);
    }
  };

 public:
  static std::size_t scratch(Index n, std::uint64_t range, Index width) {
    const RangeBits bits(range, with_payload);
    const Index groups = groups_of(width), blocks = pool_blocks(bits, n, width);
    return scratch_bytes(
        {partition_buffer_bytes(width, bits.first_buckets(), first_words(bits)),
         partition_buffer_bytes(bits.second ? groups : 0, bits.second_buckets(), line_words),
         partition_buffer_bytes(groups, bits.leaf_values(), stage_words),
         checked_product(static_cast<std::size_t>(blocks), block_size<Element> * sizeof(Element), "blocks"),
         checked_product(static_cast<std::size_t>(blocks), sizeof(Link), "links"),
         HeavyChunks<Access>::scratch(heavy_chunks(bits, width), bits.leaf_values())});
  }

  template <class Args>
  BucketedStreaming(const Args& args, Index width)
      : bits_(args.range, with_payload), width_(width), n_(args.in.size), out_{args.out, args.payload_out} {
    auto scratch = args.scratch;
    first_ = take_partition_buffers(scratch, width, bits_.first_buckets(), first_words(bits_));
    second_ = take_partition_buffers(scratch, bits_.second ? groups_of(width) : 0, bits_.second_buckets(),
                                     line_words);
    leaf_ = take_partition_buffers(scratch, groups_of(width), bits_.leaf_values(), stage_words);
    const Index blocks = pool_blocks(bits_, n_, width);
    blocks_ = scratch.template vector<Element>(blocks * block_size<Element>);
    links_ = scratch.template vector<Link>(blocks);
    heavy_ = HeavyChunks<Access>(heavy_chunks(bits_, width), bits_.leaf_values(), scratch);
  }

  template <class Fork>
  void sort(Fork& fork, Records<const Word, Access> in) const {
    const int shift = bits_.second + bits_.leaf;
    const Index buckets = bits_.first_buckets();
    const auto begin = row_of(first_.count, 0).block(0, buckets);
    if (bits_.second) {
      // The output is where the keys lie between the two levels.
      partition(fork, in, out_, Digit{shift}, buckets, (Word{1} << shift) - 1, first_);
      sort_buckets(fork, n_, begin, 0,
                   [this](auto& branch, Index b, Index bucket_begin, Index size, Index group) {
                     this->sort_bucket(branch, b, bucket_begin, size, group);
                   });
    } else {
      const Buckets all{n_, width_, buckets, 0};
      spread(fork, in, shift, all, first_);
      sort_buckets(fork, n_, begin, 0,
                   [=, this](auto& branch, Index b, Index leaf_begin, Index size, Index group) {
                     sort_leaf(branch, all, b, static_cast<Word>(b) << bits_.leaf, leaf_begin, size, group);
                   });
    }
  }

 private:
  static constexpr Index line_words = write_buffer_size<Element> * static_cast<Index>(sizeof(Element)) / 4;
  // Words of a leaf's stage for each value.
  static constexpr Index stage_words = with_payload ? counting_sort::stage_words(1) : 0;

  static Index first_words(RangeBits bits) { return bits.second ? bucket_words(with_payload) : line_words; }
  static Index pool_blocks(RangeBits bits, Index n, Index width) {
    return n / block_size<Element> +
           (bits.second ? groups_of(width) * bits.second_buckets() : width * bits.first_buckets());
  }

  // The values of heavy buckets are counted at once where these buckets are leaves of keys alone.
  static Index heavy_chunks(RangeBits bits, Index width) { return with_payload || bits.second ? 0 : width; }

  // The buffers for serial work in `group`, or for work on all threads.
  template <class Fork>
  PartitionBuffers<Access> buffers_of(const Fork& fork, const PartitionBuffers<Access>& buffers,
                                      Index group) const {
    return is_serial(fork) ? buffers.block(group, 1) : buffers.block(0, width_);
  }

  // Sends `in` stably to the buckets key >> shift. Afterwards buffers.count(0, b) is the beginning of bucket
  // b in the order of the buckets.
  template <class Fork>
  void spread(Fork& fork, Records<const Word, Access> in, int shift, const Buckets& to,
              const PartitionBuffers<Access>& buffers) const {
    const auto count = buffers.count.block(0, 0, to.rows, to.buckets);
    fork.blocks(to.rows, [=, this](Index c) {
      const Index begin = block_begin(in.keys.size, to.rows, c);
      const auto chunk = in.block(begin, block_begin(in.keys.size, to.rows, c + 1) - begin);
      reads(chunk);
      counting_sort::spread(
          Spread<Element>{.keys = chunk.keys.data,
                          .payload = chunk.payload.data,
                          .size = chunk.keys.size,
                          .shift = shift,
                          .buckets = to.buckets,
                          .blocks = blocks_.data,
                          .links = links_.data,
                          .first_block = to.block_of(c),
                          .next_chunk = to.block_of(c + 1),
                          .counts = row_of(count, c).data,
                          .targets = row_of(buffers.tables, c).data,
                          .lines = reinterpret_cast<Element*>(row_of(buffers.lines, c).data),
                          .heavy = heavy_.begin(c)});
      for (Index b = 0; b < to.buckets; ++b) touch(chain(to, c, b), [](auto block) { writes(block); });
      writes(row_of(count, c));
    });
    prefix_sums(fork, count, buffers.total);
  }

  // The blocks of chunk c in bucket b, and those of chunk c and all later ones.
  Chain<Element> chain(const Buckets& in, Index c, Index b) const {
    const auto head = [&](Index chunk) { return in.block_of(chunk) + static_cast<Word>(b); };
    return {blocks_.data, links_.data, head(c), c + 1 < in.rows ? head(c + 1) : no_block};
  }
  Chain<Element> bucket(const Buckets& in, Index b) const {
    const Word head = in.block_of(0) + static_cast<Word>(b);
    return {blocks_.data, links_.data, head, no_block, b + 1 < in.buckets ? head + 1 : no_block};
  }

  // Calls touch(block) with the used part of each block of a chain.
  template <class Touch>
  void touch(const Chain<Element>& chain, Touch touch) const {
    if constexpr (!std::is_same_v<Access, Plain>)
      for (Word at = chain.head; at != chain.end; at = links_.data[at].next)
        touch(blocks_.block(Index{at} * block_size<Element>, links_.data[at].size));
  }

  // Calls body(fork, b, begin, size, group) for each bucket of n keys; bucket b begins at count[b]. A bucket
  // so large that a group of buckets would wait for it is sorted first, on all threads.
  template <class Fork, class Count, class Body>
  void sort_buckets(Fork& fork, Index n, Count count, Index group, Body body) const {
    const auto begin_of = [=](Index b) { return b < count.size ? Index{count[b]} : n; };
    if (is_serial(fork)) {
      Index begin = 0;
      for (Index b = 0; b < count.size; ++b) {
        const Index end = begin_of(b + 1);
        if (begin < end) body(fork, b, begin, end - begin, group);
        begin = end;
      }
    } else {
      const Index groups = groups_of(width_), share = n / groups;
      for (Index b = 0; b < count.size; ++b)
        if (const Index begin = begin_of(b), end = begin_of(b + 1); end - begin > share)
          body(fork, b, begin, end - begin, group);
      // A group's buckets are those that begin in its share of the keys, not of the range, because keys may
      // be skewed.
      fork.blocks(groups, [=](Index g) {
        Serial serial;
        const Index from = block_begin(n, groups, g), to = block_begin(n, groups, g + 1);
        for (Index b = 0; b < count.size; ++b)
          if (const Index begin = begin_of(b), end = begin_of(b + 1);
              from <= begin && begin < to && begin < end && end - begin <= share)
            body(serial, b, begin, end - begin, g);
      });
    }
  }

  // Sorts a bucket of the first of two levels. Its keys lie in the output.
  template <class Fork>
  void sort_bucket(Fork& fork, Index b, Index begin, Index size, Index group) const {
    const auto buffers = buffers_of(fork, second_, group);
    const Index buckets = bits_.second_buckets();
    const Buckets parts{size, buffers.count.rows, buckets, begin / block_size<Element> + group * buckets};
    spread(fork, Records<const Word, Access>(out_.block(begin, size)), bits_.leaf, parts, buffers);
    sort_buckets(fork, size, row_of(buffers.count, 0).block(0, buckets), group,
                 [=, this](auto& branch, Index leaf, Index leaf_begin, Index leaf_size, Index leaf_group) {
                   sort_leaf(branch, parts, leaf, static_cast<Word>(b * buckets + leaf) << bits_.leaf,
                             begin + leaf_begin, leaf_size, leaf_group);
                 });
  }

  template <class Fork>
  void sort_leaf(Fork& fork, const Buckets& parts, Index b, Word first, Index begin, Index size,
                 Index group) const {
    const auto out = out_.block(begin, size);
    const auto buffers = buffers_of(fork, leaf_, group);
    const Index values = bits_.leaf_values();
    const auto leaf = bucket(parts, b);
    const auto read = [](auto block) { reads(block); };
    if constexpr (with_payload) {
      touch(leaf, read);
      if (!is_serial(fork) && parts.rows > 1 && size > staged_pairs)
        return share_pairs(fork, parts, b, first, out, buffers);
      sort_pairs(leaf, size, values, first, out.keys.data, out.payload.data, buffers.count.data,
                 buffers.tables.data, buffers.lines.data);
      writes(out);
    } else {
      // Counters of a byte suffice for most buckets, and four times as many values fit into the same memory.
      if (is_serial(fork) && size <= most_keys_in_bytes(values) && !heavy_.has(b)) {
        touch(leaf, read);
        sort_residues(leaf, values, first, out.keys.data, byte_counters(buffers.tables.data, values));
        return writes(out);
      }
      const auto count = buffers.count.block(0, 0, std::min(buffers.count.rows, parts.rows), values);
      fork.blocks(count.rows, [=, this](Index c) {
        const auto part = count.rows < parts.rows ? leaf : chain(parts, c, b);
        touch(part, read);
        count_residues(part, values, row_of(count, c).data);
        writes(row_of(count, c));
      });
      heavy_.add(fork, b, row_of(count, 0));
      prefix_sums(fork, count, buffers.total);
      write_runs(fork, row_of(count, 0), out.keys, first, count.rows);
    }
  }

  // A large leaf of pairs: each chunk's pairs on a thread of their own.
  template <class Fork>
  void share_pairs(Fork& fork, const Buckets& parts, Index b, Word first, Records<Word, Access> out,
                   const PartitionBuffers<Access>& buffers) const requires with_payload {
    const Index values = bits_.leaf_values();
    const auto count = buffers.count.block(0, 0, parts.rows, values);
    fork.blocks(parts.rows, [=, this](Index c) {
      count_pairs(chain(parts, c, b), values, row_of(count, c).data);
      writes(row_of(count, c));
    });
    prefix_sums(fork, count, buffers.total);
    write_runs(fork, row_of(count, 0), out.keys, first, parts.rows);
    fork.blocks(parts.rows, [=, this](Index c) {
      reads(row_of(count, c));
      scatter_payload(chain(parts, c, b), values, row_of(count, c).data, row_of(buffers.tables, c).data,
                      row_of(buffers.lines, c).data, out.payload.data);
    });
    writes(out.payload);
  }

  RangeBits bits_;
  Index width_, n_;
  Records<Word, Access> out_;
  PartitionBuffers<Access> first_, second_, leaf_;
  VectorView<Element, Access> blocks_;
  VectorView<Link, Access> links_;
  HeavyChunks<Access> heavy_;
};

struct bucketed_streaming {
  static constexpr std::string_view idea =
      "whole lines past the caches to buckets of neighbouring values; a bucket's runs from its counts";
  static constexpr std::string_view source = "M8: bucketing the input; buffers: Satish et al. 2010";
  static constexpr std::string_view uses = "Highway: keys few in their range (vqsort)";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&, Index width) {
    constexpr bool payload = Op::template Args<>::has_payload;
    const Index n = shape["n"];
    const auto range = static_cast<std::uint64_t>(shape["range"]);
    const Index values = static_cast<Index>(range) + 1;
    switch (sort_strategy(n, range, payload)) {
      case SortStrategy::histogram:
        return payload ? FewPairs<Plain>::scratch(n, values)
                       : partition_buffer_bytes(chunks_of(n, values, width), values, 0);
      case SortStrategy::buckets:
        return BucketedStreaming<Plain, payload>::scratch(
            n, range, chunks_of(n, RangeBits(range, payload).first_buckets(), width));
      case SortStrategy::comparisons:
        return ByComparisons<payload>::scratch(n);
      default:
        return digits_scratch_bytes(n, range, payload, width);
    }
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    constexpr bool payload = Args::has_payload;
    if (sort_easy_keys(fork, args)) return;
    const SortStrategy strategy = sort_strategy(args.in.size, args.range, payload);
    if (strategy == SortStrategy::comparisons) return ByComparisons<payload>::sort(fork, args);
    if (strategy == SortStrategy::digits) return sort_by_digits(fork, args);
    if (strategy == SortStrategy::buckets) {
      const Index buckets = RangeBits(args.range, payload).first_buckets();
      return BucketedStreaming<typename decltype(args.out)::access_type, payload>(
                 args, chunks_of(args.in.size, buckets, fork.width()))
          .sort(fork, {args.in, args.payload_in});
    }
    if constexpr (payload) {
      sort_few_pairs(args);
    } else {
      auto scratch = args.scratch;
      const Index values = Index{args.range} + 1, chunks = chunks_of(args.in.size, values, fork.width());
      sort_by_histogram(fork, args.in, values, args.out, take_partition_buffers(scratch, chunks, values, 0));
    }
  }
};

}  // namespace tallcache::cpu::counting_sort
