// Shared by the passes over keys and the leaves of a bucket, for each SIMD target: the test for consecutive
// keys of the same bucket, and the line buffers of partition(), through which keys and payload are written.
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

template <Index count = row, class Key>
HWY_INLINE bool share_bucket(const Key* keys, Digit digit) {
  const auto bucket_of = [=](Key key) { return digit(static_cast<Word>(key)); };
  const Word bucket = bucket_of(keys[0]);
  if (HWY_LIKELY(bucket_of(keys[count - 1]) != bucket)) return false;
  bool all = true;
  for (Index j = 1; j < count - 1; ++j) all &= bucket_of(keys[j]) == bucket;
  return all;
}

template <class T>
inline constexpr Index per_line = line_bytes / static_cast<Index>(sizeof(T));

// Copies `count` words, whole lines, from one line boundary to another.
template <bool stream, std::size_t count>
HWY_INLINE void flush(const Word* from, Word* to) {
  const hn::CappedTag<Word, 16> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    if constexpr (stream)
      hn::Stream(hn::Load(d, from + i), d, to + i);
    else
      hn::StoreU(hn::Load(d, from + i), d, to + i);
}

// The offset of `data` in its line, in elements.
template <class T>
HWY_INLINE Word skew_of(const T* data) {
  return static_cast<Word>(reinterpret_cast<std::uintptr_t>(data) % line_bytes / sizeof(T));
}

// Stores the part of bucket b's buffer, of `line` words, that lies in [from, to) of the output.
template <Word line, bool with_payload>
HWY_INLINE void store_part(const Chunk& c, std::size_t b, Word from, Word to) {
  for (Word p = from; p < to; ++p) {
    c.keys_out[p] = c.lines[b * line + p % line];
    if constexpr (with_payload) c.payload_out[p] = c.payload_lines[b * line + p % line];
  }
}

// Appends key i to bucket b, whose next position is `position`.
template <Word line, bool stream, bool with_payload>
HWY_INLINE void append(const Chunk& c, Word skew, std::size_t b, Word& position, Word key, Index i) {
  Word* const keys = c.lines + b * line;
  Word* const payload = with_payload ? c.payload_lines + b * line : nullptr;
  const Word at = position % line, end = ++position;
  keys[at] = key & c.keep;
  if constexpr (with_payload) payload[at] = c.payload[i];
  if (end % line != 0) return;
  if (const Word from = end - line, begin = c.begin[b] + skew; HWY_LIKELY(from >= begin)) {
    flush<stream, line>(keys, c.keys_out + from);
    if constexpr (with_payload) flush<stream, line>(payload, c.payload_out + from);
  } else {
    store_part<line, with_payload>(c, b, begin, end);
  }
}

// Makes positions count from the line on which the output begins. Returns the offset of the output in
// that line.
template <bool with_payload>
HWY_INLINE Word begin_on_line(Chunk& c) {
  const Word skew = skew_of(c.keys_out);
  c.keys_out -= skew;
  if constexpr (with_payload) c.payload_out -= skew;
  for (Index b = 0; b < c.buckets; ++b) c.position[b] = c.begin[b] + skew;
  return skew;
}

template <Word line, bool with_payload>
HWY_INLINE void store_rest(const Chunk& c, Word skew) {
  for (Index b = 0; b < c.buckets; ++b) {
    const Word p = c.position[b];
    store_part<line, with_payload>(c, static_cast<std::size_t>(b),
                                   std::max(p / line * line, c.begin[b] + skew), p);
    c.position[b] = p - skew;
  }
  hwy::FlushStream();
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
