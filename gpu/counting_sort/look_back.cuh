// Decoupled look-back: a tile adds up the counts of the tiles before it while these are still being sorted.
#pragma once

#include "gpu/counting_sort/warp_rank.cuh"

namespace tallcache::gpu::counting_sort {

/// A count in the table: of the tile's pairs of a digit, or of those of all tiles up to it. 0 before that.
struct TileCount {
  static constexpr Key is_own = Key{1} << 30, is_sum = Key{2} << 30, value = is_own - 1;

  static __device__ uint4 load(const Key* at) {
    uint4 counts;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(counts.x), "=r"(counts.y), "=r"(counts.z), "=r"(counts.w)
                 : "l"(at)
                 : "memory");
    return counts;
  }
  static __device__ void store(Key* at, const uint4& counts, Key kind) {
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(counts.x | kind),
                 "r"(counts.y | kind), "r"(counts.z | kind), "r"(counts.w | kind)
                 : "memory");
  }
  static __device__ void store(Key* at, Key count, Key kind) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(count | kind) : "memory");
  }
  static __device__ bool is_there(const uint4& counts) {
    return counts.x && counts.y && counts.z && counts.w;
  }
};

/// The sums of four neighbouring digits' counts over all tiles before `tile`; `own` is this tile's first of
/// them, rows are `padded` apart.
inline __device__ uint4 look_back(const Key* own, Key tile, int padded) {
  constexpr int at_once = 4;
  Key sum[4] = {};
  bool is_done[4] = {};
  while (tile) {
    uint4 counts[at_once];
#pragma unroll
    for (Key k = 0; k < at_once; ++k)
      counts[k] = TileCount::load(own - static_cast<Index>(min(k + 1, tile)) * padded);
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (!tile || !TileCount::is_there(counts[k])) break;
      const Key count[] = {counts[k].x, counts[k].y, counts[k].z, counts[k].w};
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (!is_done[c]) sum[c] += count[c] & TileCount::value;
        is_done[c] = is_done[c] || count[c] >= TileCount::is_sum;
      }
      if (is_done[0] && is_done[1] && is_done[2] && is_done[3])
        tile = 0;
      else
        --tile, own -= padded;
    }
  }
  return {sum[0], sum[1], sum[2], sum[3]};
}

}  // namespace tallcache::gpu::counting_sort
