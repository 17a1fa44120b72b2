// Shared by the passes over keys and the leaves of a bucket, for each SIMD target: the test for consecutive
// keys of the same bucket, prefetches, whole lines.
#include <algorithm>

// Once for each target.
#if defined(TALLCACHE_STREAMING_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_STREAMING_LINES_INL_H
#undef TALLCACHE_STREAMING_LINES_INL_H
#else
#define TALLCACHE_STREAMING_LINES_INL_H
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "cpu/counting_sort/streaming_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Consecutive keys of the same bucket are handled at once, because their counter or position is a chain of
// loads that each wait for a store. Comparing the first and the last key of a row rules out most rows.
inline constexpr Index row = 16;

template <Index count = row, class Key, class Access>
HWY_INLINE bool share_bucket(VectorView<const Key, Access> keys, Digit digit) {
  const auto bucket_of = [=](Key key) { return digit(static_cast<Word>(key)); };
  const Word bucket = bucket_of(keys[0]);
  if (HWY_LIKELY(bucket_of(keys[count - 1]) != bucket)) return false;
  bool all = true;
  for (Index j = 1; j < count - 1; ++j) all &= bucket_of(keys[j]) == bucket;
  return all;
}

// f(0) ... f(count - 1), count <= 16, in a row. Those of a trace are a loop: its accesses are calls, and many
// of them in a row take long to compile.
template <Index count, class F>
HWY_INLINE void unrolled(Plain, F f) {
  HWY_UNROLL(16)
  for (Index i = 0; i < count; ++i) f(i);
}
template <Index count, class Sink, class F>
HWY_INLINE void unrolled(Traced<Sink>, F f) {
  for (Index i = 0; i < count; ++i) f(i);
}

template <class T>
inline constexpr Index per_line = line_bytes / static_cast<Index>(sizeof(T));

// The hardware prefetcher stops at the end of a page. Prefetching one page ahead continues the stream.
template <class T>
HWY_INLINE void prefetch_page_ahead(const T* data) {
  hwy::Prefetch(reinterpret_cast<const char*>(data) + 4096);
}

// Copies `count` words, whole lines, from one line boundary to another.
template <Index count, class Access>
HWY_INLINE void flush(const Word* from, Word* to, Access access) {
  const hn::CappedTag<Word, 16> d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < count; i += lanes)
    hn::Stream(hn::Load(d, load_n(access, from + i, lanes)), d, store_n(access, to + i, lanes));
}

// The offset of `data` in its line, in elements.
template <class T>
HWY_INLINE Word skew_of(const T* data) {
  return static_cast<Word>(reinterpret_cast<std::uintptr_t>(data) % line_bytes / sizeof(T));
}

// Writes `out`, whole vectors to their boundaries. at(d, i) are the words of a vector d from the i-th on; it
// may be of one word.
template <bool stream, class Access, class At>
HWY_INLINE void write_words(VectorView<Word, Access> out, At at) {
  const hn::ScalableTag<Word> d;
  const hn::CappedTag<Word, 1> one;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(out.data) / sizeof(Word)) % lanes;
  const Index n = out.size, head = std::min(n, (lanes - past) % lanes);
  const auto to = [=](Index i, Index count) { return store_n(out.access(), out.data + i, count); };
  Index i = 0;
  for (; i < head; ++i) hn::StoreU(at(one, i), one, to(i, 1));
  for (; i + lanes <= n; i += lanes)
    if constexpr (stream)
      hn::Stream(at(d, i), d, to(i, lanes));
    else
      hn::StoreU(at(d, i), d, to(i, lanes));
  for (; i < n; ++i) hn::StoreU(at(one, i), one, to(i, 1));
  if constexpr (stream) hwy::FlushStream();
}
template <class Access, class At>
HWY_INLINE void write_words(VectorView<Word, Access> out, bool stream, At at) {
  stream ? write_words<true>(out, at) : write_words<false>(out, at);
}

// The vector d of words from the i-th on.
template <class D, class Access>
HWY_INLINE hn::Vec<D> load(D d, VectorView<const Word, Access> words, Index i) {
  return hn::LoadU(d, load_n(words.access(), words.data + i, static_cast<Index>(hn::Lanes(d))));
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
