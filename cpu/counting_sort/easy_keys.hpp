// Keys that need no sort: in order, in the opposite order, or of a few values. A sample of the keys rules out
// nearly all others at once. The rest is read once to make sure.
#pragma once

#include <atomic>

#include "common/fork/fork.hpp"
#include "cpu/counting_sort/distribute.hpp"
#include "cpu/counting_sort/sample.hpp"
#include "cpu/sort/number_kernels.hpp"

namespace tallcache::cpu::counting_sort {

// Outputs beyond this are written past the caches (cpu/transpose/TUNING.md).
inline constexpr Index cached_words = 1 << 19;

/// Sorts keys, or pairs, that are in order, in the opposite order, or of at most few_values values. `out` may
/// be `in`, without payload.
template <class Access>
class EasyKeys {
 public:
  EasyKeys(Records<const Word, Access> in, Records<Word, Access> out, Index width)
      : in_(in),
        out_(out),
        n_(in.keys.size),
        chunks_(std::min(chunks_of(n_, 1, width), max_chunks)),
        in_place_(in.keys.data == out.keys.data) {}

  /// Copies keys that are in order or, where `falling`, in the opposite one, with their payload. Returns
  /// false where they are not; an output apart is then without meaning.
  template <class Fork>
  bool copy_in_order(Fork& fork, bool falling) const {
    const bool fine = all_blocks(fork, [=, this](Index, Index begin, Index end) {
      const Index from = std::max<Index>(begin - 1, 0);
      const auto keys = in_.keys.block(from, end - from);
      if (!sort::number_kernels<Word>(keys.access()).in_order(keys, falling)) return false;
      if (in_place_) return true;
      const auto in = in_.block(begin, end - begin);
      const auto to = out_.block(falling ? n_ - end : begin, end - begin);
      kernels().copy_words(in.keys, to.keys, falling, n_ > cached_words);
      if (to.payload.data) kernels().copy_words(in.payload, to.payload, falling, n_ > cached_words);
      return true;
    });
    if (fine && falling && in_place_)
      fork_chunks(fork, n_ / 2, chunks_,
                  [this](Index begin, Index end) { exchange(out_.keys, begin, end, n_ - begin); });
    if (fine && falling && out_.payload.data) reverse_equal_keys(fork);
    return fine;
  }

  /// Sorts keys of the sample's values alone. Returns false where there are others; nothing is then written.
  template <class Fork>
  bool sort_values(Fork& fork, const KeySample& sample) const {
    Word values[few_values], counts[max_chunks * few_values]{}, totals[max_chunks];
    // The last one stands in place of those that are missing.
    std::copy_n(sample.value.begin(), sample.values, values);
    std::sort(values, values + sample.values);
    std::fill(values + sample.values, values + few_values, values[std::max<Index>(sample.values - 1, 0)]);
    if (!all_blocks(fork, [&, this](Index c, Index begin, Index end) {
          return kernels().count_few(in_.keys.block(begin, end - begin), values, counts + c * few_values);
        }))
      return false;
    // The places of each chunk's keys.
    const MatrixView<Word> places{counts, chunks_, few_values, few_values};
    prefix_sums(fork, places, VectorView<Word>{totals, chunks_});
    fork_chunks(fork, n_, chunks_, [&, this](Index begin, Index end) {
      for (Index v = 0; v < few_values; ++v) {
        const Index first = std::max(begin, Index{counts[v]}),
                    last = v + 1 < few_values ? std::min(end, Index{counts[v + 1]}) : end;
        if (first < last)
          kernels().fill_words(values[v], out_.keys.block(first, last - first),
                               !in_place_ && n_ > cached_words);
      }
    });
    if (out_.payload.data)
      fork.blocks(chunks_, [&, this](Index c) {
        const Index begin = block_begin(n_, chunks_, c), end = block_begin(n_, chunks_, c + 1);
        Word* out[few_values];
        for (Index v = 0; v < few_values; ++v) out[v] = out_.payload.data + places(c, v);
        kernels().split_payload(in_.block(begin, end - begin), values, out, n_ > cached_words);
      });
    return true;
  }

 private:
  static constexpr Index max_chunks = 64;

  const LeafKernels<Access>& kernels() const { return leaf_kernels().under(out_.keys.access()); }

  // Calls body(chunk, begin, end) for the blocks of each chunk while it returns true. Returns whether all
  // did. A block is checked, and then moved while it is in a cache; the first ones are small, as most show
  // what is wrong.
  template <class Fork, class Body>
  bool all_blocks(Fork& fork, Body body) const {
    constexpr Index least = 256, most = 4096;
    std::atomic<bool> all{true};
    fork.blocks(chunks_, [&, this](Index c) {
      const Index last = block_begin(n_, chunks_, c + 1);
      for (Index begin = block_begin(n_, chunks_, c), block = least, end; begin < last; begin = end) {
        end = std::min(begin + block, last);
        block = std::min(2 * block, most);
        if (!all.load(std::memory_order_relaxed)) return;
        if (!body(c, begin, end)) all.store(false, std::memory_order_relaxed);
      }
    });
    return all;
  }

  // Exchanges elements begin ... end - 1, the first of them with the last one before `last`, and so on.
  static void exchange(VectorView<Word, Access> words, Index begin, Index end, Index last) {
    using std::swap;
    for (; begin < end; ++begin) swap(words[begin], words[--last]);
  }

  // Turns the payload of equal keys round, in a chunk the runs that begin there.
  template <class Fork>
  void reverse_equal_keys(Fork& fork) const {
    fork_chunks(fork, n_, chunks_,
                [n = n_, keys = out_.keys, payload = out_.payload](Index begin, Index last) {
                  for (Index end; begin < last; begin = end) {
                    const Word key = keys[begin];
                    for (end = begin + 1; end < n && keys[end] == key;) ++end;
                    if (end - begin == 1 || (begin > 0 && keys[begin - 1] == key)) continue;
                    exchange(payload, begin, begin + (end - begin) / 2, end);
                  }
                });
  }

  Records<const Word, Access> in_;
  Records<Word, Access> out_;
  Index n_, chunks_;
  bool in_place_;
};

}  // namespace tallcache::cpu::counting_sort
