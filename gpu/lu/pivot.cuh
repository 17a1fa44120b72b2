// The choice of a pivot: the element of largest magnitude, of equal ones that of the first row.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tallcache::gpu::lu {

/// A magnitude as an unsigned number of the same order, from 1 on: 0 is that of no element. A NaN is above
/// all, so that it shows in the result.
template <class T>
using Key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

__device__ __forceinline__ std::uint64_t key_of(double x) {
  return (static_cast<std::uint64_t>(__double_as_longlong(x)) & ~(std::uint64_t{1} << 63)) + 1;
}
__device__ __forceinline__ std::uint32_t key_of(float x) { return (__float_as_uint(x) & 0x7fffffffu) + 1; }

/// The largest and the smallest of the numbers of each `group` of lanes.
template <int group>
__device__ __forceinline__ std::uint32_t max_of(std::uint32_t x) {
  if constexpr (group == 32) {
    return __reduce_max_sync(~0u, x);
  } else {
#pragma unroll
    for (int distance = group / 2; distance > 0; distance /= 2) x = max(x, __shfl_xor_sync(~0u, x, distance));
    return x;
  }
}
template <int group>
__device__ __forceinline__ std::uint32_t min_of(std::uint32_t x) {
  return ~max_of<group>(~x);
}

/// Of the lanes for which `is_best`, that of the lowest position, in each `group` of lanes, which all have
/// such a lane.
template <int group>
__device__ __forceinline__ int first_lane(bool is_best, int position) {
  unsigned lanes = __ballot_sync(~0u, is_best);
  if (group == 32 ? (lanes & (lanes - 1)) != 0 : __popc(lanes) > 32 / group) {
    const auto at = static_cast<unsigned>(position);
    const unsigned lowest = min_of<group>(is_best ? at : ~0u);
    lanes = __ballot_sync(~0u, is_best && at == lowest);
  }
  const int first = group < 32 ? static_cast<int>(threadIdx.x) % 32 / group * group : 0;
  return first + __ffs(static_cast<int>(lanes >> first)) - 1;
}

/// The lane of the largest key, of several that of the lowest position, in each `group` of lanes. What
/// `beside` does comes between the reductions: there is time for it.
template <int group = 32, class Beside>
__device__ __forceinline__ int best_lane(std::uint32_t key, int position, const Beside& beside) {
  const std::uint32_t best = max_of<group>(key);
  beside();
  return first_lane<group>(key == best, position);
}
template <int group = 32, class Beside>
__device__ __forceinline__ int best_lane(std::uint64_t key, int position, const Beside& beside) {
  const auto high = static_cast<std::uint32_t>(key >> 32), low = static_cast<std::uint32_t>(key);
  const std::uint32_t best_high = max_of<group>(high);
  beside();
  bool is_best = high == best_high;
  // A reduction of the whole warp costs less than the branch around it, the exchanges between lanes more.
  if (group == 32 || __popc(__ballot_sync(~0u, is_best)) > 32 / group) {
    const std::uint32_t best_low = max_of<group>(is_best ? low : 0u);
    is_best = is_best && low == best_low;
  }
  return first_lane<group>(is_best, position);
}
template <int group = 32, class Unsigned>
__device__ __forceinline__ int best_lane(Unsigned key, int position) {
  return best_lane<group>(key, position, [] {});
}

__device__ __forceinline__ double approximate_reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  r = fma(r, fma(-x, r, 1.0), r);
  return fma(r, fma(-x, r, 1.0), r);
}
__device__ __forceinline__ float approximate_reciprocal(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return fmaf(r, fmaf(-x, r, 1.0f), r);
}

/// What the column below a pivot is multiplied by: its reciprocal to the last bit or two, or 0 where that, or
/// a step on the way to it, is no normal number: then multiplier_of divides. No branch is in it, as every row
/// computes it before one is chosen.
__device__ __forceinline__ double factor_of(double pivot) {
  const auto exponent = static_cast<unsigned>(__double2hiint(pivot)) >> 20 & 0x7ff;
  return exponent - 24 < 2000 ? approximate_reciprocal(pivot) : 0;
}
__device__ __forceinline__ float factor_of(float pivot) {
  const unsigned exponent = __float_as_uint(pivot) >> 23 & 0xff;
  return exponent - 27 < 200 ? approximate_reciprocal(pivot) : 0;
}

template <class T>
__device__ __noinline__ T divided(T value, T pivot) {
  return pivot == 0 ? value : value / pivot;
}
/// An element of L. Where the pivot is 0, all that may follow it in its column is 0, too, and stays.
template <class T>
__device__ __forceinline__ T multiplier_of(T value, T factor, T pivot) {
  return factor != 0 ? value * factor : divided(value, pivot);
}

}  // namespace tallcache::gpu::lu
