// The carries of a product of integers: all at once, as an adder looks ahead for its own (Weinberger and
// Smith, "A logic for high-speed addition", 1958).
#pragma once

#include <algorithm>

#include "common/residues.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::integer_product {

/// What 32 neighbouring limbs, or groups of limbs, do with a carry, a bit for each: make one, or pass on the
/// one that comes in.
struct Lookahead {
  std::uint32_t makes, passes;

  /// The carries into each, and in bit 32 that out of all.
  TALLCACHE_INLINE std::uint64_t carries(bool in) const {
    // The sum of two numbers that generate and propagate at these bits.
    const std::uint64_t a = makes | passes, b = makes;
    return (a + b + in) ^ a ^ b;
  }
};

/// A limb of a thread in a group of limbs, the block's, and what is known of the group.
struct CarriedLimb {
  std::uint32_t limb;
  bool makes, passes;  ///< of the group
};

/// limb + the carry into it, for all limbs of a block of 32 x 32 threads at most and a carry `in`.
template <class Thread>
TALLCACHE_INLINE CarriedLimb carried(const Thread& t, std::uint64_t limb, bool exists, bool in) {
  constexpr std::uint32_t largest = ~0u;
  auto&& of_warp = shared<0, Lookahead[32]>(t);
  const int lane = t.thread().x % 32, warp = t.thread().x / 32, warps = t.block_dim().x / 32;
  const auto low = static_cast<std::uint32_t>(limb);
  // A limb that is not there passes, so that the group does.
  const Lookahead lanes{t.ballot(exists && limb > largest), t.ballot(!exists || limb == largest)};
  if (lane == 0)
    of_warp[warp] =
        Lookahead{static_cast<std::uint32_t>(lanes.carries(false) >> 32), lanes.passes == largest};
  t.sync();
  Lookahead warps_do{0, 0};
  for (int w = 0; w < warps; ++w) {
    const Lookahead one = of_warp[w];
    warps_do.makes |= one.makes << w;
    warps_do.passes |= one.passes << w;
  }
  const std::uint64_t into = warps_do.carries(in);
  const std::uint64_t carry = lanes.carries(into >> warp & 1) >> lane & 1;
  const std::uint32_t all = warps == 32 ? largest : (1u << warps) - 1;
  return {low + static_cast<std::uint32_t>(carry), (into >> warps & 1) != 0, warps_do.passes == all};
}

/// The limbs of the convolution x, whose number j is at -j modulo its size, a limb a thread: with the carries
/// within each group of limbs, a block's. groups[g] says what group g does with a carry: 1 it makes one, 2 it
/// passes one on.
struct CarryWithinGroups {
  static constexpr int max_threads = 256;

  template <class Thread, class Out, class Numbers, class Groups>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out, Numbers x, Groups groups) const {
    const Index i = Index{t.block().x} * max_threads + t.thread().x;
    // A limb's two numbers add to three limbs. So each limb is the sum of three pieces, with less than 3 to
    // carry, and then with at most 1.
    std::uint64_t sum = 0, below = 0;
    for (int back = 0; back < 4; ++back) {
      const Pieces pieces = i - back < 0 ? Pieces{} : pieces_of(x, i - back);
      if (back < 3) sum += pieces.at[back];
      if (back > 0) below += pieces.at[back - 1];
    }
    const std::uint64_t limb = (sum & 0xffffffff) + (below >> 32);
    const CarriedLimb result = carried(t, limb, i < out.size, false);
    if (i < out.size) out[i] = result.limb;
    const bool passes = t.sync_and(i >= out.size || result.limb == ~0u);
    if (t.thread().x == 0) groups[t.block().x] = result.makes ? 1 : passes ? 2 : 0;
  }

 private:
  struct Pieces {
    std::uint32_t at[3] = {};
  };

  /// The numbers 2 i and 2 i + 1 as limbs i, i + 1 and i + 2.
  template <class Numbers>
  static TALLCACHE_INLINE Pieces pieces_of(const Numbers& x, Index i) {
    const Index last = x.size - 1;
    if (2 * i > last) return {};
    const Residues even = x[-2 * i & last], odd = x[-(2 * i + 1) & last];
    const std::uint64_t low = even.value(), high = odd.value(), both = low + (high << 16);
    return {{static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32),
             static_cast<std::uint32_t>((high >> 48) + (both < low))}};
  }
};

/// Adds the carry that comes into each group out of those before.
struct CarryIntoGroups {
  static constexpr int max_threads = CarryWithinGroups::max_threads;

  template <class Thread, class Out, class Groups>
  TALLCACHE_DEVICE void operator()(const Thread& t, Out out, Groups groups) const {
    const Index i = Index{t.block().x} * max_threads + t.thread().x;
    const std::uint64_t limb = i < out.size ? static_cast<std::uint32_t>(out[i]) : 0;
    const CarriedLimb result = carried(t, limb, i < out.size, into(t, groups));
    if (i < out.size) out[i] = result.limb;
  }

 private:
  /// Whether the next group back that does not pass carries on makes one. A warp looks at 32 at a time.
  template <class Thread, class Groups>
  static TALLCACHE_INLINE bool into(const Thread& t, const Groups& groups) {
    const int lane = t.thread().x % 32;
    for (Index first = Index{t.block().x} - 1; first >= 0; first -= 32) {
      const std::uint32_t group = first - lane < 0 ? 0 : static_cast<std::uint32_t>(groups[first - lane]);
      const unsigned ends = t.ballot(group != 2);
      if (ends != 0) return t.shuffle(group, t.first_set(ends)) == 1;
    }
    return false;
  }
};

inline Index carry_groups(Index limbs) { return ceil_div(limbs, Index{CarryWithinGroups::max_threads}); }

inline std::size_t carries_scratch(Index limbs) {
  return static_cast<std::size_t>(carry_groups(limbs)) * sizeof(std::uint32_t);
}

/// out = the convolution x, whose number j is at -j modulo its size, as limbs.
template <class Device, class Out, class Numbers, class Scratch>
void carry_limbs(Device& device, const Out& out, const Numbers& x, Scratch& scratch) {
  const auto groups = scratch.template vector<std::uint32_t>(carry_groups(out.size));
  const LaunchShape a_limb_a_thread({grid_of(groups.size)}, {CarryWithinGroups::max_threads});
  launch_kernel(device, CarryWithinGroups{}, a_limb_a_thread, out, x, groups);
  using Known = VectorView<const std::uint32_t, typename Out::access_type>;
  launch_kernel(device, CarryIntoGroups{}, a_limb_a_thread, out, Known(groups));
}

}  // namespace tallcache::gpu::integer_product
