// Large segments by their last digit, which tells their keys: they are written by places, so that a value
// that is most of the keys is written by all blocks. Those of low bits, of which a block counts 2^16 values
// at a time, are counted here, too: many blocks count the pieces of one, and add the counts in device memory.
#pragma once

#include "gpu/counting_sort/bucket_counts.cuh"
#include "gpu/counting_sort/work_list.cuh"

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

inline constexpr Key most_values = 65536;  ///< that a block counts at a time, in 16 bits each

/// A block's counters of low bits [from, from + values), 16 bits each.
template <class LowBits>
struct PieceCounts {
  static constexpr Key never_too_many = 65535;

  const LowBits* in;
  Key *words, *sums;  ///< zeroed
  Key from, values;

  /// count[v] += the keys of value v in the piece.
  __device__ void add_to(Key* count, Key begin, Key end) const {
    const Counted counted = count_values(begin, end);
    __syncthreads();
    if (end - begin <= never_too_many || !is_too_narrow(counted.in_part)) return move_to(count, counted);
    for (Key w = threadIdx.x; w < values / 2; w += work_threads) words[w] = 0;
    __syncthreads();
    for (; begin != end; begin += min(end - begin, never_too_many)) {
      const Counted part = count_values(begin, begin + min(end - begin, never_too_many));
      __syncthreads();
      move_to(count, part);
    }
  }

 private:
  struct Counted {
    Key in_part = 0;            ///< by this thread, in the shared counters
    Key hot = 0, hot_keys = 0;  ///< a value beside them, and its keys, in one lane of a warp
  };

  __device__ Counted count_values(Key begin, Key end) const {
    Counted counted;
    const unsigned counters = shared_address(words);
    for_each_but_hot<work_threads>(
        in, begin, end, std::identity{},
        [&](Key value) {
          const bool is_in_part = value - from < values;
          Counters<16>::add_if(is_in_part, counters, value - from, 1);
          counted.in_part += is_in_part;
        },
        [&](Key value, Key keys) {
          if (value - from < values) counted.hot = value, counted.hot_keys = keys;
        });
    return counted;
  }

  __device__ bool is_too_narrow(Key in_part) const {
    Key sum = 0;
    for (Key w = threadIdx.x; w < values / 2; w += work_threads) sum += Counters<16>::sum(words[w]);
    const Key missing = DeviceThread::reduce_add(in_part - sum);
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
    for (Key w = threadIdx.x; w < values / 2; w += work_threads) {
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
template <class LowBits>
__device__ void sort_wide_bucket(const LowBits* in, Key* out, bool is_aligned, Key* memory, Key* warp_sums,
                                 Key b, const WorkPlan& plan, const WorkList& list) {
  using Sort = BucketSort<LowBits, work_threads>;
  const Key all = plan.last().number;
  const auto [begin, end] = list.bucket(plan, b);
  const Sort bucket{in,
                    begin,
                    end,
                    out,
                    memory + work_threads / 32 * strip_keys,
                    memory,
                    warp_sums,
                    b << plan.digit[0].shift,
                    is_aligned};
  Key place = list.first[b];
  for (Key from = 0, values = min(all, most_values); from < all;) {
    const bool is_narrow = values <= most_values / 2;
    const Key written = is_narrow ? bucket.template sort_uneven_part<32>(from, values, place)
                                  : bucket.template sort_uneven_part<16>(from, values, place);
    __syncthreads();
    if (written == Sort::too_narrow) {
      values = most_values / 2;
      continue;
    }
    place += written;
    from += values;
  }
}

/// The ticket that the block takes next. All threads, which synchronise.
inline __device__ Key take_ticket(Key* taken) {
  __shared__ Key ticket;
  __syncthreads();
  if (threadIdx.x == 0) ticket = atomicAdd(taken, 1u);
  __syncthreads();
  return ticket;
}

/// The counts of the low bits of large segments, a piece a block; who ends a segment's last piece makes
/// places of its counts. Then the buckets that need wider counters. Blocks take tickets, as some parts take
/// longer.
template <class LowBits>
__global__ void __launch_bounds__(work_threads)
    count_values(const LowBits* in, Key* out, const __grid_constant__ WorkPlan plan,
                 const __grid_constant__ WorkList list) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ Key warp_sums[64];
  __shared__ bool is_last;
  wait_for_last_kernel();
  let_next_kernel_start();
  const int level = plan.levels - 1;
  const Key values = plan.last().number, at_once = min(values, most_values);
  const Key pieces = list.pieces(plan, level), parts = pieces + list.numbers->wide;
  if (parts == 0) return;
  Key taken = take_ticket(&list.numbers->counted);
  if (taken < pieces)
    for (Key w = threadIdx.x; w < at_once / 2; w += work_threads) memory[w] = 0;
  __syncthreads();
  for (; taken < pieces; taken = take_ticket(&list.numbers->counted)) {
    const SegmentPiece piece = list.piece_at(plan, level, taken);
    Segment& segment = list.segment[level][piece.segment];
    Key* const count = list.count[level] + Index{piece.segment} * values;
    for (Key from = 0; from < values; from += at_once)
      PieceCounts<LowBits>{in, memory, warp_sums, from, at_once}.add_to(count, piece.begin, piece.end);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&segment.done, 1u) + 1 == plan.pieces_of(segment.size, level);
    __syncthreads();
    if (!is_last) continue;
    __threadfence();
    place_counts<work_threads>(
        values, segment.begin, [=](Key v) { return __ldcg(reinterpret_cast<const uint4*>(count + v)); },
        [=](Key v, const uint4& places) { *reinterpret_cast<uint4*>(count + v) = places; });
  }
  for (; taken < parts; taken = take_ticket(&list.numbers->counted))
    sort_wide_bucket(in, out, reinterpret_cast<std::uintptr_t>(out) % 16 == 0, memory, warp_sums,
                     list.wide[taken - pieces], plan, list);
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
      fits = writer.window_reaches(upto);
#pragma unroll
      for (Key k = 0; k < own; ++k) {
        const Key p = max(first[k], begin);
        if (first[k] != first[k + 1] && first[k + 1] > begin && p < upto && writer.contains(p))
          writer.mark(p, first_key + v + lane * own + k);
      }
      __syncwarp();
      if (!fits) writer.flush();
    }
    writer.flush_before(upto);
  }
  writer.finish();
}

/// Writes a part of `parts` of a piece of a segment of the last level, a warp. The segment's values and keys
/// are merged: neither many keys of one value nor many values without keys make it slow.
inline __device__ void write_piece(const WorkPlan& plan, const WorkList& list, Key p, Key part, Key parts,
                                   Key* strip, Key* out) {
  const int level = plan.levels - 1;
  const Key s = list.piece_at(plan, level, p).segment, values = plan.last().number;
  const Segment segment = list.segment[level][s];
  const Key* const place = list.count[level] + Index{s} * values;
  const Key items = segment.size + values, own = items / (plan.pieces_of(segment.size, level) * parts) + 1;
  const Key from = min(((p - segment.first_piece) * parts + part) * own, items),
            upto = min(from + own, items);
  const auto value_at = [&](Key item) {
    return last_at_most(values, item, [&](Key v) { return place[v] - segment.begin + v; });
  };
  // Two searches at the same time: each step waits for device memory.
  const Key item = threadIdx.x % 2 ? upto : from, v = value_at(item);
  // Warps share no window of a value's keys, so that few sectors are written in parts. No farther: many
  // values without keys may follow.
  const Key beyond = segment.begin + segment.size, of_next = v + 1 < values ? place[v + 1] : beyond;
  const Key window = (segment.begin + item - v + window_keys - 1) / window_keys * window_keys;
  const Key at = item == 0 ? segment.begin : item < items ? min(window, of_next) : beyond;
  write_places(out, reinterpret_cast<std::uintptr_t>(out) % 16 == 0, strip, place, values, beyond,
               segment.first_key, __shfl_sync(~0u, at, 0), __shfl_sync(~0u, at, 1), __shfl_sync(~0u, v, 0));
}

inline constexpr int write_threads = 512, write_blocks = 2;  ///< on a multiprocessor
inline constexpr Key most_written = 16384;                   ///< keys of a warp's part of all keys

/// The keys of all segments of the last level. Of all keys, each warp has as many parts as the others; of
/// large segments some, as each reads its values one batch after the other.
static __global__ void __launch_bounds__(write_threads, write_blocks)
    write_values(Key* out, const __grid_constant__ WorkPlan plan, const __grid_constant__ WorkList list) {
  constexpr Key warps = write_threads / 32;
  __shared__ __align__(16) Key strips[warps][strip_keys];
  wait_for_last_kernel();
  let_next_kernel_start();
  const Key level = plan.levels - 1, all_warps = gridDim.x * warps, own = plan.n / all_warps + 1;
  const Key items = level ? min(max(2 * own, 256), 2048) : max(own / (own / most_written + 1) + 1, 256);
  const Key parts = (plan.piece[level] - 1) / items + 1, all = list.pieces(plan, level) * parts;
  for (Key part = threadIdx.x / 32 * gridDim.x + blockIdx.x; part < all; part += all_warps)
    write_piece(plan, list, part / parts, part % parts, parts, strips[threadIdx.x / 32], out);
}

}  // namespace tallcache::gpu::counting_sort
