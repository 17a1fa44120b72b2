// Tables of roots of unity, and products of numbers with powers of a root.
#pragma once

#include <algorithm>

#include "gpu/fft/complex.hpp"

namespace tallcache::gpu::fft {

/// The roots of unity that a transform of n = 2^lg_n numbers takes. For each 2^l of at most 2^max_lg_powers
/// and n, `powers` has the 2^l powers of exp(-2 pi i / 2^l) from 2^l on. A root of order n is one of them
/// times one of the first 2^(lg_n - max_lg_powers) powers, which are in `low`. So both tables stay in the
/// second-level cache, and a root is the product of two numbers at most.
struct RootTables {
  int lg_n = 0, max_lg_powers = 14;

  TALLCACHE_DEVICE constexpr int lg_powers() const { return lg_n < max_lg_powers ? lg_n : max_lg_powers; }
  TALLCACHE_DEVICE constexpr int lg_low() const { return lg_n - lg_powers(); }
  TALLCACHE_DEVICE constexpr Index powers_size() const { return Index{2} << lg_powers(); }
  TALLCACHE_DEVICE constexpr Index low_size() const { return Index{1} << lg_low(); }

  std::size_t scratch(std::size_t bytes_each) const {
    return scratch_bytes({powers_size() * bytes_each, low_size() * bytes_each});
  }

  /// exp(-2 pi i e / n), 0 <= e < n.
  template <class Roots>
  TALLCACHE_INLINE typename Roots::value_type operator()(const Roots& powers, const Roots& low,
                                                         unsigned e) const {
    using Number = typename Roots::value_type;
    const Number high = powers[(1u << lg_powers()) + (e >> lg_low())];
    return lg_low() == 0 ? high : high * Number(low[e & ((1u << lg_low()) - 1)]);
  }
};

struct MakeRoots {
  static constexpr int max_threads = 256;

  template <class Thread, class Roots>
  TALLCACHE_DEVICE void operator()(const Thread& t, Roots powers, Roots low, RootTables tables) const {
    const Index i = Index{t.block().x} * max_threads + t.thread().x;
    using Number = typename Roots::value_type;
    if (i < powers.size) {
      Index order = 1;
      while (2 * order <= i) order *= 2;
      powers[i] = rounded_root<Number>(i == 0 ? 0 : i - order, order);
    }
    if (i < low.size) low[i] = rounded_root<Number>(i, Index{1} << tables.lg_n);
  }
};

template <class Device, class Roots>
void make_roots(Device& device, const Roots& powers, const Roots& low, RootTables tables) {
  const Index threads = std::max(powers.size, low.size);
  launch_kernel(device, MakeRoots{},
                {{grid_of(ceil_div(threads, Index{MakeRoots::max_threads}))}, {MakeRoots::max_threads}},
                powers, low, tables);
}

/// x[q] *= w^q for the root w = power[0]; power[s] is w^(2^s), and each other power a product of these. Those
/// whose exponents begin alike share their products: `known` is w^q for q without its last s bits.
template <int q, int s, class Number, int size, int lg_size>
TALLCACHE_INLINE void times_powers(Number (&x)[size], const Number (&power)[lg_size], Number known = {}) {
  static_assert(size <= 1 << lg_size);
  if constexpr (q >= size) {
  } else if constexpr (s > 0) {
    times_powers<q, s - 1>(x, power, known);
    times_powers<q + (1 << (s - 1)), s - 1>(x, power, q == 0 ? power[s - 1] : known * power[s - 1]);
  } else if constexpr (q > 0) {
    x[q] = x[q] * known;
  }
}

}  // namespace tallcache::gpu::fft
