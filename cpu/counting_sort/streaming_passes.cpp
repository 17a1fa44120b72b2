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

// Keys that were selected from a block, behind the rest of those before. One vector more is written.
template <bool with_payload>
struct Selected {
  static constexpr Index block = 512, max_lanes = 16,
                         capacity = block + write_buffer_size<Residue> + max_lanes;
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

// What was peeled off a chunk, and the other keys. Residues of heavy buckets stand in `counted`, as values of
// both.
template <class T>
struct Peeled {
  static constexpr bool stores = std::is_same_v<T, Pair>;
  Selected<stores> others, heavy[2];
  alignas(64) Word counted[Selected<stores>::block];
};

// Peels what the sample found dominant off a block of keys, by comparing vectors. Hot keys, at most `hots`,
// are counted. Residues of heavy buckets are to be counted, and all other keys as values that do not exist,
// so that no branch depends on a key.
template <class T, Index hots, bool heavy, class Access>
HWY_INLINE void peel_block(const Records<const Word, Access>& in, Digit digit, Sample& sample,
                           Peeled<T>& to) {
  const hn::CappedTag<Word, Selected<true>::max_lanes> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto load = [=](VectorView<const Word, Access> of, Index i) HWY_ATTR {
    prefetch_page_ahead(of.data + i);
    return hn::LoadU(d, load_n(of.access(), of.data + i, lanes));
  };
  const bool two = sample.size == 2;
  const V values = hn::Set(d, Word{1} << digit.shift), low = hn::Sub(values, hn::Set(d, 1)),
          nowhere = hn::Iota(d, Word{2} << digit.shift);
  V hot[std::max<Index>(hots, 1)], hot_keys[std::max<Index>(hots, 1)];
  for (Index h = 0; h < hots; ++h) hot[h] = hn::Set(d, sample.hot[h]), hot_keys[h] = hn::Zero(d);
  for (Index i = 0; i < in.keys.size; i += lanes) {
    const V key = load(in.keys, i);
    V payload = key;
    if constexpr (to.stores) payload = load(in.payload, i);
    auto any = hn::MaskFromVec(hn::Zero(d));
    HWY_UNROLL(8)
    for (Index h = 0; h < hots; ++h) {
      const auto equal = hn::Eq(key, hot[h]);
      hot_keys[h] = hn::IfThenElse(equal, hn::Add(hot_keys[h], hn::Set(d, 1)), hot_keys[h]);
      any = hn::Or(any, equal);
    }
    if constexpr (heavy) {
      const V bucket = hn::And(hn::ShiftRightSame(key, digit.shift), hn::Set(d, digit.mask));
      const auto in_bucket = [=](Word b) HWY_ATTR { return hn::AndNot(any, hn::Eq(bucket, hn::Set(d, b))); };
      const auto first = in_bucket(sample.bucket[0]), second = in_bucket(two ? sample.bucket[1] : no_block);
      any = hn::Or(any, hn::Or(first, second));
      if constexpr (to.stores) {
        to.heavy[0].add(d, key, payload, first);
        if (two) to.heavy[1].add(d, key, payload, second);
      } else {
        const V value = hn::And(key, low), place = hn::IfThenElse(second, hn::Add(value, values), nowhere);
        hn::Store(hn::IfThenElse(first, value, place), d, to.counted + i);
      }
    }
    to.others.add(d, key, payload, hn::Not(any));
  }
  for (Index h = 0; h < std::min(hots, sample.hot_size); ++h)
    sample.hot_keys[h] += hn::GetLane(hn::SumOfLanes(d, hot_keys[h]));
}

// Appends all keys but those that are counted. The counter or the place of dominant keys is one chain of
// loads that each wait for a store, about 5 cycles a key. Pairs of heavy buckets are appended in rows.
template <class T, bool few_buckets, Index hots, bool heavy, class Access>
HWY_NOINLINE Word append_peeled(const Spread<T, Access>& c, const Records<const Word, Access>& in,
                                Sample& sample, Word next) {
  constexpr Index block = Selected<true>::block;
  const auto own = unshown(in.keys.access());
  const BucketEnds<T, few_buckets, Access> ends(c);
  const auto append = [&](const auto& keys) { next = append_keys<T, few_buckets>(c, keys, next); };
  Peeled<T> peeled;
  Index i = 0;
  for (; i + block <= in.keys.size; i += block) {
    peel_block<T, hots, heavy>(in.block(i, block), c.digit, sample, peeled);
    if constexpr (heavy && !peeled.stores)
      for (const Word value : peeled.counted) c.heavy_counts[value]++;
    if constexpr (heavy && peeled.stores)
      for (Index h = 0; h < sample.size; ++h)
        peeled.heavy[h].take(row, own, [&](const auto& rows) HWY_ATTR {
          for (Index begin = 0; begin < rows.keys.size; begin += row)
            ends.append_row(
                sample.bucket[h],
                [&](Index j)
                    HWY_ATTR { return element_of<T>(rows.keys[begin + j], rows.payload, begin + j); },
                next);
        });
    peeled.others.take(row, own, append);
  }
  for (auto& rest : peeled.heavy) rest.take(1, own, append);
  peeled.others.take(1, own, append);
  append(in.block(i, in.keys.size - i));
  return next;
}

template <bool few_buckets, class T, class Access>
HWY_INLINE Word append_chunk(const Spread<T, Access>& c, const Records<const Word, Access>& in,
                             Sample& sample, Word next) {
  constexpr Index hots = HeavyBuckets::max_hot;
  if constexpr (std::is_same_v<T, Residue>)
    if (sample.hot_size > 0)
      return sample.size > 0 ? append_peeled<T, few_buckets, hots, true>(c, in, sample, next)
                             : append_peeled<T, few_buckets, hots, false>(c, in, sample, next);
  if constexpr (!std::is_same_v<T, Word>)
    if (sample.size > 0) return append_peeled<T, few_buckets, 0, true>(c, in, sample, next);
  return append_keys<T, few_buckets>(c, in, next);
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
