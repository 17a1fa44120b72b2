#include "cpu/counting_sort/easy_keys.hpp"

#include <algorithm>

// A processor with SSSE3 and no SSE4 is of before 2009.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/easy_keys.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

constexpr Index max_lanes = 16;

template <class Access>
void copy_words(VectorView<const Word, Access> words, VectorView<Word, Access> out, bool reversed,
                bool stream) {
  if (reversed)
    return write_words(out, stream, [=](auto d, Index i) HWY_ATTR {
      return hn::Reverse(d, load(d, words, words.size - i - static_cast<Index>(hn::Lanes(d))));
    });
  write_words(out, stream, [=](auto d, Index i) HWY_ATTR {
    prefetch_page_ahead(words.data + i);
    return load(d, words, i);
  });
}

template <class Access>
void fill_words(Word value, VectorView<Word, Access> out, bool stream) {
  write_words(out, stream, [=](auto d, Index) HWY_ATTR { return hn::Set(d, value); });
}

template <class Access>
bool in_order(VectorView<const Word, Access> words, bool falling) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), n = words.size;
  auto wrong = hn::Zero(d);
  Index i = 0;
  for (; i + lanes < n; i += lanes) {
    prefetch_page_ahead(words.data + i);
    const auto word = load(d, words, i), after = load(d, words, i + 1);
    wrong = hn::Or(wrong, hn::VecFromMask(d, falling ? hn::Lt(word, after) : hn::Lt(after, word)));
  }
  bool fine = hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)));
  for (; i + 1 < n; ++i) {
    const Word word = words[i], after = words[i + 1];
    fine = fine && (falling ? word >= after : after >= word);
  }
  return fine;
}

template <class Access>
bool count_values(VectorView<const Word, Access> keys, const Word (&values)[few_values], Word* counts) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), n = keys.size, whole = n / lanes * lanes;
  hn::Vec<decltype(d)> found[few_values];
  for (Index v = 0; v < few_values; ++v) found[v] = hn::Zero(d);
  for (Index i = 0; i < whole; i += lanes) {
    prefetch_page_ahead(keys.data + i);
    const auto key = load(d, keys, i);
    HWY_UNROLL(4)  // a mask as a vector is -1 where it holds
    for (Index v = 0; v < few_values; ++v)
      found[v] = hn::Sub(found[v], hn::VecFromMask(d, hn::Eq(key, hn::Set(d, values[v]))));
  }
  Word all = 0;
  for (Index v = 0; v < few_values; ++v) {
    if (v > 0 && values[v] == values[v - 1]) continue;
    Word count = hn::GetLane(hn::SumOfLanes(d, found[v]));
    for (Index i = whole; i < n; ++i) count += keys[i] == values[v];
    counts[v] += count;
    all += count;
  }
  return all == static_cast<Word>(n);
}

// A value's payload is gathered for as many keys as stay in the cache while all values are looked for.
template <class Access>
void split_payload(Records<const Word, Access> in, const Word (&values)[few_values], Word* (&out)[few_values],
                   bool stream) {
  constexpr Index block = 2048;
  const hn::CappedTag<Word, max_lanes> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), n = in.keys.size;
  const Access access = in.keys.access();
  alignas(64) Word selected[block + max_lanes];
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
constexpr EasyKernels<Access> text{&copy_words<Access>, &fill_words<Access>, &in_order<Access>,
                                   &count_values<Access>, &split_payload<Access>};

const CompiledTexts<EasyKernels>* EasyTexts() {
  static constexpr CompiledTexts<EasyKernels> texts{text<Plain>, text<Traced<AnySink>>};
  return &texts;
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(EasyTexts);

const CompiledTexts<EasyKernels>& easy_kernels() { return *HWY_DYNAMIC_DISPATCH(EasyTexts)(); }

}  // namespace tallcache::cpu::counting_sort
#endif
