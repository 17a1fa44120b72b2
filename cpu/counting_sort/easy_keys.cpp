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
constexpr Index max_lanes = 16;

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
  // A word behind the last vector is looked at where their order is.
  const Index last = n - lanes + (ordered ? 0 : 1);
  while (i < last && fine) {
    const Index end = std::min(i + step, last);
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
  return fine;
}

bool CopyWords(const Word* words, Index n, Word* out, bool ordered, bool stream) {
  if (!stream) return ordered ? copy<true, false>(words, n, out) : copy<false, false>(words, n, out);
  const bool fine = ordered ? copy<true, true>(words, n, out) : copy<false, true>(words, n, out);
  hwy::FlushStream();
  return fine;
}

enum class Order { rising, falling, equal };

// Two halves at once are read faster than one after the other.
template <Order order>
HWY_INLINE bool has_order(const Word* words, Index n) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), half = n / 2;
  const auto first = hn::Set(d, n > 0 ? words[0] : 0);
  const auto wrong_at = [=](const Word* at) HWY_ATTR {
    const auto word = hn::LoadU(d, at);
    if constexpr (order == Order::equal) return hn::Xor(word, first);
    const auto after = hn::LoadU(d, at + 1);
    return hn::VecFromMask(d, order == Order::falling ? hn::Lt(word, after) : hn::Lt(after, word));
  };
  Index i = 0;
  while (i + lanes < half) {
    const Index end = std::min(i + step, half - lanes);
    auto wrong = hn::Zero(d);
    for (; i < end; i += lanes)
      wrong = hn::Or(wrong, hn::Or(wrong_at(words + i), wrong_at(words + half + i)));
    if (!hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)))) return false;
  }
  const auto has_order_singly = [=](Index begin, Index end) {
    for (Index j = begin; j + 1 < end; ++j)
      if ((order != Order::rising && words[j] < words[j + 1]) ||
          (order != Order::falling && words[j] > words[j + 1]))
        return false;
    return true;
  };
  return has_order_singly(i, half + 1) && has_order_singly(half + i, n);
}

// Words whose first and last are the same are in order only if all are: one load a vector, not two.
bool InOrder(const Word* words, Index n, bool falling) {
  if (n > 1 && words[0] == words[n - 1]) return has_order<Order::equal>(words, n);
  return falling ? has_order<Order::falling>(words, n) : has_order<Order::rising>(words, n);
}

void SwapReversed(Word* front, Word* back, Index n) {
  const hn::ScalableTag<Word> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto first = hn::LoadU(d, front + i), last = hn::LoadU(d, back - i - lanes);
    hn::StoreU(hn::Reverse(d, last), d, front + i);
    hn::StoreU(hn::Reverse(d, first), d, back - i - lanes);
  }
  for (; i < n; ++i) std::swap(front[i], back[-1 - i]);
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

// A block of pairs in the opposite order.
struct ReversedBlock {
  static constexpr Index size = 512;
  alignas(64) Word keys[size], payload[size];
};

// Sorts `count` pairs, whose keys fall and differ from those around them, to the end of `to`, one run of
// equal keys after the other. Returns false where a key rises.
bool reverse_runs(const Word* keys, const Word* payload, Index count, ReversedBlock& to) {
  for (Index i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && keys[end] == keys[i];) ++end;
    if (end < count && keys[end] > keys[i]) return false;
    std::copy(keys + i, keys + end, to.keys + count - end);
    std::copy(payload + i, payload + end, to.payload + count - end);
  }
  return true;
}

// Writes `count` words to `out`, the last one first; at(i) are those of a vector from the i-th on. There are
// as many as lanes at least.
template <bool stream, class D, class At>
HWY_INLINE void write_reversed(D d, Index count, Word* out, At at) {
  const Index lanes = static_cast<Index>(hn::Lanes(d)), head = words_to_boundary(d, out, count);
  alignas(64) Word whole[hn::MaxLanes(d)];
  if (head > 0) {
    hn::Store(hn::Reverse(d, at(count - lanes)), d, whole);
    std::copy_n(whole, head, out);
  }
  Index done = head;
  for (; done + lanes <= count; done += lanes) {
    const auto words = hn::Reverse(d, at(count - done - lanes));
    if constexpr (stream)
      hn::Stream(words, d, out + done);
    else
      hn::StoreU(words, d, out + done);
  }
  if (done < count) {
    hn::Store(hn::Reverse(d, at(0)), d, whole);
    std::copy_n(whole + lanes - (count - done), count - done, out + done);
  }
}

// As reverse_runs(), to `out` and `payload_out`, but also returns false where three keys are equal. There are
// keys before and behind, and `count` is at least the lanes of a vector. Two equal keys are exchanged without
// a branch.
template <bool stream>
HWY_INLINE bool reverse_pairs(const Word* keys, const Word* payload, Index count, Word* out,
                              Word* payload_out) {
  const hn::CappedTag<Word, max_lanes> d;
  auto wrong = hn::Zero(d);
  write_reversed<stream>(d, count, out, [&](Index i) HWY_ATTR {
    const auto before = hn::LoadU(d, keys + i - 1), key = hn::LoadU(d, keys + i),
               next = hn::LoadU(d, keys + i + 1);
    const auto three = hn::And(hn::Eq(before, key), hn::Eq(key, next));
    wrong = hn::Or(wrong, hn::VecFromMask(d, hn::Or(three, hn::Lt(before, key))));
    return key;
  });
  if (!hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)))) return false;
  write_reversed<stream>(d, count, payload_out, [&](Index i) HWY_ATTR {
    const auto key = hn::LoadU(d, keys + i);
    const auto as_before = hn::Eq(key, hn::LoadU(d, keys + i - 1)),
               as_next = hn::Eq(key, hn::LoadU(d, keys + i + 1));
    return hn::IfThenElse(as_before, hn::LoadU(d, payload + i - 1),
                          hn::IfThenElse(as_next, hn::LoadU(d, payload + i + 1), hn::LoadU(d, payload + i)));
  });
  return true;
}

template <bool stream>
bool copy_falling(const Word* keys, const Word* payload, const Index n, Word* out, Word* payload_out) {
  ReversedBlock block;
  for (Index end = n, begin; end > 0; end = begin) {
    // The block begins where a key does, and ends with a line of the output if it can: partial lines are
    // fetched. It is a whole run where this is longer.
    const auto in_line =
        static_cast<Index>(reinterpret_cast<std::uintptr_t>(out) % line_bytes / sizeof(Word));
    begin = std::max<Index>(end - ReversedBlock::size + in_line, 0);
    while (0 < begin && begin < end && keys[begin - 1] == keys[begin]) ++begin;
    const bool one_run = begin == end;
    while (one_run && begin > 0 && keys[begin - 1] == keys[end - 1]) --begin;
    if (begin > 0 && keys[begin - 1] < keys[begin]) return false;
    const Index count = end - begin;
    const Word *from = keys + begin, *payload_from = payload + begin;
    const bool within = 0 < begin && end < n && count >= max_lanes;
    if (one_run || !within || !reverse_pairs<stream>(from, payload_from, count, out, payload_out)) {
      if (!one_run) {
        if (!reverse_runs(from, payload_from, count, block)) return false;
        from = block.keys, payload_from = block.payload;
      }
      copy<false, stream>(from, count, out);
      copy<false, stream>(payload_from, count, payload_out);
    }
    out += count, payload_out += count;
  }
  return true;
}

bool CopyFalling(const Word* keys, const Word* payload, Index n, Word* out, Word* payload_out, bool stream) {
  const bool falls = stream ? copy_falling<true>(keys, payload, n, out, payload_out)
                            : copy_falling<false>(keys, payload, n, out, payload_out);
  hwy::FlushStream();
  return falls;
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
      stream ? copy<false, true>(selected, size, out[v]) : copy<false, false>(selected, size, out[v]);
      out[v] += size;
    }
  }
  hwy::FlushStream();
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(CopyWords);
HWY_EXPORT(InOrder);
HWY_EXPORT(SwapReversed);
HWY_EXPORT(FillWords);
HWY_EXPORT(CountValues);
HWY_EXPORT(CopyFalling);
HWY_EXPORT(SplitPayload);

bool copy_words(const Word* words, Index n, Word* out, bool ordered, bool stream) {
  return HWY_DYNAMIC_DISPATCH(CopyWords)(words, n, out, ordered, stream);
}
bool in_order(const Word* words, Index n, bool falling) {
  return HWY_DYNAMIC_DISPATCH(InOrder)(words, n, falling);
}
void swap_reversed(Word* front, Word* back, Index n) { HWY_DYNAMIC_DISPATCH(SwapReversed)(front, back, n); }
void fill_words(Word value, Index n, Word* out, bool stream) {
  HWY_DYNAMIC_DISPATCH(FillWords)(value, n, out, stream);
}
bool count_values(const Word* keys, Index n, const Word (&values)[few_values], Word (&counts)[few_values]) {
  return HWY_DYNAMIC_DISPATCH(CountValues)(keys, n, values, counts);
}
bool copy_falling(const Word* keys, const Word* payload, Index n, Word* out, Word* payload_out, bool stream) {
  return HWY_DYNAMIC_DISPATCH(CopyFalling)(keys, payload, n, out, payload_out, stream);
}
void split_payload(const Word* keys, const Word* payload, Index n, const Word (&values)[few_values],
                   Word* (&out)[few_values], bool stream) {
  HWY_DYNAMIC_DISPATCH(SplitPayload)(keys, payload, n, values, out, stream);
}

}  // namespace tallcache::cpu::counting_sort
#endif
