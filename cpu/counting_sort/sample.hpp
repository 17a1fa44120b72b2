// What a sample of the keys says of a chunk.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

/// `count` keys at even distances, in order.
template <Index count, class Access>
void take_sample(VectorView<const Word, Access> keys, Word (&sample)[count]) {
  for (Index i = 0; i < count; ++i) sample[i] = keys[keys.size / count * i];
  std::sort(sample, sample + count);
}

/// Whether at least `least` keys of a sample are equal to others, and no value is there more than 64 times.
template <Index sampled, class Access>
bool repeats_evenly(VectorView<const Word, Access> keys, Index least) {
  Word sample[sampled];
  take_sample(keys, sample);
  Index repeats = 0, longest = 0, run = 0;
  for (Index i = 1; i < sampled; ++i) {
    run = sample[i] == sample[i - 1] ? run + 1 : 0;
    repeats += run > 0;
    longest = std::max(longest, run);
  }
  return repeats >= least && longest < 64;
}

/// Whether keys seem to be of more values than can be hot, but less than some 200, none of them much more
/// frequent than the others. One thread then compares them faster than it counts them: each level of a
/// quicksort halves the values. Few keys would take no longer than the samples.
template <class Access>
bool has_few_values(VectorView<const Word, Access> keys) {
  return keys.size >= 1 << 16 && repeats_evenly<128>(keys, 32) && repeats_evenly<512>(keys, 320);
}

// The result of a sample of the keys: hot ones, where many are equal; of the others, the buckets that hold
// more than a third of them; and whether the rest are of `few_buckets`: two of them share a bucket as often
// as with fewer than 384 even buckets.
struct Sample : HeavyBuckets {
  static constexpr Index sampled = 128;
  bool few_buckets = false;

  template <class Access>
  Sample(VectorView<const Word, Access> keys, Digit digit, bool finds_hot) {
    constexpr Index many = sampled / 4;
    if (keys.size < (finds_hot ? sampled : 32 * sampled)) return;  // it would take as long as the keys
    Word sample[sampled];
    take_sample(keys, sample);
    if (finds_hot && repeats(sample) >= many) find_hot(keys);
    Word* const end = std::remove_if(sample, sample + sampled, [this](Word key) {
      return std::find(hot, hot + hot_size, key) != hot + hot_size;
    });
    for (Word* key = sample; key != end; ++key) *key = digit(*key);
    std::sort(sample, end);
    const Index all = end - sample;
    Index others = all, pairs = 0;
    for (const Word *run = sample, *next; run != end; run = next) {
      next = std::upper_bound(run, static_cast<const Word*>(end), *run);
      const Index count = next - run;
      if (3 * count <= std::max(all, Index{24}))
        pairs += count * (count - 1);
      else
        bucket[size++] = *run, others -= count;
    }
    few_buckets = 384 * pairs > others * (others - 1);
  }

 private:
  // The number of keys that are equal to the one before them.
  static Index repeats(const Word (&sample)[sampled]) {
    Index equal = 0;
    for (Index i = 1; i < sampled; ++i) equal += sample[i] == sample[i - 1];
    return equal;
  }
  // From a larger sample.
  template <class Access>
  void find_hot(VectorView<const Word, Access> keys) {
    constexpr Index larger = 8 * sampled, least = 4;
    if (keys.size < larger) return;
    Word sample[larger];
    take_sample(keys, sample);
    std::pair<Index, Word> runs[larger / least];
    Index number = 0;
    for (const Word *run = sample, *next; run != sample + larger; run = next) {
      next = std::upper_bound(run, static_cast<const Word*>(sample + larger), *run);
      if (next - run >= least) runs[number++] = {next - run, *run};
    }
    std::sort(runs, runs + number, std::greater<>());
    hot_size = std::min(number, max_hot);
    for (Index k = 0; k < hot_size; ++k) hot[k] = runs[k].second;
    std::fill(hot + hot_size, hot + max_hot, hot[0]);  // not counted
  }
};

}  // namespace tallcache::cpu::counting_sort
