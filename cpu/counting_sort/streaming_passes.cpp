#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>
#include <numeric>

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_passes.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_buckets-inl.h"
#include "cpu/counting_sort/streaming_sample-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// The bucket of a key. The bits above the digit are 0 where residues are stored.
template <class T>
HWY_INLINE std::size_t bucket_of(Word key, Digit digit) {
  return std::is_same_v<T, Residue> ? key >> digit.shift : digit(key);
}

// Appends each key to its bucket. `next` is the first free block; its new value is returned. The loop
// uses locals, as the compiler would read members of `c` again after each store, and handles a row of
// keys at once.
template <class T, bool few_buckets>
HWY_NOINLINE Word append_keys(const Spread<T>& c, const Word* keys, const Word* payload, Index size,
                              Word next) {
  const BucketEnds<T, few_buckets> ends(c);
  const Digit digit = c.digit;
  const auto bucket = [=](Index i) HWY_ATTR { return bucket_of<T>(keys[i], digit); };
  const auto element = [=](Index i) HWY_ATTR { return element_of<T>(keys, payload, i); };
  const auto append = [=, &next](Index i) HWY_ATTR { ends.append(bucket(i), element(i), next); };
  // Out of line, as it would take registers from the loop.
  const auto append_row = [=, &next](Index begin) HWY_NOINLINE HWY_ATTR {
    const auto in_row = [=](Index i) HWY_ATTR { return element(begin + i); };
    ends.append_row(bucket(begin), in_row, next);
  };
  Index i = 0;
  for (; i + row <= size; i += row) {
    prefetch_page_ahead(keys + i);
    if constexpr (std::is_same_v<T, Pair>) prefetch_page_ahead(payload + i);
    if (HWY_UNLIKELY(share_bucket(keys + i, digit))) {
      append_row(i);
      continue;
    }
    if constexpr (few_buckets) {
      HWY_UNROLL(row / 8)
      for (Index eight = i; eight < i + row; eight += 8) {
        std::size_t at[8];
        HWY_UNROLL(8)
        for (Index j = 0; j < 8; ++j) at[j] = ends.reserve(bucket(eight + j));
        HWY_UNROLL(8)
        for (Index j = 0; j < 8; ++j) ends.put(at[j], element(eight + j), next);
      }
    } else {
      HWY_UNROLL(row)
      for (Index j = i; j < i + row; ++j) append(j);
    }
  }
  for (; i < size; ++i) append(i);
  return next;
}

// Keys that were selected from a block, behind the rest of those before: less than a line of them. One vector
// more than that is written.
template <bool with_payload>
struct CompressedKeys {
  static constexpr Index block = 512, max_lanes = 16,
                         capacity = block + write_buffer_size<Residue> + max_lanes;
  Index size = 0;
  alignas(64) Word keys[capacity], payload[with_payload ? capacity : 1];

  void drop(Index count) {
    std::copy(keys + count, keys + size, keys);
    if constexpr (with_payload) std::copy(payload + count, payload + size, payload);
    size -= count;
  }
};

// The count of a heavy bucket is one chain of loads that each wait for a store, about 5 cycles a key. Its
// pairs are therefore selected by one comparison of a vector of keys, and appended to its line together.
template <bool few_buckets, Index heavy_count>
HWY_NOINLINE Word append_compressed(const Spread<Pair>& c, const Word* buckets, Word next) {
  constexpr auto line = static_cast<Index>(BucketEnds<Pair, few_buckets>::line);
  using Keys = CompressedKeys<true>;
  const hn::CappedTag<Word, Keys::max_lanes> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const BucketEnds<Pair, few_buckets> ends(c);
  Keys heavy[heavy_count], others;
  const auto compress = [=](Index from, hn::Mask<decltype(d)> mask, Keys& to) HWY_ATTR {
    hn::StoreU(hn::Compress(hn::LoadU(d, c.keys + from), mask), d, to.keys + to.size);
    hn::StoreU(hn::Compress(hn::LoadU(d, c.payload + from), mask), d, to.payload + to.size);
    to.size += static_cast<Index>(hn::CountTrue(d, mask));
  };
  Index i = 0;
  while (i + lanes <= c.size) {
    const Index end = std::min(i + Keys::block, c.size);
    for (; i + lanes <= end; i += lanes) {
      prefetch_page_ahead(c.keys + i), prefetch_page_ahead(c.payload + i);
      const auto bucket =
          hn::And(hn::ShiftRightSame(hn::LoadU(d, c.keys + i), c.digit.shift), hn::Set(d, c.digit.mask));
      const auto first = hn::Eq(bucket, hn::Set(d, buckets[0]));
      auto any = first;
      compress(i, first, heavy[0]);
      if constexpr (heavy_count == 2) {
        const auto second = hn::Eq(bucket, hn::Set(d, buckets[1]));
        any = hn::Or(first, second);
        compress(i, second, heavy[1]);
      }
      compress(i, hn::Not(any), others);
    }
    for (Index h = 0; h < heavy_count; ++h) {
      const Index whole = heavy[h].size / line * line;
      const auto element = [=, keys = heavy[h].keys, payload = heavy[h].payload](Index j)
                               HWY_ATTR { return element_of<Pair>(keys, payload, j); };
      ends.append_lines(buckets[h], whole, element, next);
      heavy[h].drop(whole);
    }
    const Index rows = others.size / row * row;
    next = append_keys<Pair, few_buckets>(c, others.keys, others.payload, rows, next);
    others.drop(rows);
  }
  for (const Keys& h : heavy) next = append_keys<Pair, few_buckets>(c, h.keys, h.payload, h.size, next);
  next = append_keys<Pair, few_buckets>(c, others.keys, others.payload, others.size, next);
  return append_keys<Pair, few_buckets>(c, c.keys + i, c.payload + i, c.size - i, next);
}

// The same where the values of a bucket are counted next: the residues of heavy buckets are counted at once.
// All other keys are counted as values that do not exist, so that no branch depends on a key, and then
// appended.
template <bool few_buckets, Index heavy_count>
HWY_NOINLINE Word append_others(const Spread<Residue>& c, const Word* buckets, Word next) {
  using Keys = CompressedKeys<false>;
  const hn::CappedTag<Word, Keys::max_lanes> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Word* const counts = c.heavy->counts;
  const Word values = Word{1} << c.digit.shift, first_key = buckets[0] << c.digit.shift,
             second_key = buckets[heavy_count - 1] << c.digit.shift;
  const auto all_values = hn::Set(d, values), nowhere = hn::Iota(d, 2 * values);
  Keys others;
  alignas(64) Word counted[Keys::block];
  Index i = 0;
  for (; i + Keys::block <= c.size; i += Keys::block) {
    for (Index j = 0; j < Keys::block; j += lanes) {
      prefetch_page_ahead(c.keys + i + j);
      const auto key = hn::LoadU(d, c.keys + i + j), value = hn::Sub(key, hn::Set(d, first_key));
      auto heavy = hn::Lt(value, all_values);
      auto place = hn::IfThenElse(heavy, value, nowhere);
      if constexpr (heavy_count == 2) {
        const auto second = hn::Sub(key, hn::Set(d, second_key));
        const auto in_second = hn::Lt(second, all_values);
        place = hn::IfThenElse(in_second, hn::Add(second, all_values), place);
        heavy = hn::Or(heavy, in_second);
      }
      hn::Store(place, d, counted + j);
      const auto other = hn::Not(heavy);
      hn::StoreU(hn::Compress(key, other), d, others.keys + others.size);
      others.size += static_cast<Index>(hn::CountTrue(d, other));
    }
    for (Index j = 0; j < Keys::block; ++j) ++counts[counted[j]];
    const Index rows = others.size / row * row;
    next = append_keys<Residue, few_buckets>(c, others.keys, nullptr, rows, next);
    others.drop(rows);
  }
  next = append_keys<Residue, few_buckets>(c, others.keys, nullptr, others.size, next);
  return append_keys<Residue, few_buckets>(c, c.keys + i, nullptr, c.size - i, next);
}

template <class T, bool few_buckets>
HWY_INLINE Word append_all(const Spread<T>& c, const Sample& sample, Word next) {
  if constexpr (std::is_same_v<T, Residue>) {
    if (sample.heavy_count == 1) return append_others<few_buckets, 1>(c, sample.heavy, next);
    if (sample.heavy_count == 2) return append_others<few_buckets, 2>(c, sample.heavy, next);
  } else if constexpr (std::is_same_v<T, Pair>) {
    if (sample.heavy_count == 1) return append_compressed<few_buckets, 1>(c, sample.heavy, next);
    if (sample.heavy_count == 2) return append_compressed<few_buckets, 2>(c, sample.heavy, next);
  }
  return append_keys<T, few_buckets>(c, c.keys, c.payload, c.size, next);
}

// Counts the hot keys, at most `most`, by comparisons, as their counters and places would wait for one
// another, and appends the others.
template <bool few_buckets, Index most>
HWY_NOINLINE Word append_but_hot(const Spread<Residue>& c, const Sample& sample, Word next) {
  constexpr Index room = 4096, max_lanes = 16;
  const hn::CappedTag<Word, max_lanes> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto one = hn::Set(d, 1);
  V hot[most], counts[most];
  for (Index h = 0; h < most; ++h) hot[h] = hn::Set(d, sample.hot[h]), counts[h] = hn::Zero(d);
  alignas(64) Word keys[room + max_lanes];
  Spread<Residue> others = c;
  others.keys = keys;
  Index i = 0;
  while (i + lanes <= c.size) {
    for (others.size = 0; i + lanes <= c.size && others.size <= room; i += lanes) {
      prefetch_page_ahead(c.keys + i);
      const auto key = hn::LoadU(d, c.keys + i);
      auto any = hn::Eq(key, hot[0]);
      counts[0] = hn::IfThenElse(any, hn::Add(counts[0], one), counts[0]);
      HWY_UNROLL(8)
      for (Index h = 1; h < most; ++h) {
        const auto equal = hn::Eq(key, hot[h]);
        counts[h] = hn::IfThenElse(equal, hn::Add(counts[h], one), counts[h]);
        any = hn::Or(any, equal);
      }
      const auto other = hn::Not(any);
      hn::StoreU(hn::Compress(key, other), d, keys + others.size);
      others.size += static_cast<Index>(hn::CountTrue(d, other));
    }
    next = append_all<Residue, few_buckets>(others, sample, next);
  }
  for (Index h = 0; h < std::min(most, sample.hot_count); ++h)
    c.heavy->hot_keys[h] += hn::GetLane(hn::SumOfLanes(d, counts[h]));
  others.keys = c.keys + i;
  others.size = c.size - i;
  return append_all<Residue, few_buckets>(others, sample, next);
}

template <class T, bool few_buckets>
HWY_INLINE Word append_chunk(const Spread<T>& c, const Sample& sample, Word next) {
  if constexpr (std::is_same_v<T, Residue>)
    if (sample.hot_count > 0)
      return sample.hot_count <= 2 ? append_but_hot<few_buckets, 2>(c, sample, next)
                                   : append_but_hot<few_buckets, HeavyBuckets::max_hot>(c, sample, next);
  return append_all<T, few_buckets>(c, sample, next);
}

template <class T, bool few_buckets>
HWY_INLINE void spread_chunk(const Spread<T>& c, const Sample& sample) {
  const BucketEnds<T, few_buckets> ends(c);
  const auto buckets = static_cast<std::size_t>(c.buckets);
  Word next = c.first_block;
  for (std::size_t b = 0; b < buckets; ++b) ends.begin(b, next++);
  if (c.first_size > 0) {
    Spread<T> first = c;
    first.keys = c.first_keys, first.size = c.first_size;
    next = append_chunk<T, few_buckets>(first, sample, next);
  }
  append_chunk<T, few_buckets>(c, sample, next);
  for (std::size_t b = 0; b < buckets; ++b)
    ends.end(b, c.next_chunk == no_block ? no_block : c.next_chunk + static_cast<Word>(b));
  hwy::FlushStream();
}

// Adds what was counted at once to the counts of the buckets.
HWY_INLINE void add_heavy(const Spread<Residue>& c) {
  const Index values = Index{1} << c.digit.shift;
  for (Index h = 0; h < c.heavy->size; ++h) {
    const Word* const counts = c.heavy->counts + h * values;
    c.counts[c.heavy->bucket[h]] += std::accumulate(counts, counts + values, Word{0});
  }
  for (Index h = 0; h < c.heavy->hot_size; ++h)
    c.counts[c.heavy->hot[h] >> c.digit.shift] += c.heavy->hot_keys[h];
}

template <class T>
HWY_INLINE void spread_chunk(const Spread<T>& c) {
  constexpr bool counts_heavy = std::is_same_v<T, Residue>;
  const Sample sample(c.keys, c.size, c.digit, counts_heavy);
  if constexpr (counts_heavy) {
    c.heavy->size = sample.heavy_count;
    std::copy_n(sample.heavy, sample.heavy_count, c.heavy->bucket);
    c.heavy->hot_size = sample.hot_count;
    std::copy_n(sample.hot, sample.hot_count, c.heavy->hot);
    if (sample.heavy_count > 0) std::fill_n(c.heavy->counts, heavy_counters(Index{1} << c.digit.shift), 0);
  }
  sample.few_buckets ? spread_chunk<T, true>(c, sample) : spread_chunk<T, false>(c, sample);
  if constexpr (counts_heavy) add_heavy(c);
}

void SpreadResidues(const Spread<Residue>& chunk) { spread_chunk(chunk); }
void SpreadKeys(const Spread<Word>& chunk) { spread_chunk(chunk); }
void SpreadPairs(const Spread<Pair>& chunk) { spread_chunk(chunk); }

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(SpreadResidues);
HWY_EXPORT(SpreadKeys);
HWY_EXPORT(SpreadPairs);

void spread(const Spread<Residue>& chunk) { HWY_DYNAMIC_DISPATCH(SpreadResidues)(chunk); }
void spread(const Spread<Word>& chunk) { HWY_DYNAMIC_DISPATCH(SpreadKeys)(chunk); }
void spread(const Spread<Pair>& chunk) { HWY_DYNAMIC_DISPATCH(SpreadPairs)(chunk); }

}  // namespace tallcache::cpu::counting_sort
#endif
