#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

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

template <Index count = row, class Key>
HWY_INLINE bool share_bucket(const Key* keys, Digit digit) {
  const auto bucket_of = [=](Key key) { return digit(static_cast<Word>(key)); };
  const Word bucket = bucket_of(keys[0]);
  if (HWY_LIKELY(bucket_of(keys[count - 1]) != bucket)) return false;
  bool all = true;
  for (Index j = 1; j < count - 1; ++j) all &= bucket_of(keys[j]) == bucket;
  return all;
}

template <class T>
inline constexpr Index per_line = line_bytes / static_cast<Index>(sizeof(T));

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

// `count` words, whole lines, from a line to a line.
template <bool stream, std::size_t count>
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

// What of bucket b's line, of `line` words, lies in [from, to) of the output.
template <Word line, bool with_payload>
HWY_INLINE void store_part(const Chunk& c, std::size_t b, Word from, Word to) {
  for (Word p = from; p < to; ++p) {
    c.keys_out[p] = c.lines[b * line + p % line];
    if constexpr (with_payload) c.payload_out[p] = c.payload_lines[b * line + p % line];
  }
}

// Key i to bucket b, whose next position is `position`.
template <Word line, bool stream, bool with_payload>
HWY_INLINE void append(const Chunk& c, Word skew, std::size_t b, Word& position, Word key, Index i) {
  Word* const keys = c.lines + b * line;
  Word* const payload = with_payload ? c.payload_lines + b * line : nullptr;
  const Word at = position % line, end = ++position;
  keys[at] = key & c.keep;
  if constexpr (with_payload) payload[at] = c.payload[i];
  if (end % line != 0) return;
  if (const Word from = end - line, begin = c.begin[b] + skew; HWY_LIKELY(from >= begin)) {
    flush<stream, line>(keys, c.keys_out + from);
    if constexpr (with_payload) flush<stream, line>(payload, c.payload_out + from);
  } else {
    store_part<line, with_payload>(c, b, begin, end);
  }
}

// Positions count from the line on which the output begins: how far it is before the output.
template <bool with_payload>
HWY_INLINE Word begin_on_line(Chunk& c) {
  const Word skew = skew_of(c.keys_out);
  c.keys_out -= skew;
  if constexpr (with_payload) c.payload_out -= skew;
  for (Index b = 0; b < c.buckets; ++b) c.position[b] = c.begin[b] + skew;
  return skew;
}

template <Word line, bool with_payload>
HWY_INLINE void store_rest(const Chunk& c, Word skew) {
  for (Index b = 0; b < c.buckets; ++b) {
    const Word p = c.position[b];
    store_part<line, with_payload>(c, static_cast<std::size_t>(b),
                                   std::max(p / line * line, c.begin[b] + skew), p);
    c.position[b] = p - skew;
  }
  hwy::FlushStream();
}

template <bool stream, bool with_payload>
HWY_INLINE void partition_chunk(Chunk c) {
  constexpr Word line = gathered<Word>;
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

// The ends of a chunk's buckets: the lines that gather for them, how many elements those hold, and the blocks
// that they grow by. Of many buckets the last element of a line says how many it holds, until it is full, for
// a table of counts costs as much as the lines: 6 10^8 keys to 9156 buckets take 1.4 ns each instead of 2.5.
// Of few buckets (`crowded`) counts lie apart and are taken for eight keys before these are stored: where
// keys near one another share a bucket, the processor learns to let the load of a count wait until all stores
// before it know where they go, which depends on the counts before. 10^7 keys to 30 buckets: 0.9 ns each
// instead of 1.2, to 7 buckets 1.1 instead of 1.6; with the counts in the lines 1.3 and 2.7.
template <class T, bool crowded>
class Ends {
 public:
  static constexpr std::size_t line = crowded ? gathered<T> : gathered_by_many<T>;

  explicit Ends(const Spread<T>& c)
      : lines_(c.lines), blocks_(c.blocks), links_(c.links), counts_(c.counts), targets_(c.targets) {}

  HWY_INLINE void begin(std::size_t b, Word block) const {
    if (!crowded) line_of(b)[line - 1] = 0;
    counts_[b] = 0;
    targets_[b] = block * block_lines;
  }
  // The place of bucket b's next element, of few buckets.
  HWY_INLINE std::size_t reserve(std::size_t b) const requires crowded {
    return b * line + counts_[b]++ % line;
  }
  // That element to its place; where its block is then full, `next` follows.
  HWY_INLINE void put(std::size_t at, T element, Word& next) const {
    lines_[at] = element;
    if (HWY_UNLIKELY((at + 1) % line == 0)) flush_full_line(at / line, next);
  }
  HWY_INLINE void append(std::size_t b, T element, Word& next) const {
    if constexpr (crowded) {
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
  // `count` elements, the i-th of which is element(i).
  template <class Element>
  HWY_INLINE void append(std::size_t b, Index count, Element element, Word& next) const {
    T* const to = line_of(b);
    std::size_t at = held(b);
    for (Index i = 0; i < count; ++i) {
      to[at++] = element(i);
      if (at < line) continue;
      flush_full_line(b, next);
      at = 0;
    }
    if constexpr (crowded)
      counts_[b] += static_cast<Word>(count);
    else
      to[line - 1] = static_cast<T>(at);
  }
  // So many, which are whole lines, to a bucket whose line is empty and is so afterwards.
  template <class Element>
  HWY_INLINE void append_lines(std::size_t b, Index count, Element element, Word& next) const {
    T* const to = line_of(b);
    for (Index i = 0; i < count; i += Index{line}) {
      for (std::size_t j = 0; j < line; ++j) to[j] = element(i + static_cast<Index>(j));
      flush_full_line(b, next);
    }
    if constexpr (crowded)
      counts_[b] += static_cast<Word>(count);
    else
      to[line - 1] = 0;
  }
  // What is left in the line leaves; afterwards `then` follows the bucket's last block.
  HWY_INLINE void end(std::size_t b, Word then) const {
    const auto rest = static_cast<Word>(held(b));
    if (rest > 0) flush_line(b);
    const Word size = targets_[b] % block_lines * static_cast<Word>(line) + rest;
    links_[targets_[b] / block_lines] = {then, size};
    if (!crowded) counts_[b] += size;
  }

 private:
  static constexpr Word block_lines = block_size<T> / line;

  HWY_INLINE T* line_of(std::size_t b) const { return lines_ + b * line; }
  HWY_INLINE std::size_t held(std::size_t b) const {
    return crowded ? counts_[b] % line : static_cast<std::size_t>(line_of(b)[line - 1]);
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
    if (!crowded) counts_[b] += block_size<T>;
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

// Each of the keys to its bucket's end; `next` is the first block that is free, and what it is afterwards is
// returned. Locals, not members of `c`, which the compiler reads again after each store; and all of a row at
// once: 1.4 to 1.1 ns a key.
template <class T, bool crowded>
HWY_NOINLINE Word append_keys(const Spread<T>& c, const Word* keys, const Word* payload, Index size,
                              Word next) {
  const Ends<T, crowded> ends(c);
  const int shift = c.shift;
  const auto bucket_of = [=](Index i) HWY_ATTR { return std::size_t{keys[i] >> shift}; };
  const auto element = [=](Index i) HWY_ATTR { return element_of<T>(keys, payload, i); };
  const auto append = [=, &next](Index i) HWY_ATTR { ends.append(bucket_of(i), element(i), next); };
  // Out of line, for it takes registers from the loop: 0.1 ns a key.
  const auto append_row = [=, &next](Index begin) HWY_NOINLINE HWY_ATTR {
    const auto in_row = [=](Index i) HWY_ATTR { return element(begin + i); };
    ends.append(bucket_of(begin), row, in_row, next);
  };
  Index i = 0;
  for (; i + row <= size; i += row) {
    prefetch_page_ahead(keys + i);
    if constexpr (std::is_same_v<T, Pair>) prefetch_page_ahead(payload + i);
    if (HWY_UNLIKELY(share_bucket(keys + i, Digit{shift}))) {
      append_row(i);
      continue;
    }
    if constexpr (crowded) {
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

// What a sample of the keys tells: the buckets of a third of them or more, at most two, for a third of 128 is
// 43; and whether two of the other keys share a bucket as often as if there were less than 48 of them.
struct Sample {
  static constexpr Index size = 128;
  Index heavies = 0;
  Word heavy[2];
  bool crowded = false;

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
        heavy[heavies++] = *run, others -= count;
      else
        pairs += count * (count - 1);
    }
    crowded = 384 * pairs > others * (others - 1);
  }
};

// Keys that were sifted from others, with their payload.
struct Sifted {
  static constexpr Index block = 512, most_lanes = 16, room = block + 128 + most_lanes;
  Index size = 0;
  alignas(64) Word keys[room], payload[room];

  void drop(Index count) {
    std::copy(keys + count, keys + size, keys);
    std::copy(payload + count, payload + size, payload);
    size -= count;
  }
};

// A heavy bucket's cursor is one chain of loads that each wait for a store, some 5 cycles a key. Its keys are
// told by one comparison of a vector of keys, and leave for its line together: 10^7 keys of zipf_1.0, of
// which 60 % share a bucket, are sorted in 2.4 ns each instead of 3.2, keys of two values in 1.5 instead
// of 3.0.
template <class T, bool crowded, Index heavies>
HWY_NOINLINE Word append_sifted(const Spread<T>& c, const Word* buckets, Word next) {
  constexpr bool with_payload = std::is_same_v<T, Pair>;
  constexpr auto line = static_cast<Index>(Ends<T, crowded>::line);
  const hn::CappedTag<Word, Sifted::most_lanes> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const Ends<T, crowded> ends(c);
  Sifted heavy[heavies], others;
  const auto sift = [=](Index from, hn::Mask<decltype(d)> mask, Sifted& to) HWY_ATTR {
    hn::StoreU(hn::Compress(hn::LoadU(d, c.keys + from), mask), d, to.keys + to.size);
    if constexpr (with_payload)
      hn::StoreU(hn::Compress(hn::LoadU(d, c.payload + from), mask), d, to.payload + to.size);
    to.size += static_cast<Index>(hn::CountTrue(d, mask));
  };
  Index i = 0;
  while (i + lanes <= c.size) {
    const Index end = std::min(i + Sifted::block, c.size);
    for (; i + lanes <= end; i += lanes) {
      prefetch_page_ahead(c.keys + i);
      if constexpr (with_payload) prefetch_page_ahead(c.payload + i);
      const auto bucket = hn::ShiftRightSame(hn::LoadU(d, c.keys + i), c.shift);
      const auto first = hn::Eq(bucket, hn::Set(d, buckets[0]));
      auto any = first;
      sift(i, first, heavy[0]);
      if constexpr (heavies == 2) {
        const auto second = hn::Eq(bucket, hn::Set(d, buckets[1]));
        any = hn::Or(first, second);
        sift(i, second, heavy[1]);
      }
      sift(i, hn::Not(any), others);
    }
    for (Index h = 0; h < heavies; ++h) {
      const Index whole = heavy[h].size / line * line;
      const auto element = [=, keys = heavy[h].keys, payload = heavy[h].payload](Index j)
                               HWY_ATTR { return element_of<T>(keys, payload, j); };
      ends.append_lines(buckets[h], whole, element, next);
      heavy[h].drop(whole);
    }
    const Index rows = others.size / row * row;
    next = append_keys<T, crowded>(c, others.keys, others.payload, rows, next);
    others.drop(rows);
  }
  for (const Sifted& h : heavy) next = append_keys<T, crowded>(c, h.keys, h.payload, h.size, next);
  next = append_keys<T, crowded>(c, others.keys, others.payload, others.size, next);
  return append_keys<T, crowded>(c, c.keys + i, with_payload ? c.payload + i : nullptr, c.size - i, next);
}

template <class T, bool crowded>
HWY_INLINE void spread_chunk(const Spread<T>& c, const Sample& sample) {
  const Ends<T, crowded> ends(c);
  const auto buckets = static_cast<std::size_t>(c.buckets);
  Word next = c.first_block;
  for (std::size_t b = 0; b < buckets; ++b) ends.begin(b, next++);
  if (sample.heavies == 0)
    append_keys<T, crowded>(c, c.keys, c.payload, c.size, next);
  else if (sample.heavies == 1)
    append_sifted<T, crowded, 1>(c, sample.heavy, next);
  else
    append_sifted<T, crowded, 2>(c, sample.heavy, next);
  for (std::size_t b = 0; b < buckets; ++b)
    ends.end(b, c.next_chunk == no_block ? no_block : c.next_chunk + static_cast<Word>(b));
  hwy::FlushStream();
}

template <class T>
HWY_INLINE void spread_chunk(const Spread<T>& c) {
  const Sample sample(c.keys, c.size, c.shift);
  sample.crowded ? spread_chunk<T, true>(c, sample) : spread_chunk<T, false>(c, sample);
}

void SpreadResidues(const Spread<Residue>& chunk) { spread_chunk(chunk); }
void SpreadPairs(const Spread<Pair>& chunk) { spread_chunk(chunk); }

// Fetches the lines from block `at` on, one a call. A leaf's pairs are fetched while those before it are put
// in order, which waits for no memory.
template <class T>
class LinesAhead {
 public:
  LinesAhead(const Chain<T>& chain, Word at) : chain_(chain), at_(at) {}

  HWY_INLINE void fetch() {
    if (HWY_UNLIKELY(at_ == no_block)) return;
    hwy::Prefetch(chain_.blocks + std::size_t{at_} * block_size<T> + begin_);
    begin_ += per_line<T>;
    if (begin_ < chain_.links[at_].size) return;
    at_ = chain_.links[at_].next;
    begin_ = 0;
  }

 private:
  const Chain<T> chain_;
  Word at_;
  Index begin_ = 0;
};

// The block that is read after the chain's first one.
template <class T>
HWY_INLINE Word second_block(const Chain<T>& chain) {
  const Word next = chain.links[chain.head].next;
  return next == no_block ? chain.following : next;
}

// f(elements, count) for each line of the chain, as lines from block `fetched` on are fetched; a block's last
// line may have less than a line's elements.
template <class T, class F>
HWY_INLINE void for_each_line(const Chain<T>& chain, Word fetched, F f) {
  LinesAhead<T> ahead(chain, fetched);
  for (Word at = chain.head; at != chain.end;) {
    const auto [next, size] = chain.links[at];
    const T* const elements = chain.blocks + std::size_t{at} * block_size<T>;
    Index i = 0;
    for (; i + per_line<T> <= size; i += per_line<T>) {
      ahead.fetch();
      f(elements + i, per_line<T>);
    }
    if (i < size) f(elements + i, size - i);
    at = next;
  }
}

// f(element) for each of the chain.
template <class T, class F>
HWY_INLINE void for_each(const Chain<T>& chain, Word fetched, F f) {
  const auto each = [=](const T* elements, Index count) HWY_ATTR {
    if (HWY_UNLIKELY(count < per_line<T>)) {
      for (Index j = 0; j < count; ++j) f(elements[j]);
    } else {
      HWY_UNROLL(8)
      for (Index j = 0; j < per_line<T>; ++j) f(elements[j]);
    }
  };
  for_each_line(chain, fetched, each);
}

template <class T, class Counter>
HWY_INLINE void count_values(const Chain<T>& chain, Index width, Counter* counters) {
  std::fill_n(counters, width, Counter{0});
  const auto mask = static_cast<std::size_t>(width - 1);
  const Digit value{0, static_cast<Word>(mask)};
  const auto count_line = [=](const T* elements, Index count) HWY_ATTR {
    if (HWY_UNLIKELY(count < per_line<T>)) {
      for (Index j = 0; j < count; ++j) ++counters[elements[j] & mask];
    } else if (HWY_UNLIKELY(share_bucket<per_line<T>>(elements, value))) {
      counters[elements[0] & mask] += per_line<T>;
    } else {
      HWY_UNROLL(8)
      for (Index j = 0; j < per_line<T>; ++j) ++counters[elements[j] & mask];
    }
  };
  for_each_line(chain, second_block(chain), count_line);
}

void CountResidues(const Chain<Residue>& chain, Index width, Word* counts) {
  count_values(chain, width, counts);
}

// Vectors at either end may overlap the aligned ones between them.
HWY_INLINE Word* fill_run(Word* out, Word count, Word value) {
  const hn::ScalableTag<Word> d;
  const auto lanes = static_cast<Word>(hn::Lanes(d));
  Word* const end = out + count;
  if (count < lanes) return std::fill_n(out, count, value);
  const auto copies = hn::Set(d, value);
  hn::StoreU(copies, d, out);
  out += lanes - reinterpret_cast<std::uintptr_t>(out) / sizeof(Word) % lanes;
  for (; out + lanes <= end; out += lanes) hn::Store(copies, d, out);
  hn::StoreU(copies, d, end - lanes);
  return end;
}

void ExpandRuns(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to) {
  if (from >= to) return;
  Index v = std::upper_bound(begin, begin + width, static_cast<Word>(from)) - begin - 1;
  for (Word* p = out + from; p < out + to; ++v) {
    const Index end = std::min(v + 1 < width ? Index{begin[v + 1]} : n, to);
    p = fill_run(p, static_cast<Word>(out + end - p), first + static_cast<Word>(v));
  }
}

// Residues on their way to `out`, where `first` is added to them: gathered so that they leave in whole lines
// past the caches.
class Stage {
 public:
  Stage(Word* out, Word first)
      : first_(first), line_(out - skew_of(out)), begin_(skew_of(out)), end_(begin_) {}

  // Room for `slack` residues.
  HWY_INLINE std::uint16_t* room() { return residues_ + end_; }
  HWY_INLINE void take(std::uint64_t count) {
    end_ += static_cast<Word>(count);
    if (end_ >= spill) drain_lines();
  }
  // Everything to the output; where it ends there.
  Word* drain() {
    drain_lines();
    store_part(end_);
    return line_ + end_;
  }
  static constexpr Word slack = 8 * 255 + 16, line = line_bytes / sizeof(Word);

 private:
  void store_part(Word end) {
    for (Word i = begin_; i < end; ++i) line_[i] = first_ + residues_[i];
  }
  void drain_lines() {
    const Word whole = end_ / line * line;
    if (whole == 0) return;
    Word from = 0;
    if (begin_ > 0) {
      store_part(line);
      from = line;
    }
    const hn::CappedTag<Word, line> d;
    const hn::Rebind<std::uint16_t, decltype(d)> narrow;
    const auto first = hn::Set(d, first_);
    for (; from < whole; from += static_cast<Word>(hn::Lanes(d)))
      hn::Stream(hn::Add(hn::PromoteTo(d, hn::Load(narrow, residues_ + from)), first), d, line_ + from);
    std::copy_n(residues_ + whole, line, residues_);
    line_ += whole;
    begin_ = 0;
    end_ -= whole;
  }

  static constexpr Word spill = 1024;
  alignas(64) std::uint16_t residues_[spill + slack + line]{};
  Word first_;
  Word* line_;  // of the output, to which residues_[0] goes
  Word begin_, end_;
};

// The runs of a histogram of bytes. With about a key a value, counts are as random as can be: a vector of
// copies is stored whatever the count, and the next run overwrites what was too many. One product gives the
// ends of eight runs, so that none waits for the one before it, and copies of 16 bits straddle half as many
// lines as of 32: 0.82 to 0.47 ns a value. Returns the end of what it wrote.
HWY_INLINE Word* expand_bytes(const std::uint8_t* counts, Index width, Word first, Word* out) {
  const hn::CappedTag<std::uint16_t, 8> d;
  const hn::CappedTag<std::uint16_t, 16> long_run;
  constexpr std::uint64_t ones = 0x0101010101010101u;
  const std::uint64_t large = ones * (256 - hn::Lanes(d));
  const auto one = hn::Set(d, std::uint16_t{1});
  Stage stage(out, first);
  for (Index v = 0; v < width; v += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, counts + v, sizeof eight);
    if (eight == 0) continue;
    if (HWY_LIKELY((eight & large) == 0)) {
      const std::uint64_t ends = eight * ones;
      auto copies = hn::Set(d, static_cast<std::uint16_t>(v));
      std::uint16_t* const to = stage.room();
      hn::StoreU(copies, d, to);
      for (int run = 0; run < 7; ++run) {
        copies = hn::Add(copies, one);
        hn::StoreU(copies, d, to + (ends >> 8 * run & 255));
      }
      stage.take(ends >> 56);
    } else {
      std::uint16_t* to = stage.room();
      for (Index j = 0; j < 8; ++j) {
        const auto copies_of_j = hn::Set(long_run, static_cast<std::uint16_t>(v + j));
        for (std::size_t i = 0; i < counts[v + j]; i += hn::Lanes(long_run))
          hn::StoreU(copies_of_j, long_run, to + i);
        to += counts[v + j];
      }
      stage.take(static_cast<std::uint64_t>(to - stage.room()));
    }
  }
  Word* const end = stage.drain();
  hwy::FlushStream();
  return end;
}

// A count that wraps leaves the runs short by 256 keys or more, which their end shows. Of many keys a value
// the counts' sum shows it before the runs are written: 10^5 keys of zipf_1.0, 2.7 to 2.4 ns each.
bool SortResidues(const Chain<Residue>& chain, Index n, Index width, Word first, Word* out,
                  std::uint8_t* counters) {
  count_values(chain, width, counters);
  if (n > 8 * width && std::accumulate(counters, counters + width, Index{0}) != n) return false;
  return expand_bytes(counters, width, first, out) == out + n;
}

// n pairs (key, payload) apart, past the caches where both parts begin alike on their lines.
HWY_INLINE void stream_pairs(const Word* pairs, Index n, Word mask, Word first, Word* keys, Word* payload) {
  const hn::CappedTag<Word, 16> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  const auto one_by_one = [&](Index end) {
    for (; i < end; ++i) keys[i] = first + (pairs[2 * i] & mask), payload[i] = pairs[2 * i + 1];
  };
  if (skew_of(keys) == skew_of(payload)) {
    one_by_one(std::min<Index>(n, (line_bytes / sizeof(Word) - skew_of(keys)) % (line_bytes / sizeof(Word))));
    for (; i + lanes <= n; i += lanes) {
      hn::Vec<decltype(d)> key, load;
      hn::LoadInterleaved2(d, pairs + 2 * i, key, load);
      hn::Stream(hn::Add(hn::And(key, hn::Set(d, mask)), hn::Set(d, first)), d, keys + i);
      hn::Stream(load, d, payload + i);
    }
    hwy::FlushStream();
  }
  one_by_one(n);
}

// Where each value's pairs begin, in place of their counts, four values at once.
HWY_INLINE void locate(std::uint16_t* counters, Index width) {
  constexpr std::uint64_t ones = 0x0001000100010001u;
  std::uint64_t begin = 0;
  for (Index v = 0; v < width; v += 4) {
    std::uint64_t four;
    std::memcpy(&four, counters + v, sizeof four);
    const std::uint64_t ends = four * ones;
    const std::uint64_t begins = (ends << 16) + begin * ones;
    std::memcpy(counters + v, &begins, sizeof begins);
    begin += ends >> 48;
  }
}

// A bucket of about a key a value is put in order in the stage and leaves in whole lines, for its scattered
// stores would each fetch a line from memory: 4.9 against 2.8 ns a pair for 10^7 of them in leaves of 14
// bits. Where values have many keys, the keys are runs, and the payload leaves through a line a value: 6 10^7
// pairs in 1 % of their range are sorted in 7.2 ns each, with two lines a value in 8.4.
void SortPairs(const Chain<Pair>& chain, Index n, Index width, Word first, Word* out, Word* payload_out,
               Word* counters, Word* positions, Word* stage) {
  const auto mask = static_cast<std::size_t>(width - 1);
  if (n <= staged_pairs) {
    auto* const narrow = reinterpret_cast<std::uint16_t*>(counters);
    count_values(chain, width, narrow);
    locate(narrow, width);
    for_each(chain, chain.following, [=](Pair pair) {
      std::memcpy(stage + 2 * std::size_t{narrow[pair & mask]++}, &pair, sizeof pair);
    });
    stream_pairs(stage, n, static_cast<Word>(mask), first, out, payload_out);
    return;
  }
  count_values(chain, width, counters);
  Word sum = 0;
  for (Index v = 0; v < width; ++v) {
    const Word count = counters[v];
    counters[v] = sum;
    sum += count;
    out = fill_run(out, count, first + static_cast<Word>(v));
  }
  constexpr auto line = static_cast<Word>(per_line<Word>);
  Chunk payload{};
  payload.keep = ~Word{0};
  payload.buckets = width;
  payload.begin = counters;
  payload.position = positions;
  payload.keys_out = payload_out;
  payload.lines = stage;
  const Word skew = begin_on_line<false>(payload);
  for_each(chain, second_block(chain), [=](Pair pair) HWY_ATTR {
    const std::size_t v = pair & mask;
    append<line, true, false>(payload, skew, v, payload.position[v], static_cast<Word>(pair >> 32), 0);
  });
  store_rest<line, false>(payload, skew);
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(CountDigits);
HWY_EXPORT(Partition);
HWY_EXPORT(SpreadResidues);
HWY_EXPORT(SpreadPairs);
HWY_EXPORT(CountResidues);
HWY_EXPORT(SortResidues);
HWY_EXPORT(SortPairs);
HWY_EXPORT(ExpandRuns);

void count_digits(const Word* keys, Index n, Digit digit, Index buckets, Word* tables, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountDigits)(keys, n, digit, buckets, tables, counts);
}
void partition(const Chunk& chunk) { HWY_DYNAMIC_DISPATCH(Partition)(chunk); }
void spread(const Spread<Residue>& chunk) { HWY_DYNAMIC_DISPATCH(SpreadResidues)(chunk); }
void spread(const Spread<Pair>& chunk) { HWY_DYNAMIC_DISPATCH(SpreadPairs)(chunk); }
void count_residues(const Chain<Residue>& chain, Index width, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountResidues)(chain, width, counts);
}
bool sort_residues(const Chain<Residue>& chain, Index n, Index width, Word first, Word* out,
                   std::uint8_t* counters) {
  return HWY_DYNAMIC_DISPATCH(SortResidues)(chain, n, width, first, out, counters);
}
void sort_pairs(const Chain<Pair>& chain, Index n, Index width, Word first, Word* out, Word* payload_out,
                Word* counters, Word* positions, Word* stage) {
  HWY_DYNAMIC_DISPATCH(SortPairs)
  (chain, n, width, first, out, payload_out, counters, positions, stage);
}
void expand_runs(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to) {
  HWY_DYNAMIC_DISPATCH(ExpandRuns)(begin, width, n, first, out, from, to);
}

}  // namespace tallcache::cpu::counting_sort
#endif
