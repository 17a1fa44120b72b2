#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_passes.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// The hardware prefetcher stops at the end of a page. Prefetching one page ahead continues the stream.
template <class T>
HWY_INLINE void prefetch_page_ahead(const T* data) {
  hwy::Prefetch(reinterpret_cast<const char*>(data) + 4096);
}

template <Index tables>
HWY_INLINE void count_in_tables(const Word* keys, Index n, Digit digit, Index buckets, Word* table,
                                Word* counts) {
  std::fill_n(table, tables * buckets, 0);
  Index i = 0;
  for (; i + row <= n; i += row) {
    prefetch_page_ahead(keys + i);
    if (tables == 1 && share_bucket(keys + i, digit)) {
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

void CountDigits(const Word* keys, Index n, Digit digit, Index buckets, Word* tables, Word* counts) {
  if (tables_of(buckets) == 4)
    count_in_tables<4>(keys, n, digit, buckets, tables, counts);
  else
    count_in_tables<1>(keys, n, digit, buckets, tables, counts);
}

template <bool stream, bool with_payload>
HWY_INLINE void partition_chunk(Chunk c) {
  constexpr Word line = write_buffer_size<Word>;
  const Word skew = begin_on_line<with_payload>(c);
  Index i = 0;
  for (; i + row <= c.size; i += row) {
    prefetch_page_ahead(c.keys + i);
    if constexpr (with_payload) prefetch_page_ahead(c.payload + i);
    if (share_bucket(c.keys + i, c.digit)) {
      const std::size_t b = c.digit(c.keys[i]);
      Word p = c.position[b];
      for (Index j = i; j < i + row; ++j) append<line, stream, with_payload>(c, skew, b, p, c.keys[j], j);
      c.position[b] = p;
      continue;
    }
    for (Index j = i; j < i + row; ++j) {
      const Word key = c.keys[j];
      const std::size_t b = c.digit(key);
      append<line, stream, with_payload>(c, skew, b, c.position[b], key, j);
    }
  }
  for (; i < c.size; ++i) {
    const std::size_t b = c.digit(c.keys[i]);
    append<line, stream, with_payload>(c, skew, b, c.position[b], c.keys[i], i);
  }
  store_rest<line, with_payload>(c, skew);
}

void Partition(const Chunk& c) {
  if (!c.payload) return partition_chunk<true, false>(c);
  const bool stream = skew_of(c.payload_out - skew_of(c.keys_out)) == 0;
  stream ? partition_chunk<true, true>(c) : partition_chunk<false, true>(c);
}

// The ends of a chunk's buckets: their line buffers, the number of elements in each, and the blocks by which
// they grow. With many buckets the last element of a line holds the line's count until the line is full, as a
// table of counts would cost as much as the lines. With few buckets (`few_buckets`) counts are stored apart,
// and the places of eight keys are reserved before these keys are stored: consecutive keys often share a
// bucket, and the load of a count would wait for the store before it. TUNING.md has the figures.
template <class T, bool few_buckets>
class BucketEnds {
 public:
  static constexpr std::size_t line = few_buckets ? write_buffer_size<T> : small_write_buffer_size<T>;

  explicit BucketEnds(const Spread<T>& c)
      : lines_(c.lines), blocks_(c.blocks), links_(c.links), counts_(c.counts), targets_(c.targets) {}

  HWY_INLINE void begin(std::size_t b, Word block) const {
    if (!few_buckets) line_of(b)[line - 1] = 0;
    counts_[b] = 0;
    targets_[b] = block * block_lines;
  }
  // Reserves the place of bucket b's next element. Only for few buckets.
  HWY_INLINE std::size_t reserve(std::size_t b) const requires few_buckets {
    return b * line + counts_[b]++ % line;
  }
  // Stores that element. Block `next` follows where the bucket's block is then full.
  HWY_INLINE void put(std::size_t at, T element, Word& next) const {
    lines_[at] = element;
    if (HWY_UNLIKELY((at + 1) % line == 0)) flush_full_line(at / line, next);
  }
  HWY_INLINE void append(std::size_t b, T element, Word& next) const {
    if constexpr (few_buckets) {
      put(reserve(b), element, next);
    } else {
      T* const to = line_of(b);
      const std::size_t at = to[line - 1];
      to[line - 1] = static_cast<T>(at + 1);
      to[at] = element;
      if (HWY_LIKELY(at != line - 1)) return;
      flush_full_line(b, next);
      to[line - 1] = 0;
    }
  }
  // Appends a row of elements, the i-th of which is element(i).
  template <class Element>
  HWY_INLINE void append_row(std::size_t b, Element element, Word& next) const {
    T* const to = line_of(b);
    std::size_t at = held(b);
    if (HWY_LIKELY(at + row <= line)) {
      for (Index i = 0; i < row; ++i) to[at + static_cast<std::size_t>(i)] = element(i);
      at += row;
      if (at == line) flush_full_line(b, next), at = 0;
    } else {
      for (Index i = 0; i < row; ++i) {
        to[at++] = element(i);
        if (at == line) flush_full_line(b, next), at = 0;
      }
    }
    if constexpr (few_buckets)
      counts_[b] += row;
    else
      to[line - 1] = static_cast<T>(at);
  }
  // Appends `count` elements, whole lines, to a bucket whose line buffer is empty before and after.
  template <class Element>
  HWY_INLINE void append_lines(std::size_t b, Index count, Element element, Word& next) const {
    T* const to = line_of(b);
    for (Index i = 0; i < count; i += Index{line}) {
      for (std::size_t j = 0; j < line; ++j) to[j] = element(i + static_cast<Index>(j));
      flush_full_line(b, next);
    }
    if constexpr (few_buckets)
      counts_[b] += static_cast<Word>(count);
    else
      to[line - 1] = 0;
  }
  // Writes the rest of the line buffer. Afterwards `then` follows the bucket's last block.
  HWY_INLINE void end(std::size_t b, Word then) const {
    const auto rest = static_cast<Word>(held(b));
    if (rest > 0) flush_line(b);
    const Word size = targets_[b] % block_lines * static_cast<Word>(line) + rest;
    links_[targets_[b] / block_lines] = {then, size};
    if (!few_buckets) counts_[b] += size;
  }

 private:
  static constexpr Word block_lines = block_size<T> / line;

  HWY_INLINE T* line_of(std::size_t b) const { return lines_ + b * line; }
  HWY_INLINE std::size_t held(std::size_t b) const {
    return few_buckets ? counts_[b] % line : static_cast<std::size_t>(line_of(b)[line - 1]);
  }
  HWY_INLINE void flush_line(std::size_t b) const {
    flush<true, line * sizeof(T) / sizeof(Word)>(
        reinterpret_cast<const Word*>(line_of(b)),
        reinterpret_cast<Word*>(blocks_ + std::size_t{targets_[b]} * line));
  }
  HWY_INLINE void flush_full_line(std::size_t b, Word& next) const {
    flush_line(b);
    if (HWY_LIKELY(++targets_[b] % block_lines != 0)) return;
    links_[targets_[b] / block_lines - 1] = {next, block_size<T>};
    if (!few_buckets) counts_[b] += block_size<T>;
    targets_[b] = next++ * block_lines;
  }

  T *lines_, *blocks_;
  Link* links_;
  Word* counts_;   // of many buckets: of the elements in full blocks
  Word* targets_;  // where in the pool, in lines, a bucket's line goes
};

template <class T>
HWY_INLINE T element_of(const Word* keys, const Word* payload, Index i) {
  if constexpr (std::is_same_v<T, Pair>)
    return keys[i] | Pair{payload[i]} << 32;
  else
    return static_cast<T>(keys[i]);
}

// Appends each key to its bucket. `next` is the first free block; its new value is returned. The loop
// uses locals, as the compiler would read members of `c` again after each store, and handles a row of
// keys at once.
template <class T, bool few_buckets>
HWY_NOINLINE Word append_keys(const Spread<T>& c, const Word* keys, const Word* payload, Index size,
                              Word next) {
  const BucketEnds<T, few_buckets> ends(c);
  const int shift = c.shift;
  const auto bucket_of = [=](Index i) HWY_ATTR { return std::size_t{keys[i] >> shift}; };
  const auto element = [=](Index i) HWY_ATTR { return element_of<T>(keys, payload, i); };
  const auto append = [=, &next](Index i) HWY_ATTR { ends.append(bucket_of(i), element(i), next); };
  // Out of line, as it would take registers from the loop.
  const auto append_row = [=, &next](Index begin) HWY_NOINLINE HWY_ATTR {
    const auto in_row = [=](Index i) HWY_ATTR { return element(begin + i); };
    ends.append_row(bucket_of(begin), in_row, next);
  };
  Index i = 0;
  for (; i + row <= size; i += row) {
    prefetch_page_ahead(keys + i);
    if constexpr (std::is_same_v<T, Pair>) prefetch_page_ahead(payload + i);
    if (HWY_UNLIKELY(share_bucket(keys + i, Digit{shift}))) {
      append_row(i);
      continue;
    }
    if constexpr (few_buckets) {
      HWY_UNROLL(row / 8)
      for (Index eight = i; eight < i + row; eight += 8) {
        std::size_t at[8];
        HWY_UNROLL(8)
        for (Index j = 0; j < 8; ++j) at[j] = ends.reserve(bucket_of(eight + j));
        HWY_UNROLL(8)
        for (Index j = 0; j < 8; ++j) ends.put(at[j], element(eight + j), next);
      }
    } else {
      HWY_UNROLL(row)
      for (Index j = i; j < i + row; ++j) append(j);
    }
  }
  for (; i < size; ++i) append(i);
  return next;
}

// The result of a sample of the keys: the buckets that hold a third of them or more, at most two (a third of
// 128 is 43), and whether the others are `few_buckets`: two of them share a bucket as often as with fewer
// than 384 even buckets.
struct Sample {
  static constexpr Index size = 128;
  Index heavy_count = 0;
  Word heavy[2];
  bool few_buckets = false;

  Sample(const Word* keys, Index n, int shift) {
    if (n < size) return;
    Word buckets[size];
    for (Index i = 0; i < size; ++i) buckets[i] = keys[n / size * i] >> shift;
    std::sort(buckets, buckets + size);
    Index others = size, pairs = 0;
    for (const Word *run = buckets, *end; run != buckets + size; run = end) {
      end = std::upper_bound(run, static_cast<const Word*>(buckets + size), *run);
      const Index count = end - run;
      if (3 * count >= size)
        heavy[heavy_count++] = *run, others -= count;
      else
        pairs += count * (count - 1);
    }
    few_buckets = 384 * pairs > others * (others - 1);
  }
};

// Keys that were selected from a block, behind the rest of those before: less than a line of them. One vector
// more than that is written.
template <bool with_payload>
struct CompressedKeys {
  static constexpr Index block = 512, max_lanes = 16,
                         capacity = block + write_buffer_size<Residue> + max_lanes;
  Index size = 0;
  alignas(64) Word keys[capacity], payload[with_payload ? capacity : 1];

  void drop(Index count) {
    std::copy(keys + count, keys + size, keys);
    if constexpr (with_payload) std::copy(payload + count, payload + size, payload);
    size -= count;
  }
};

// The count of a heavy bucket is one chain of loads that each wait for a store, about 5 cycles a key. Its
// keys are therefore selected by one comparison of a vector of keys, and appended to its line together.
template <class T, bool few_buckets, Index heavy_count>
HWY_NOINLINE Word append_compressed(const Spread<T>& c, const Word* buckets, Word next) {
  constexpr bool with_payload = std::is_same_v<T, Pair>;
  constexpr auto line = static_cast<Index>(BucketEnds<T, few_buckets>::line);
  using Keys = CompressedKeys<with_payload>;
  const hn::CappedTag<Word, Keys::max_lanes> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const BucketEnds<T, few_buckets> ends(c);
  Keys heavy[heavy_count], others;
  const auto compress = [=](Index from, hn::Mask<decltype(d)> mask, Keys& to) HWY_ATTR {
    hn::StoreU(hn::Compress(hn::LoadU(d, c.keys + from), mask), d, to.keys + to.size);
    if constexpr (with_payload)
      hn::StoreU(hn::Compress(hn::LoadU(d, c.payload + from), mask), d, to.payload + to.size);
    to.size += static_cast<Index>(hn::CountTrue(d, mask));
  };
  Index i = 0;
  while (i + lanes <= c.size) {
    const Index end = std::min(i + Keys::block, c.size);
    for (; i + lanes <= end; i += lanes) {
      prefetch_page_ahead(c.keys + i);
      if constexpr (with_payload) prefetch_page_ahead(c.payload + i);
      const auto bucket = hn::ShiftRightSame(hn::LoadU(d, c.keys + i), c.shift);
      const auto first = hn::Eq(bucket, hn::Set(d, buckets[0]));
      auto any = first;
      compress(i, first, heavy[0]);
      if constexpr (heavy_count == 2) {
        const auto second = hn::Eq(bucket, hn::Set(d, buckets[1]));
        any = hn::Or(first, second);
        compress(i, second, heavy[1]);
      }
      compress(i, hn::Not(any), others);
    }
    for (Index h = 0; h < heavy_count; ++h) {
      const Index whole = heavy[h].size / line * line;
      const auto element = [=, keys = heavy[h].keys, payload = heavy[h].payload](Index j)
                               HWY_ATTR { return element_of<T>(keys, payload, j); };
      ends.append_lines(buckets[h], whole, element, next);
      heavy[h].drop(whole);
    }
    const Index rows = others.size / row * row;
    next = append_keys<T, few_buckets>(c, others.keys, others.payload, rows, next);
    others.drop(rows);
  }
  for (const Keys& h : heavy) next = append_keys<T, few_buckets>(c, h.keys, h.payload, h.size, next);
  next = append_keys<T, few_buckets>(c, others.keys, others.payload, others.size, next);
  return append_keys<T, few_buckets>(c, c.keys + i, with_payload ? c.payload + i : nullptr, c.size - i, next);
}

template <class T, bool few_buckets>
HWY_INLINE void spread_chunk(const Spread<T>& c, const Sample& sample) {
  const BucketEnds<T, few_buckets> ends(c);
  const auto buckets = static_cast<std::size_t>(c.buckets);
  Word next = c.first_block;
  for (std::size_t b = 0; b < buckets; ++b) ends.begin(b, next++);
  if (sample.heavy_count == 0)
    append_keys<T, few_buckets>(c, c.keys, c.payload, c.size, next);
  else if (sample.heavy_count == 1)
    append_compressed<T, few_buckets, 1>(c, sample.heavy, next);
  else
    append_compressed<T, few_buckets, 2>(c, sample.heavy, next);
  for (std::size_t b = 0; b < buckets; ++b)
    ends.end(b, c.next_chunk == no_block ? no_block : c.next_chunk + static_cast<Word>(b));
  hwy::FlushStream();
}

template <class T>
HWY_INLINE void spread_chunk(const Spread<T>& c) {
  const Sample sample(c.keys, c.size, c.shift);
  sample.few_buckets ? spread_chunk<T, true>(c, sample) : spread_chunk<T, false>(c, sample);
}

void SpreadResidues(const Spread<Residue>& chunk) { spread_chunk(chunk); }
void SpreadPairs(const Spread<Pair>& chunk) { spread_chunk(chunk); }

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(CountDigits);
HWY_EXPORT(Partition);
HWY_EXPORT(SpreadResidues);
HWY_EXPORT(SpreadPairs);

void count_digits(const Word* keys, Index n, Digit digit, Index buckets, Word* tables, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountDigits)(keys, n, digit, buckets, tables, counts);
}
void partition(const Chunk& chunk) { HWY_DYNAMIC_DISPATCH(Partition)(chunk); }
void spread(const Spread<Residue>& chunk) { HWY_DYNAMIC_DISPATCH(SpreadResidues)(chunk); }
void spread(const Spread<Pair>& chunk) { HWY_DYNAMIC_DISPATCH(SpreadPairs)(chunk); }

}  // namespace tallcache::cpu::counting_sort
#endif
