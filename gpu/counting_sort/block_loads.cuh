// Neighbouring elements by all threads of a block or of a warp, 16 bytes at a time.
#pragma once

#include "common/ops/counting_sort.hpp"
#include "gpu/block_sum.cuh"

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

/// Four neighbouring keys from `i` on, as far as they lie before `end`, which leave the second-level cache
/// first.
inline __device__ uint4 load_keys_once(const Key* in, bool is_aligned, Index i, Index end) {
  if (is_aligned && i + 4 <= end) return __ldcs(reinterpret_cast<const uint4*>(in + i));
  uint4 keys{};
  if (i < end) keys.x = in[i];
  if (i + 1 < end) keys.y = in[i + 1];
  if (i + 2 < end) keys.z = in[i + 2];
  if (i + 3 < end) keys.w = in[i + 3];
  return keys;
}

/// f(element) for each of in[begin, end), 16 bytes at a time, `at_once` before the first f; all threads of a
/// block, or `step` threads, of which this is the thread-th, of several blocks.
template <int threads, Index at_once = threads == 1024 ? 4 : 2, class Element, class F>
__device__ void for_each_element(const Element* in, Index begin, Index end, F f, Index thread = threadIdx.x,
                                 Index step = threads) {
  constexpr Index in_vector = 16 / sizeof(Element);
  // From an even 16 bytes on.
  const Index misaligned = reinterpret_cast<std::uintptr_t>(in) % 16 / sizeof(Element);
  in -= misaligned, begin += misaligned, end += misaligned;
  const Index first = (begin + in_vector - 1) / in_vector * in_vector, last = end / in_vector * in_vector;
  if (first >= last) {
    for (Index i = begin + thread; i < end; i += step) f(in[i]);
    return;
  }
  if (begin + thread < first) f(in[begin + thread]);
  if (last + thread < end) f(in[last + thread]);
  const auto use = [&](const uint4& vector) {
    const Key word[] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      f(static_cast<Element>(word[w]));
      if constexpr (in_vector == 8) f(static_cast<Element>(word[w] >> 16));
    }
  };
  // All loads before the first use: f may branch, and loads do not pass branches.
  const auto* const vectors = reinterpret_cast<const uint4*>(in);
  const Index beyond = last / in_vector;
  Index i = first / in_vector + thread;
  for (; i + (at_once - 1) * step < beyond; i += at_once * step) {
    uint4 vector[at_once];
#pragma unroll
    for (Index k = 0; k < at_once; ++k) vector[k] = vectors[i + k * step];
#pragma unroll
    for (Index k = 0; k < at_once; ++k) use(vector[k]);
  }
  for (; i < beyond; i += step) use(vectors[i]);
}

/// f(digit) for the digit of each of in[begin, end), which are not none, but a digit that is many of them:
/// its keys are counted in registers, because additions to one counter wait for each other, and passed on
/// once a warp, by hot(digit, keys).
template <int threads, class Element, class DigitOf, class F, class Hot>
__device__ void for_each_but_hot(const Element* in, Index begin, Index end, DigitOf digit_of, F f, Hot hot) {
  const Key lane = threadIdx.x % 32;
  const Key sample = digit_of(in[begin + lane * (end - begin) / 32]);
  const int equal = __popc(__match_any_sync(~0u, sample)), max_equal = DeviceThread::reduce_max(equal);
  const int lane_of_max = __ffs(__ballot_sync(~0u, equal == max_equal)) - 1;
  const Key value = max_equal > 2 ? __shfl_sync(~0u, sample, lane_of_max) : ~Key{0};
  Key keys = 0;
  for_each_element<threads>(in, begin, end, [&](Key element) {
    const Key digit = digit_of(element);
    if (digit == value)
      ++keys;
    else
      f(digit);
  });
  keys = DeviceThread::reduce_add(keys);
  if (lane == 0 && keys) hot(value, keys);
}

}  // namespace tallcache::gpu::counting_sort
