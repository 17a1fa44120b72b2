// Keys that need no sort: those that are in order already, and those of a few values. A sample of the keys rules
// out nearly all others at once. The rest is read once to make sure.
#pragma once

#include <array>
#include <atomic>

#include "common/fork/fork.hpp"
#include "cpu/counting_sort/distribute.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

/// Copies n words to `out`, past the caches where `stream`. Where `ordered` it stops soon after a word that is
/// less than the one before it and returns false. No word before the first is looked at.
bool copy_words(const Word* words, Index n, Word* out, bool ordered, bool stream);

/// Sets n words at `out`, past the caches where `stream`.
void fill_words(Word value, Index n, Word* out, bool stream);

inline constexpr Index few_values = 4;

/// Adds the number of keys of each of the values, which are different, to `counts`. Where another key occurs it
/// stops soon after and returns false.
bool count_values(const Word* keys, Index n, const Word (&values)[few_values], Word (&counts)[few_values]);

/// What keys at even distances, each with the one after it, tell about all of them.
struct KeySample {
  bool ordered = true;
  Index values = 0;  ///< different ones; few_values + 1: too many
  std::array<Word, few_values + 1> value{};

  template <class Access>
  explicit KeySample(VectorView<const Word, Access> keys) {
    constexpr Index sampled = 64;
    Word before = 0;
    for (Index s = 0; s < sampled && keys.size > 1; ++s) {
      const Index i = s * (keys.size - 2) / (sampled - 1);
      reads(keys.block(i, 2));
      const Word key = keys.data[i];
      ordered = ordered && before <= key && key <= keys.data[i + 1];
      before = key;
      add(key);
      if (!ordered && values > few_values) return;
    }
  }

 private:
  void add(Word key) {
    for (Index v = 0; v < values; ++v)
      if (value[static_cast<std::size_t>(v)] == key) return;
    if (values <= few_values) value[static_cast<std::size_t>(values++)] = key;
  }
};

namespace detail {

// Outputs beyond this are written past the caches (cpu/transpose/TUNING.md).
inline constexpr Index cached_words = 1 << 19;

/// Copies keys that are in order, with their payload. Returns false where they are not.
template <class Fork, class Args>
bool copy_in_order(Fork& fork, const Args& args, Index chunks) {
  const Index n = args.in.size;
  std::atomic<bool> ordered{true};
  fork.blocks(chunks, [&, n](Index c) {
    const Index begin = block_begin(n, chunks, c), size = block_begin(n, chunks, c + 1) - begin;
    const Word* keys = args.in.data + begin;
    reads(args.in.block(begin, size));
    writes(args.out.block(begin, size));
    const bool stream = n > cached_words;
    if ((c > 0 && size > 0 && keys[-1] > keys[0]) || !ordered.load(std::memory_order_relaxed) ||
        !copy_words(keys, size, args.out.data + begin, true, stream)) {
      ordered.store(false, std::memory_order_relaxed);
      return;
    }
    if constexpr (Args::has_payload) {
      reads(args.payload_in.block(begin, size));
      writes(args.payload_out.block(begin, size));
      copy_words(args.payload_in.data + begin, size, args.payload_out.data + begin, false, stream);
    }
  });
  return ordered;
}

/// Sorts keys of the sample's values alone. Returns false where there are others.
template <class Fork, class Args>
bool sort_values(Fork& fork, const Args& args, KeySample sample, Index chunks) {
  const Index n = args.in.size;
  std::sort(sample.value.begin(), sample.value.begin() + sample.values);
  Word values[few_values];
  // The last one stands in place of those that are missing.
  for (Index v = 0; v < few_values; ++v)
    values[v] = sample.value[static_cast<std::size_t>(std::min(v, sample.values - 1))];
  std::array<std::atomic<Word>, few_values> total{};
  std::atomic<bool> all{true};
  fork.blocks(chunks, [&, n](Index c) {
    const Index begin = block_begin(n, chunks, c), size = block_begin(n, chunks, c + 1) - begin;
    reads(args.in.block(begin, size));
    Word counts[few_values]{};
    if (!all.load(std::memory_order_relaxed) || !count_values(args.in.data + begin, size, values, counts))
      return all.store(false, std::memory_order_relaxed);
    for (std::size_t v = 0; v < few_values; ++v) total[v] += counts[v];
  });
  if (!all) return false;
  fork.blocks(chunks, [&, n](Index c) {
    const Index begin = block_begin(n, chunks, c), end = block_begin(n, chunks, c + 1);
    Index from = 0;
    for (Index v = 0; v < sample.values; ++v) {
      const Index to = from + total[static_cast<std::size_t>(v)];
      const Index first = std::max(begin, from), last = std::min(end, to);
      if (first < last) fill_words(values[v], last - first, args.out.data + first, n > cached_words);
      from = to;
    }
    writes(args.out.block(begin, end - begin));
  });
  return true;
}

}  // namespace detail

/// Sorts `args` where its keys are in order or, without a payload, have at most few_values different values.
/// Returns false elsewhere; the output is then without meaning.
template <class Fork, class Args>
bool sort_easy_keys(Fork& fork, const Args& args) {
  const Index n = args.in.size, chunks = chunks_of(n, 1, fork.width());
  if (n < 2) return false;
  const KeySample sample(args.in);
  if (sample.ordered && detail::copy_in_order(fork, args, chunks)) return true;
  if constexpr (Args::has_payload)
    return false;
  else
    return sample.values <= few_values && detail::sort_values(fork, args, sample, chunks);
}

}  // namespace tallcache::cpu::counting_sort
