// Sorted keys from their counts, by a warp: the first of the equal keys is marked at its place, the others
// are filled in from the mark before them, and 16 bytes are stored at a time.
#pragma once

#include "gpu/counting_sort/bucket_split.cuh"

namespace tallcache::gpu::counting_sort {

inline constexpr Key window_keys = 256, strip_keys = 2 * window_keys;

/// Writes the places [begin, end) of `out`, from the left to the right, a window at a time. `strip` is the
/// warp's own, a ring of marks: the keys themselves, and 0 for no mark, as key 0 needs none.
struct RunWriter {
  Key *out, *strip;
  Key begin, end;
  Key window, last = 0;  ///< where the marks in the strip begin, an even 16 bytes; the last one before
  bool is_aligned;       ///< out is, to 16 bytes

  __device__ RunWriter(Key* to, bool aligned, Key* own, Key from, Key till)
      : out(to), strip(own), begin(from), end(till), window(from & ~3u), is_aligned(aligned) {
    for (Key p = threadIdx.x % 32 * 4; p < strip_keys; p += 128) *reinterpret_cast<uint4*>(strip + p) = {};
    __syncwarp();
  }

  /// Whether place `p` is one of those whose marks are in the strip.
  __device__ bool contains(Key p) const { return p - window < strip_keys; }
  /// Whether all places before `p`, which is not before the window, are.
  __device__ bool window_reaches(Key p) const { return p - window <= strip_keys; }

  /// Place `p`, which the strip contains, is the first of the keys `key`.
  __device__ void mark(Key p, Key key) { strip[p % strip_keys] = key; }

  /// Writes the windows that end before `p`. Every lane; behind a __syncwarp() for the marks.
  __device__ void flush_before(Key p) {
    while (p - window >= window_keys) flush();
  }
  /// The same where no place behind `last_marked` is marked: the rest of a long run is stored alone.
  __device__ void flush_run_before(Key p, Key last_marked) {
    while (p - window >= window_keys && window <= last_marked) flush();
    for (; p - window >= window_keys; window += window_keys)
#pragma unroll
      for (Key part = 0; part < window_keys; part += 128)
        put(window + part + threadIdx.x % 32 * 4, {last, last, last, last}, is_whole_window());
  }
  __device__ void finish() {
    while (begin < end && window < end) flush();
  }

  /// Writes one window.
  __device__ void flush() {
    const bool is_whole = is_whole_window();
#pragma unroll
    for (Key part = 0; part < window_keys; part += 128) {
      const Key p = window + part + threadIdx.x % 32 * 4;
      put(p, take(p), is_whole);
    }
    window += window_keys;
    __syncwarp();
  }

 private:
  __device__ bool is_whole_window() const {
    return is_aligned && window >= begin && window + window_keys <= end;
  }

  /// The keys from place `p` on, four a lane, from their marks, which are cleared.
  __device__ uint4 take(Key p) {
    uint4& own = *reinterpret_cast<uint4*>(strip + p % strip_keys);
    uint4 mark = own;
    own = {};
    mark.y = max(mark.x, mark.y);
    mark.z = max(mark.y, mark.z);
    mark.w = max(mark.z, mark.w);
    // Marks rise: the last one before a lane's keys is that of the nearest lane before it that has one.
    const unsigned marked = __ballot_sync(~0u, mark.w);
    const unsigned earlier = marked & ((1u << threadIdx.x % 32) - 1);
    const Key of_earlier = __shfl_sync(~0u, mark.w, 31 - __clz(earlier));
    const Key of_last = __shfl_sync(~0u, mark.w, 31 - __clz(marked));
    const Key before = earlier ? of_earlier : last;
    if (marked) last = of_last;
    return {max(mark.x, before), max(mark.y, before), max(mark.z, before), max(mark.w, before)};
  }

  __device__ void put(Key p, const uint4& keys, bool is_whole) {
    if (is_whole || (is_aligned && p >= begin && p + 4 <= end)) {
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
