// Keys that need no sort: those that are in order already, and those of a few values. A sample of the keys
// rules out nearly all others at once. The rest is read once to make sure.
#pragma once

#include <array>
#include <atomic>

#include "common/fork/fork.hpp"
#include "cpu/counting_sort/distribute.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

/// Copies n words to `out`, past the caches where `stream`. Where `ordered` it stops soon after a word that
/// is less than the one before it and returns false. No word before the first is looked at.
bool copy_words(const Word* words, Index n, Word* out, bool ordered, bool stream);

/// Sets n words at `out`, past the caches where `stream`.
void fill_words(Word value, Index n, Word* out, bool stream);

/// Whether no word is less than the one before it or, where `falling`, none is greater. Stops soon after one
/// that is.
bool in_order(const Word* words, Index n, bool falling);

/// Swaps the n words at `front` with those before `back`: the first with the last.
void swap_reversed(Word* front, Word* back, Index n);

inline constexpr Index few_values = 4;

/// Adds the number of keys of each of the values, which are different, to `counts`. Where another key occurs
/// it stops soon after and returns false.
bool count_values(const Word* keys, Index n, const Word (&values)[few_values], Word (&counts)[few_values]);

/// Sends each payload, stably, to the end of its key's value: from out[v] on for values[v], which are as
/// above. Afterwards out[v] is behind the last. The output is written past the caches where `stream`.
void split_payload(const Word* keys, const Word* payload, Index n, const Word (&values)[few_values],
                   Word* (&out)[few_values], bool stream);

/// Sorts n pairs whose keys fall, stably, to `out` and `payload_out`, past the caches where `stream`. Stops
/// soon after a key that is greater than the one before it and returns false.
bool copy_falling(const Word* keys, const Word* payload, Index n, Word* out, Word* payload_out, bool stream);

/// What keys at even distances, each with the one after it, tell about all of them.
struct KeySample {
  bool ordered = true, falling = true;
  bool turning = false;  ///< they rise first, and fall from somewhere in [top_begin, top_end] on
  Index top_begin = 0, top_end = 0;
  Index values = 0;  ///< different ones; few_values + 1: too many
  std::array<Word, few_values + 1> value{};

  template <class Access>
  explicit KeySample(VectorView<const Word, Access> keys) {
    constexpr Index sampled = 64;
    Word before = keys.size > 1 ? keys.data[0] : 0;
    for (Index s = 0; s < sampled && keys.size > 1; ++s) {
      const Index i = s * (keys.size - 2) / (sampled - 1);
      reads(keys.block(i, 2));
      const Word key = keys.data[i], after = keys.data[i + 1];
      const bool rises = before < key || key<after, falls = before> key || key > after;
      if (ordered && falls) {
        turning = key >= after;
        top_end = i + 1;
      } else if (ordered) {
        top_begin = i;
      } else {
        turning = turning && !rises;
      }
      ordered = ordered && !falls;
      falling = falling && !rises;
      before = key;
      add(key);
      if (!ordered && !turning && values > few_values) return;
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
    const Index before = c > 0 && size > 0;  // the key that the first one is compared with
    reads(args.in.block(begin - before, before + size));
    writes(args.out.block(begin, size));
    const bool stream = n > cached_words;
    if ((before > 0 && keys[-1] > keys[0]) || !ordered.load(std::memory_order_relaxed) ||
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

/// Whether keys are in order or, where `falling`, in the opposite one.
template <class Fork, class Access>
bool in_order(Fork& fork, VectorView<const Word, Access> keys, bool falling, Index chunks) {
  const Index n = keys.size;
  std::atomic<bool> fine{true};
  fork.blocks(chunks, [&, n](Index c) {
    const Index begin = std::max<Index>(block_begin(n, chunks, c) - 1, 0),
                end = block_begin(n, chunks, c + 1);
    if (!fine.load(std::memory_order_relaxed)) return;
    reads(keys.block(begin, end - begin));
    if (!counting_sort::in_order(keys.data + begin, end - begin, falling))
      fine.store(false, std::memory_order_relaxed);
  });
  return fine;
}

/// Turns keys round.
template <class Fork, class Access>
void reverse(Fork& fork, VectorView<Word, Access> keys, Index chunks) {
  const Index n = keys.size;
  fork.blocks(chunks, [=](Index c) {
    const Index begin = block_begin(n / 2, chunks, c), size = block_begin(n / 2, chunks, c + 1) - begin;
    const auto front = keys.block(begin, size), back = keys.block(n - begin - size, size);
    reads(front), reads(back);
    swap_reversed(front.data, back.data + size, size);
    writes(front), writes(back);
  });
}

/// Appends pairs to an output.
struct PairWriter {
  const Word *keys, *payload;
  Word *keys_out, *payload_out;
  bool stream;  ///< many pairs at once are written past the caches

  void copy(Index i) { *keys_out++ = keys[i], *payload_out++ = payload[i]; }
  /// Copies the last pairs of a falling run [begin, end) that have the same key, in their order. Returns the
  /// end of the rest.
  Index copy_last(Index begin, Index end) {
    Index first = end - 1;
    while (first > begin && keys[first - 1] == keys[end - 1]) --first;
    for (Index i = first; i < end; ++i) copy(i);
    return first;
  }
  /// Copies a falling run, sorted.
  void copy_falling(Index begin, Index end) {
    counting_sort::copy_falling(keys + begin, payload + begin, end - begin, keys_out, payload_out, stream);
    keys_out += end - begin, payload_out += end - begin;
  }
};

/// Sorts pairs whose keys fall, stably. Returns false where they do not.
template <class Fork, class Args>
bool copy_falling(Fork& fork, const Args& args, Index chunks) {
  const Index n = args.in.size;
  const Word* const keys = args.in.data;
  // A chunk begins where a key does.
  const auto begin_of = [=](Index c) {
    Index begin = block_begin(n, chunks, c);
    while (0 < begin && begin < n && keys[begin - 1] == keys[begin]) --begin;
    return begin;
  };
  std::atomic<bool> falling{true};
  fork.blocks(chunks, [&, n](Index c) {
    const Index begin = begin_of(c), size = begin_of(c + 1) - begin, to = n - begin - size;
    if (size == 0 || !falling.load(std::memory_order_relaxed)) return;
    const Index before = begin > 0;  // the key that the first one is compared with
    reads(args.in.block(begin - before, before + size)), reads(args.payload_in.block(begin, size));
    if ((before > 0 && keys[begin - 1] < keys[begin]) ||
        !counting_sort::copy_falling(keys + begin, args.payload_in.data + begin, size, args.out.data + to,
                                     args.payload_out.data + to, n > cached_words))
      return falling.store(false, std::memory_order_relaxed);
    writes(args.out.block(to, size)), writes(args.payload_out.block(to, size));
  });
  return falling;
}

/// Merges the rising pairs [left, left_end) with the falling ones [right, right_end), stably.
inline void merge_runs(PairWriter out, Index left, Index left_end, Index right, Index right_end) {
  if (left < left_end) {
    const Index less = std::partition_point(out.keys + right, out.keys + right_end,
                                            [=](Word key) { return key >= out.keys[left]; }) -
                       out.keys;
    out.copy_falling(less, right_end);
    right_end = less;
  }
  while (left < left_end && right < right_end)
    if (out.keys[left] <= out.keys[right_end - 1])
      out.copy(left++);
    else
      right_end = out.copy_last(right, right_end);
  while (left < left_end) out.copy(left++);
  out.copy_falling(right, right_end);
}

/// Sorts pairs whose keys rise and then fall. Returns false where they do not. Each chunk merges the keys
/// between two that stand at even distances in the longer run.
template <class Fork, class Args>
bool merge_at_turn(Fork& fork, const Args& args, const KeySample& sample, Index chunks) {
  const Word* const keys = args.in.data;
  const Index n = args.in.size;
  Index top = sample.top_begin;  // behind it they fall
  for (Index end = sample.top_end; top < end;)
    if (const Index middle = (top + end) / 2; keys[middle] > keys[middle + 1])
      end = middle;
    else
      top = middle + 1;
  const Index turn = top + 1;
  if (!in_order(fork, args.in.block(0, turn), false, chunks) ||
      !in_order(fork, args.in.block(turn, n - turn), true, chunks))
    return false;
  // The part of both runs below the c-th such key: [0, left) and [right, n).
  const auto cut = [=](Index c) {
    if (c == 0) return std::pair{Index{0}, n};
    if (c == chunks) return std::pair{turn, turn};
    const Word key =
        2 * turn >= n ? keys[block_begin(turn, chunks, c)] : keys[n - 1 - block_begin(n - turn, chunks, c)];
    return std::pair{std::lower_bound(keys, keys + turn, key) - keys,
                     std::partition_point(keys + turn, keys + n, [=](Word k) { return k >= key; }) - keys};
  };
  fork.blocks(chunks, [=](Index c) {
    const auto [left, right_end] = cut(c);
    const auto [left_end, right] = cut(c + 1);
    const Index begin = left + n - right_end, size = left_end - left + right_end - right;
    for (const auto& in : {args.in, args.payload_in}) {
      reads(in.block(left, left_end - left));
      reads(in.block(right, right_end - right));
    }
    merge_runs(
        {keys, args.payload_in.data, args.out.data + begin, args.payload_out.data + begin, n > cached_words},
        left, left_end, right, right_end);
    writes(args.out.block(begin, size)), writes(args.payload_out.block(begin, size));
  });
  return true;
}

/// The values of keys, and the number of each in each chunk.
struct ValueCounts {
  static constexpr Index max_chunks = 64;
  Word values[few_values];
  std::array<std::array<Word, few_values>, max_chunks> chunk{};
};

/// Sorts keys of the sample's values alone from `in` to `out`, which may be the same. Returns false where
/// there are others; nothing is then written.
template <class Fork, class Access>
bool sort_values(Fork& fork, VectorView<const Word, Access> in, VectorView<Word, Access> out,
                 const KeySample& sample, Index chunks, ValueCounts& counts) {
  const Index n = in.size;
  // The first one stands in place of those that are missing. Of equal ones the first is counted.
  for (Index v = 0; v < few_values; ++v)
    counts.values[v] = sample.value[v < sample.values ? static_cast<std::size_t>(v) : 0];
  std::sort(counts.values, counts.values + few_values);
  std::atomic<bool> all{true};
  fork.blocks(chunks, [&, n](Index c) {
    const Index begin = block_begin(n, chunks, c), size = block_begin(n, chunks, c + 1) - begin;
    reads(in.block(begin, size));
    Word found[few_values]{};
    if (!all.load(std::memory_order_relaxed) || !count_values(in.data + begin, size, counts.values, found))
      return all.store(false, std::memory_order_relaxed);
    std::copy_n(found, few_values, counts.chunk[static_cast<std::size_t>(c)].data());
  });
  if (!all) return false;
  fork.blocks(chunks, [&, n](Index part) {
    const Index begin = block_begin(n, chunks, part), end = block_begin(n, chunks, part + 1);
    Index from = 0;
    for (std::size_t v = 0; v < few_values; ++v) {
      Index to = from;
      for (Index c = 0; c < chunks; ++c) to += counts.chunk[static_cast<std::size_t>(c)][v];
      const Index first = std::max(begin, from), last = std::min(end, to);
      if (first < last)
        fill_words(counts.values[v], last - first, out.data + first, in.data != out.data && n > cached_words);
      from = to;
    }
    writes(out.block(begin, end - begin));
  });
  return true;
}

/// The same in place, by one thread. Keys of the least value are written behind those that were counted,
/// whose lines are still in a cache. Where it returns false the keys are in another order.
template <class Access>
bool sort_values_in_place(VectorView<Word, Access> keys, const KeySample& sample) {
  constexpr Index block = 4096;
  Word values[few_values], found[few_values]{};
  for (Index v = 0; v < few_values; ++v)
    values[v] = sample.value[v < sample.values ? static_cast<std::size_t>(v) : 0];
  std::sort(values, values + few_values);
  bool all = true;
  for (Index i = 0; i < keys.size && all; i += block) {
    const Index size = std::min(block, keys.size - i);
    Word in_block[few_values]{};
    reads(keys.block(i, size));
    all = count_values(keys.data + i, size, values, in_block);
    if (!all) break;
    fill_words(values[0], in_block[0], keys.data + found[0], false);
    for (Index v = 0; v < few_values; ++v) found[v] += in_block[v];
  }
  Index at = found[0];
  for (Index v = 1; v < few_values; at += found[v++]) fill_words(values[v], found[v], keys.data + at, false);
  writes(keys.block(0, at));
  return all;
}

/// The payload of keys that sort_values() has sorted.
template <class Fork, class Args>
void place_payload(Fork& fork, const Args& args, const ValueCounts& counts, Index chunks) {
  const Index n = args.in.size;
  fork.blocks(chunks, [&, n](Index c) {
    const Index begin = block_begin(n, chunks, c), size = block_begin(n, chunks, c + 1) - begin;
    Word *out[few_values], *next = args.payload_out.data;
    for (std::size_t v = 0; v < few_values; ++v)
      for (Index other = 0; other < chunks; ++other) {
        if (other == c) out[v] = next;
        next += counts.chunk[static_cast<std::size_t>(other)][v];
      }
    reads(args.in.block(begin, size)), reads(args.payload_in.block(begin, size));
    split_payload(args.in.data + begin, args.payload_in.data + begin, size, counts.values, out,
                  n > cached_words);
  });
  writes(args.payload_out);
}

}  // namespace detail

/// Sorts `args` where its keys are in order or have at most few_values different values, and pairs whose keys
/// rise and then fall. Returns false elsewhere; the output is then without meaning.
template <class Fork, class Args>
bool sort_easy_keys(Fork& fork, const Args& args) {
  const Index chunks = std::min(chunks_of(args.in.size, 1, fork.width()), detail::ValueCounts::max_chunks);
  if (args.in.size < 2) return false;
  const KeySample sample(args.in);
  if (sample.ordered && detail::copy_in_order(fork, args, chunks)) return true;
  if constexpr (Args::has_payload) {
    if (sample.falling && detail::copy_falling(fork, args, chunks)) return true;
    if (sample.turning && detail::merge_at_turn(fork, args, sample, chunks)) return true;
  }
  detail::ValueCounts counts;
  if (sample.values > few_values || !detail::sort_values(fork, args.in, args.out, sample, chunks, counts))
    return false;
  if constexpr (Args::has_payload) detail::place_payload(fork, args, counts, chunks);
  return true;
}

/// The same in place, for keys in the opposite order, too. Where it returns false the keys may be in another
/// order.
template <class Fork, class Access>
bool sort_easy_keys_in_place(Fork& fork, VectorView<Word, Access> keys) {
  const Index chunks = std::min(chunks_of(keys.size, 1, fork.width()), detail::ValueCounts::max_chunks);
  const VectorView<const Word, Access> in = keys;
  const KeySample sample(in);
  if (sample.ordered && detail::in_order(fork, in, false, chunks)) return true;
  if (sample.falling && detail::in_order(fork, in, true, chunks)) {
    detail::reverse(fork, keys, chunks);
    return true;
  }
  if (sample.values > few_values) return false;
  if (chunks == 1) return detail::sort_values_in_place(keys, sample);
  detail::ValueCounts counts;
  return detail::sort_values(fork, in, keys, sample, chunks, counts);
}

}  // namespace tallcache::cpu::counting_sort
