// Stable places of a tile's items by digit: lanes of one digit find each other by ballots, rows of 32 items
// follow each other in a warp, and warps in a block.
#pragma once

#include "gpu/block_sum.cuh"
#include "gpu/counting_sort/digit_plan.cuh"

namespace tallcache::gpu::counting_sort {

inline __device__ uint4 operator+(const uint4& a, const uint4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
inline __device__ uint4 operator-(const uint4& a, const uint4& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}
inline __device__ Key sum_of(const uint4& a) { return a.x + a.y + a.z + a.w; }
/// a.x, a.x + a.y and so on, behind `before`.
inline __device__ uint4 exclusive_sums(Key before, const uint4& a) {
  return {before, before + a.x, before + a.x + a.y, before + a.x + a.y + a.z};
}

/// Makes places of `number` counts, a multiple of four: where the first of each starts, from `place` on.
/// load(c) are those from c on, store(c, places). All threads of a block, which synchronise in the end.
template <int threads, class Load, class Store>
__device__ void place_counts(Key number, Key place, Load load, Store store) {
  for (Key begin = 0; begin < number; begin += 4 * threads) {
    const Key c = begin + threadIdx.x * 4;
    const uint4 count = c < number ? load(c) : uint4{};
    const auto [before, all] = exclusive_sum<threads>(DeviceThread{}, sum_of(count));
    if (c < number) store(c, exclusive_sums(place + before, count));
    place += all;
    __syncthreads();
  }
}

/// The lanes of a warp whose `digit`, of `bits` bits, is this lane's.
template <int bits>
__device__ unsigned lanes_of_digit(Key digit) {
  unsigned lanes = ~0u;
#pragma unroll
  for (int b = 0; b < bits; ++b)
    asm volatile(
        "{\n"
        "  .reg .pred is_set;\n"
        "  .reg .b32 same;\n"
        "  setp.ne.b32 is_set, %1, 0;\n"
        "  vote.sync.ballot.b32 same, is_set, 0xffffffff;\n"
        "  @!is_set not.b32 same, same;\n"
        "  and.b32 %0, %0, same;\n"
        "}"
        : "+r"(lanes)
        : "r"(digit & 1u << b));
  return lanes;
}

/// Zeroes a warp's row of counts.
inline __device__ void clear_counts(Key* count, int padded) {
  __syncwarp();
  for (int d = threadIdx.x % 32 * 4; d < padded; d += 128) *reinterpret_cast<uint4*>(count + d) = {};
  __syncwarp();
}

/// put(item, place) for each item of the warp, the first `used` rows of them, a multiple of `unit`.
/// next[digit], the place of the warp's first item of that digit, moves behind the last.
template <int bits, int unit, int rows, class Item, class DigitOf, class Put>
__device__ void place_in_order(const Item (&items)[rows], int used, Key* next, DigitOf digit_of, Put put) {
  constexpr int at_once = 4;  // ballots of several rows are under way while one is placed
  static_assert(rows % at_once == 0 && at_once % unit == 0);
  const unsigned lane = threadIdx.x % 32, lower = (1u << lane) - 1;
#pragma unroll
  for (int begin = 0; begin < rows; begin += at_once) {
    if (begin >= used) break;
    unsigned lanes[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) lanes[k] = lanes_of_digit<bits>(digit_of(items[begin + k]));
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (k % unit == 0 && begin + k >= used) break;
      Key& own = next[digit_of(items[begin + k])];
      const Key place = own + __popc(lanes[k] & lower);
      __syncwarp();
      if (lanes[k] >> lane == 1) own = place + 1;  // the last lane
      __syncwarp();
      put(items[begin + k], place);
    }
  }
}

/// Counts of a row of `padded` digits for each warp become the places of the warps' first items. A thread has
/// four neighbouring digits, if it has any: their counts and places in the tile.
template <int threads>
struct PlacesInTile {
  static constexpr int warps = threads / 32;

  Key* counts;
  int padded;

  __device__ bool has_digits() const { return static_cast<int>(threadIdx.x) * 4 < padded; }

  __device__ uint4 count() const {
    uint4 sum{};
    if (has_digits())
#pragma unroll
      for (int w = 0; w < warps; ++w) sum = sum + row(w);
    return sum;
  }

  /// All threads of the block.
  __device__ uint4 place(const uint4& count) const {
    const Key before = exclusive_sum<threads>(DeviceThread{}, sum_of(count)).before;
    const uint4 first = exclusive_sums(before, count);
    uint4 next = first;
    if (has_digits())
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        const uint4 own = row(w);
        row(w) = next;
        next = next + own;
      }
    return first;
  }

 private:
  __device__ uint4& row(int w) const {
    return *reinterpret_cast<uint4*>(counts + w * padded + threadIdx.x * 4);
  }
};

}  // namespace tallcache::gpu::counting_sort
