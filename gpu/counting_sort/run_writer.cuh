// Sorted keys from their counts, by a warp: the first of the equal keys is marked at its place, the others
// are filled in by a maximum scan, and 16 bytes are stored at a time.
#pragma once

#include "gpu/counting_sort/residue_split.cuh"

namespace tallcache::gpu::counting_sort {

inline constexpr Key window_keys = 256, strip_keys = 2 * window_keys;

/// Writes the places [begin, end) of `out`, from the left to the right, a window at a time. `strip` is the
/// warp's own, a ring of marks; keys are given as their difference from `first_key`.
struct RunWriter {
  Key *out, *strip;
  Key begin, end, first_key;
  Key window, last = 0;  ///< where the marks that are held begin, an even 16 bytes; the last one before
  bool is_aligned;       ///< out is, to 16 bytes

  __device__ RunWriter(Key* to, bool aligned, Key* own, Key from, Key till, Key min_key)
      : out(to),
        strip(own),
        begin(from),
        end(till),
        first_key(min_key),
        window(from & ~3u),
        is_aligned(aligned) {
    for (Key p = threadIdx.x % 32 * 4; p < strip_keys; p += 128) *reinterpret_cast<uint4*>(strip + p) = {};
    __syncwarp();
  }

  /// Whether place `p` is one of those whose marks are held.
  __device__ bool holds(Key p) const { return p - window < strip_keys; }
  /// Whether all places before `p`, which is not before the window, are.
  __device__ bool holds_before(Key p) const { return p - window <= strip_keys; }

  /// Place `p`, which is held, is the first of keys first_key + `value`.
  __device__ void mark(Key p, Key value) { strip[p % strip_keys] = value + 1; }

  /// Writes the windows that end before `p`. Every lane; behind a __syncwarp() for the marks.
  __device__ void flush_before(Key p) {
    while (p - window >= window_keys) flush();
  }
  __device__ void finish() {
    while (begin < end && window < end) flush();
  }

  /// Writes one window.
  __device__ void flush() {
    const Key lane = threadIdx.x % 32;
    const bool is_whole = is_aligned && window >= begin && window + window_keys <= end;
#pragma unroll
    for (Key part = 0; part < window_keys; part += 128) {
      const Key p = window + part + lane * 4;
      uint4& own = *reinterpret_cast<uint4*>(strip + p % strip_keys);
      uint4 mark = own;
      if (!__any_sync(~0u, mark.x | mark.y | mark.z | mark.w)) {  // a long run goes on
        const Key key = first_key - 1 + last;
        put(p, {key, key, key, key}, is_whole);
        continue;
      }
      own = {};
      mark.y = max(mark.x, mark.y);
      mark.z = max(mark.y, mark.z);
      mark.w = max(mark.z, mark.w);
      Key last_mark = mark.w;
#pragma unroll
      for (int d = 1; d < 32; d *= 2) {
        const Key other = __shfl_up_sync(~0u, last_mark, d);
        last_mark = lane >= d ? max(last_mark, other) : last_mark;
      }
      Key before = __shfl_up_sync(~0u, last_mark, 1);
      before = lane ? max(before, last) : last;
      last = max(last, __shfl_sync(~0u, last_mark, 31));
      const Key base = first_key - 1;
      const uint4 keys = {base + max(mark.x, before), base + max(mark.y, before), base + max(mark.z, before),
                          base + max(mark.w, before)};
      put(p, keys, is_whole);
    }
    window += window_keys;
    __syncwarp();
  }

 private:
  __device__ void put(Key p, const uint4& keys, bool is_whole) {
    if (is_whole) {
      *reinterpret_cast<uint4*>(out + p) = keys;
      return;
    }
    if (p >= begin && p < end) out[p] = keys.x;
    if (p + 1 >= begin && p + 1 < end) out[p + 1] = keys.y;
    if (p + 2 >= begin && p + 2 < end) out[p + 2] = keys.z;
    if (p + 3 >= begin && p + 3 < end) out[p + 3] = keys.w;
  }
};

}  // namespace tallcache::gpu::counting_sort
