#include "cpu/counting_sort/sample.hpp"

// A processor with SSSE3 and no SSE4 is of before 2009.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/counting_sort/streaming_passes.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come before what includes highway.h
#include "cpu/counting_sort/streaming_buckets-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tallcache::cpu::counting_sort::HWY_NAMESPACE {

// The bucket of a key. The bits above the digit are 0 where low bits are stored.
template <class T>
HWY_INLINE std::size_t bucket_of(Word key, Digit digit) {
  return std::is_same_v<T, LowBits> ? key >> digit.shift : digit(key);
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

// The counter or the place of dominant keys is one chain of loads that each wait for a store, about 5 cycles
// a key. They are therefore peeled by comparing vectors: the keys of heavy buckets, of which pairs are
// appended in rows. Low bits are counted at once, and all other keys as values that do not exist, so that no
// branch depends on a key.
template <bool few_buckets, class T, class Access>
HWY_NOINLINE Word append_but_heavy(const Spread<T, Access>& c, const Records<const Word, Access>& in,
                                   const Word* buckets, Word next) {
  constexpr bool stores = std::is_same_v<T, Pair>;
  using Keys = Selected<stores>;
  const hn::CappedTag<Word, Keys::max_lanes> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Digit digit = c.digit;
  const auto own = unshown(in.keys.access());
  const BucketEnds<T, few_buckets, Access> ends(c);
  const auto append = [&](const auto& keys) { next = append_keys<T, few_buckets>(c, keys, next); };
  const V bucket_0 = hn::Set(d, buckets[0]), bucket_1 = hn::Set(d, buckets[1]);
  const V values = hn::Set(d, Word{1} << digit.shift), nowhere = hn::Iota(d, Word{2} << digit.shift);
  Keys others, heavy[2];
  alignas(64) Word counted[Keys::block];
  Index i = 0;
  for (; i + Keys::block <= in.keys.size; i += Keys::block) {
    for (Index j = 0; j < Keys::block; j += lanes) {
      const V key = load_ahead(d, in.keys, i + j);
      const V bucket = hn::And(hn::ShiftRightSame(key, digit.shift), hn::Set(d, digit.mask));
      const auto first = hn::Eq(bucket, bucket_0), second = hn::Eq(bucket, bucket_1);
      const auto other = hn::Not(hn::Or(first, second));
      V payload = key;
      if constexpr (stores) {
        payload = load_ahead(d, in.payload, i + j);
        heavy[0].add(d, key, payload, first);
        heavy[1].add(d, key, payload, second);
      } else {
        const V value = hn::And(key, hn::Sub(values, hn::Set(d, 1)));
        const V place = hn::IfThenElse(second, hn::Add(value, values), nowhere);
        hn::Store(hn::IfThenElse(first, value, place), d, counted + j);
      }
      others.add(d, key, payload, other);
    }
    if constexpr (stores)
      for (int h = 0; h < 2; ++h)
        heavy[h].take(row, own, [&](const auto& rows) { append_rows(ends, buckets[h], rows, next); });
    else
      for (const Word value : counted) c.heavy_counts[value]++;
    others.take(row, own, append);
  }
  for (Keys& rest : heavy) rest.take(1, own, append);
  others.take(1, own, append);
  append(in.block(i, in.keys.size - i));
  return next;
}

template <bool few_buckets, class T, class Access>
HWY_INLINE Word append_rest(const Spread<T, Access>& c, const Records<const Word, Access>& in,
                            const Sample& sample, Word next) {
  if constexpr (!std::is_same_v<T, Word>) {
    if (sample.size > 0) return append_but_heavy<few_buckets>(c, in, sample.bucket, next);
  }
  return append_keys<T, few_buckets>(c, in, next);
}

// Hot keys are counted, before any others are peeled.
template <bool few_buckets, class T, class Access>
HWY_NOINLINE Word append_chunk(const Spread<T, Access>& c, const Records<const Word, Access>& in,
                               Sample& sample, Word next) {
  if (sample.hot_size == 0) return append_rest<few_buckets>(c, in, sample, next);
  peel_hot(sample, in.keys,
           [&](const auto& keys) { next = append_rest<few_buckets>(c, keys, sample, next); });
  return next;
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
HWY_INLINE void add_heavy(const Spread<LowBits, Access>& c, const HeavyBuckets& found) {
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
  constexpr bool counts_heavy = std::is_same_v<T, LowBits>;
  Sample sample(c.in.keys, c.digit, counts_heavy);
  if (counts_heavy && sample.size > 0)
    for (Index v = 0; v < heavy_counters(Index{1} << c.digit.shift); ++v) c.heavy_counts[v] = 0;
  sample.few_buckets ? spread_chunk<true>(c, sample) : spread_chunk<false>(c, sample);
  if constexpr (counts_heavy) add_heavy(c, sample);
}

template <class Access>
constexpr PassKernels<Access> text{&spread_chunk<LowBits, Access>, &spread_chunk<Word, Access>,
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
