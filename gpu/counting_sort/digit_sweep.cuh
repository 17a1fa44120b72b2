// A stable pass over pairs by one digit, which reads and writes each pair once: a block gathers a tile by
// digit in shared memory and writes the pairs of a digit as one run.
#pragma once

#include "gpu/counting_sort/digit_counts.cuh"
#include "gpu/counting_sort/sweep_tiles.cuh"
#include "gpu/dependent_launch.cuh"

namespace tallcache::gpu::counting_sort {

struct Pairs {
  Key *keys, *values;
};
/// Where pairs lie: apart in the input and in the output, beside each other between the passes, where a run
/// is one and not two.
struct PairBuffers {
  Pairs in, out;
  uint2* packed[2];
};

/// Brings `bytes` bytes into the second-level cache. A warp.
inline __device__ void prefetch(const void* from, int bytes) {
  constexpr int line = 128;
  for (int b = threadIdx.x % 32 * line; b < bytes; b += 32 * line)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(from) + b));
}

struct ReadApart {
  const Key *keys, *values;

  __device__ auto at(Key first) const {
    return [keys = keys + first, values = values + first](int i) { return uint2{keys[i], values[i]}; };
  }
  __device__ void prefetch(Key first, int number) const {
    counting_sort::prefetch(keys + first, number * sizeof(Key));
    counting_sort::prefetch(values + first, number * sizeof(Key));
  }
};

struct ReadPacked {
  const uint2* pairs;

  __device__ auto at(Key first) const {
    return [pairs = pairs + first](int i) { return pairs[i]; };
  }
  __device__ void prefetch(Key first, int number) const {
    counting_sort::prefetch(pairs + first, number * sizeof(uint2));
  }
};

/// All keys are equal.
inline __device__ void copy_pairs(const Pairs& from, const Pairs& to, Index n) {
  constexpr int at_once = 8;
  const Index step = Index{gridDim.x} * SweepTile::threads;
  for (Index first = Index{blockIdx.x} * SweepTile::threads + threadIdx.x; first < n;
       first += at_once * step) {
    Key key[at_once], value[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (const Index i = first + k * step; i < n) key[k] = from.keys[i], value[k] = from.values[i];
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (const Index i = first + k * step; i < n) to.keys[i] = key[k], to.values[i] = value[k];
  }
}

/// Pass `pass`, if it is needed. Clears the table of the next one.
static __global__ void __launch_bounds__(SweepTile::threads, 1)
    sweep_digit(const __grid_constant__ DigitPlan plan, const __grid_constant__ PairState state,
                const __grid_constant__ PairBuffers buffers, int pass) {
  extern __shared__ __align__(16) uint2 memory_of_pairs[];
  const SweepBlock block(plan.digit[pass], plan.tiling, memory_of_pairs);
  Key* const ticket = state.tickets + pass;
  if (threadIdx.x == 0) block.start(ticket);  // all blocks of the last kernel have seen tickets zeroed
  wait_for_last_kernel();
  let_next_kernel_start();
  __syncthreads();
  const Route& route = *state.route;
  if (route.all_equal && pass == 0) return copy_pairs(buffers.in, buffers.out, plan.n);
  const Key place = route.place[pass];
  if (place == 0) return;
  const bool is_last = place == route.passes;
  const Index step = Index{gridDim.x} * SweepTile::threads;
  uint4* const later = reinterpret_cast<uint4*>(state.table[place % 2]);
  if (!is_last)
    for (Index i = Index{blockIdx.x} * SweepTile::threads + threadIdx.x; i < state.table_size / 4; i += step)
      later[i] = {};
  const Key* const first = state.first + pass * DigitPlan::max_digits;
  Key* const table = state.table[(place + 1) % 2];

  const Pairs in = buffers.in, out = buffers.out;
  const uint2* const from = buffers.packed[place % 2];
  uint2* const to = buffers.packed[(place + 1) % 2];
  const ReadApart get_apart{in.keys, in.values};
  const ReadPacked get_packed{from};
  const auto put_apart = [=](Key i, const uint2& pair) { out.keys[i] = pair.x, out.values[i] = pair.y; };
  const auto put_packed = [=](Key i, const uint2& pair) { to[i] = pair; };
  if (place == 1 && is_last)
    sweep(block, ticket, table, first, get_apart, put_apart);
  else if (place == 1)
    sweep(block, ticket, table, first, get_apart, put_packed);
  else if (is_last)
    sweep(block, ticket, table, first, get_packed, put_apart);
  else
    sweep(block, ticket, table, first, get_packed, put_packed);
}

}  // namespace tallcache::gpu::counting_sort
