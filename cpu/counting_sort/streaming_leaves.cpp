#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>
#include <cstring>

// A processor with SSSE3 and no SSE4 is of before 2009.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_leaves.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_lines-inl.h"
#include "cpu/sort/merge_sort.hpp"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// counts[v] becomes the number of elements v of a chain or an array, in several tables: consecutive equal
// ones do not wait for one another's counters.
template <Index tables, class From, class Counter, class Access>
HWY_INLINE void count_in_tables(const From& from, std::size_t mask, VectorView<Counter, Access> table,
                                VectorView<Counter, Access> counts) {
  const Index width = counts.size;
  for (Index v = 0; v < tables * width; ++v) table[v] = 0;
  const Digit value{0, static_cast<Word>(mask)};
  for_each_line(from, [=](auto line) HWY_ATTR {
    constexpr Index whole = per_line<typename decltype(line)::value_type>;
    if (HWY_UNLIKELY(line.size < whole)) {
      for (Index j = 0; j < line.size; ++j) ++table[line[j] & mask];
    } else if (tables == 1 && HWY_UNLIKELY(share_bucket<whole>(line, value))) {
      table[line[0] & mask] += whole;
    } else {
      unrolled<whole>(table.access(), [=](Index j) HWY_ATTR {
        ++table[static_cast<std::size_t>(j % tables * width) + (line[j] & mask)];
      });
    }
  });
  if (table.data == counts.data) return;
  for (Index v = 0; v < width; ++v) {
    Counter sum = 0;
    for (Index t = 0; t < tables; ++t) sum += table[t * width + v];
    counts[v] = sum;
  }
}

template <class T, class Counter, class Access>
void count_in_one(const Chain<T, Access>& chain, VectorView<Counter, Access> counts) {
  count_in_tables<1>(chain, static_cast<std::size_t>(counts.size - 1), counts, counts);
}

template <class Access>
void count_keys(VectorView<const Word, Access> keys, VectorView<Word, Access> tables,
                VectorView<Word, Access> counts) {
  tables_of(counts.size) == 4 ? count_in_tables<4>(keys, ~std::size_t{0}, tables, counts)
                              : count_in_tables<1>(keys, ~std::size_t{0}, tables, counts);
}

// Runs of fewer words than this are written through the caches.
constexpr Word streamed_run = 256;

// The vectors at both ends may overlap the aligned ones between them.
template <class Access>
HWY_INLINE void fill_run(Word* out, Word count, Word value, Access access) {
  const hn::ScalableTag<Word> d;
  const auto lanes = static_cast<Word>(hn::Lanes(d));
  Word* const end = out + count;
  if (count < lanes) return static_cast<void>(std::fill_n(store_n(access, out, count), count, value));
  const auto copies = hn::Set(d, value);
  hn::StoreU(copies, d, store_n(access, out, lanes));
  out += lanes - reinterpret_cast<std::uintptr_t>(out) / sizeof(Word) % lanes;
  if (count >= streamed_run)
    for (; out + lanes <= end; out += lanes) hn::Stream(copies, d, store_n(access, out, lanes));
  else
    for (; out + lanes <= end; out += lanes) hn::Store(copies, d, store_n(access, out, lanes));
  hn::StoreU(copies, d, store_n(access, end - lanes, lanes));
}

// Of runs of a few words a vector of copies is stored whatever the count, and the next runs overwrite the
// excess.
template <class Access>
void expand_runs(VectorView<const Word, Access> begin, Word first, VectorView<Word, Access> out, Index from,
                 Index to) {
  if (from >= to) return;
  const hn::CappedTag<Word, 8> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Access access = out.access();
  // The last value that begins at `from` or before.
  Index v = sort::lower_bound(begin, static_cast<Word>(from + 1)) - 1;
  for (Index at = from, end; at < to; at = end, ++v) {
    end = to;
    if (v + 1 < begin.size) end = std::min(to, Index{static_cast<Word>(begin[v + 1])});
    const Word value = first + static_cast<Word>(v);
    Word* const run = out.data + at;
    if (HWY_LIKELY(at + lanes <= to)) hn::StoreU(hn::Set(d, value), d, store_n(access, run, lanes));
    if (HWY_UNLIKELY(end - at > lanes || at + lanes > to))
      fill_run(run, static_cast<Word>(end - at), value, access);
  }
  hwy::FlushStream();
}

// Separates n pairs into keys and payload. Both are written past the caches where `stream` and where they
// have the same offset in their lines.
template <class Access>
HWY_INLINE void separate(const Word* pairs, Index n, Word mask, Word first, Word* keys, Word* payload,
                         bool stream, Access access) {
  const hn::CappedTag<Word, 16> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  const auto one_by_one = [&](Index end) {
    for (; i < end; ++i) {
      access.at(keys + i) = first + (access.at(pairs + 2 * i) & mask);
      access.at(payload + i) = static_cast<Word>(access.at(pairs + 2 * i + 1));
    }
  };
  const auto in_vectors = [&](auto store) HWY_ATTR {
    for (; i + lanes <= n; i += lanes) {
      hn::Vec<decltype(d)> key, load;
      hn::LoadInterleaved2(d, load_n(access, pairs + 2 * i, 2 * lanes), key, load);
      store(hn::Add(hn::And(key, hn::Set(d, mask)), hn::Set(d, first)), store_n(access, keys + i, lanes));
      store(load, store_n(access, payload + i, lanes));
    }
  };
  if (!stream || skew_of(keys) != skew_of(payload)) {
    in_vectors([=](auto words, Word* to) HWY_ATTR { hn::StoreU(words, d, to); });
  } else {
    one_by_one(std::min<Index>(n, (line_bytes / sizeof(Word) - skew_of(keys)) % (line_bytes / sizeof(Word))));
    in_vectors([=](auto words, Word* to) HWY_ATTR { hn::Stream(words, d, to); });
    hwy::FlushStream();
  }
  one_by_one(n);
}
template <class Access>
void separate_pairs(VectorView<const Pair, Access> pairs, Records<Word, Access> out, bool stream) {
  separate(reinterpret_cast<const Word*>(pairs.data), pairs.size, ~Word{0}, 0, out.keys.data,
           out.payload.data, stream, pairs.access());
}

// Replaces the counts by the positions of each value's pairs, four values at once.
template <class Access>
HWY_INLINE void locate(VectorView<std::uint16_t, Access> counters) {
  constexpr std::uint64_t ones = 0x0001000100010001u;
  const Access access = counters.access();
  std::uint64_t begin = 0;
  for (Index v = 0; v < counters.size; v += 4) {
    std::uint64_t four;
    std::memcpy(&four, load_n(access, counters.data + v, 4), sizeof four);
    const std::uint64_t ends = four * ones;
    const std::uint64_t begins = (ends << 16) + begin * ones;
    std::memcpy(store_n(access, counters.data + v, 4), &begins, sizeof begins);
    begin += ends >> 48;
  }
}

// A value's payload is gathered in a line. Lines at both ends of a value's place are written in part.
template <class Access>
void scatter_payload(const Chain<Pair, Access>& chain, VectorView<Word, Access> begin,
                     VectorView<Word, Access> positions, VectorView<Word, Access> stage,
                     VectorView<Word, Access> payload) {
  constexpr auto line = static_cast<Word>(per_line<Word>);
  const Access access = begin.access();
  const auto mask = static_cast<std::size_t>(begin.size - 1);
  const Word skew = skew_of(payload.data);
  Word* const out = payload.data - skew;
  for (Index v = 0; v < begin.size; ++v) positions[v] = begin[v] + skew;
  const auto store_part = [=](std::size_t v, Word from, Word to) {
    for (Word p = std::max(from, begin[v] + skew); p < to; ++p)
      access.at(out + p) = static_cast<Word>(stage[v * line + p % line]);
  };
  for_each(chain, second_block(chain), [=](Pair pair) HWY_ATTR {
    const std::size_t v = pair & mask;
    const Word at = positions[v]++, from = at / line * line;
    stage[v * line + at % line] = static_cast<Word>(pair >> 32);
    if (HWY_LIKELY(at % line != line - 1)) return;
    if (HWY_LIKELY(from >= begin[v] + skew))
      flush<line>(stage.data + v * line, out + from, access);
    else
      store_part(v, from, at + 1);
  });
  for (std::size_t v = 0; v <= mask; ++v) {
    const Word end = positions[v];
    store_part(v, end / line * line, end);
  }
  hwy::FlushStream();
}

// With about a key a value the pairs are put in order in the stage and written in whole lines, as scattered
// stores would each fetch a line from memory.
template <class Access>
HWY_INLINE void stage_pair(Pair pair, VectorView<Word, Access> stage, std::uint16_t at) {
  std::memcpy(store_n(stage.access(), stage.data + 2 * std::size_t{at}, 2), &pair, sizeof pair);
}
template <class Access>
void sort_pairs(const Chain<Pair, Access>& chain, Word first, Records<Word, Access> out,
                VectorView<std::uint16_t, Access> counters, VectorView<Word, Access> stage) {
  const auto mask = static_cast<std::size_t>(counters.size - 1);
  count_in_one(chain, counters);
  locate(counters);
  for_each(chain, chain.following,
           [=](Pair pair) HWY_ATTR { stage_pair(pair, stage, counters[pair & mask]++); });
  separate(stage.data, out.keys.size, static_cast<Word>(mask), first, out.keys.data, out.payload.data, true,
           stage.access());
}

// The same for pairs in arrays, few enough for the stage.
template <class Access>
void sort_few_pairs(Records<const Word, Access> in, Records<Word, Access> out,
                    VectorView<std::uint16_t, Access> counters, VectorView<Word, Access> stage) {
  const Index n = in.keys.size;
  for (Index v = 0; v < counters.size; ++v) counters[v] = 0;
  HWY_UNROLL(8)
  for (Index i = 0; i < n; ++i) ++counters[in.keys[i]];
  locate(counters);
  HWY_UNROLL(8)
  for (Index i = 0; i < n; ++i) {
    const Word key = in.keys[i];
    stage_pair(key | Pair{in.payload[i]} << 32, stage, counters[key]++);
  }
  separate(stage.data, n, ~Word{0}, 0, out.keys.data, out.payload.data, false, stage.access());
}

template <class Access>
void copy_words(VectorView<const Word, Access> words, VectorView<Word, Access> out, bool reversed,
                bool stream) {
  if (reversed)
    return write_words(out, stream, [=](auto d, Index i) HWY_ATTR {
      return hn::Reverse(d, load(d, words, words.size - i - static_cast<Index>(hn::Lanes(d))));
    });
  write_words(out, stream, [=](auto d, Index i) HWY_ATTR { return load_ahead(d, words, i); });
}

template <class Access>
void fill_words(Word value, VectorView<Word, Access> out, bool stream) {
  write_words(out, stream, [=](auto d, Index) HWY_ATTR { return hn::Set(d, value); });
}

template <Index number, class Access>
HWY_INLINE bool count_few(VectorView<const Word, Access> keys, const Word* values, Word* counts) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), n = keys.size, whole = n / lanes * lanes;
  hn::Vec<decltype(d)> found[number];
  for (Index v = 0; v < number; ++v) found[v] = hn::Zero(d);
  for (Index i = 0; i < whole; i += lanes) {
    const auto key = load_ahead(d, keys, i);
    HWY_UNROLL(8)  // a mask as a vector is -1 where it holds
    for (Index v = 0; v < number; ++v)
      found[v] = hn::Sub(found[v], hn::VecFromMask(d, hn::Eq(key, hn::Set(d, values[v]))));
  }
  Word all = 0;
  for (Index v = 0; v < number; ++v) {
    if (v > 0 && values[v] == values[v - 1]) continue;
    Word count = hn::GetLane(hn::SumOfLanes(d, found[v]));
    for (Index i = whole; i < n; ++i) count += keys[i] == values[v];
    counts[v] += count;
    all += count;
  }
  return all == static_cast<Word>(n);
}
template <class Access>
bool count_few(VectorView<const Word, Access> keys, const Word (&values)[few_values], Word* counts) {
  constexpr Index half = few_values / 2;
  return values[half - 1] == values[few_values - 1] ? count_few<half>(keys, values, counts)
                                                    : count_few<few_values>(keys, values, counts);
}

// A value's payload is gathered for as many keys as stay in the cache while all values are looked for.
template <class Access>
void split_payload(Records<const Word, Access> in, const Word (&values)[few_values], Word* (&out)[few_values],
                   bool stream) {
  constexpr Index block = 2048;
  const hn::CappedTag<Word, 16> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), n = in.keys.size;
  const Access access = in.keys.access();
  alignas(64) Word selected[block + 16];
  for (Index begin = 0; begin < n; begin += block) {
    const Index end = std::min(begin + block, n);
    for (Index v = 0; v < few_values; ++v) {
      if (v > 0 && values[v] == values[v - 1]) continue;
      const auto value = hn::Set(d, values[v]);
      Index size = 0, i = begin;
      for (; i + lanes <= end; i += lanes) {
        const auto mask = hn::Eq(load(d, in.keys, i), value);
        hn::StoreU(hn::Compress(load(d, in.payload, i), mask), d, selected + size);
        size += static_cast<Index>(hn::CountTrue(d, mask));
      }
      for (; i < end; ++i)
        if (in.keys[i] == values[v]) selected[size++] = in.payload[i];
      copy_words(VectorView<const Word>{selected, size}.with(unshown(access)),
                 VectorView<Word>{out[v], size}.with(access), false, stream);
      out[v] += size;
    }
  }
}

template <class Access>
constexpr LeafKernels<Access> text{.count_low_bits = &count_in_one<LowBits, Word, Access>,
                                   .count_pairs = &count_in_one<Pair, Word, Access>,
                                   .count_keys = &count_keys<Access>,
                                   .sort_pairs = &sort_pairs<Access>,
                                   .sort_few_pairs = &sort_few_pairs<Access>,
                                   .scatter_payload = &scatter_payload<Access>,
                                   .separate_pairs = &separate_pairs<Access>,
                                   .expand_runs = &expand_runs<Access>,
                                   .copy_words = &copy_words<Access>,
                                   .fill_words = &fill_words<Access>,
                                   .count_few = &count_few<Access>,
                                   .split_payload = &split_payload<Access>};

const CompiledTexts<LeafKernels>* LeafTexts() {
  static constexpr CompiledTexts<LeafKernels> texts{text<Plain>, text<Traced<AnySink>>};
  return &texts;
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(LeafTexts);

const CompiledTexts<LeafKernels>& leaf_kernels() { return *HWY_DYNAMIC_DISPATCH(LeafTexts)(); }

}  // namespace tallcache::cpu::counting_sort
#endif
