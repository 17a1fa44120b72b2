// The ends of the buckets that a pass over keys appends to, for each SIMD target.

// Once for each target.
#if defined(TALLCACHE_STREAMING_BUCKETS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_STREAMING_BUCKETS_INL_H
#undef TALLCACHE_STREAMING_BUCKETS_INL_H
#else
#define TALLCACHE_STREAMING_BUCKETS_INL_H
#endif

#include "cpu/counting_sort/streaming_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// The ends of a chunk's buckets: their line buffers, the number of elements in each, and the blocks by which
// they grow. With many buckets the last element of a line holds the line's count until the line is full, as a
// table of counts would cost as much as the lines. With few buckets (`few_buckets`) counts are stored apart,
// and the places of eight keys are reserved before these keys are stored: consecutive keys often share a
// bucket, and the load of a count would wait for the store before it. TUNING.md has the figures.
template <class T, bool few_buckets>
class BucketEnds {
 public:
  static constexpr std::size_t line = few_buckets ? write_buffer_size<T> : small_write_buffer_size<T>;

  explicit BucketEnds(const Spread<T>& c)
      : lines_(c.lines), blocks_(c.blocks), links_(c.links), counts_(c.counts), targets_(c.targets) {}

  HWY_INLINE void begin(std::size_t b, Word block) const {
    if (!few_buckets) line_of(b)[line - 1] = 0;
    counts_[b] = 0;
    targets_[b] = block * block_lines;
  }
  // Reserves the place of bucket b's next element. Only for few buckets.
  HWY_INLINE std::size_t reserve(std::size_t b) const requires few_buckets {
    return b * line + counts_[b]++ % line;
  }
  // Stores that element. Block `next` follows where the bucket's block is then full.
  HWY_INLINE void put(std::size_t at, T element, Word& next) const {
    lines_[at] = element;
    if (HWY_UNLIKELY((at + 1) % line == 0)) flush_full_line(at / line, next);
  }
  HWY_INLINE void append(std::size_t b, T element, Word& next) const {
    if constexpr (few_buckets) {
      put(reserve(b), element, next);
    } else {
      T* const to = line_of(b);
      const std::size_t at = to[line - 1];
      to[line - 1] = static_cast<T>(at + 1);
      to[at] = element;
      if (HWY_LIKELY(at != line - 1)) return;
      flush_full_line(b, next);
      to[line - 1] = 0;
    }
  }
  // Appends a row of elements, the i-th of which is element(i).
  template <class Element>
  HWY_INLINE void append_row(std::size_t b, Element element, Word& next) const {
    T* const to = line_of(b);
    std::size_t at = held(b);
    if (HWY_LIKELY(at + row <= line)) {
      for (Index i = 0; i < row; ++i) to[at + static_cast<std::size_t>(i)] = element(i);
      at += row;
      if (at == line) flush_full_line(b, next), at = 0;
    } else {
      for (Index i = 0; i < row; ++i) {
        to[at++] = element(i);
        if (at == line) flush_full_line(b, next), at = 0;
      }
    }
    if constexpr (few_buckets)
      counts_[b] += row;
    else
      to[line - 1] = static_cast<T>(at);
  }
  // Appends `count` elements, whole lines, to a bucket whose line buffer is empty before and after.
  template <class Element>
  HWY_INLINE void append_lines(std::size_t b, Index count, Element element, Word& next) const {
    T* const to = line_of(b);
    for (Index i = 0; i < count; i += Index{line}) {
      for (std::size_t j = 0; j < line; ++j) to[j] = element(i + static_cast<Index>(j));
      flush_full_line(b, next);
    }
    if constexpr (few_buckets)
      counts_[b] += static_cast<Word>(count);
    else
      to[line - 1] = 0;
  }
  // Writes the rest of the line buffer. Afterwards `then` follows the bucket's last block.
  HWY_INLINE void end(std::size_t b, Word then) const {
    const auto rest = static_cast<Word>(held(b));
    if (rest > 0) flush_line(b);
    const Word size = targets_[b] % block_lines * static_cast<Word>(line) + rest;
    links_[targets_[b] / block_lines] = {then, size};
    if (!few_buckets) counts_[b] += size;
  }

 private:
  static constexpr Word block_lines = block_size<T> / line;

  HWY_INLINE T* line_of(std::size_t b) const { return lines_ + b * line; }
  HWY_INLINE std::size_t held(std::size_t b) const {
    return few_buckets ? counts_[b] % line : static_cast<std::size_t>(line_of(b)[line - 1]);
  }
  HWY_INLINE void flush_line(std::size_t b) const {
    flush<line * sizeof(T) / sizeof(Word)>(
        reinterpret_cast<const Word*>(line_of(b)),
        reinterpret_cast<Word*>(blocks_ + std::size_t{targets_[b]} * line));
  }
  HWY_INLINE void flush_full_line(std::size_t b, Word& next) const {
    flush_line(b);
    if (HWY_LIKELY(++targets_[b] % block_lines != 0)) return;
    links_[targets_[b] / block_lines - 1] = {next, block_size<T>};
    if (!few_buckets) counts_[b] += block_size<T>;
    targets_[b] = next++ * block_lines;
  }

  T *lines_, *blocks_;
  Link* links_;
  Word* counts_;   // of many buckets: of the elements in full blocks
  Word* targets_;  // where in the pool, in lines, a bucket's line goes
};

template <class T>
HWY_INLINE T element_of(const Word* keys, const Word* payload, Index i) {
  if constexpr (std::is_same_v<T, Pair>)
    return keys[i] | Pair{payload[i]} << 32;
  else
    return static_cast<T>(keys[i]);
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
