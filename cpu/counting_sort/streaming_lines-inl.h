// Shared by the passes over keys and the leaves of a bucket, for each SIMD target: the test for consecutive
// keys of the same bucket, prefetches, whole lines, the walk over a bucket's blocks.
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

template <class D, class Access>
HWY_INLINE hn::Vec<D> load_ahead(D d, VectorView<const Word, Access> words, Index i) {
  prefetch_page_ahead(words.data + i);
  return load(d, words, i);
}

// Keys that were selected from blocks of keys. One vector more than `room` and a block is written.
template <bool with_payload>
struct Selected {
  static constexpr Index block = 512, room = 2048, max_lanes = 16, capacity = room + block + max_lanes;
  Index size = 0;
  alignas(64) Word keys[capacity], payload[with_payload ? capacity : 1];

  template <class D, class M>
  HWY_INLINE void add(D d, hn::Vec<D> key, hn::Vec<D> load, M mask) {
    hn::StoreU(hn::Compress(key, mask), d, keys + size);
    if constexpr (with_payload) hn::StoreU(hn::Compress(load, mask), d, payload + size);
    size += static_cast<Index>(hn::CountTrue(d, mask));
  }
  // Calls append() with as many of the first ones as are a multiple of `unit`, and drops these.
  template <class Access, class Append>
  HWY_INLINE void take(Index unit, Access access, Append append) {
    const Index count = size / unit * unit;
    append(Records<const Word, Access>{VectorView<const Word>{keys, count}.with(access),
                                       VectorView<const Word>{payload, count}.with(access)});
    std::copy(keys + count, keys + size, keys);
    if constexpr (with_payload) std::copy(payload + count, payload + size, payload);
    size -= count;
  }
};

// Calls append() with the keys but the hot ones, which are counted by comparing vectors.
template <Index hots, class Access, class Append>
HWY_INLINE void peel_hot(HeavyBuckets& found, VectorView<const Word, Access> in, Append append) {
  using Keys = Selected<false>;
  const hn::CappedTag<Word, Keys::max_lanes> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto own = unshown(in.access());
  V hot[hots], counts[hots];
  for (Index h = 0; h < hots; ++h) hot[h] = hn::Set(d, found.hot[h]), counts[h] = hn::Zero(d);
  Keys others;
  Index i = 0;
  while (i + lanes <= in.size) {
    for (; i + lanes <= in.size && others.size < Keys::room + Keys::block; i += lanes) {
      const V key = load_ahead(d, in, i);
      auto any = hn::Eq(key, hot[0]);
      counts[0] = hn::IfThenElse(any, hn::Add(counts[0], hn::Set(d, 1)), counts[0]);
      HWY_UNROLL(8)
      for (Index h = 1; h < hots; ++h) {
        const auto equal = hn::Eq(key, hot[h]);
        counts[h] = hn::IfThenElse(equal, hn::Add(counts[h], hn::Set(d, 1)), counts[h]);
        any = hn::Or(any, equal);
      }
      others.add(d, key, key, hn::Not(any));
    }
    others.take(Keys::block, own, append);
  }
  for (Index h = 0; h < std::min(hots, found.hot_size); ++h)
    found.hot_keys[h] += hn::GetLane(hn::SumOfLanes(d, counts[h]));
  others.take(1, own, append);
  append(Records<const Word, Access>{in.block(i, in.size - i)});
}
template <class Access, class Append>
HWY_INLINE void peel_hot(HeavyBuckets& found, VectorView<const Word, Access> in, Append append) {
  constexpr Index most = HeavyBuckets::max_hot;
  found.hot_size > most / 2 ? peel_hot<most>(found, in, append) : peel_hot<most / 2>(found, in, append);
}

// Prefetches the lines from block `at` on, one in each call. The pairs of the next leaf are fetched while
// those of this one are put in order, which accesses no memory.
template <class T, class Access>
class LinesAhead {
 public:
  LinesAhead(const Chain<T, Access>& chain, Word at) : chain_(chain), at_(at) {}

  HWY_INLINE void fetch() {
    if (HWY_UNLIKELY(at_ == no_block)) return;
    hwy::Prefetch(chain_.block(at_, 0).data + begin_);
    begin_ += per_line<T>;
    const Link link = chain_.links[at_];
    if (begin_ < link.size) return;
    at_ = link.next;
    begin_ = 0;
  }

 private:
  const Chain<T, Access> chain_;
  Word at_;
  Index begin_ = 0;
};

// The block that follows the chain's first one.
template <class T, class Access>
HWY_INLINE Word second_block(const Chain<T, Access>& chain) {
  const Link link = chain.links[chain.head];
  return link.next == no_block ? chain.following : link.next;
}

// Calls f(line) for each line of a block, the last of which may be partial, and fetch(its begin) before.
template <class T, class Access, class Fetch, class F>
HWY_INLINE void for_each_line(VectorView<const T, Access> block, Fetch fetch, F f) {
  Index i = 0;
  for (; i + per_line<T> <= block.size; i += per_line<T>) {
    fetch(block.data + i);
    f(block.block(i, per_line<T>));
  }
  if (i < block.size) f(block.block(i, block.size - i));
}
template <class T, class Access, class F>
HWY_INLINE void for_each_line(VectorView<const T, Access> block, F f) {
  for_each_line(
      block, [](const T* at) HWY_ATTR { prefetch_page_ahead(at); }, f);
}

// The same for the chain's blocks, while the lines from block `fetched` on are prefetched.
template <class T, class Access, class F>
HWY_INLINE void for_each_line(const Chain<T, Access>& chain, Word fetched, F f) {
  LinesAhead<T, Access> ahead(chain, fetched);
  for (Word at = chain.head; at != chain.end;) {
    const Link link = chain.links[at];
    for_each_line(
        chain.block(at, link.size), [&](const T*) HWY_ATTR { ahead.fetch(); }, f);
    at = link.next;
  }
}
template <class T, class Access, class F>
HWY_INLINE void for_each_line(const Chain<T, Access>& chain, F f) {
  for_each_line(chain, second_block(chain), f);
}

// Calls f(element) for each element of the chain.
template <class T, class Access, class F>
HWY_INLINE void for_each(const Chain<T, Access>& chain, Word fetched, F f) {
  const auto each = [=](VectorView<const T, Access> line) HWY_ATTR {
    if (HWY_UNLIKELY(line.size < per_line<T>)) {
      for (Index j = 0; j < line.size; ++j) f(line[j]);
    } else {
      HWY_UNROLL(8)
      for (Index j = 0; j < per_line<T>; ++j) f(line[j]);
    }
  };
  for_each_line(chain, fetched, each);
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
