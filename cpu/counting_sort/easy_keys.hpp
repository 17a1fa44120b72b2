// Keys that need no sort: in order, in the opposite order, or of a few values. A sample of the keys rules out
// nearly all others at once. The rest is read once to make sure.
#pragma once

#include <array>
#include <atomic>

#include "common/fork/fork.hpp"
#include "cpu/counting_sort/distribute.hpp"
#include "cpu/counting_sort/streaming_kernels.hpp"

namespace tallcache::cpu::counting_sort {

inline constexpr Index few_values = 4;

/// Outputs are written past the caches where `stream`.
template <class Access>
struct EasyKernels {
  using Words = VectorView<Word, Access>;
  using ConstantWords = VectorView<const Word, Access>;

  /// Copies words to `out`, which is as long, the last one first where `reversed`.
  void (*copy_words)(ConstantWords words, Words out, bool reversed, bool stream);
  void (*fill_words)(Word value, Words out, bool stream);
  /// Whether no word is less than the one before it or, where `falling`, none is greater. Stops soon after
  /// one that is.
  bool (*in_order)(ConstantWords words, bool falling);
  /// Adds the number of keys of each of the values, which are different, to `counts`. Where another key
  /// occurs it stops soon after and returns false.
  bool (*count_values)(ConstantWords keys, const Word (&values)[few_values], Word (&counts)[few_values]);
  /// Sends each payload, stably, to the end of its key's value: from out[v] on for values[v], which are as
  /// above. Afterwards out[v] is behind the last.
  void (*split_payload)(Records<const Word, Access> in, const Word (&values)[few_values],
                        Word* (&out)[few_values], bool stream);
};
const CompiledTexts<EasyKernels>& easy_kernels();

/// What keys at even distances, each with the one after it, tell about all of them.
struct KeySample {
  bool rising = true, falling = true;
  Index values = 0;  ///< different ones; few_values + 1: too many
  std::array<Word, few_values + 1> value{};

  template <class Access>
  explicit KeySample(VectorView<const Word, Access> keys) {
    constexpr Index sampled = 64;
    Word before = keys.size > 1 ? keys[0] : 0;
    for (Index s = 0; s < sampled && keys.size > 1 && (rising || falling || values <= few_values); ++s) {
      const Index i = s * (keys.size - 2) / (sampled - 1);
      const Word key = keys[i], after = keys[i + 1];
      rising = rising && before <= key && key <= after;
      falling = falling && before >= key && key >= after;
      before = key;
      add(key);
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
// So many keys are checked, and then moved while they are in a cache.
inline constexpr Index checked_words = 4096;

/// Calls body(begin, end) for the blocks of n keys, in as many chunks, while it returns true. Returns whether
/// all did.
template <class Fork, class Body>
bool all_blocks(Fork& fork, Index n, Index chunks, Body body) {
  std::atomic<bool> all{true};
  fork.blocks(chunks, [&, n](Index c) {
    const Index last = block_begin(n, chunks, c + 1);
    for (Index begin = block_begin(n, chunks, c), end; begin < last; begin = end) {
      end = std::min(begin + checked_words, last);
      if (!all.load(std::memory_order_relaxed)) return;
      if (!body(begin, end)) all.store(false, std::memory_order_relaxed);
    }
  });
  return all;
}

/// Whether keys begin ... end - 1, and the one before them, are in order.
template <class Access>
bool in_order(VectorView<const Word, Access> keys, Index begin, Index end, bool falling) {
  const Index from = std::max<Index>(begin - 1, 0);
  return easy_kernels().under(keys.access()).in_order(keys.block(from, end - from), falling);
}

/// Exchanges keys begin ... end - 1, the first of them with the last one before `last`, and so on.
template <class Access>
void exchange(VectorView<Word, Access> keys, Index begin, Index end, Index last) {
  using std::swap;
  for (; begin < end; ++begin) swap(keys[begin], keys[--last]);
}

/// Turns the payload of equal keys round, in a chunk the runs that begin there.
template <class Fork, class Access>
void reverse_equal_keys(Fork& fork, VectorView<Word, Access> keys, VectorView<Word, Access> payload,
                        Index chunks) {
  const Index n = keys.size;
  fork.blocks(chunks, [=](Index c) {
    const Index last = block_begin(n, chunks, c + 1);
    for (Index begin = block_begin(n, chunks, c), end; begin < last; begin = end) {
      const Word key = keys[begin];
      for (end = begin + 1; end < n && keys[end] == key;) ++end;
      if (end - begin == 1 || (begin > 0 && keys[begin - 1] == key)) continue;
      exchange(payload, begin, begin + (end - begin) / 2, end);
    }
  });
}

/// Copies keys that are in order or, where `falling`, in the opposite one, with their payload. Returns false
/// where they are not.
template <class Fork, class Args>
bool copy_in_order(Fork& fork, const Args& args, bool falling, Index chunks) {
  const Index n = args.in.size;
  const bool fine = all_blocks(fork, n, chunks, [=](Index begin, Index end) {
    if (!in_order(args.in, begin, end, falling)) return false;
    const auto copy = [=](const auto& in, const auto& out) {
      const auto to = out.block(falling ? n - end : begin, end - begin);
      const auto& kernels = easy_kernels().under(in.access());
      kernels.copy_words(in.block(begin, to.size), to, falling, n > cached_words);
    };
    copy(args.in, args.out);
    if constexpr (Args::has_payload) copy(args.payload_in, args.payload_out);
    return true;
  });
  if constexpr (Args::has_payload)
    if (fine && falling) reverse_equal_keys(fork, args.out, args.payload_out, chunks);
  return fine;
}

/// Turns keys round.
template <class Fork, class Access>
void reverse(Fork& fork, VectorView<Word, Access> keys, Index chunks) {
  const Index n = keys.size;
  fork.blocks(chunks, [=](Index c) {
    const Index begin = block_begin(n / 2, chunks, c);
    exchange(keys, begin, block_begin(n / 2, chunks, c + 1), n - begin);
  });
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
  const auto& kernels = easy_kernels().under(in.access());
  std::atomic<bool> all{true};
  fork.blocks(chunks, [&, n](Index c) {
    const Index begin = block_begin(n, chunks, c), size = block_begin(n, chunks, c + 1) - begin;
    Word found[few_values]{};
    if (!all.load(std::memory_order_relaxed) ||
        !kernels.count_values(in.block(begin, size), counts.values, found))
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
        kernels.fill_words(counts.values[v], out.block(first, last - first),
                           in.data != out.data && n > cached_words);
      from = to;
    }
  });
  return true;
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
    const auto& kernels = easy_kernels().under(args.in.access());
    kernels.split_payload({args.in.block(begin, size), args.payload_in.block(begin, size)}, counts.values,
                          out, n > cached_words);
  });
}

}  // namespace detail

/// Sorts `args` where its keys are in order, in the opposite order, or have at most few_values different
/// values. Returns false elsewhere; the output is then without meaning.
template <class Fork, class Args>
bool sort_easy_keys(Fork& fork, const Args& args) {
  const Index chunks = std::min(chunks_of(args.in.size, 1, fork.width()), detail::ValueCounts::max_chunks);
  if (args.in.size < 2) return false;
  const KeySample sample(args.in);
  if (sample.rising && detail::copy_in_order(fork, args, false, chunks)) return true;
  if (sample.falling && detail::copy_in_order(fork, args, true, chunks)) return true;
  detail::ValueCounts counts;
  if (sample.values > few_values || !detail::sort_values(fork, args.in, args.out, sample, chunks, counts))
    return false;
  if constexpr (Args::has_payload) detail::place_payload(fork, args, counts, chunks);
  return true;
}

/// The same in place. Where it returns false the keys are as they were.
template <class Fork, class Access>
bool sort_easy_keys_in_place(Fork& fork, VectorView<Word, Access> keys) {
  const Index chunks = std::min(chunks_of(keys.size, 1, fork.width()), detail::ValueCounts::max_chunks);
  const VectorView<const Word, Access> in = keys;
  const KeySample sample(in);
  const auto are_in_order = [&](bool falling) {
    return detail::all_blocks(fork, in.size, chunks, [=](Index begin, Index end) {
      return detail::in_order(in, begin, end, falling);
    });
  };
  if (sample.rising && are_in_order(false)) return true;
  if (sample.falling && are_in_order(true)) {
    detail::reverse(fork, keys, chunks);
    return true;
  }
  detail::ValueCounts counts;
  return sample.values <= few_values && detail::sort_values(fork, in, keys, sample, chunks, counts);
}

}  // namespace tallcache::cpu::counting_sort
