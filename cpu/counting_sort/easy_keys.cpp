#include "cpu/counting_sort/easy_keys.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/easy_keys.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// Keys between two looks at whether to stop.
constexpr Index step = 4096;
constexpr Index max_lanes = 16;

// Writes n words to `out`, whole vectors to their boundaries. at(d, i) are those of a vector d from the i-th
// on, which may be one word.
template <bool stream, class At>
HWY_INLINE void write_words(Index n, Word* out, At at) {
  const hn::ScalableTag<Word> d;
  const hn::CappedTag<Word, 1> one;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(out) / sizeof(Word)) % lanes;
  const Index head = std::min(n, (lanes - past) % lanes);
  Index i = 0;
  for (; i < head; ++i) hn::StoreU(at(one, i), one, out + i);
  for (; i + lanes <= n; i += lanes)
    if constexpr (stream)
      hn::Stream(at(d, i), d, out + i);
    else
      hn::StoreU(at(d, i), d, out + i);
  for (; i < n; ++i) hn::StoreU(at(one, i), one, out + i);
  if constexpr (stream) hwy::FlushStream();
}
template <class At>
HWY_INLINE void write_words(Index n, Word* out, bool stream, At at) {
  stream ? write_words<true>(n, out, at) : write_words<false>(n, out, at);
}

void CopyWords(const Word* words, Index n, Word* out, bool reversed, bool stream) {
  if (reversed)
    return write_words(n, out, stream, [=](auto d, Index i) HWY_ATTR {
      return hn::Reverse(d, hn::LoadU(d, words + n - i - static_cast<Index>(hn::Lanes(d))));
    });
  write_words(n, out, stream, [=](auto d, Index i) HWY_ATTR {
    prefetch_page_ahead(words + i);
    return hn::LoadU(d, words + i);
  });
}

void FillWords(Word value, Index n, Word* out, bool stream) {
  write_words(n, out, stream, [=](auto d, Index) HWY_ATTR { return hn::Set(d, value); });
}

bool InOrder(const Word* words, Index n, bool falling) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  while (i + lanes < n) {
    const Index end = std::min(i + step, n - lanes);
    auto wrong = hn::Zero(d);
    for (; i < end; i += lanes) {
      prefetch_page_ahead(words + i);
      const auto word = hn::LoadU(d, words + i), after = hn::LoadU(d, words + i + 1);
      wrong = hn::Or(wrong, hn::VecFromMask(d, falling ? hn::Lt(word, after) : hn::Lt(after, word)));
    }
    if (!hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)))) return false;
  }
  return falling ? std::is_sorted(words + i, words + n, std::greater<>())
                 : std::is_sorted(words + i, words + n);
}

bool CountValues(const Word* keys, Index n, const Word* values, Word* counts) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto v0 = hn::Set(d, values[0]), v1 = hn::Set(d, values[1]), v2 = hn::Set(d, values[2]),
             v3 = hn::Set(d, values[3]);
  Index i = 0;
  while (i + lanes <= n) {
    const Index begin = i, end = std::min(i + step, n - lanes + 1);
    auto c0 = hn::Zero(d), c1 = c0, c2 = c0, c3 = c0;
    for (; i < end; i += lanes) {
      prefetch_page_ahead(keys + i);
      const auto key = hn::LoadU(d, keys + i);
      // A mask as a vector is -1 where it holds.
      c0 = hn::Sub(c0, hn::VecFromMask(d, hn::Eq(key, v0)));
      c1 = hn::Sub(c1, hn::VecFromMask(d, hn::Eq(key, v1)));
      c2 = hn::Sub(c2, hn::VecFromMask(d, hn::Eq(key, v2)));
      c3 = hn::Sub(c3, hn::VecFromMask(d, hn::Eq(key, v3)));
    }
    const auto sum = [&](auto c) { return hn::GetLane(hn::SumOfLanes(d, c)); };
    const Word found[few_values] = {sum(c0), sum(c1), sum(c2), sum(c3)};
    Word all = 0;
    for (Index v = 0; v < few_values; ++v) {
      // A value that stands twice is counted at its first place.
      if (v > 0 && values[v] == values[v - 1]) continue;
      counts[v] += found[v];
      all += found[v];
    }
    if (all != static_cast<Word>(i - begin)) return false;
  }
  for (; i < n; ++i) {
    const Word* const at = std::find(values, values + few_values, keys[i]);
    if (at == values + few_values) return false;
    ++counts[at - values];
  }
  return true;
}

// A value's payload is gathered for as many keys as stay in the cache while all values are looked for.
void SplitPayload(const Word* keys, const Word* payload, Index n, const Word* values, Word** out,
                  bool stream) {
  constexpr Index block = 2048;
  const hn::CappedTag<Word, max_lanes> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  alignas(64) Word selected[block + max_lanes];
  for (Index begin = 0; begin < n; begin += block) {
    const Index end = std::min(begin + block, n);
    for (Index v = 0; v < few_values; ++v) {
      if (v > 0 && values[v] == values[v - 1]) continue;
      const auto value = hn::Set(d, values[v]);
      Index size = 0, i = begin;
      for (; i + lanes <= end; i += lanes) {
        const auto mask = hn::Eq(hn::LoadU(d, keys + i), value);
        hn::StoreU(hn::Compress(hn::LoadU(d, payload + i), mask), d, selected + size);
        size += static_cast<Index>(hn::CountTrue(d, mask));
      }
      for (; i < end; ++i)
        if (keys[i] == values[v]) selected[size++] = payload[i];
      CopyWords(selected, size, out[v], false, stream);
      out[v] += size;
    }
  }
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(CopyWords);
HWY_EXPORT(InOrder);
HWY_EXPORT(FillWords);
HWY_EXPORT(CountValues);
HWY_EXPORT(SplitPayload);

void copy_words(const Word* words, Index n, Word* out, bool reversed, bool stream) {
  HWY_DYNAMIC_DISPATCH(CopyWords)(words, n, out, reversed, stream);
}
bool in_order(const Word* words, Index n, bool falling) {
  return HWY_DYNAMIC_DISPATCH(InOrder)(words, n, falling);
}
void fill_words(Word value, Index n, Word* out, bool stream) {
  HWY_DYNAMIC_DISPATCH(FillWords)(value, n, out, stream);
}
bool count_values(const Word* keys, Index n, const Word (&values)[few_values], Word (&counts)[few_values]) {
  return HWY_DYNAMIC_DISPATCH(CountValues)(keys, n, values, counts);
}
void split_payload(const Word* keys, const Word* payload, Index n, const Word (&values)[few_values],
                   Word* (&out)[few_values], bool stream) {
  HWY_DYNAMIC_DISPATCH(SplitPayload)(keys, payload, n, values, out, stream);
}

}  // namespace tallcache::cpu::counting_sort
#endif
