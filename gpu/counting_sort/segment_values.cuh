// Large segments by their last digit, which decides their keys: many blocks count the pieces of one, up to
// 2^16 values at a time, and add the counts in device memory. Then keys are written by places, so that a
// value that is most of the keys is written by all blocks.
#pragma once

#include "gpu/counting_sort/bucket_counts.cuh"
#include "gpu/counting_sort/work_list.cuh"
#include "gpu/sort/order.hpp"

namespace tallcache::gpu::counting_sort {

inline constexpr Key most_values = 65536;  ///< that a block counts at a time, in 16 bits each

/// A block's counters of the values [from, from + values) of a last digit, 16 bits each. `is_whole`: of
/// keys, not of this digit alone.
template <bool is_whole, class Element>
struct PieceCounts {
  static constexpr Key never_too_many = 65535;

  const Element* in;
  Key *words, *sums;  ///< values / 2, and 1
  Key mask;           ///< of the digit
  Key from, values;

  /// count[v] += the keys of value v in the piece.
  __device__ void add_to(Key* count, Key begin, Key end) const {
    const Counted counted = count_values(begin, end);
    __syncthreads();
    if (end - begin <= never_too_many || !is_too_narrow(counted.in_part)) return move_to(count, counted);
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
    for (Key w = threadIdx.x; w < values / 2; w += work_threads) words[w] = 0;
    __syncthreads();
    const unsigned counters = shared_address(words);
    for_each_but_hot<work_threads>(
        in, begin, end, [&](Key element) { return is_whole ? element & mask : element; },
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
  const int shift = (list.is_guess_valid(plan) ? plan.guess : plan.digit[0]).shift;
  const Key all = Key{1} << shift;
  const auto [begin, end] = list.bucket(plan, b);
  const Sort bucket{in,     begin,     end,        out,       memory + work_threads / 32 * strip_keys,
                    memory, warp_sums, b << shift, is_aligned};
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

/// Adds the values of piece `p` of the last level to its segment's counts, by a block; who ends the last
/// piece makes places of them.
template <bool is_whole, class Element>
__device__ void count_piece(const Element* in, Key* memory, Key* sums, Key p, const WorkPlan& plan,
                            const WorkList& list) {
  const int level = plan.levels - 1;
  const Key values = plan.last().number, at_once = min(values, most_values);
  const SegmentPiece piece = list.piece_at(plan, level, p);
  Segment& segment = list.segment[level][piece.segment];
  Key* const count = list.count[level] + Index{piece.segment} * values;
  for (Key from = 0; from < values; from += at_once)
    PieceCounts<is_whole, Element>{in, memory, sums, values - 1, from, at_once}.add_to(count, piece.begin,
                                                                                       piece.end);
  if (!is_last_piece(segment, 1, plan.pieces_of(segment.size, level))) return;
  place_counts<work_threads>(
      values, segment.begin, [=](Key v) { return __ldcg(reinterpret_cast<const uint4*>(count + v)); },
      [=](Key v, const uint4& places) { *reinterpret_cast<uint4*>(count + v) = places; });
  if (!is_whole) return;  // another kernel reads the places
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&list.numbers->placed, 1u);
}

/// The ticket that a warp takes next.
inline __device__ Key take_ticket_of_warp(Key* taken) {
  Key ticket = 0;
  if (threadIdx.x % 32 == 0) ticket = atomicAdd(taken, 1u);
  return __shfl_sync(~0u, ticket, 0);
}

/// Until the counts of all segments of the last level are places. By all threads of a block that has seen the
/// tickets of all pieces taken, so that each count is under way.
inline __device__ void wait_for_places(const WorkPlan& plan, const WorkList& list) {
  const Key segments = list.numbers->segments[plan.levels - 1];
  if (threadIdx.x == 0)
    for (Key placed = ~segments; placed != segments;)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                   : "=r"(placed)
                   : "l"(&list.numbers->placed)
                   : "memory");
  __syncthreads();
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
    return sort::last_at_most(values, item, [&](Key v) { return place[v] - segment.begin + v; });
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

/// The keys of all segments of the last level. Of all keys, each warp has as many parts as the others; of
/// large segments some, as each reads its values one batch after the other. Beside leaves, which take blocks
/// differently long, warps take tickets, but for their first part: many additions to one address at the same
/// time take microseconds. `strips`: of the block's warps.
inline __device__ void write_pieces(const WorkPlan& plan, const WorkList& list, Key* strips, Key* out) {
  constexpr Key most_of_all = 16384, most_of_segment = 2048;  // values and keys of a part
  const Key level = plan.levels - 1, warps = gridDim.x * (blockDim.x / 32), own = plan.n / warps + 1;
  const Key items =
      level ? min(max(2 * own, 256), most_of_segment) : max(own / (own / most_of_all + 1) + 1, 256);
  const Key parts = (plan.piece[level] - 1) / items + 1, all = list.pieces(plan, level) * parts;
  for (Key part = threadIdx.x / 32 * gridDim.x + blockIdx.x; part < all;) {
    write_piece(plan, list, part / parts, part % parts, parts, strips + threadIdx.x / 32 * strip_keys, out);
    part = plan.part && all > warps ? warps + take_ticket_of_warp(&list.numbers->written) : part + warps;
  }
}

inline constexpr int write_threads = 512, write_blocks = 2;  ///< on a multiprocessor

static __global__ void __launch_bounds__(write_threads, write_blocks)
    write_values(Key* out, const __grid_constant__ WorkPlan plan, const __grid_constant__ WorkList list) {
  __shared__ __align__(16) Key strips[write_threads / 32 * strip_keys];
  wait_for_last_kernel();
  let_next_kernel_start();
  write_pieces(plan, list, strips, out);
}

}  // namespace tallcache::gpu::counting_sort
