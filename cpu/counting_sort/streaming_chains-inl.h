// The walk over a bucket's blocks, for each SIMD target.
#include <algorithm>

// Once for each target.
#if defined(TALLCACHE_STREAMING_CHAINS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLCACHE_STREAMING_CHAINS_INL_H
#undef TALLCACHE_STREAMING_CHAINS_INL_H
#else
#define TALLCACHE_STREAMING_CHAINS_INL_H
#endif

#include "cpu/counting_sort/streaming_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// Prefetches the lines from block `at` on, one in each call. The pairs of the next leaf are fetched while
// those of this one are put in order, which accesses no memory.
template <class T>
class LinesAhead {
 public:
  LinesAhead(const Chain<T>& chain, Word at) : chain_(chain), at_(at) {}

  HWY_INLINE void fetch() {
    if (HWY_UNLIKELY(at_ == no_block)) return;
    hwy::Prefetch(chain_.blocks + std::size_t{at_} * block_size<T> + begin_);
    begin_ += per_line<T>;
    if (begin_ < chain_.links[at_].size) return;
    at_ = chain_.links[at_].next;
    begin_ = 0;
  }

 private:
  const Chain<T> chain_;
  Word at_;
  Index begin_ = 0;
};

// The block that follows the chain's first one.
template <class T>
HWY_INLINE Word second_block(const Chain<T>& chain) {
  const Word next = chain.links[chain.head].next;
  return next == no_block ? chain.following : next;
}

// Calls f(elements, count) for each line of the chain while the lines from block `fetched` on are prefetched.
// The last line of a block may be partial.
template <class T, class F>
HWY_INLINE void for_each_line(const Chain<T>& chain, Word fetched, F f) {
  LinesAhead<T> ahead(chain, fetched);
  for (Word at = chain.head; at != chain.end;) {
    const auto [next, size] = chain.links[at];
    const T* const elements = chain.blocks + std::size_t{at} * block_size<T>;
    Index i = 0;
    for (; i + per_line<T> <= size; i += per_line<T>) {
      if constexpr (std::is_same_v<T, Word>)
        prefetch_page_ahead(elements + i);  // an array is one block
      else
        ahead.fetch();
      f(elements + i, per_line<T>);
    }
    if (i < size) f(elements + i, size - i);
    at = next;
  }
}

// Calls f(element) for each element of the chain.
template <class T, class F>
HWY_INLINE void for_each(const Chain<T>& chain, Word fetched, F f) {
  const auto each = [=](const T* elements, Index count) HWY_ATTR {
    if (HWY_UNLIKELY(count < per_line<T>)) {
      for (Index j = 0; j < count; ++j) f(elements[j]);
    } else {
      HWY_UNROLL(8)
      for (Index j = 0; j < per_line<T>; ++j) f(elements[j]);
    }
  };
  for_each_line(chain, fetched, each);
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
