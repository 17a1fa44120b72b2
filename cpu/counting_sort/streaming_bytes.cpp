#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_bytes.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_chains-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// Buffers residues so that they are written to `out` in whole lines, past the caches where `stream`. `first`
// is added to each.
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

// Expands the runs of values [begin, end) of a histogram of bytes, both multiples of 8. With about a key a
// value the counts are unpredictable. A vector of copies is therefore stored whatever the count, and the next
// run overwrites the excess. One product gives the ends of eight runs, so that none waits for the one before
// it. Copies of 16 bits straddle half as many lines as copies of 32.
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

// The runs of values [begin, end) to `out`, with 256 more keys for each of the `wraps`, which are in order.
// Returns the end of the output; `wraps` is then behind those of these values.
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

// Adds tables of `width` counters of a byte up in the first one, and notes the sums that wrap.
template <Index tables>
HWY_INLINE Word* add_tables(Index width, std::uint8_t* counters, Word* wraps_end) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index v = 0; v < width; v += lanes) {
    auto sum = hn::LoadU(d, counters + v);
    for (Index table = 1; table < tables; ++table) {
      const auto more = hn::LoadU(d, counters + table * width + v);
      sum = hn::Add(sum, more);
      const auto wrapped = hn::Lt(sum, more);
      if (HWY_LIKELY(hn::AllFalse(d, wrapped))) continue;
      alignas(64) std::uint8_t marks[64];
      hn::Store(hn::VecFromMask(d, wrapped), d, marks);
      for (Index lane = 0; lane < lanes; ++lane)
        if (marks[lane]) *wraps_end++ = static_cast<Word>(v + lane);
    }
    hn::StoreU(sum, d, counters + v);
  }
  return wraps_end;
}

// Counts in bytes. A value whose counter wraps has 256 keys more than that says; it is noted each time.
// Returns the end of these notes. Consecutive keys are counted in different tables of `width` counters, as
// equal ones would wait for one another.
template <Index tables>
HWY_INLINE Word* count_in_bytes(const Chain<Residue>& chain, Index width, ByteCounters to) {
  std::fill_n(to.counters, tables * width, std::uint8_t{0});
  Word* wraps_end = to.wraps;
  const auto mask = static_cast<std::size_t>(width - 1);
  const auto count = [&](Residue element, Index table) HWY_ATTR {
    const std::size_t v = element & mask;
    if (HWY_UNLIKELY(++to.counters[table * width + static_cast<Index>(v)] == 0))
      *wraps_end++ = static_cast<Word>(v);
  };
  for_each_line(chain, second_block(chain), [&](const Residue* elements, Index size) HWY_ATTR {
    if (HWY_UNLIKELY(size < per_line<Residue>)) {
      for (Index j = 0; j < size; ++j) count(elements[j], 0);
    } else {
      HWY_UNROLL(8)
      for (Index j = 0; j < per_line<Residue>; ++j) count(elements[j], j % tables);
    }
  });
  if constexpr (tables > 1) wraps_end = add_tables<tables>(width, to.counters, wraps_end);
  return wraps_end;
}

// Whether some of the first keys are equal to their neighbours.
HWY_INLINE bool has_repeats(const Chain<Residue>& chain) {
  const Residue* const elements = chain.blocks + std::size_t{chain.head} * block_size<Residue>;
  const Index size = std::min<Index>(chain.links[chain.head].size, 2 * per_line<Residue>);
  Index equal = 0;
  for (Index i = 0; i + 1 < size; ++i) equal += elements[i] == elements[i + 1];
  return equal >= 2;
}

// Sorts the wraps, and writes all runs. A residue tells the values of a segment apart.
template <bool stream>
HWY_NOINLINE void write_runs(Index width, Word first, Word* out, ByteCounters from, Word* wraps_end) {
  constexpr Index segment = 1 << 16;
  std::sort(from.wraps, wraps_end);
  const Word* wraps = from.wraps;
  for (Index begin = 0; begin < width; begin += segment)
    out = expand_wrapped<stream>(from.counters, begin, std::min(begin + segment, width), wraps, wraps_end,
                                 first, out);
  hwy::FlushStream();
}

void SortResidues(const Chain<Residue>& chain, Index width, Word first, Word* out, ByteCounters counters) {
  const Index tables = has_repeats(chain) ? byte_tables(width) : 1;
  Word* const wraps_end = tables == 1   ? count_in_bytes<1>(chain, width, counters)
                          : tables == 2 ? count_in_bytes<2>(chain, width, counters)
                                        : count_in_bytes<4>(chain, width, counters);
  write_runs<true>(width, first, out, counters, wraps_end);
}

// The same for an array of keys.
void SortInBytes(const Word* keys, Index n, Index width, Word* out, ByteCounters counters) {
  constexpr Index cached = 1 << 16;
  std::fill_n(counters.counters, width, std::uint8_t{0});
  Word* wraps_end = counters.wraps;
  const auto count = [&](Word key) HWY_ATTR {
    if (HWY_UNLIKELY(++counters.counters[key] == 0)) *wraps_end++ = key;
  };
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    HWY_UNROLL(8)
    for (Index j = 0; j < 8; ++j) count(keys[i + j]);
  }
  for (; i < n; ++i) count(keys[i]);
  n > cached ? write_runs<true>(width, 0, out, counters, wraps_end)
             : write_runs<false>(width, 0, out, counters, wraps_end);
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(SortResidues);
HWY_EXPORT(SortInBytes);

void sort_residues(const Chain<Residue>& chain, Index width, Word first, Word* out, ByteCounters counters) {
  HWY_DYNAMIC_DISPATCH(SortResidues)(chain, width, first, out, counters);
}
void sort_in_bytes(const Word* keys, Index n, Index width, Word* out, ByteCounters counters) {
  HWY_DYNAMIC_DISPATCH(SortInBytes)(keys, n, width, out, counters);
}

}  // namespace tallcache::cpu::counting_sort
#endif
