// Samples: what is known of keys before all of them are read.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

/// How often each of at most `most` words was added, a power of two of them: a table that a hash addresses.
template <Index most>
struct Tally {
  using Entry = std::pair<Word, Word>;  ///< a number, and the word; 0 where there is none

  std::array<Entry, 2 * most> entries{};
  Index values = 0;  ///< different ones

  void add(Word word) {
    std::size_t at = word * 0x9e3779b1u >> (33 - std::bit_width(entries.size()));
    while (entries[at].first > 0 && entries[at].second != word) at = (at + 1) % entries.size();
    values += entries[at].first == 0;
    entries[at] = {entries[at].first + 1, word};
  }
  /// Adds a key of each of `most` even parts. Which one is a hash of the part's number: at even distances,
  /// keys that repeat after some others would differ more often than they do.
  template <class Access>
  void add_sample(VectorView<const Word, Access> keys) {
    const auto part = static_cast<std::uint64_t>(keys.size / most);
    for (Word i = 0; i < most; ++i) {
      const Word hash = i * 0x9e3779b1u, mixed = (hash ^ hash >> 15) * 0x85ebca77u;
      add(keys[static_cast<Index>(part * i + (part * mixed >> 32))]);
    }
  }
};

/// Whether of the first keys at least `least` are equal to their neighbours.
template <class T, class Access>
bool has_repeats(VectorView<const T, Access> keys, Index least) {
  Index equal = 0;
  for (Index i = 0; i + 1 < std::min<Index>(keys.size, 64); ++i) equal += keys[i] == keys[i + 1];
  return equal >= least;
}

/// What keys at even distances, each with the one after it, tell about all of them. Without keys: nothing.
struct KeySample {
  bool rising = false, falling = false;
  Index values = few_values + 1;  ///< different ones; few_values + 1: too many
  std::array<Word, few_values + 1> value{};
  double entropy = std::numeric_limits<double>::infinity();  ///< bits a key, where it was asked for

  KeySample() = default;
  template <class Access>
  KeySample(VectorView<const Word, Access> keys, bool with_entropy)
      : rising(true), falling(true), values(0), with_entropy_(with_entropy) {
    constexpr Index sampled = 64, many_keys = 1 << 12;  // to pay for a larger sample
    const Index most = keys.size < many_keys ? few_values / 2 : few_values;
    Word before = keys.size > 1 ? keys[0] : 0;
    for (Index s = 0; s < sampled && keys.size > 1 && (rising || falling || values <= most); ++s) {
      const Index i = s * (keys.size - 2) / (sampled - 1);
      const Word key = keys[i], after = keys[i + 1];
      rising = rising && before <= key && key <= after;
      falling = falling && before >= key && key >= after;
      before = key;
      add(key);
    }
    if (values > most) values = few_values + 1;
    if (!rising && !falling && values > few_values) find_entropy(keys);
  }

  /// There are others than the sample's values.
  template <class Access>
  void drop_values(VectorView<const Word, Access> keys) {
    values = few_values + 1;
    find_entropy(keys);
  }

 private:
  void add(Word key) {
    for (Index v = 0; v < values; ++v)
      if (value[static_cast<std::size_t>(v)] == key) return;
    if (values <= few_values) value[static_cast<std::size_t>(values++)] = key;
  }

  // That of a larger sample. A key that it has once tells of a value that few others have (Good 1953), and
  // counts as one of n.
  template <class Access>
  void find_entropy(VectorView<const Word, Access> keys) {
    constexpr Index sampled = 512, many_keys = 1 << 17;
    if (!with_entropy_ || keys.size < many_keys) return;
    Tally<sampled> tally;
    tally.add_sample(keys);
    entropy = 0;
    for (const auto& [number, value] : tally.entries)
      if (number > 1)
        entropy += number * std::log2(static_cast<double>(sampled) / number) / sampled;
      else if (number == 1)
        entropy += std::log2(static_cast<double>(keys.size)) / sampled;
  }

  bool with_entropy_ = false;
};

/// The most common words of a tally are hot.
template <Index most>
void take_hot(HeavyBuckets& found, Tally<most>& tally) {
  const auto begin = tally.entries.begin();
  const auto end =
      std::partition(begin, tally.entries.end(), [](const auto& e) { return e.first >= most / 32; });
  std::sort(begin, end, std::greater<>());
  found.hot_size = std::min(Index{end - begin}, HeavyBuckets::max_hot);
  for (Index h = 0; h < found.hot_size; ++h) found.hot[h] = begin[h].second;
  std::fill(found.hot + found.hot_size, found.hot + HeavyBuckets::max_hot, found.hot[0]);  // not counted
}
/// Finds the most common keys, where a quarter of a sample are equal to others.
template <class Access>
void find_hot(HeavyBuckets& found, VectorView<const Word, Access> keys) {
  constexpr Index sampled = 128, larger = 8 * sampled, many_keys = 1 << 14;
  if (keys.size < 4 * sampled) return;
  Tally<sampled> tally;
  tally.add_sample(keys);
  if (tally.values > sampled - sampled / 4) return;
  if (keys.size < many_keys) return take_hot(found, tally);
  Tally<larger> more;
  more.add_sample(keys);
  take_hot(found, more);
}

// The result of a sample of the keys: hot ones, where many are equal; of the others, the buckets that hold
// more than a third of them; and whether the rest are of `few_buckets`: two of them share a bucket as often
// as with fewer than 384 even buckets.
struct Sample : HeavyBuckets {
  static constexpr Index sampled = 128;
  bool few_buckets = false;

  template <class Access>
  Sample(VectorView<const Word, Access> keys, Digit digit, bool finds_hot) {
    if (keys.size < (finds_hot ? sampled : 32 * sampled)) return;  // it would take as long as the keys
    if (finds_hot) find_hot(*this, keys);
    Tally<sampled> buckets;
    Index all = 0, pairs = 0;
    for (Index i = 0; i < sampled; ++i) {
      const Word key = keys[keys.size / sampled * i];
      if (std::find(hot, hot + hot_size, key) == hot + hot_size) buckets.add(digit(key)), ++all;
    }
    Index others = all;
    for (const auto& [number, found] : buckets.entries)
      if (const Index count = number; 3 * count <= std::max(all, Index{24}))
        pairs += count * (count - 1);
      else
        bucket[size++] = found, others -= count;
    few_buckets = 384 * pairs > others * (others - 1);
  }
};

}  // namespace tallcache::cpu::counting_sort
