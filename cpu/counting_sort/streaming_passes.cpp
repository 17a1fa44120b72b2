#include "cpu/counting_sort/streaming_kernels.hpp"

#include <algorithm>

// A processor with SSSE3 and no SSE4 is of before 2009.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
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
template <class T, bool few_buckets, class Access>
HWY_NOINLINE Word append_keys(const Spread<T, Access>& c, const Records<const Word, Access>& in, Word next) {
  const BucketEnds<T, few_buckets, Access> ends(c);
  const Digit digit = c.digit;
  const auto keys = in.keys;
  const auto payload = in.payload;
  const Index size = keys.size;
  const auto access = c.blocks.access();
  const auto bucket = [=](Index i) HWY_ATTR { return bucket_of<T>(keys[i], digit); };
  const auto element = [=](Index i) HWY_ATTR { return element_of<T>(keys[i], payload, i); };
  const auto append = [=, &next](Index i) HWY_ATTR {
    const Word key = keys[i];
    ends.append(bucket_of<T>(key, digit), element_of<T>(key, payload, i), next);
  };
  // Out of line, as it would take registers from the loop.
  const auto append_row = [=, &next](Index begin) HWY_NOINLINE HWY_ATTR {
    const auto in_row = [=](Index i) HWY_ATTR { return element(begin + i); };
    ends.append_row(bucket(begin), in_row, next);
  };
  Index i = 0;
  for (; i + row <= size; i += row) {
    prefetch_page_ahead(keys.data + i);
    if constexpr (std::is_same_v<T, Pair>) prefetch_page_ahead(payload.data + i);
    if (HWY_UNLIKELY(share_bucket(keys.block(i, row), digit))) {
      append_row(i);
      continue;
    }
    if constexpr (few_buckets) {
      unrolled<row / 8>(access, [&](Index eight) HWY_ATTR {
        std::size_t at[8];
        const Index begin = i + 8 * eight;
        unrolled<8>(access, [&](Index j) HWY_ATTR { at[j] = ends.reserve(bucket(begin + j)); });
        unrolled<8>(access, [&](Index j) HWY_ATTR { ends.put(at[j], element(begin + j), next); });
      });
    } else {
      unrolled<row>(access, [&](Index j) HWY_ATTR { append(i + j); });
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

  template <class Access>
  Records<const Word, Access> first(Index count, Access access) const {
    return {VectorView<const Word>{keys, count}.with(access),
            VectorView<const Word>{payload, count}.with(access)};
  }
  void drop(Index count) {
    std::copy(keys + count, keys + size, keys);
    if constexpr (with_payload) std::copy(payload + count, payload + size, payload);
    size -= count;
  }
};

// The count of a heavy bucket is one chain of loads that each wait for a store, about 5 cycles a key. Its
// pairs are therefore selected by one comparison of a vector of keys, and appended to its line together.
template <bool few_buckets, Index heavy_count, class Access>
HWY_NOINLINE Word append_compressed(const Spread<Pair, Access>& c, const Word* buckets, Word next) {
  using Ends = BucketEnds<Pair, few_buckets, Access>;
  using Keys = CompressedKeys<true>;
  constexpr auto line = static_cast<Index>(Ends::line);
  const hn::CappedTag<Word, Keys::max_lanes> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), size = c.in.keys.size;
  const Ends ends(c);
  const auto load = [=](VectorView<const Word, Access> of, Index i)
                        HWY_ATTR { return hn::LoadU(d, load_n(of.access(), of.data + i, lanes)); };
  const Records<const Word, Access> in = c.in;
  const auto own = unshown(in.keys.access());
  Keys heavy[heavy_count], others;
  const auto compress = [=](auto key, auto payload, hn::Mask<decltype(d)> mask, Keys& to) HWY_ATTR {
    hn::StoreU(hn::Compress(key, mask), d, to.keys + to.size);
    hn::StoreU(hn::Compress(payload, mask), d, to.payload + to.size);
    to.size += static_cast<Index>(hn::CountTrue(d, mask));
  };
  Index i = 0;
  while (i + lanes <= size) {
    const Index end = std::min(i + Keys::block, size);
    for (; i + lanes <= end; i += lanes) {
      prefetch_page_ahead(in.keys.data + i), prefetch_page_ahead(in.payload.data + i);
      const auto key = load(in.keys, i), payload = load(in.payload, i);
      const auto bucket = hn::And(hn::ShiftRightSame(key, c.digit.shift), hn::Set(d, c.digit.mask));
      const auto first = hn::Eq(bucket, hn::Set(d, buckets[0]));
      auto any = first;
      compress(key, payload, first, heavy[0]);
      if constexpr (heavy_count == 2) {
        const auto second = hn::Eq(bucket, hn::Set(d, buckets[1]));
        any = hn::Or(first, second);
        compress(key, payload, second, heavy[1]);
      }
      compress(key, payload, hn::Not(any), others);
    }
    for (Index h = 0; h < heavy_count; ++h) {
      const Index whole = heavy[h].size / line * line;
      const auto element = [=, keys = heavy[h].keys, payload = heavy[h].payload](Index j)
                               HWY_ATTR { return keys[j] | Pair{payload[j]} << 32; };
      ends.append_lines(buckets[h], whole, element, next);
      heavy[h].drop(whole);
    }
    const Index rows = others.size / row * row;
    next = append_keys<Pair, few_buckets>(c, others.first(rows, own), next);
    others.drop(rows);
  }
  for (const Keys& h : heavy) next = append_keys<Pair, few_buckets>(c, h.first(h.size, own), next);
  next = append_keys<Pair, few_buckets>(c, others.first(others.size, own), next);
  return append_keys<Pair, few_buckets>(c, in.block(i, size - i), next);
}

// The same where the values of a bucket are counted next: the residues of heavy buckets are counted at once.
// All other keys are counted as values that do not exist, so that no branch depends on a key, and then
// appended.
template <bool few_buckets, Index heavy_count, class Access>
HWY_NOINLINE Word append_others(const Spread<Residue, Access>& c, const Records<const Word, Access>& in,
                                const Word* buckets, Word next) {
  using Keys = CompressedKeys<false>;
  const hn::CappedTag<Word, Keys::max_lanes> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d)), size = in.keys.size;
  const auto counts = c.heavy_counts;
  const Word values = Word{1} << c.digit.shift, first_key = buckets[0] << c.digit.shift,
             second_key = buckets[heavy_count - 1] << c.digit.shift;
  const auto all_values = hn::Set(d, values), nowhere = hn::Iota(d, 2 * values);
  const auto own = unshown(in.keys.access());
  Keys others;
  alignas(64) Word counted[Keys::block];
  Index i = 0;
  for (; i + Keys::block <= size; i += Keys::block) {
    for (Index j = 0; j < Keys::block; j += lanes) {
      const Word* const from = in.keys.data + i + j;
      prefetch_page_ahead(from);
      const auto key = hn::LoadU(d, load_n(in.keys.access(), from, lanes)),
                 value = hn::Sub(key, hn::Set(d, first_key));
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
    for (Index j = 0; j < Keys::block; ++j) counts[counted[j]]++;
    const Index rows = others.size / row * row;
    next = append_keys<Residue, few_buckets>(c, others.first(rows, own), next);
    others.drop(rows);
  }
  next = append_keys<Residue, few_buckets>(c, others.first(others.size, own), next);
  return append_keys<Residue, few_buckets>(c, in.block(i, size - i), next);
}

template <bool few_buckets, class T, class Access>
HWY_INLINE Word append_all(const Spread<T, Access>& c, const Records<const Word, Access>& in,
                           const Sample& sample, Word next) {
  if constexpr (std::is_same_v<T, Residue>) {
    if (sample.size == 1) return append_others<few_buckets, 1>(c, in, sample.bucket, next);
    if (sample.size == 2) return append_others<few_buckets, 2>(c, in, sample.bucket, next);
  } else if constexpr (std::is_same_v<T, Pair>) {
    if (sample.size == 1) return append_compressed<few_buckets, 1>(c, sample.bucket, next);
    if (sample.size == 2) return append_compressed<few_buckets, 2>(c, sample.bucket, next);
  }
  return append_keys<T, few_buckets>(c, in, next);
}

// Counts the hot keys, at most `most`, by comparisons, as their counters and places would wait for one
// another, and appends the others.
template <bool few_buckets, Index most, class Access>
HWY_NOINLINE Word append_but_hot(const Spread<Residue, Access>& c, VectorView<const Word, Access> in,
                                 Sample& sample, Word next) {
  constexpr Index room = 4096, max_lanes = 16;
  const hn::CappedTag<Word, max_lanes> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto one = hn::Set(d, 1);
  V hot[most], counts[most];
  for (Index h = 0; h < most; ++h) hot[h] = hn::Set(d, sample.hot[h]), counts[h] = hn::Zero(d);
  alignas(64) Word keys[room + max_lanes];
  Index i = 0;
  while (i + lanes <= in.size) {
    Index others = 0;
    for (; i + lanes <= in.size && others <= room; i += lanes) {
      prefetch_page_ahead(in.data + i);
      const auto key = hn::LoadU(d, load_n(in.access(), in.data + i, lanes));
      auto any = hn::Eq(key, hot[0]);
      counts[0] = hn::IfThenElse(any, hn::Add(counts[0], one), counts[0]);
      HWY_UNROLL(8)
      for (Index h = 1; h < most; ++h) {
        const auto equal = hn::Eq(key, hot[h]);
        counts[h] = hn::IfThenElse(equal, hn::Add(counts[h], one), counts[h]);
        any = hn::Or(any, equal);
      }
      const auto other = hn::Not(any);
      hn::StoreU(hn::Compress(key, other), d, keys + others);
      others += static_cast<Index>(hn::CountTrue(d, other));
    }
    const auto rest = VectorView<const Word>{keys, others}.with(unshown(in.access()));
    next = append_all<few_buckets>(c, Records<const Word, Access>{rest}, sample, next);
  }
  for (Index h = 0; h < std::min(most, sample.hot_size); ++h)
    sample.hot_keys[h] += hn::GetLane(hn::SumOfLanes(d, counts[h]));
  return append_all<few_buckets>(c, Records<const Word, Access>{in.block(i, in.size - i)}, sample, next);
}

template <bool few_buckets, class T, class Access>
HWY_INLINE Word append_chunk(const Spread<T, Access>& c, const Records<const Word, Access>& in,
                             Sample& sample, Word next) {
  if constexpr (std::is_same_v<T, Residue>)
    if (sample.hot_size > 0)
      return sample.hot_size <= 2
                 ? append_but_hot<few_buckets, 2>(c, in.keys, sample, next)
                 : append_but_hot<few_buckets, HeavyBuckets::max_hot>(c, in.keys, sample, next);
  return append_all<few_buckets>(c, in, sample, next);
}

template <bool few_buckets, class T, class Access>
HWY_INLINE void spread_chunk(const Spread<T, Access>& c, Sample& sample) {
  const BucketEnds<T, few_buckets, Access> ends(c);
  const auto buckets = static_cast<std::size_t>(c.counts.size);
  Word next = c.first_block;
  for (std::size_t b = 0; b < buckets; ++b) ends.begin(b, next++);
  if (c.first.size > 0) next = append_chunk<few_buckets>(c, {c.first}, sample, next);
  append_chunk<few_buckets>(c, c.in, sample, next);
  for (std::size_t b = 0; b < buckets; ++b)
    ends.end(b, c.next_chunk == no_block ? no_block : c.next_chunk + static_cast<Word>(b));
  hwy::FlushStream();
}

// Adds what was counted at once to the counts of the buckets.
template <class Access>
HWY_INLINE void add_heavy(const Spread<Residue, Access>& c, const HeavyBuckets& found) {
  const Index values = Index{1} << c.digit.shift;
  for (Index h = 0; h < found.size; ++h) {
    const auto counts = c.heavy_counts.block(h * values, values);
    Word sum = 0;
    for (Index v = 0; v < values; ++v) sum += counts[v];
    c.counts[found.bucket[h]] += sum;
  }
  for (Index h = 0; h < found.hot_size; ++h) c.counts[found.hot[h] >> c.digit.shift] += found.hot_keys[h];
  c.heavy[0] = found;
}

template <class T, class Access>
void spread_chunk(const Spread<T, Access>& c) {
  constexpr bool counts_heavy = std::is_same_v<T, Residue>;
  Sample sample(c.in.keys, c.digit, counts_heavy);
  if (counts_heavy && sample.size > 0)
    for (Index v = 0; v < heavy_counters(Index{1} << c.digit.shift); ++v) c.heavy_counts[v] = 0;
  sample.few_buckets ? spread_chunk<true>(c, sample) : spread_chunk<false>(c, sample);
  if constexpr (counts_heavy) add_heavy(c, sample);
}

template <class Access>
constexpr PassKernels<Access> text{&spread_chunk<Residue, Access>, &spread_chunk<Word, Access>,
                                   &spread_chunk<Pair, Access>};

const CompiledTexts<PassKernels>* Passes() {
  static constexpr CompiledTexts<PassKernels> texts{text<Plain>, text<Traced<AnySink>>};
  return &texts;
}

}  // namespace tallcache::cpu::counting_sort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tallcache::cpu::counting_sort {

HWY_EXPORT(Passes);

const CompiledTexts<PassKernels>& pass_kernels() { return *HWY_DYNAMIC_DISPATCH(Passes)(); }

}  // namespace tallcache::cpu::counting_sort
#endif
