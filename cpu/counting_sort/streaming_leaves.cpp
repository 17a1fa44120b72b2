#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_leaves.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// Prefetches the lines from block `at` on, one in each call. The pairs of the next leaf are fetched while
// those of this one are put in order, which accesses no memory.
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

// The block that follows the chain's first one.
template <class T>
HWY_INLINE Word second_block(const Chain<T>& chain) {
  const Word next = chain.links[chain.head].next;
  return next == no_block ? chain.following : next;
}

// Calls f(elements, count) for each line of the chain while the lines from block `fetched` on are prefetched.
// The last line of a block may be partial.
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

// Calls f(element) for each element of the chain.
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

// Runs of fewer words than this are written through the caches.
constexpr Word streamed_run = 256;

// The vectors at both ends may overlap the aligned ones between them.
HWY_INLINE Word* fill_run(Word* out, Word count, Word value) {
  const hn::ScalableTag<Word> d;
  const auto lanes = static_cast<Word>(hn::Lanes(d));
  Word* const end = out + count;
  if (count < lanes) return std::fill_n(out, count, value);
  const auto copies = hn::Set(d, value);
  hn::StoreU(copies, d, out);
  out += lanes - reinterpret_cast<std::uintptr_t>(out) / sizeof(Word) % lanes;
  if (count >= streamed_run)
    for (; out + lanes <= end; out += lanes) hn::Stream(copies, d, out);
  else
    for (; out + lanes <= end; out += lanes) hn::Store(copies, d, out);
  hn::StoreU(copies, d, end - lanes);
  return end;
}

// Runs of a few words: a vector of copies is stored whatever the count, and the next runs overwrite the excess. From
// value v on, as far as it lies before `to`. Returns the first value that is not written.
HWY_INLINE Index expand_short_runs(const Word* begin, Index width, Word first, Word* out, Index v, Index to) {
  const hn::CappedTag<Word, 8> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (; v + 1 < width && begin[v + 1] + lanes <= to; ++v) {
    const Word value = first + static_cast<Word>(v), count = begin[v + 1] - begin[v];
    hn::StoreU(hn::Set(d, value), d, out + begin[v]);
    if (HWY_UNLIKELY(count > lanes)) fill_run(out + begin[v], count, value);
  }
  return v;
}

void ExpandRuns(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to) {
  if (from >= to) return;
  constexpr Index few = 8;
  Index v = std::upper_bound(begin, begin + width, static_cast<Word>(from)) - begin - 1, at = from;
  const auto write_run = [&] {
    const Index end = std::min(v + 1 < width ? Index{begin[v + 1]} : n, to);
    fill_run(out + at, static_cast<Word>(end - at), first + static_cast<Word>(v++));
    at = end;
  };
  write_run();
  if (n < few * width && at < to) {
    v = expand_short_runs(begin, width, first, out, v, to);
    at = begin[v];
  }
  while (at < to) write_run();
  hwy::FlushStream();
}

// Buffers residues so that they are written to `out` in whole lines, past the caches where `stream`. `first` is added
// to each.
template <bool stream>
class Stage {
 public:
  Stage(Word* out, Word first)
      : first_(first), line_(out - skew_of(out)), begin_(skew_of(out)), end_(begin_) {}

  // Returns room for `slack` residues.
  HWY_INLINE std::uint16_t* free_space() { return residues_ + end_; }
  HWY_INLINE void take(std::uint64_t count) {
    end_ += static_cast<Word>(count);
    if (end_ >= spill) drain_lines();
  }
  // Writes everything to the output and returns its end.
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
    for (; from < whole; from += static_cast<Word>(hn::Lanes(d))) {
      const auto keys = hn::Add(hn::PromoteTo(d, hn::Load(narrow, residues_ + from)), first);
      if constexpr (stream)
        hn::Stream(keys, d, line_ + from);
      else
        hn::Store(keys, d, line_ + from);
    }
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

// Expands the runs of values [begin, end) of a histogram of bytes, both multiples of 8. With about a key a value the
// counts are unpredictable. A vector of copies is therefore stored whatever the count, and the next run overwrites the
// excess. One product gives the ends of eight runs, so that none waits for the one before it. Copies of 16 bits straddle
// half as many lines as copies of 32.
template <bool stream>
HWY_INLINE void expand_bytes(const std::uint8_t* counts, Index begin, Index end, Stage<stream>& stage) {
  const hn::CappedTag<std::uint16_t, 8> d;
  const hn::CappedTag<std::uint16_t, 16> long_run;
  constexpr std::uint64_t ones = 0x0101010101010101u;
  const std::uint64_t large = ones * (256 - hn::Lanes(d));
  const auto one = hn::Set(d, std::uint16_t{1});
  for (Index v = begin; v < end; v += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, counts + v, sizeof eight);
    if (eight == 0) continue;
    if (HWY_LIKELY((eight & large) == 0)) {
      const std::uint64_t ends = eight * ones;
      auto copies = hn::Set(d, static_cast<std::uint16_t>(v));
      std::uint16_t* const to = stage.free_space();
      hn::StoreU(copies, d, to);
      for (int run = 0; run < 7; ++run) {
        copies = hn::Add(copies, one);
        hn::StoreU(copies, d, to + (ends >> 8 * run & 255));
      }
      stage.take(ends >> 56);
    } else {
      std::uint16_t* to = stage.free_space();
      for (Index j = 0; j < 8; ++j) {
        const auto copies_of_j = hn::Set(long_run, static_cast<std::uint16_t>(v + j));
        for (std::size_t i = 0; i < counts[v + j]; i += hn::Lanes(long_run))
          hn::StoreU(copies_of_j, long_run, to + i);
        to += counts[v + j];
      }
      stage.take(static_cast<std::uint64_t>(to - stage.free_space()));
    }
  }
}

// The runs of values [begin, end) to `out`, with 256 more keys for each of the `wraps`, which are in order. Returns the
// end of the output; `wraps` is then behind those of these values.
template <bool stream>
HWY_INLINE Word* expand_wrapped(const std::uint8_t* counters, Index begin, Index end, const Word*& wraps,
                                const Word* wraps_end, Word first, Word* out) {
  Stage<stream> stage(out, first + static_cast<Word>(begin));
  const auto write = [&](Index v, Index count) HWY_ATTR {
    std::fill_n(stage.free_space(), count, static_cast<std::uint16_t>(v - begin));
    stage.take(static_cast<std::uint64_t>(count));
  };
  Index v = begin;
  while (wraps != wraps_end && *wraps < end) {
    const Index eight = *wraps / 8 * 8;
    expand_bytes(counters + begin, v - begin, eight - begin, stage);
    for (v = eight; v < eight + 8; ++v) {
      for (; wraps != wraps_end && *wraps == v; ++wraps) write(v, 256);
      write(v, counters[v]);
    }
  }
  expand_bytes(counters + begin, v - begin, end - begin, stage);
  return stage.drain();
}

// Counts in bytes. A value whose counter wraps has 256 keys more than that says; it is noted each time. Returns the end
// of these notes, in order.
Word* CountResiduesInBytes(const Chain<Residue>& chain, Index width, ByteCounters to) {
  std::fill_n(to.counters, width, std::uint8_t{0});
  Word* wraps_end = to.wraps;
  const auto mask = static_cast<std::size_t>(width - 1);
  for_each(chain, second_block(chain), [&](Residue residue) HWY_ATTR {
    const std::size_t v = residue & mask;
    if (HWY_UNLIKELY(++to.counters[v] == 0)) *wraps_end++ = static_cast<Word>(v);
  });
  std::sort(to.wraps, wraps_end);
  return wraps_end;
}

void WriteRunsOfBytes(ByteCounters from, const Word* wraps_end, Index width, Word first, Word* out) {
  const Word* wraps = from.wraps;
  expand_wrapped<true>(from.counters, 0, width, wraps, wraps_end, first, out);
  hwy::FlushStream();
}

void SortResidues(const Chain<Residue>& chain, Index width, Word first, Word* out, ByteCounters counters) {
  WriteRunsOfBytes(counters, CountResiduesInBytes(chain, width, counters), width, first, out);
}

// The same for an array of keys.
void SortInBytes(const Word* keys, Index n, Index values, Word* out, std::uint8_t* counters, Word* wraps) {
  constexpr Index segment = 1 << 16, cached = 1 << 16;
  const Index width = (values + 7) / 8 * 8;
  std::fill_n(counters, width, std::uint8_t{0});
  Word* wraps_end = wraps;
  const auto count = [&](Word key) HWY_ATTR {
    if (HWY_UNLIKELY(++counters[key] == 0)) *wraps_end++ = key;
  };
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    HWY_UNROLL(8)
    for (Index j = 0; j < 8; ++j) count(keys[i + j]);
  }
  for (; i < n; ++i) count(keys[i]);
  std::sort(wraps, wraps_end);
  const Word* next = wraps;
  for (Index begin = 0; begin < width; begin += segment) {
    const Index end = std::min(begin + segment, width);
    out = n > cached ? expand_wrapped<true>(counters, begin, end, next, wraps_end, 0, out)
                     : expand_wrapped<false>(counters, begin, end, next, wraps_end, 0, out);
  }
  hwy::FlushStream();
}

// Separates n pairs into keys and payload. Both are written past the caches where they have the same offset
// in their lines.
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

// Replaces the counts by the positions of each value's pairs, four values at once.
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

// The payload of value v goes to out + begin[v] and on, through one line buffer for each value.
void ScatterPayload(const Chain<Pair>& chain, Index width, const Word* begin, Word* positions, Word* stage,
                    Word* out) {
  constexpr auto line = static_cast<Word>(per_line<Word>);
  const auto mask = static_cast<std::size_t>(width - 1);
  Chunk payload{};
  payload.keep = ~Word{0};
  payload.buckets = width;
  payload.begin = begin;
  payload.position = positions;
  payload.keys_out = out;
  payload.lines = stage;
  const Word skew = begin_on_line<false>(payload);
  for_each(chain, second_block(chain), [=](Pair pair) HWY_ATTR {
    const std::size_t v = pair & mask;
    append<line, true, false>(payload, skew, v, payload.position[v], static_cast<Word>(pair >> 32), 0);
  });
  store_rest<line, false>(payload, skew);
}

// A bucket with about a key a value is put in order in the stage and written in whole lines, as its scattered
// stores would each fetch a line from memory. Where values have many keys, the keys are runs, and the payload
// is written through one line buffer for each value.
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
  ScatterPayload(chain, width, counters, positions, stage, payload_out);
}

void CountPairs(const Chain<Pair>& chain, Index width, Word* counts) { count_values(chain, width, counts); }

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(CountResidues);
HWY_EXPORT(SortResidues);
HWY_EXPORT(CountResiduesInBytes);
HWY_EXPORT(SortInBytes);
HWY_EXPORT(WriteRunsOfBytes);
HWY_EXPORT(SortPairs);
HWY_EXPORT(CountPairs);
HWY_EXPORT(ScatterPayload);
HWY_EXPORT(ExpandRuns);

void count_residues(const Chain<Residue>& chain, Index width, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountResidues)(chain, width, counts);
}
void sort_residues(const Chain<Residue>& chain, Index width, Word first, Word* out, ByteCounters counters) {
  HWY_DYNAMIC_DISPATCH(SortResidues)(chain, width, first, out, counters);
}
Word* count_residues_in_bytes(const Chain<Residue>& chain, Index width, ByteCounters to) {
  return HWY_DYNAMIC_DISPATCH(CountResiduesInBytes)(chain, width, to);
}
void sort_in_bytes(const Word* keys, Index n, Index values, Word* out, std::uint8_t* counters, Word* wraps) {
  HWY_DYNAMIC_DISPATCH(SortInBytes)(keys, n, values, out, counters, wraps);
}
void write_runs_of_bytes(ByteCounters from, const Word* wraps_end, Index width, Word first, Word* out) {
  HWY_DYNAMIC_DISPATCH(WriteRunsOfBytes)(from, wraps_end, width, first, out);
}
void sort_pairs(const Chain<Pair>& chain, Index n, Index width, Word first, Word* out, Word* payload_out,
                Word* counters, Word* positions, Word* stage) {
  HWY_DYNAMIC_DISPATCH(SortPairs)
  (chain, n, width, first, out, payload_out, counters, positions, stage);
}
void count_pairs(const Chain<Pair>& chain, Index width, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountPairs)(chain, width, counts);
}
void scatter_payload(const Chain<Pair>& chain, Index width, const Word* begin, Word* positions, Word* stage,
                     Word* out) {
  HWY_DYNAMIC_DISPATCH(ScatterPayload)(chain, width, begin, positions, stage, out);
}
void expand_runs(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to) {
  HWY_DYNAMIC_DISPATCH(ExpandRuns)(begin, width, n, first, out, from, to);
}

}  // namespace tallcache::cpu::counting_sort
#endif
