#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_leaves.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_chains-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// counts[v] becomes the number of elements v of the chain, counted in several tables: consecutive equal ones
// do not wait for one another's counters.
template <Index tables, class T, class Counter>
HWY_INLINE void count_in_tables(const Chain<T>& chain, std::size_t mask, Index width, Counter* table,
                                Counter* counts) {
  std::fill_n(table, tables * width, Counter{0});
  const Digit value{0, static_cast<Word>(mask)};
  const auto count_line = [=](const T* elements, Index count) HWY_ATTR {
    if (HWY_UNLIKELY(count < per_line<T>)) {
      for (Index j = 0; j < count; ++j) ++table[elements[j] & mask];
    } else if (tables == 1 && HWY_UNLIKELY(share_bucket<per_line<T>>(elements, value))) {
      table[elements[0] & mask] += per_line<T>;
    } else {
      HWY_UNROLL(8)
      for (Index j = 0; j < per_line<T>; ++j)
        ++table[static_cast<std::size_t>(j % tables * width) + (elements[j] & mask)];
    }
  };
  for_each_line(chain, second_block(chain), count_line);
  if (table == counts) return;
  for (Index v = 0; v < width; ++v) {
    Counter sum = 0;
    for (Index t = 0; t < tables; ++t) sum += table[t * width + v];
    counts[v] = sum;
  }
}

template <class T, class Counter>
HWY_INLINE void count_in_one(const Chain<T>& chain, Index width, Counter* counts) {
  count_in_tables<1>(chain, static_cast<std::size_t>(width - 1), width, counts, counts);
}

void CountResidues(const Chain<Residue>& chain, Index width, Word* counts) {
  count_in_one(chain, width, counts);
}
void CountPairs(const Chain<Pair>& chain, Index width, Word* counts) { count_in_one(chain, width, counts); }
void CountKeys(const Word* keys, Index n, Index width, Word* tables, Word* counts) {
  const Link all{no_block, static_cast<Word>(n)};
  const Chain<Word> chain{keys, &all, 0};
  if (tables_of(width) == 4)
    count_in_tables<4>(chain, ~std::size_t{0}, width, tables, counts);
  else
    count_in_tables<1>(chain, ~std::size_t{0}, width, tables, counts);
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

// Runs of a few words: a vector of copies is stored whatever the count, and the next runs overwrite the
// excess. From value v on, as far as it lies before `to`. Returns the first value that is not written.
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

// Separates n pairs into keys and payload. Both are written past the caches where `stream` and where they
// have the same offset in their lines.
HWY_INLINE void separate_pairs(const Word* pairs, Index n, Word mask, Word first, Word* keys, Word* payload,
                               bool stream) {
  const hn::CappedTag<Word, 16> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  const auto one_by_one = [&](Index end) {
    for (; i < end; ++i) keys[i] = first + (pairs[2 * i] & mask), payload[i] = pairs[2 * i + 1];
  };
  const auto in_vectors = [&](auto store) HWY_ATTR {
    for (; i + lanes <= n; i += lanes) {
      hn::Vec<decltype(d)> key, load;
      hn::LoadInterleaved2(d, pairs + 2 * i, key, load);
      store(hn::Add(hn::And(key, hn::Set(d, mask)), hn::Set(d, first)), keys + i);
      store(load, payload + i);
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
void SeparatePairs(const Pair* pairs, Index n, Word* keys, Word* payload, bool stream) {
  separate_pairs(reinterpret_cast<const Word*>(pairs), n, ~Word{0}, 0, keys, payload, stream);
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

// A value's payload is gathered in a line. Lines at both ends of a value's place are written in part.
void ScatterPayload(const Chain<Pair>& chain, Index width, const Word* begin, Word* positions, Word* stage,
                    Word* out) {
  constexpr auto line = static_cast<Word>(per_line<Word>);
  const auto mask = static_cast<std::size_t>(width - 1);
  const Word skew = skew_of(out);
  out -= skew;
  for (Index v = 0; v < width; ++v) positions[v] = begin[v] + skew;
  const auto store_part = [=](std::size_t v, Word from, Word to) {
    for (Word p = std::max(from, begin[v] + skew); p < to; ++p) out[p] = stage[v * line + p % line];
  };
  for_each(chain, second_block(chain), [=](Pair pair) HWY_ATTR {
    const std::size_t v = pair & mask;
    const Word at = positions[v]++, from = at / line * line;
    stage[v * line + at % line] = static_cast<Word>(pair >> 32);
    if (HWY_LIKELY(at % line != line - 1)) return;
    if (HWY_LIKELY(from >= begin[v] + skew))
      flush<line>(stage + v * line, out + from);
    else
      store_part(v, from, at + 1);
  });
  for (std::size_t v = 0; v <= mask; ++v) store_part(v, positions[v] / line * line, positions[v]);
  hwy::FlushStream();
}

// With about a key a value the pairs are put in order in the stage and written in whole lines, as scattered
// stores would each fetch a line from memory.
void SortPairs(const Chain<Pair>& chain, Index n, Index width, Word first, Word* out, Word* payload_out,
               std::uint16_t* counters, Word* stage) {
  const auto mask = static_cast<std::size_t>(width - 1);
  count_in_one(chain, width, counters);
  locate(counters, width);
  for_each(chain, chain.following, [=](Pair pair) {
    std::memcpy(stage + 2 * std::size_t{counters[pair & mask]++}, &pair, sizeof pair);
  });
  separate_pairs(stage, n, static_cast<Word>(mask), first, out, payload_out, true);
}

// The same for pairs in arrays, few enough for the stage.
void SortFewPairs(const Word* keys, const Word* payload, Index n, Index width, Word* out, Word* payload_out,
                  std::uint16_t* counters, Word* stage) {
  std::fill_n(counters, width, std::uint16_t{0});
  HWY_UNROLL(8)
  for (Index i = 0; i < n; ++i) ++counters[keys[i]];
  locate(counters, width);
  HWY_UNROLL(8)
  for (Index i = 0; i < n; ++i) {
    const Pair pair = keys[i] | Pair{payload[i]} << 32;
    std::memcpy(stage + 2 * std::size_t{counters[keys[i]]++}, &pair, sizeof pair);
  }
  separate_pairs(stage, n, ~Word{0}, 0, out, payload_out, false);
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(CountResidues);
HWY_EXPORT(CountPairs);
HWY_EXPORT(CountKeys);
HWY_EXPORT(SortPairs);
HWY_EXPORT(SortFewPairs);
HWY_EXPORT(ScatterPayload);
HWY_EXPORT(SeparatePairs);
HWY_EXPORT(ExpandRuns);

void count_values(const Chain<Residue>& chain, Index width, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountResidues)(chain, width, counts);
}
void count_values(const Chain<Pair>& chain, Index width, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountPairs)(chain, width, counts);
}
void count_keys(const Word* keys, Index n, Index width, Word* tables, Word* counts) {
  HWY_DYNAMIC_DISPATCH(CountKeys)(keys, n, width, tables, counts);
}
void sort_pairs(const Chain<Pair>& chain, Index n, Index width, Word first, Word* out, Word* payload_out,
                std::uint16_t* counters, Word* stage) {
  HWY_DYNAMIC_DISPATCH(SortPairs)(chain, n, width, first, out, payload_out, counters, stage);
}
void sort_few_pairs(const Word* keys, const Word* payload, Index n, Index width, Word* out, Word* payload_out,
                    std::uint16_t* counters, Word* stage) {
  HWY_DYNAMIC_DISPATCH(SortFewPairs)(keys, payload, n, width, out, payload_out, counters, stage);
}
void scatter_payload(const Chain<Pair>& chain, Index width, const Word* begin, Word* positions, Word* stage,
                     Word* out) {
  HWY_DYNAMIC_DISPATCH(ScatterPayload)(chain, width, begin, positions, stage, out);
}
void separate_pairs(const Pair* pairs, Index n, Word* keys, Word* payload, bool stream) {
  HWY_DYNAMIC_DISPATCH(SeparatePairs)(pairs, n, keys, payload, stream);
}
void expand_runs(const Word* begin, Index width, Index n, Word first, Word* out, Index from, Index to) {
  HWY_DYNAMIC_DISPATCH(ExpandRuns)(begin, width, n, first, out, from, to);
}

}  // namespace tallcache::cpu::counting_sort
#endif
