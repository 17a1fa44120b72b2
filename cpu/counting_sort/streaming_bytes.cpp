#include "cpu/counting_sort/sample.hpp"

#include <algorithm>
#include <cstring>

// A processor with SSSE3 and no SSE4 is of before 2009.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_bytes.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_lines-inl.h"
#include "cpu/sort/quicksort.hpp"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// Buffers low bits so that they are written to `out` in whole lines, past the caches where `stream`. `first`
// is added to each.
template <bool stream, class Access>
class Stage {
 public:
  Stage(Word* out, Word first, Access access)
      : first_(first), line_(out - skew_of(out)), begin_(skew_of(out)), end_(begin_), access_(access) {}

  // Returns room for `slack` elements.
  HWY_INLINE std::uint16_t* free_space() { return low_bits_ + end_; }
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
    for (Word i = begin_; i < end; ++i) access_.at(line_ + i) = first_ + low_bits_[i];
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
    const auto lanes = static_cast<Word>(hn::Lanes(d));
    for (; from < whole; from += lanes) {
      const auto keys = hn::Add(hn::PromoteTo(d, hn::Load(narrow, low_bits_ + from)), first);
      Word* const to = store_n(access_, line_ + from, lanes);
      if constexpr (stream)
        hn::Stream(keys, d, to);
      else
        hn::Store(keys, d, to);
    }
    std::copy_n(low_bits_ + whole, line, low_bits_);
    line_ += whole;
    begin_ = 0;
    end_ -= whole;
  }

  static constexpr Word spill = 1024;
  alignas(64) std::uint16_t low_bits_[spill + slack + line]{};
  Word first_;
  Word* line_;  // of the output, to which low_bits_[0] goes
  Word begin_, end_;
  [[no_unique_address]] Access access_;
};

// Expands the runs of values [begin, end) of a histogram of bytes, both multiples of 8. With about a key a
// value the counts are unpredictable. A vector of copies is therefore stored whatever the count, and the next
// run overwrites the excess. One product gives the ends of eight runs, so that none waits for the one before
// it. Copies of 16 bits straddle half as many lines as copies of 32.
template <bool stream, class Access>
HWY_INLINE void expand_bytes(VectorView<const std::uint8_t, Access> counts, Index begin, Index end,
                             Stage<stream, Access>& stage) {
  const hn::CappedTag<std::uint16_t, 8> d;
  const hn::CappedTag<std::uint16_t, 16> long_run;
  constexpr std::uint64_t ones = 0x0101010101010101u;
  const std::uint64_t large = ones * (256 - hn::Lanes(d));
  const auto one = hn::Set(d, std::uint16_t{1});
  for (Index v = begin; v < end; v += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, load_n(counts.access(), counts.data + v, 8), sizeof eight);
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
        const std::size_t count = eight >> 8 * j & 255;
        for (std::size_t i = 0; i < count; i += hn::Lanes(long_run))
          hn::StoreU(copies_of_j, long_run, to + i);
        to += count;
      }
      stage.take(static_cast<std::uint64_t>(to - stage.free_space()));
    }
  }
}

// The runs of values [begin, end) to `out`, with 256 more keys for each of the wraps from `w` on. They are in
// order. Returns the end of the output; `w` is then behind those of these values.
template <bool stream, class Access>
HWY_INLINE Word* expand_wrapped(VectorView<const std::uint8_t, Access> counters, Index begin, Index end,
                                VectorView<Word, Access> wraps, Index& w, Word first, Word* out) {
  Stage<stream, Access> stage(out, first + static_cast<Word>(begin), wraps.access());
  const auto segment = counters.block(begin, end - begin);
  const auto next_wrap = [&] { return w < wraps.size ? Index{wraps[w]} : end; };
  const auto write = [&](Index v, Index count) HWY_ATTR {
    std::fill_n(stage.free_space(), count, static_cast<std::uint16_t>(v));
    stage.take(static_cast<std::uint64_t>(count));
  };
  Index v = begin;
  for (Index wrapped; (wrapped = next_wrap()) < end;) {
    const Index eight = wrapped / 8 * 8;
    expand_bytes(segment, v - begin, eight - begin, stage);
    for (v = eight; v < eight + 8; ++v) {
      for (; next_wrap() == v; ++w) write(v - begin, 256);
      write(v - begin, segment[v - begin]);
    }
  }
  expand_bytes(segment, v - begin, end - begin, stage);
  return stage.drain();
}

// Adds tables of `width` counters of a byte up in the first one, and notes the sums that wrap. Returns the
// number of the wraps, of which there were `wrapped`.
template <Index tables, class Access>
HWY_INLINE Index add_tables(Index width, const ByteCounters<Access>& to, Index wrapped) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Access access = to.counters.access();
  std::uint8_t* const counters = to.counters.data;
  for (Index v = 0; v < width; v += lanes) {
    auto sum = hn::LoadU(d, load_n(access, counters + v, lanes));
    for (Index table = 1; table < tables; ++table) {
      const auto more = hn::LoadU(d, load_n(access, counters + table * width + v, lanes));
      sum = hn::Add(sum, more);
      const auto wraps = hn::Lt(sum, more);
      if (HWY_LIKELY(hn::AllFalse(d, wraps))) continue;
      alignas(64) std::uint8_t marks[64];
      hn::Store(hn::VecFromMask(d, wraps), d, marks);
      for (Index lane = 0; lane < lanes; ++lane)
        if (marks[lane]) to.wraps[wrapped++] = static_cast<Word>(v + lane);
    }
    hn::StoreU(sum, d, store_n(access, counters + v, lanes));
  }
  return wrapped;
}

// Counts in bytes. A value whose counter wraps has 256 keys more than that says; it is noted each time.
// Returns the number of these notes. Consecutive keys are counted in different tables of `width` counters, as
// equal ones would wait for one another.
template <Index tables, class Access>
HWY_INLINE Index count_in_bytes(const Chain<LowBits, Access>& chain, Index width,
                                const ByteCounters<Access>& to) {
  const auto counters = to.counters;
  const auto wraps = to.wraps;
  for (Index v = 0; v < tables * width; ++v) counters[v] = 0;
  Index wrapped = 0;
  const auto mask = static_cast<std::size_t>(width - 1);
  const auto count = [=, &wrapped](LowBits element, Index table) HWY_ATTR {
    const std::size_t v = element & mask;
    if (HWY_UNLIKELY(++counters[table * width + static_cast<Index>(v)] == 0))
      wraps[wrapped++] = static_cast<Word>(v);
  };
  for_each_line(chain, second_block(chain), [&](VectorView<const LowBits, Access> line) HWY_ATTR {
    if (HWY_UNLIKELY(line.size < per_line<LowBits>)) {
      for (Index j = 0; j < line.size; ++j) count(line[j], 0);
    } else {
      HWY_UNROLL(8)
      for (Index j = 0; j < per_line<LowBits>; ++j) count(line[j], j % tables);
    }
  });
  if constexpr (tables > 1) wrapped = add_tables<tables>(width, to, wrapped);
  return wrapped;
}

// Sorts the wraps, and writes all runs. Low bits tell the values of a segment apart.
template <bool stream, class Access>
HWY_NOINLINE void write_runs(Index width, Word first, Word* out, const ByteCounters<Access>& from,
                             Index wrapped) {
  constexpr Index segment = 1 << 16;
  const auto wraps = from.wraps.block(0, wrapped);
  Serial fork;
  sort::sample_qsort(fork, wraps);
  Index w = 0;
  for (Index begin = 0; begin < width; begin += segment)
    out = expand_wrapped<stream, Access>(from.counters, begin, std::min(begin + segment, width), wraps, w,
                                         first, out);
  hwy::FlushStream();
}

template <class Access>
void sort_low_bits(const Chain<LowBits, Access>& chain, Index width, Word first, VectorView<Word, Access> out,
                   const ByteCounters<Access>& counters) {
  const Link link = chain.links[chain.head];
  const Index tables = has_repeats(chain.block(chain.head, link.size), 2) ? byte_tables(width) : 1;
  const Index wrapped = tables == 1   ? count_in_bytes<1>(chain, width, counters)
                        : tables == 2 ? count_in_bytes<2>(chain, width, counters)
                                      : count_in_bytes<4>(chain, width, counters);
  write_runs<true>(width, first, out.data, counters, wrapped);
}

// The same for an array, in one table. There were `wrapped` wraps. Its locals are in registers, as nothing
// refers to them: a store of a byte might change all else.
template <class Access>
HWY_NOINLINE Index count_in_bytes(VectorView<const Word, Access> keys, const ByteCounters<Access>& to,
                                  Index wrapped) {
  const auto counters = to.counters;
  const auto wraps = to.wraps;
  const auto count = [=, &wrapped](Word key) HWY_ATTR {
    if (HWY_UNLIKELY(++counters[key] == 0)) wraps[wrapped++] = key;
  };
  Index i = 0;
  for (; i + 8 <= keys.size; i += 8) {
    HWY_UNROLL(8)
    for (Index j = 0; j < 8; ++j) count(keys[i + j]);
  }
  for (; i < keys.size; ++i) count(keys[i]);
  return wrapped;
}

template <class Access>
void sort_in_bytes(VectorView<const Word, Access> keys, Index width, VectorView<Word, Access> out,
                   const ByteCounters<Access>& to) {
  constexpr Index cached = 1 << 16;
  const auto counters = to.counters;
  const auto wraps = to.wraps;
  for (Index v = 0; v < width; ++v) counters[v] = 0;
  Index wrapped = 0;
  HeavyBuckets found;
  if (has_repeats(keys, 8)) find_hot(found, keys);
  if (found.hot_size == 0)
    wrapped = count_in_bytes(keys, to, wrapped);
  else
    peel_hot(found, keys, [&](const auto& others) { wrapped = count_in_bytes(others.keys, to, wrapped); });
  for (Index h = 0; h < found.hot_size; ++h) {
    const std::uint8_t before = counters[found.hot[h]];
    const Word all = before + found.hot_keys[h];
    counters[found.hot[h]] = static_cast<std::uint8_t>(all);
    for (Word k = 0; k < all / 256; ++k) wraps[wrapped++] = found.hot[h];
  }
  // In place the lines are in a cache, as they were just read.
  const bool stream = keys.size > cached && keys.data != out.data;
  stream ? write_runs<true>(width, 0, out.data, to, wrapped)
         : write_runs<false>(width, 0, out.data, to, wrapped);
}

template <class Access>
constexpr ByteKernels<Access> text{.sort_low_bits = &sort_low_bits<Access>,
                                   .sort_in_bytes = &sort_in_bytes<Access>};

const CompiledTexts<ByteKernels>* ByteTexts() {
  static constexpr CompiledTexts<ByteKernels> texts{text<Plain>, text<Traced<AnySink>>};
  return &texts;
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(ByteTexts);

const CompiledTexts<ByteKernels>& byte_kernels() { return *HWY_DYNAMIC_DISPATCH(ByteTexts)(); }

}  // namespace tallcache::cpu::counting_sort
#endif
