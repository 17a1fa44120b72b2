#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The hardware follows a stream up to the end of its page. One page ahead by hand: 0.91 to 0.74 ns a key for
// counting digits, 1.47 to 0.75 for counting residues; 1 and 8 KB gain less.
template <class T>
HWY_INLINE void prefetch_page_ahead(const T* data) {
  hwy::Prefetch(reinterpret_cast<const char*>(data) + 4096);
}

// Keys in a row that share a bucket are handled at once, for their counter or position is one chain of loads
// that each wait for a store. Most rows are told by their ends.
inline constexpr Index row = 16;

template <class Key>
HWY_INLINE bool share_bucket(const Key* keys, Digit digit) {
  const Word bucket = digit(keys[0]);
  if (digit(keys[row - 1]) != bucket) return false;
  bool all = true;
  for (Index j = 1; j < row - 1; ++j) all &= digit(keys[j]) == bucket;
  return all;
}

template <Index tables, class Key>
HWY_INLINE void count_in_tables(const Key* keys, Index n, Digit digit, Index buckets, Word* table,
                                Word* counts) {
  std::fill_n(table, tables * buckets, 0);
  Index i = 0;
  for (; i + row <= n; i += row) {
    prefetch_page_ahead(keys + i);
    if (share_bucket(keys + i, digit)) {
      table[digit(keys[i])] += row;
      continue;
    }
    for (Index j = 0; j < row; ++j) ++table[j % tables * buckets + digit(keys[i + j])];
  }
  for (; i < n; ++i) ++table[digit(keys[i])];
  for (Index b = 0; b < buckets; ++b) {
    Word sum = 0;
    for (Index t = 0; t < tables; ++t) sum += table[t * buckets + b];
    counts[b] = sum;
  }
}

template <class Key>
HWY_INLINE void count_digits_of(const Key* keys, Index n, Digit digit, Index buckets, Word* tables,
                                Word* counts) {
  if (tables_of(buckets) == 4)
    count_in_tables<4>(keys, n, digit, buckets, tables, counts);
  else
    count_in_tables<1>(keys, n, digit, buckets, tables, counts);
}

void CountDigits16(const std::uint16_t* keys, Index n, Digit digit, Index buckets, Word* tables,
                   Word* counts) {
  count_digits_of(keys, n, digit, buckets, tables, counts);
}
void CountDigits32(const Word* keys, Index n, Digit digit, Index buckets, Word* tables, Word* counts) {
  count_digits_of(keys, n, digit, buckets, tables, counts);
}

// `count` words, whole lines, from a line to a line.
template <bool stream, Index count>
HWY_INLINE void flush(const Word* from, Word* to) {
  const hn::CappedTag<Word, 16> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    if constexpr (stream)
      hn::Stream(hn::Load(d, from + i), d, to + i);
    else
      hn::StoreU(hn::Load(d, from + i), d, to + i);
}

// The elements between the line that `data` lies on and `data`.
template <class T>
HWY_INLINE Word skew_of(const T* data) {
  return static_cast<Word>(reinterpret_cast<std::uintptr_t>(data) % line_bytes / sizeof(T));
}

template <bool stream, bool with_payload, class Residue>
HWY_INLINE void partition_chunk(const Chunk<Residue> c) {
  constexpr Word line = per_line<Residue>;
  constexpr Index line_words = line_bytes / sizeof(Word);
  const Word keep = c.keep;
  const Digit digit = c.digit;
  Word* const HWY_RESTRICT position = c.position;
  // Positions count from the line on which the output begins.
  const Word skew = skew_of(c.residues);
  Residue* const residues = c.residues - skew;
  Word* const payload_out = c.payload_out - (with_payload ? skew : 0);
  for (Index b = 0; b < c.buckets; ++b) position[b] = c.begin[b] + skew;

  // What of bucket b's line lies in [from, to) of the output.
  const auto store_part = [&](std::size_t b, Word from, Word to) {
    for (Word p = from; p < to; ++p) {
      residues[p] = c.lines[b * line + p % line];
      if constexpr (with_payload) payload_out[p] = c.payload_lines[b * line + p % line];
    }
  };
  const auto flush_line = [&](std::size_t b, Word end) HWY_ATTR {
    const Word from = end - line;
    if (from < c.begin[b] + skew) return store_part(b, c.begin[b] + skew, end);
    flush<stream, line_words>(reinterpret_cast<const Word*>(c.lines + b * line),
                              reinterpret_cast<Word*>(residues + from));
    if constexpr (with_payload) flush<stream, line>(c.payload_lines + b * line, payload_out + from);
  };
  const auto append = [&](std::size_t b, Word& p, Index i) HWY_ATTR {
    c.lines[b * line + p % line] = static_cast<Residue>(c.keys[i] & keep);
    if constexpr (with_payload) c.payload_lines[b * line + p % line] = c.payload[i];
    if (++p % line == 0) flush_line(b, p);
  };

  Index i = 0;
  for (; i + row <= c.size; i += row) {
    prefetch_page_ahead(c.keys + i);
    if constexpr (with_payload) prefetch_page_ahead(c.payload + i);
    if (share_bucket(c.keys + i, digit)) {
      const std::size_t b = digit(c.keys[i]);
      Word p = position[b];
      for (Index j = 0; j < row; ++j) append(b, p, i + j);
      position[b] = p;
    } else {
      for (Index j = 0; j < row; ++j) append(digit(c.keys[i + j]), position[digit(c.keys[i + j])], i + j);
    }
  }
  for (; i < c.size; ++i) append(digit(c.keys[i]), position[digit(c.keys[i])], i);
  for (Index b = 0; b < c.buckets; ++b) {
    store_part(static_cast<std::size_t>(b), std::max(position[b] / line * line, c.begin[b] + skew),
               position[b]);
    position[b] -= skew;
  }
  hwy::FlushStream();
}

template <class Residue>
HWY_INLINE void partition_any(const Chunk<Residue>& c) {
  if (!c.payload) return partition_chunk<true, false>(c);
  const bool stream = skew_of(c.payload_out - skew_of(c.residues)) == 0;
  stream ? partition_chunk<true, true>(c) : partition_chunk<false, true>(c);
}

void Partition16(const Chunk<std::uint16_t>& chunk) { partition_any(chunk); }
void Partition32(const Chunk<Word>& chunk) { partition_any(chunk); }

template <class Counter>
HWY_INLINE void count_residues(const std::uint16_t* residues, Index n, Index width, Counter* counters) {
  constexpr Index line = per_line<std::uint16_t>;
  std::fill_n(counters, width, Counter{0});
  Index i = 0;
  for (; i + line <= n; i += line) {
    prefetch_page_ahead(residues + i);
    for (Index j = 0; j < line; ++j) ++counters[residues[i + j]];
  }
  for (; i < n; ++i) ++counters[residues[i]];
}

HWY_INLINE Word* fill_run(Word* out, Word count, Word value) {
  const hn::ScalableTag<Word> d;
  const auto copies = hn::Set(d, value);
  Word i = 0;
  for (; i + hn::Lanes(d) <= count; i += static_cast<Word>(hn::Lanes(d))) hn::StoreU(copies, d, out + i);
  for (; i < count; ++i) out[i] = value;
  return out + count;
}

void ExpandRuns(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to) {
  if (from >= to) return;
  Index v = std::upper_bound(begin, begin + width, static_cast<Word>(from)) - begin - 1;
  for (Word* p = out + from; p < out + to; ++v) {
    const Index end = std::min(v + 1 < width ? Index{begin[v + 1]} : n, to);
    p = fill_run(p, static_cast<Word>(out + end - p), first + static_cast<Word>(v));
  }
}

// The runs of a histogram of bytes. With about a key a value, counts are as random as can be: a vector of
// copies is stored whatever the count, and the next run overwrites what was too many. Returns the end of what
// it wrote, at most `end`.
HWY_INLINE Word* expand_bytes(const std::uint8_t* counts, Index width, Word first, Word* out, Word* end) {
  const hn::CappedTag<Word, 8> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const std::uint64_t large = 0x0101010101010101u * static_cast<std::uint64_t>(256 - lanes);
  const auto one = hn::Set(d, Word{1});
  for (Index v = 0; v < width; v += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, counts + v, sizeof eight);
    if (eight == 0) continue;
    if ((eight & large) == 0 && end - out >= 8 * lanes) {
      auto copies = hn::Set(d, first + static_cast<Word>(v));
      for (Index j = 0; j < 8; ++j) {
        hn::StoreU(copies, d, out);
        out += counts[v + j];
        copies = hn::Add(copies, one);
      }
    } else {
      for (Index j = 0; j < 8; ++j) out = fill_run(out, counts[v + j], first + static_cast<Word>(v + j));
    }
  }
  return out;
}

// A count that wraps leaves the runs short by 256 keys or more, which their end shows.
bool SortResidues(const std::uint16_t* residues, Index n, Index width, Word first, Word* out,
                  std::uint8_t* counters) {
  count_residues(residues, n, width, counters);
  return expand_bytes(counters, width, first, out, out + n) == out + n;
}

void SortResiduePairs(const std::uint16_t* residues, const Word* payload, Index n, Index width, Word first,
                      Word* out, Word* payload_out, Word* counters) {
  count_residues(residues, n, width, counters);
  Word sum = 0;
  for (Index v = 0; v < width; ++v) {
    const Word count = counters[v];
    counters[v] = sum;
    sum += count;
  }
  for (Index i = 0; i < n; ++i) {
    const Word p = counters[residues[i]]++;
    out[p] = first + residues[i];
    payload_out[p] = payload[i];
  }
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(CountDigits16);
HWY_EXPORT(CountDigits32);
HWY_EXPORT(Partition16);
HWY_EXPORT(Partition32);
HWY_EXPORT(SortResidues);
HWY_EXPORT(SortResiduePairs);
HWY_EXPORT(ExpandRuns);

void count_digits(const std::uint16_t* keys, Index n, Digit digit, Index buckets, Word* tables,
                  Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountDigits16)(keys, n, digit, buckets, tables, counts);
}
void count_digits(const Word* keys, Index n, Digit digit, Index buckets, Word* tables, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountDigits32)(keys, n, digit, buckets, tables, counts);
}
void partition(const Chunk<std::uint16_t>& chunk) { HWY_DYNAMIC_DISPATCH(Partition16)(chunk); }
void partition(const Chunk<Word>& chunk) { HWY_DYNAMIC_DISPATCH(Partition32)(chunk); }
bool sort_residues(const std::uint16_t* residues, Index n, Index width, Word first, Word* out,
                   std::uint8_t* counters) {
  return HWY_DYNAMIC_DISPATCH(SortResidues)(residues, n, width, first, out, counters);
}
void sort_residues(const std::uint16_t* residues, const Word* payload, Index n, Index width, Word first,
                   Word* out, Word* payload_out, Word* counters) {
  HWY_DYNAMIC_DISPATCH(SortResiduePairs)
  (residues, payload, n, width, first, out, payload_out, counters);
}
void expand_runs(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to) {
  HWY_DYNAMIC_DISPATCH(ExpandRuns)(begin, width, n, first, out, from, to);
}

}  // namespace tallcache::cpu::counting_sort
#endif
