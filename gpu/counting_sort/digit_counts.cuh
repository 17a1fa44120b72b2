// The histograms of all digits of the keys, and what follows from them.
#pragma once

#include "gpu/counting_sort/block_loads.cuh"
#include "gpu/counting_sort/digit_plan.cuh"
#include "gpu/dependent_launch.cuh"

namespace tallcache::gpu::counting_sort {

inline constexpr int count_digits_threads = 1024;
static_assert(count_digits_threads >= DigitPlan::max_digits);

/// Zeroes `number` words, which blocks add to. A kernel, as only kernels let the next one start early.
static __global__ void clear_words(Key* words, int number) {
  let_next_kernel_start();
  for (int i = threadIdx.x; i < number; i += blockDim.x) words[i] = 0;
}

/// Whether keys that share their leading digit share lower digits, too. If all do, a pass by such a digit
/// orders no pairs that the last pass would not.
struct LeadingDigit {
  Key* representative;  ///< a key for each leading digit, the same one in all blocks
  Key* differing;       ///< of this block: the bits in which a key differs from its representative

  __device__ Key difference(const DigitPlan& plan, Key key) const {
    return key ^ representative[plan.leading().of(key)];
  }
  /// All threads of a warp.
  __device__ void record(Key difference) const {
    const Key together = DeviceThread::reduce_or(difference);
    if (threadIdx.x % 32 == 0 && together) atomicOr(differing, together);
  }
  /// Whether some lower digit has not differed yet.
  __device__ bool may_decide(const DigitPlan& plan) const {
    for (int p = 0; p < plan.passes - 1; ++p)
      if (!(*differing & plan.digit[p].mask())) return true;
    return false;
  }
};

/// By the last block: where digits start, and the route. A thread has two neighbouring digits of a pass.
inline __device__ void lay_out_digits(const DigitPlan& plan, const PairState& state) {
  constexpr int threads_of_pass = DigitPlan::max_digits / 2;
  static_assert(count_digits_threads == DigitPlan::max_passes * threads_of_pass);
  __shared__ bool is_shared[DigitPlan::max_passes];  // by all keys: such a pass changes nothing
  const int p = threadIdx.x / threads_of_pass;
  const bool has_digits = p < plan.passes;
  const uint2 pairs =
      has_digits ? __ldcg(reinterpret_cast<const uint2*>(state.count) + threadIdx.x) : uint2{};
  const Key differing = __ldcg(state.differing);
  if (threadIdx.x < DigitPlan::max_passes) is_shared[threadIdx.x] = false;
  // Has a barrier.
  Key before = exclusive_sum<count_digits_threads>(DeviceThread{}, pairs.x + pairs.y).before;
  before -= p * plan.n;  // the digits of the passes below
  if (has_digits) reinterpret_cast<uint2*>(state.first)[threadIdx.x] = {before, before + pairs.x};
  if (pairs.x == plan.n || pairs.y == plan.n) is_shared[p] = true;
  __syncthreads();
  if (threadIdx.x != 0) return;
  Route route{};
  for (int i = 0; i < plan.passes; ++i) {
    const bool decides = i == plan.passes - 1 || differing & plan.digit[i].mask();
    if (!is_shared[i] && decides) route.place[i] = ++route.passes;
  }
  route.all_equal = route.passes == 0;
  *state.route = route;
}

/// Adds the digits of the keys that this thread takes to own[digit] of each pass. Returns, if `compares`, the
/// bits in which they differ from their representatives.
template <bool compares>
__device__ Key count_own_digits(const Key* in, const DigitPlan& plan, const LeadingDigit& leading, Key* own) {
  Key difference = 0;
  const auto add = [&](Key key) {
#pragma unroll
    for (int p = 0; p < DigitPlan::max_passes; ++p)
      if (p < plan.passes) atomicAdd(&own[p * DigitPlan::max_digits + plan.digit[p].of(key)], 1u);
    if constexpr (compares) difference |= leading.difference(plan, key);
  };
  for_each_element<count_digits_threads, 2>(in, 0, plan.n, add,
                                            Index{blockIdx.x} * count_digits_threads + threadIdx.x,
                                            Index{gridDim.x} * count_digits_threads);
  return difference;
}

/// The histograms, counted in shared memory first; the last block lays the digits out. Clears the
/// first table.
static __global__ void __launch_bounds__(count_digits_threads, 2)
    count_digits(const Key* in, const __grid_constant__ DigitPlan plan,
                 const __grid_constant__ PairState state) {
  extern __shared__ Key own[];
  __shared__ Key differing;
  __shared__ bool is_last;
  const int counts = plan.passes * DigitPlan::max_digits;
  const LeadingDigit leading{own + counts, &differing};
  // All blocks have the same sample.
  const Key sampled = in[static_cast<Index>(plan.n) * threadIdx.x / count_digits_threads];
  for (int c = threadIdx.x; c < counts + DigitPlan::max_digits; c += count_digits_threads)
    own[c] = c < counts ? 0 : ~Key{0};
  if (threadIdx.x == 0) differing = 0;
  const Index thread = Index{blockIdx.x} * count_digits_threads + threadIdx.x;
  const Index step = Index{gridDim.x} * count_digits_threads;
  for (Index i = thread; i < state.table_size / 4; i += step)
    reinterpret_cast<uint4*>(state.table[0])[i] = {};
  __syncthreads();
  atomicMin(&leading.representative[plan.leading().of(sampled)], sampled);
  __syncthreads();
  leading.record(leading.difference(plan, sampled));
  __syncthreads();
  if (DeviceThread::sync_or(leading.may_decide(plan)))
    leading.record(count_own_digits<true>(in, plan, leading, own));
  else
    count_own_digits<false>(in, plan, leading, own);
  __syncthreads();
  wait_for_last_kernel();  // which zeroes what follows
  let_next_kernel_start();
  for (int c = threadIdx.x; c < counts; c += count_digits_threads)
    if (own[c]) atomicAdd(&state.count[c], own[c]);
  if (threadIdx.x == 0 && differing) atomicOr(state.differing, differing);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(state.blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  lay_out_digits(plan, state);
}

}  // namespace tallcache::gpu::counting_sort
