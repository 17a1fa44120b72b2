// Heavy buckets: many blocks count the pieces of one, their counts are added up in device memory, and the
// keys are written by places, so that a value that is most of the keys is written by all blocks.
#pragma once

#include "gpu/counting_sort/residue_counts.cuh"

namespace tallcache::gpu::counting_sort {

/// The last x of [0, size) with f(x) at most `bound`, where f rises and f(0) is.
template <class F>
__device__ Key last_at_most(Key size, Key bound, F f) {
  Key begin = 0;
  while (size > 1) {
    const Key half = size / 2;
    if (f(begin + half) <= bound) {
      begin += half;
      size -= half;
    } else {
      size = half;
    }
  }
  return begin;
}

/// A piece of a heavy bucket: the keys [begin, end) of the bucket-th, which is the heavy-th heavy one.
struct Piece {
  Key heavy, bucket, begin, end, pieces;

  __device__ Piece(const SplitState& state, Key number) {
    heavy = last_at_most(state.heavy[state.max_heavy], number, [&](Key h) { return state.piece[h]; });
    bucket = state.heavy[heavy];
    pieces = state.piece[heavy + 1] - state.piece[heavy];
    begin = state.start[bucket] + (number - state.piece[heavy]) * state.piece_keys;
    end = min(state.next[bucket] - begin, state.piece_keys) + begin;
  }
};

inline constexpr int heavy_threads = 1024;
inline constexpr Key heavy_values = 65536;  ///< counted at a time, in 16 bits each

/// count[v], the keys of value v, becomes the place of the first of them.
inline __device__ void places_of_counts(Key* count, Key values, Key place) {
  constexpr Key own = 4;
  for (Key begin = threadIdx.x * own; begin - threadIdx.x * own < values; begin += heavy_threads * own) {
    Key keys[own], sum = 0;
#pragma unroll
    for (Key k = 0; k < own; ++k) sum += keys[k] = begin + k < values ? __ldcg(&count[begin + k]) : 0;
    const auto [before, total] = exclusive_sum<heavy_threads>(DeviceThread{}, sum);
    Key next = place + before;
#pragma unroll
    for (Key k = 0; k < own; ++k) {
      if (begin + k < values) count[begin + k] = next;
      next += keys[k];
    }
    place += total;
    __syncthreads();
  }
}

/// A block's counters of residues [from, from + values), 16 bits each.
template <class Residue>
struct PieceCounts {
  static constexpr Key never_too_many = 65535;

  const Residue* in;
  Key *words, *sums;  ///< zeroed
  Key from, values;

  /// count[v] += the keys of residue v in the piece.
  __device__ void add_to(Key* count, Key begin, Key end) const {
    const Counted counted = count_residues(begin, end);
    __syncthreads();
    if (end - begin <= never_too_many || !is_too_narrow(counted.met)) return move_to(count, counted);
    for (Key w = threadIdx.x; w < (values + 1) / 2; w += heavy_threads) words[w] = 0;
    __syncthreads();
    for (; begin != end; begin += min(end - begin, never_too_many)) {
      const Counted part = count_residues(begin, begin + min(end - begin, never_too_many));
      __syncthreads();
      move_to(count, part);
    }
  }

 private:
  struct Counted {
    Key met = 0;                ///< by this thread, in the shared counters
    Key hot = 0, hot_keys = 0;  ///< a value beside them, and its keys, in one lane of a warp
  };

  __device__ Counted count_residues(Key begin, Key end) const {
    Counted counted;
    const unsigned counters = shared_address(words);
    for_each_but_hot<heavy_threads>(
        in, begin, end,
        [&](Key residue) {
          const bool is_met = residue - from < values;
          Counters<16>::add_if(is_met, counters, residue - from, 1);
          counted.met += is_met;
        },
        [&](Key residue, Key keys) {
          if (residue - from < values) counted.hot = residue, counted.hot_keys = keys;
        });
    return counted;
  }

  __device__ bool is_too_narrow(Key met) const {
    Key sum = 0;
    for (Key w = threadIdx.x; w < (values + 1) / 2; w += heavy_threads) sum += Counters<16>::sum(words[w]);
    const Key missing = DeviceThread::reduce_add(met - sum);
    if (threadIdx.x == 0) *sums = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0 && missing) atomicAdd(sums, missing);
    __syncthreads();
    const bool is_narrow = *sums != 0;
    __syncthreads();
    return is_narrow;
  }

  __device__ void move_to(Key* count, const Counted& counted) const {
    if (counted.hot_keys) atomicAdd(&count[counted.hot], counted.hot_keys);
    for (Key w = threadIdx.x; w < (values + 1) / 2; w += heavy_threads) {
      const Key word = words[w];
      words[w] = 0;
      if (word & 0xffff) atomicAdd(&count[from + 2 * w], word & 0xffff);
      if (word >> 16) atomicAdd(&count[from + 2 * w + 1], word >> 16);
    }
    __syncthreads();
  }
};

/// Bucket `b`, which sort_light_buckets() has listed, in counters of 16 bits, and of 32 where these are too
/// narrow, by a block.
template <class Residue>
__device__ void sort_wide_bucket(const Residue* in, Key* out, bool is_aligned, Key* memory, Key* warp_sums,
                                 Key b, const SplitState& state) {
  using Sort = BucketSort<Residue, heavy_threads>;
  const Key all = Key{1} << state.shift;
  const Sort bucket{
      in,     state.start[b], state.next[b],    out,       memory + heavy_threads / 32 * strip_keys,
      memory, warp_sums,      b << state.shift, is_aligned};
  Key place = state.first[b];
  for (Key from = 0, values = min(all, heavy_values); from < all;) {
    const bool is_narrow = values <= heavy_values / 2;
    const Key written = is_narrow ? bucket.template sort_uneven_part<32>(from, values, place)
                                  : bucket.template sort_uneven_part<16>(from, values, place);
    __syncthreads();
    if (written == Sort::too_narrow) {
      values = heavy_values / 2;
      continue;
    }
    place += written;
    from += values;
  }
}

/// The counts of the heavy buckets' values, a piece a block; who ends a bucket's last piece makes places of
/// its counts. Then the buckets that need wider counters. Blocks take tickets, as some parts take longer.
template <class Residue>
__global__ void __launch_bounds__(heavy_threads)
    count_heavy_buckets(const Residue* in, Key* out, bool is_aligned, SplitState state) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ Key warp_sums[64];
  __shared__ Key part;
  __shared__ bool is_last;
  wait_for_last_kernel();
  let_next_kernel_start();
  if (state.is_idle()) return;
  const Key pieces = state.piece[state.heavy[state.max_heavy]], parts = pieces + *state.wides;
  const Key values = Key{1} << state.shift, at_once = min(values, heavy_values);
  const auto take_part = [&] {
    if (threadIdx.x == 0) part = atomicAdd(state.parts_taken, 1u);
    __syncthreads();
    const Key taken = part;
    __syncthreads();
    return taken;
  };
  Key taken = take_part();
  if (taken < pieces)
    for (Key w = threadIdx.x; w < (at_once + 1) / 2; w += heavy_threads) memory[w] = 0;
  for (; taken < pieces; taken = take_part()) {
    const Piece piece(state, taken);
    Key* const count = state.heavy_count + (std::size_t{piece.heavy} << state.shift);
    __syncthreads();
    for (Key from = 0; from < values; from += at_once)
      PieceCounts<Residue>{in, memory, warp_sums, from, at_once}.add_to(count, piece.begin, piece.end);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&state.pieces_done[piece.heavy], 1u) == piece.pieces - 1;
    __syncthreads();
    if (is_last) {
      __threadfence();
      places_of_counts(count, values, state.first[piece.bucket]);
    }
  }
  for (; taken < parts; taken = take_part())
    sort_wide_bucket(in, out, is_aligned, memory, warp_sums, state.wide[taken - pieces], state);
}

/// Writes the places [begin, end) of `out`, a warp; place[v] is where the keys first_key + v start, and
/// `beyond` where those of the last value end. Place `begin` is of value v or one behind it.
inline __device__ void write_places(Key* out, bool is_aligned, Key* strip, const Key* place, Key values,
                                    Key beyond, Key first_key, Key begin, Key end, Key v) {
  constexpr Key own = 4;  // values of a lane
  const Key lane = threadIdx.x % 32;
  RunWriter writer(out, is_aligned, strip, begin, end);
  for (Key upto = begin; upto < end; v += 32 * own) {
    Key first[own + 1];
#pragma unroll
    for (Key k = 0; k < own; ++k) first[k] = v + lane * own + k < values ? place[v + lane * own + k] : beyond;
    const Key after = v + 32 * own < values ? place[v + 32 * own] : beyond;
    first[own] = __shfl_down_sync(~0u, first[0], 1);
    if (lane == 31) first[own] = after;
    upto = min(after, end);
    if (upto <= begin) continue;
    for (bool fits = false; !fits;) {
      fits = writer.holds_before(upto);
#pragma unroll
      for (Key k = 0; k < own; ++k) {
        const Key p = max(first[k], begin);
        if (first[k] != first[k + 1] && first[k + 1] > begin && p < upto && writer.holds(p))
          writer.mark(p, first_key + v + lane * own + k);
      }
      __syncwarp();
      if (!fits) writer.flush();
    }
    writer.flush_before(upto);
  }
  writer.finish();
}

inline constexpr int write_threads = 512;

/// The keys of all heavy buckets. A warp takes a segment of a bucket's values and keys, merged: neither many
/// keys of one value nor many values without keys make it slow.
__global__ void __launch_bounds__(write_threads)
    write_heavy_buckets(Key* out, bool is_aligned, SplitState state) {
  __shared__ __align__(16) Key strips[write_threads / 32][strip_keys];
  constexpr Key warps = write_threads / 32;
  wait_for_last_kernel();
  let_next_kernel_start();
  if (state.is_idle()) return;
  const Key heavy = state.heavy[state.max_heavy], all = state.segment[heavy], values = 1u << state.shift;
  for (Key s = blockIdx.x * warps + threadIdx.x / 32; s < all; s += gridDim.x * warps) {
    const Key h = last_at_most(heavy, s, [&](Key k) { return state.segment[k]; });
    const Key b = state.heavy[h], begin = state.first[b], beyond = state.first[b + 1];
    const Key* const place = state.heavy_count + (std::size_t{h} << state.shift);
    const auto value_at = [&](Key item) {
      return last_at_most(values, item, [&](Key v) { return place[v] - begin + v; });
    };
    const Key from = (s - state.segment[h]) * state.segment_items, items = beyond - begin + values;
    const Key upto = min(items - from, state.segment_items) + from;
    // Two searches at the same time: each step waits for device memory.
    const Key of_lane = value_at(threadIdx.x % 2 ? upto : from);
    const Key v = __shfl_sync(~0u, of_lane, 0);
    const Key last_v = upto < items ? __shfl_sync(~0u, of_lane, 1) : values;
    write_places(out, is_aligned, strips[threadIdx.x / 32], place, values, beyond, b << state.shift,
                 begin + from - v, begin + upto - last_v, v);
  }
}

/// The keys of buckets of one value each.
__global__ void __launch_bounds__(write_threads)
    write_buckets_of_one(Key* out, Key n, bool is_aligned, SplitState state) {
  __shared__ __align__(16) Key strips[write_threads / 32][strip_keys];
  constexpr Key warps = write_threads / 32, keys = 2 * Split::max_segment;
  const Key parts = (n - 1) / keys + 1, values = state.number;
  wait_for_last_kernel();
  let_next_kernel_start();
  for (Key part = blockIdx.x * warps + threadIdx.x / 32; part < parts; part += gridDim.x * warps) {
    const Key begin = part * keys;
    const Key v = last_at_most(values, begin, [&](Key k) { return state.first[k]; });
    write_places(out, is_aligned, strips[threadIdx.x / 32], state.first, values, n, 0, begin,
                 min(n - begin, keys) + begin, v);
  }
}

}  // namespace tallcache::gpu::counting_sort
