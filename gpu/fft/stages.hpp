// The stages of transforms whose length is a product of small radices, known at run time.
#pragma once

#include <algorithm>
#include <bit>

#include "gpu/fft/codelets.hpp"

namespace tallcache::gpu::fft {

/// The radices of a stage are those that a thread's registers hold. One prime beyond them may be the radix of
/// a stage whose outputs are sums over all inputs in shared memory.
inline constexpr int max_radix = 17, max_summed_radix = 127;

/// x / by for 0 <= x < 2^20, without a division.
struct Divisor {
  int by = 1;
  float inverse = 1;

  constexpr Divisor() = default;
  constexpr explicit Divisor(int divisor) : by(divisor), inverse(1 / static_cast<float>(divisor)) {}
  TALLCACHE_INLINE int operator()(int x) const {
    return static_cast<int>((static_cast<float>(x) + 0.5f) * inverse);
  }
};

/// Transforms of length radix[0] radix[1] ... radix[count - 1], decimated in frequency: stage s transforms
/// rows that are below[s] apart, the product of the radices behind it. The roots that follow stage s are
/// exp(-2 pi i j 2^b / (radix[s] period[s])) for j < period[s] and each bit b of its rows, from
/// roots_begin[s] on. Of a stage of sums, b is a row, and the roots of order radix[s] follow.
struct Stages {
  static constexpr int max_count = 8;

  int length = 1, count = 0;
  int radix[max_count]{};
  Divisor below[max_count]{}, radix_divisor[max_count]{};
  int period[max_count]{}, roots_begin[max_count + 1]{};

  /// lg of the powers that make all rows of a stage.
  static constexpr int bits(int radix) { return std::bit_width(static_cast<unsigned>(radix - 1)); }
  int roots() const { return roots_begin[count]; }
  constexpr bool is_summed(int s) const { return radix[s] > max_radix; }
  /// So many outputs of a stage of sums, and those that mirror them, are a thread's at once.
  static constexpr int sums_at_once = 4;
  constexpr int sum_groups(int s) const {
    return length / radix[s] * ((radix[s] / 2 + sums_at_once) / sums_at_once);
  }
  /// The stage of sums is behind the first, where there is one.
  constexpr bool has_sums() const { return count > 1 && is_summed(1); }

  /// Root i of stage s is exp(-2 pi i exponent / (radix[s] period[s])).
  TALLCACHE_DEVICE Index exponent(int s, int i) const {
    const int row = i / period[s], j = i % period[s];
    if (!is_summed(s)) return Index{j} << row;
    return row < radix[s] ? Index{j} * row : Index{i - radix[s] * period[s]} * period[s];
  }

  /// The position before the last stage of the part whose first output is `number`: its digits reversed.
  TALLCACHE_INLINE int reversed(int number) const {
    int at = 0;
    for (int s = 0; s + 1 < count; ++s) {
      const int rest = radix_divisor[s](number);
      at += (number - rest * radix[s]) * below[s].by;
      number = rest;
    }
    return at;
  }
};

/// What a number takes in a stage of a radix, roughly: an exchange, and the codelet's arithmetic.
constexpr int stage_cost(int radix) { return 12 + radix; }

/// The cheapest radices, none above `most`, whose product is `length`, into `best`; their cost, or `bound`
/// where there are none below it.
inline int choose_radices(Index length, int most, int depth, int bound, int (&radix)[Stages::max_count],
                          int (&best)[Stages::max_count], int cost = 0) {
  if (length == 1 && cost < bound) {
    std::copy(radix, radix + Stages::max_count, best);
    return cost;
  }
  if (length == 1 || depth == Stages::max_count) return bound;
  for (int r = most; r >= 2; --r)
    if (length % r == 0 && cost + stage_cost(r) < bound) {
      radix[depth] = r;
      bound = choose_radices(length / r, r, depth + 1, bound, radix, best, cost + stage_cost(r));
      radix[depth] = 0;
    }
  return bound;
}

/// What `length` has beside the primes up to max_radix.
constexpr Index beyond_radices(Index length) {
  for (const int prime : {2, 3, 5, 7, 11, 13, 17})
    while (length % prime == 0) length /= prime;
  return length;
}

/// Of a `length` below 2^15; count 0 where it has no such stages and is not 1. `last_period` as of the
/// stages' period: the columns that the outputs' roots go by, or 0 without them.
inline Stages stages_of(Index length, int last_period) {
  Stages stages;
  int radix[Stages::max_count]{}, best[Stages::max_count]{};
  if (length < 1 || length >= 1 << 15) return stages;
  const Index summed = beyond_radices(length), rest = length / summed;
  if (summed > max_summed_radix) return stages;
  // A stage of sums is between two others.
  const int most = summed == 1 ? max_radix : static_cast<int>(std::min<Index>(max_radix, rest - 1));
  if (rest > 1) choose_radices(rest, most, summed > 1, 1000, radix, best);
  stages.length = static_cast<int>(length);
  if (summed > 1 && best[1] == 0) return stages;
  if (summed > 1) best[0] = static_cast<int>(summed);
  while (stages.count < Stages::max_count && best[stages.count]) ++stages.count;
  // The largest comes last: each of its butterflies computes a root of the outputs.
  std::rotate(best + (summed > 1), best + (summed > 1) + (stages.count > 0), best + stages.count);
  if (summed > 1) std::swap(best[0], best[1]);
  int below = stages.length;
  for (int s = 0; s < stages.count; ++s) {
    const int r = stages.radix[s] = best[s];
    below /= r;
    stages.below[s] = Divisor(below);
    stages.radix_divisor[s] = Divisor(r);
    stages.period[s] = s + 1 < stages.count ? below : last_period;
    stages.roots_begin[s + 1] =
        stages.roots_begin[s] + (stages.is_summed(s) ? r * (below + 1) : Stages::bits(r) * stages.period[s]);
  }
  return stages;
}

struct MakeStageRoots {
  static constexpr int max_threads = 256;

  template <class Thread, class Roots>
  TALLCACHE_DEVICE void operator()(const Thread& t, Roots roots, Stages stages) const {
    const int i = static_cast<int>(t.block().x * max_threads + t.thread().x);
    for (int s = 0; s < stages.count; ++s)
      if (i >= stages.roots_begin[s] && i < stages.roots_begin[s + 1])
        roots[i] = rounded_root<typename Roots::value_type>(stages.exponent(s, i - stages.roots_begin[s]),
                                                            Index{stages.radix[s]} * stages.period[s]);
  }
};

template <class Device, class Roots>
void make_stage_roots(Device& device, const Roots& roots, const Stages& stages) {
  if (roots.size == 0) return;
  launch_kernel(
      device, MakeStageRoots{},
      {{grid_of(ceil_div(roots.size, Index{MakeStageRoots::max_threads}))}, {MakeStageRoots::max_threads}},
      roots, stages);
}

}  // namespace tallcache::gpu::fft
