// Counting sort by the top bits of the range. A pass sends the keys to buckets of neighbouring values. It
// writes whole lines past the caches to blocks that a bucket takes as it grows. At most 16 bits tell a
// bucket's values apart. Each bucket is then counted, and its runs are written in order.
#pragma once

#include <bit>

#include "cpu/counting_sort/easy_keys.hpp"
#include "cpu/counting_sort/key_sort.hpp"
#include "cpu/counting_sort/leaves.hpp"
#include "cpu/counting_sort/lsd_radix.hpp"
#include "cpu/counting_sort/sample.hpp"
#include "cpu/counting_sort/wide_keys.hpp"

namespace tallcache::cpu::counting_sort {

/// How the bits of a range are divided: those of the bucket, and below them `leaf`. No number here depends on
/// a cache: a leaf has at most the values of 16 low bits, and at least 2^12, so that its counters and
/// runs outweigh its call. There are 2^10 buckets while leaves can be smaller, and 2^12 for pairs, whose
/// leaves are slower the larger they are (TUNING.md).
struct RangeBits {
  int bits, leaf;

  constexpr RangeBits(std::uint64_t range, bool payload) : bits(static_cast<int>(std::bit_width(range))) {
    leaf = std::clamp(bits - (payload ? 12 : 10), 12, max_leaf);
  }
  static constexpr int max_leaf = 16;

  constexpr Index buckets() const { return Index{1} << std::max(bits - leaf, 0); }
};

enum class SortStrategy { rising, falling, few_values, comparisons, histogram, buckets, digits };

/// n keys in [0, range].
struct SortProblem {
  Index n;
  std::uint64_t range;
  bool payload = false, in_place = false;
  Index width = 1;  ///< threads
};

/// Whether keys would go to buckets that one thread may rather compare: a level of a quicksort takes a bit of
/// the keys' entropy (Sedgewick and Bentley, Quicksort is optimal, 2002). One histogram is faster.
constexpr bool depends_on_entropy(const SortProblem& problem) {
  return !problem.payload && problem.width == 1 && !fits_histogram(problem.n, problem.range);
}

/// Chooses how keys are sorted, as a sample of them says; without one, for scratch, by what it cannot say.
/// Few in their range, they are compared; but pairs that exceed the caches are sorted by digits, as their
/// payload would be fetched at random. So are many pairs of few different keys, and keys in a range of more
/// than 30 bits, for which a pass has too many buckets. Pairs are for a histogram where 16 bits tell their
/// positions apart. In place there are no digits.
inline SortStrategy sort_strategy(const SortProblem& problem, const KeySample& sample = {}) {
  constexpr Index cached_pairs = 1 << 19, most_buckets = 1 << 14;
  constexpr double most_compared = 13;  // bits
  const auto [n, range, payload, in_place, width] = problem;
  const RangeBits bits(range, payload);
  if (sample.rising) return SortStrategy::rising;
  if (sample.falling) return SortStrategy::falling;
  if (sample.values <= few_values) return SortStrategy::few_values;
  if (are_few_in_range(n, range))
    return payload && n > cached_pairs ? SortStrategy::digits : SortStrategy::comparisons;
  if (depends_on_entropy(problem) && sample.entropy <= most_compared) return SortStrategy::comparisons;
  if (!payload && fits_histogram(n, range)) return SortStrategy::histogram;
  if (in_place) return SortStrategy::buckets;
  if (bits.bits > RangeBits::max_leaf)
    return bits.buckets() > most_buckets ? SortStrategy::digits : SortStrategy::buckets;
  return n > staged_pairs ? SortStrategy::digits : SortStrategy::histogram;
}

/// The sort of n keys, or pairs, by buckets.
template <class Access, bool with_payload>
struct BucketedStreaming {
  using Element = std::conditional_t<with_payload, Pair, LowBits>;
  static constexpr bool in_place = false;

  static std::size_t scratch(Index n, std::uint64_t range, Index width) {
    const RangeBits bits(range, with_payload);
    const Index chunks = chunks_of(n, bits.buckets(), width);
    return scratch_bytes({Buckets<Element, Access>::scratch(bits.buckets(), chunks, Index{1} << bits.leaf),
                          Leaves<Element, Access>::scratch(chunks, bits.leaf),
                          Buckets<Element, Access>::pool_bytes(n, bits.buckets(), chunks)});
  }

  template <class Fork>
  static void sort(Fork& fork, Records<const Word, Access> in, Records<Word, Access> out, std::uint64_t range,
                   Scratch<Access> scratch) {
    const RangeBits bits(range, with_payload);
    const Index n = in.keys.size, number = bits.buckets(), chunks = chunks_of(n, number, fork.width());
    Buckets<Element, Access> buckets(n, number, chunks, Index{1} << bits.leaf, scratch);
    const Leaves<Element, Access> leaves(chunks, bits.leaf, scratch);
    buckets.take_pool(scratch);
    buckets.spread(fork, Digit{bits.leaf}, in);
    leaves.sort(fork, buckets, 0, number,
                [&](Index b) { return out.block(buckets.begin_of(b), buckets.size_of(b)); });
  }
};

/// Sorts keys in [0, range], or pairs, by the route that sort_strategy() chooses; `ByBuckets` is that of the
/// buckets. What a sample says may be wrong: then it is dropped. `out` may be `in` where it sorts in place.
template <class ByBuckets, class Access, bool with_payload>
struct ByRoute {
  static std::size_t scratch(Index n, std::uint64_t range, Index width) {
    return choose(sort_strategy(problem(n, range, width)),
                  [=](auto route) { return decltype(route)::type::scratch(n, range, width); });
  }
  /// Returns the route.
  template <class Fork>
  static SortStrategy sort(Fork& fork, Records<const Word, Access> in, Records<Word, Access> out,
                           std::uint64_t range, Scratch<Access> scratch) {
    const EasyKeys<Access> easy(in, out, fork.width());
    const SortProblem what = problem(in.keys.size, range, fork.width());
    for (KeySample sample(in.keys, depends_on_entropy(what));;)
      switch (const auto strategy = sort_strategy(what, sample)) {
        case SortStrategy::rising:
          if (easy.copy_in_order(fork, false)) return strategy;
          sample.rising = false;
          break;
        case SortStrategy::falling:
          if (easy.copy_in_order(fork, true)) return strategy;
          sample.falling = false;
          break;
        case SortStrategy::few_values:
          if (easy.sort_values(fork, sample)) return strategy;
          sample.drop_values(in.keys);
          break;
        default:
          choose(strategy, [&](auto route) { decltype(route)::type::sort(fork, in, out, range, scratch); });
          return strategy;
      }
  }

 private:
  static SortProblem problem(Index n, std::uint64_t range, Index width) {
    return {n, range, with_payload, ByBuckets::in_place, width};
  }
  template <class F>
  static auto choose(SortStrategy strategy, F f) {
    switch (strategy) {
      case SortStrategy::histogram:
        return f(std::type_identity<Histogram<Access, with_payload>>());
      case SortStrategy::comparisons:
        return f(std::type_identity<ByComparisons<Access, with_payload, ByBuckets::in_place>>());
      case SortStrategy::digits:
        if constexpr (!ByBuckets::in_place) return f(std::type_identity<DigitRounds<Access, with_payload>>());
        [[fallthrough]];
      default:
        return f(std::type_identity<ByBuckets>());
    }
  }
};

template <class Access, bool with_payload>
using StreamingRoutes = ByRoute<BucketedStreaming<Access, with_payload>, Access, with_payload>;

struct bucketed_streaming : KeySort<StreamingRoutes> {
  static constexpr std::string_view idea =
      "whole lines past the caches to buckets of neighbouring values; a bucket's runs from its counts";
  static constexpr std::string_view source = "M8: bucketing the input; buffers: Satish et al. 2010";
  static constexpr std::string_view uses = "Highway: keys few in their range (vqsort)";
  using operations = OperationList<CountingSort<false>, CountingSort<true>>;
};

}  // namespace tallcache::cpu::counting_sort
