#include "cpu/counting_sort/easy_keys.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/easy_keys.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Keys between two looks at whether to stop.
constexpr Index step = 4096;

// The words before the first whole vector of `out`.
template <class D>
HWY_INLINE Index words_to_boundary(D d, const Word* out, Index n) {
  const auto bytes = reinterpret_cast<std::uintptr_t>(out) % (hn::Lanes(d) * sizeof(Word));
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  return std::min(n, (lanes - static_cast<Index>(bytes / sizeof(Word))) % lanes);
}

template <bool ordered, bool stream>
HWY_INLINE bool copy(const Word* words, Index n, Word* out) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), head = words_to_boundary(d, out, n);
  bool fine = true;
  const auto copy_singly = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (ordered && i > 0) fine &= words[i - 1] <= words[i];
      out[i] = words[i];
    }
  };
  copy_singly(0, head);
  // Below, each word is compared with the one after it.
  if (ordered && 0 < head && head < n) fine &= words[head - 1] <= words[head];
  Index i = head;
  while (i + lanes < n && fine) {
    const Index end = std::min(i + step, n - lanes);
    auto falls = hn::Zero(d);
    for (; i < end; i += lanes) {
      hwy::Prefetch(reinterpret_cast<const char*>(words + i) + 4096);
      const auto at = hn::LoadU(d, words + i);
      if constexpr (ordered) {
        const auto after = hn::LoadU(d, words + i + 1);
        falls = hn::Or(falls, hn::VecFromMask(d, hn::Lt(after, at)));
      }
      if constexpr (stream)
        hn::Stream(at, d, out + i);
      else
        hn::StoreU(at, d, out + i);
    }
    if constexpr (ordered) fine &= hn::AllTrue(d, hn::Eq(falls, hn::Zero(d)));
  }
  if (fine) copy_singly(i, n);
  if constexpr (stream) hwy::FlushStream();
  return fine;
}

bool CopyWords(const Word* words, Index n, Word* out, bool ordered, bool stream) {
  if (ordered) return stream ? copy<true, true>(words, n, out) : copy<true, false>(words, n, out);
  return stream ? copy<false, true>(words, n, out) : copy<false, false>(words, n, out);
}

void FillWords(Word value, Index n, Word* out, bool stream) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), head = words_to_boundary(d, out, n);
  const auto all = hn::Set(d, value);
  std::fill_n(out, head, value);
  Index i = head;
  if (stream) {
    for (; i + lanes <= n; i += lanes) hn::Stream(all, d, out + i);
    hwy::FlushStream();
  }
  std::fill_n(out + i, n - i, value);
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
      hwy::Prefetch(reinterpret_cast<const char*>(keys + i) + 4096);
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

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(CopyWords);
HWY_EXPORT(FillWords);
HWY_EXPORT(CountValues);

bool copy_words(const Word* words, Index n, Word* out, bool ordered, bool stream) {
  return HWY_DYNAMIC_DISPATCH(CopyWords)(words, n, out, ordered, stream);
}
void fill_words(Word value, Index n, Word* out, bool stream) {
  HWY_DYNAMIC_DISPATCH(FillWords)(value, n, out, stream);
}
bool count_values(const Word* keys, Index n, const Word (&values)[few_values], Word (&counts)[few_values]) {
  return HWY_DYNAMIC_DISPATCH(CountValues)(keys, n, values, counts);
}

}  // namespace tallcache::cpu::counting_sort
#endif
