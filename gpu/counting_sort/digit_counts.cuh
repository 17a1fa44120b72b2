// The histograms of all digits of the keys, and what follows from them.
#pragma once

#include <cub/block/block_scan.cuh>

#include "gpu/counting_sort/digit_plan.cuh"

namespace tallcache::gpu::counting_sort {

inline constexpr int count_digits_threads = 1024;
static_assert(count_digits_threads >= DigitPlan::max_digits);

/// By the last block: where digits start, and the route.
inline __device__ void lay_out_digits(const DigitPlan& plan, const PairState& state) {
  using Scan = cub::BlockScan<Key, count_digits_threads>;
  __shared__ typename Scan::TempStorage scan;
  const int d = threadIdx.x;
  Route route{};
  for (int p = 0; p < plan.passes; ++p) {
    const Key pairs = d < plan.digit[p].number() ? __ldcg(&state.count[p * DigitPlan::max_digits + d]) : 0;
    Key before;
    Scan(scan).ExclusiveSum(pairs, before);
    if (d < DigitPlan::max_digits) state.first[p * DigitPlan::max_digits + d] = before;
    // A pass by a digit that all keys share changes nothing.
    if (!__syncthreads_or(pairs == plan.n)) route.place[p] = ++route.passes;
  }
  route.all_equal = route.passes == 0;
  if (d == 0) *state.route = route;
}

/// The histograms, counted in shared memory first; the last block lays the digits out. Clears the
/// first table.
static __global__ void __launch_bounds__(count_digits_threads, 2)
    count_digits(const Key* in, bool is_aligned, const __grid_constant__ DigitPlan plan,
                 const __grid_constant__ PairState state) {
  extern __shared__ Key own[];
  __shared__ bool is_last;
  const int counts = plan.passes * DigitPlan::max_digits;
  for (int c = threadIdx.x; c < counts; c += count_digits_threads) own[c] = 0;
  const Index thread = Index{blockIdx.x} * count_digits_threads + threadIdx.x;
  const Index step = Index{gridDim.x} * count_digits_threads;
  for (Index i = thread; i < state.table_size / 4; i += step)
    reinterpret_cast<uint4*>(state.table[0])[i] = {};
  __syncthreads();
  const auto add = [&](Key key) {
#pragma unroll
    for (int p = 0; p < DigitPlan::max_passes; ++p)
      if (p < plan.passes) atomicAdd(&own[p * DigitPlan::max_digits + plan.digit[p].of(key)], 1u);
  };
  const Index vectors = is_aligned ? plan.n / 4 : 0;
  for (Index i = thread; i < vectors; i += 2 * step) {
    const bool has_more = i + step < vectors;
    const uint4 keys = reinterpret_cast<const uint4*>(in)[i];
    const uint4 more = has_more ? reinterpret_cast<const uint4*>(in)[i + step] : uint4{};
    add(keys.x), add(keys.y), add(keys.z), add(keys.w);
    if (has_more) add(more.x), add(more.y), add(more.z), add(more.w);
  }
  for (Index i = vectors * 4 + thread; i < plan.n; i += step) add(in[i]);
  __syncthreads();
  for (int c = threadIdx.x; c < counts; c += count_digits_threads)
    if (own[c]) atomicAdd(&state.count[c], own[c]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(state.blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  lay_out_digits(plan, state);
}

}  // namespace tallcache::gpu::counting_sort
