// Stable ranks of keys among those of their digit: lanes of one digit find each other by ballots, rows of 32
// keys follow each other in a warp, and warps in a block.
#pragma once

#include "gpu/counting_sort/digit_counts.cuh"

namespace tallcache::gpu::counting_sort {

/// The lanes of a warp whose `digit`, of `bits` bits, is this lane's.
template <int bits>
__device__ unsigned lanes_of_digit(Key digit) {
  unsigned lanes = ~0u;
#pragma unroll
  for (int b = 0; b < bits; ++b)
    asm("{\n"
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

/// Two ranks of 16 bits in a word.
template <int rows>
struct Ranks {
  Key words[(rows + 1) / 2];
  __device__ void put(int row, Key rank) { words[row / 2] = row % 2 ? words[row / 2] | rank << 16 : rank; }
  __device__ Key get(int row) const { return row % 2 ? words[row / 2] >> 16 : words[row / 2] & 0xffff; }
};

/// Ranks of the warp's keys, the first `used` rows of them, among those of their digit in the warp.
/// count[digit], zeroed, becomes how many they are.
template <int bits, int rows, class DigitOf>
__device__ void rank_in_warp(const Key (&keys)[rows], int used, std::uint16_t* count, DigitOf digit_of,
                             Ranks<rows>& ranks) {
  constexpr int at_once = 4;  // ballots of several rows are under way while one is counted
  static_assert(rows % at_once == 0);
  const unsigned lane = threadIdx.x % 32, lower = (1u << lane) - 1;
#pragma unroll
  for (int begin = 0; begin < rows; begin += at_once) {
    if (begin >= used) break;
    unsigned lanes[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) lanes[k] = lanes_of_digit<bits>(digit_of(keys[begin + k]));
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (begin + k >= used) break;
      std::uint16_t& own = count[digit_of(keys[begin + k])];
      const Key rank = own + __popc(lanes[k] & lower);
      __syncwarp();
      if (lanes[k] >> lane == 1) own = static_cast<std::uint16_t>(rank + 1);  // the last lane
      __syncwarp();
      ranks.put(begin + k, rank);
    }
  }
}

/// Counts of 16 bits, a row of `padded` digits for each warp, become the places of the warps' first keys in
/// the tile. A thread has four neighbouring digits, if it has any: their counts and places in the tile.
template <int threads>
struct PlacesInTile {
  using Scan = cub::BlockScan<Key, threads, cub::BLOCK_SCAN_WARP_SCANS>;
  static constexpr int warps = threads / 32;

  std::uint16_t* counts;
  int padded;

  __device__ bool has_digits() const { return static_cast<int>(threadIdx.x) * 4 < padded; }

  __device__ uint4 count() const {
    uint2 sum{};
    if (has_digits())
#pragma unroll
      for (int w = 0; w < warps; ++w) sum.x += row(w).x, sum.y += row(w).y;
    return {sum.x & 0xffff, sum.x >> 16, sum.y & 0xffff, sum.y >> 16};
  }

  /// All threads of the block.
  __device__ uint4 place(const uint4& count, typename Scan::TempStorage& scan) const {
    Key before;
    Scan(scan).ExclusiveSum(sum_of(count), before);
    const uint4 first = exclusive_sums(before, count);
    uint2 next = {first.x | first.y << 16, first.z | first.w << 16};
    if (has_digits())
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        const uint2 own = row(w);
        row(w) = next;
        next.x += own.x;
        next.y += own.y;
      }
    return first;
  }

 private:
  __device__ uint2& row(int w) const {
    return *reinterpret_cast<uint2*>(counts + w * padded + threadIdx.x * 4);
  }
};

/// Zeroes a warp's row of counts.
inline __device__ void clear_counts(std::uint16_t* count, int padded) {
  __syncwarp();
  for (int d = threadIdx.x % 32 * 4; d < padded; d += 128) *reinterpret_cast<uint2*>(count + d) = {};
  __syncwarp();
}

}  // namespace tallcache::gpu::counting_sort
