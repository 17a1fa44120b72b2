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
