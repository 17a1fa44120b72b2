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
template <class T, bool few_buckets, class Access>
class BucketEnds {
 public:
  static constexpr std::size_t line = few_buckets ? write_buffer_size<T> : small_write_buffer_size<T>;

  explicit BucketEnds(const Spread<T, Access>& c)
      : lines_(c.lines), blocks_(c.blocks), links_(c.links), counts_(c.counts), targets_(c.targets) {}

  HWY_INLINE void begin(std::size_t b, Word block) const {
    if (!few_buckets) line_of(b)[last] = 0;
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
      const auto to = line_of(b);
      const std::size_t at = to[last];
      to[last] = static_cast<T>(at + 1);
      to[at] = element;
      if (HWY_LIKELY(at != line - 1)) return;
      flush_full_line(b, next);
      to[last] = 0;
    }
  }
  // Appends a row of elements, the i-th of which is element(i).
  template <class Element>
  HWY_INLINE void append_row(std::size_t b, Element element, Word& next) const {
    const auto to = line_of(b);
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
      to[last] = static_cast<T>(at);
  }
  // Writes the rest of the line buffer. Afterwards `then` follows the bucket's last block.
  HWY_INLINE void end(std::size_t b, Word then) const {
    const auto rest = static_cast<Word>(held(b));
    if (rest > 0) flush_line(b);
    const Word target = targets_[b], size = target % block_lines * static_cast<Word>(line) + rest;
    links_[target / block_lines] = Link{then, size};
    if (!few_buckets) counts_[b] += size;
  }

 private:
  static constexpr Word block_lines = block_size<T> / line;
  static constexpr Index last = line - 1;

  HWY_INLINE VectorView<T, Access> line_of(std::size_t b) const { return lines_.block(b * line, line); }
  HWY_INLINE std::size_t held(std::size_t b) const {
    return few_buckets ? counts_[b] % line : static_cast<std::size_t>(line_of(b)[last]);
  }
  HWY_INLINE void flush_line(std::size_t b) const {
    const std::size_t target = targets_[b];
    flush<line * sizeof(T) / sizeof(Word)>(reinterpret_cast<const Word*>(line_of(b).data),
                                           reinterpret_cast<Word*>(blocks_.data + target * line),
                                           blocks_.access());
  }
  HWY_INLINE void flush_full_line(std::size_t b, Word& next) const {
    flush_line(b);
    const Word target = targets_[b] + 1;
    targets_[b] = target;
    if (HWY_LIKELY(target % block_lines != 0)) return;
    links_[target / block_lines - 1] = Link{next, block_size<T>};
    if (!few_buckets) counts_[b] += block_size<T>;
    targets_[b] = next++ * block_lines;
  }

  VectorView<T, Access> lines_, blocks_;
  VectorView<Link, Access> links_;
  VectorView<Word, Access> counts_;   // of many buckets: of the elements in full blocks
  VectorView<Word, Access> targets_;  // where in the pool, in lines, a bucket's line goes
};

template <class T, class Access>
HWY_INLINE T element_of(Word key, VectorView<const Word, Access> payload, Index i) {
  if constexpr (std::is_same_v<T, Pair>)
    return key | Pair{payload[i]} << 32;
  else
    return static_cast<T>(key);
}

// Appends rows of records to bucket b.
template <class T, bool few_buckets, class Access>
HWY_INLINE void append_rows(const BucketEnds<T, few_buckets, Access>& ends, std::size_t b,
                            const Records<const Word, Access>& rows, Word& next) {
  for (Index i = 0; i < rows.keys.size; i += row)
    ends.append_row(
        b, [&](Index j) HWY_ATTR { return element_of<T>(rows.keys[i + j], rows.payload, i + j); }, next);
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
