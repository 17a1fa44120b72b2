// Counting sort by recursion on the range: a pass sends the keys to buckets of neighbouring values, whole
// lines past the caches, until a bucket's values are so few that 16 bits tell them apart; each bucket is then
// counted and its runs written out in order.
#pragma once

#include <bit>

#include "cpu/counting_sort/lsd_radix.hpp"

namespace tallcache::cpu::counting_sort {

/// How the recursion cuts the bits of a range, from the top: first | second | leaf. With one level `second`
/// is 0. None of these numbers is a cache's: a leaf has at most the values of a 16-bit residue, and at least
/// 2^12 of them, so that its counters and runs outweigh its call.
struct RangeBits {
  int bits, first, second, leaf;

  /// 2^10 buckets while leaves can be smaller: of 10^7 keys, 1.3 ns each to 611 buckets, 1.5 to 1221, 1.7 to
  /// 2442. Up to 2^12 once leaves cannot: one pass of 2 10^8 keys to 3052 buckets takes 2.1 ns, to 12208
  /// ones 3.4, and two passes of half the bits each, with a histogram for the second, 3.4.
  explicit constexpr RangeBits(std::uint64_t range) : bits(static_cast<int>(std::bit_width(range))) {
    leaf = std::clamp(bits - 10, 12, most_leaf);
    const int digits = std::max(bits - leaf, 0);
    second = digits > 12 ? digits / 2 : 0;
    first = digits - second;
  }
  static constexpr int most_leaf = 16;

  constexpr Index first_buckets() const { return Index{1} << first; }
  constexpr Index second_buckets() const { return Index{1} << second; }
  constexpr Index leaf_values() const { return Index{1} << leaf; }
};

enum class Way { histogram, buckets, digits };

/// Which way n keys in [0, range] go. Few different values (16 bits): one histogram of them all; pairs, by
/// digits. A range of more than 8 values a key: by digits, for a bucket's values take longer to walk over
/// than its keys.
inline Way way_of(Index n, std::uint64_t range, bool payload) {
  if (RangeBits(range).bits <= RangeBits::most_leaf) return payload ? Way::digits : Way::histogram;
  return range / 8 < static_cast<std::uint64_t>(n) ? Way::buckets : Way::digits;
}

/// Groups of buckets that are sorted side by side: four times as many as threads, for stealing to even out.
constexpr Index groups_of(Index width) { return width == 1 ? 1 : 4 * width; }

/// The n keys `first` + v, v < values, in order: a histogram, and the output cut into even parts, each of
/// which writes the runs that reach into it.
template <class Fork, class Key, class Access>
void sort_by_histogram(Fork& fork, VectorView<Key, Access> keys, VectorView<Word, Access> out, Word first,
                       Index values, const Rooms<Access>& rooms) {
  locate_digits(fork, keys, Digit{0}, values, rooms);
  const auto begin = row_of(rooms.count, 0).block(0, values);
  const Index n = keys.size, parts = rooms.count.rows;
  fork.loop(0, parts, 1, [=](Index part) {
    const Index from = block_begin(n, parts, part), to = block_begin(n, parts, part + 1);
    reads(begin);
    expand_runs(begin.data, values, n, first, out.data, from, to);
    writes(out.block(from, to - from));
  });
}

template <class Access, bool with_payload>
class BucketedStreaming {
  using Residue = std::uint16_t;

 public:
  static std::size_t scratch(Index n, std::uint64_t range, Index width) {
    const RangeBits bits(range);
    const Index groups = groups_of(width);
    const std::size_t keys = checked_product(static_cast<std::size_t>(n), sizeof(Residue), "residues");
    return scratch_bytes(
        {rooms_bytes(width, bits.first_buckets(), first_words(bits)),
         rooms_bytes(bits.second ? groups : 0, bits.second_buckets(), bucket_words<Residue>(with_payload)),
         rooms_bytes(groups, bits.leaf_values(), stage_words), keys, with_payload ? 2 * keys : 0});
  }

  template <class Args>
  BucketedStreaming(const Args& args, Index width)
      : bits_(args.range), width_(width), n_(args.in.size), out_{args.out, args.payload_out} {
    auto scratch = args.scratch;
    first_ = take_rooms(scratch, width, bits_.first_buckets(), first_words(bits_));
    second_ = take_rooms(scratch, bits_.second ? groups_of(width) : 0, bits_.second_buckets(),
                         bucket_words<Residue>(with_payload));
    leaf_ = take_rooms(scratch, groups_of(width), bits_.leaf_values(), stage_words);
    residues_.keys = scratch.template vector<Residue>(n_);
    if (with_payload) residues_.payload = scratch.template vector<Word>(n_);
  }

  template <class Fork>
  void sort(Fork& fork, Records<const Word, Access> in) const {
    const Digit digit{bits_.second + bits_.leaf};
    const Word keep = (Word{1} << digit.shift) - 1;
    // With two levels the output is where the keys lie between them.
    if (bits_.second)
      partition(fork, in, out_, digit, bits_.first_buckets(), keep, first_);
    else
      partition(fork, in, residues_, digit, bits_.first_buckets(), keep, first_);
    sort_buckets(fork, n_, row_of(first_.count, 0).block(0, bits_.first_buckets()), 0,
                 [=, this](auto& branch, Index b, Index begin, Index size, Index group) {
                   const Word first = static_cast<Word>(b) << digit.shift;
                   if (bits_.second)
                     sort_bucket(branch, first, begin, size, group);
                   else
                     sort_leaf(branch, first, begin, size, group);
                 });
  }

 private:
  // Of a leaf, for each of its values.
  static constexpr Index stage_words = with_payload ? 2 * staged_pairs(1) : 0;

  static Index first_words(RangeBits bits) {
    return bits.second ? bucket_words<Word>(with_payload) : bucket_words<Residue>(with_payload);
  }

  // The rooms of what runs alone in `group`, or on all threads.
  template <class Fork>
  Rooms<Access> rooms_of(const Rooms<Access>& rooms, Index group) const {
    return std::is_same_v<Fork, Serial> ? rooms.block(group, 1) : rooms.block(0, width_);
  }

  // body(fork, b, begin, size, group) for each bucket of n keys, the first of which are at count[b]. One so
  // large that a group of buckets would wait for it goes before the others, on all threads.
  template <class Fork, class Count, class Body>
  void sort_buckets(Fork& fork, Index n, Count count, Index group, Body body) const {
    const auto begin_of = [=](Index b) { return b < count.size ? Index{count[b]} : n; };
    if constexpr (std::is_same_v<Fork, Serial>) {
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
      // A group's buckets are those that begin in its share of the keys, not of the range, for keys are
      // skewed.
      fork.loop(0, groups, 1, [=](Index g) {
        Serial serial;
        const Index from = block_begin(n, groups, g), to = block_begin(n, groups, g + 1);
        for (Index b = 0; b < count.size; ++b)
          if (const Index begin = begin_of(b), end = begin_of(b + 1);
              from <= begin && begin < to && begin < end && end - begin <= share)
            body(serial, b, begin, end - begin, g);
      });
    }
  }

  // A bucket of the first of two levels, in the output.
  template <class Fork>
  void sort_bucket(Fork& fork, Word first, Index begin, Index size, Index group) const {
    const auto rooms = rooms_of<Fork>(second_, group);
    partition(fork, Records<const Word, Access>(out_.block(begin, size)), residues_.block(begin, size),
              Digit{bits_.leaf}, bits_.second_buckets(), (Word{1} << bits_.leaf) - 1, rooms);
    sort_buckets(fork, size, row_of(rooms.count, 0).block(0, bits_.second_buckets()), group,
                 [=, this](auto& branch, Index b, Index leaf_begin, Index leaf_size, Index leaf_group) {
                   sort_leaf(branch, first + (static_cast<Word>(b) << bits_.leaf), begin + leaf_begin,
                             leaf_size, leaf_group);
                 });
  }

  template <class Fork>
  void sort_leaf(Fork& fork, Word first, Index begin, Index size, Index group) const {
    const auto residues = residues_.block(begin, size);
    const auto out = out_.block(begin, size);
    const auto rooms = rooms_of<Fork>(leaf_, group);
    const Index values = bits_.leaf_values();
    if constexpr (with_payload) {
      reads(residues);
      sort_residues(residues.keys.data, residues.payload.data, size, values, first, out.keys.data,
                    out.payload.data, rooms.tables.data, rooms.lines.data);
      writes(out);
    } else {
      // Bytes hold the counts of most buckets, of four times as many values in the same room.
      if (std::is_same_v<Fork, Serial> && size <= 64 * values) {
        reads(residues);
        const bool sorted = sort_residues(residues.keys.data, size, values, first, out.keys.data,
                                          reinterpret_cast<std::uint8_t*>(rooms.tables.data));
        writes(out);
        if (sorted) return;
      }
      sort_by_histogram(fork, residues.keys, out.keys, first, values, rooms);
    }
  }

  RangeBits bits_;
  Index width_, n_;
  Records<Word, Access> out_;
  Rooms<Access> first_, second_, leaf_;
  Records<Residue, Access> residues_;
};

struct bucketed_streaming {
  static constexpr std::string_view idea =
      "whole lines past the caches to buckets of neighbouring values; a bucket's runs from its counts";
  static constexpr std::string_view source = "M8: bucketing the input; buffers: Satish et al. 2010";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;
  static constexpr bool parallel = true;
  static constexpr Pages scratch_pages = Pages::huge;

  template <class Op>
  static std::size_t scratch(Op, const Shape& shape, const Params&, Index width) {
    constexpr bool payload = Op::template Args<>::has_payload;
    const Index n = shape["n"];
    const auto range = static_cast<std::uint64_t>(shape["range"]);
    switch (way_of(n, range, payload)) {
      case Way::histogram:
        return rooms_bytes(width, static_cast<Index>(range) + 1, 0);
      case Way::buckets:
        return BucketedStreaming<Plain, payload>::scratch(n, range, width);
      default:
        return digits_scratch_bytes(n, range, payload, width);
    }
  }

  template <class Fork, class Args>
  static void run(Fork& fork, const Args& args, const Params&) {
    constexpr bool payload = Args::has_payload;
    const Way way = way_of(args.in.size, args.range, payload);
    if (way == Way::digits) return sort_by_digits(fork, args);
    if (way == Way::buckets)
      return BucketedStreaming<decltype(args.out.access), payload>(args, fork.width())
          .sort(fork, {args.in, args.payload_in});
    auto scratch = args.scratch;
    const Index values = Index{args.range} + 1;
    if constexpr (!payload)
      sort_by_histogram(fork, args.in, args.out, 0, values, take_rooms(scratch, fork.width(), values, 0));
  }
};

}  // namespace tallcache::cpu::counting_sort
