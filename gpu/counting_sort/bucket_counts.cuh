// The buckets that are not heavy, a block or two each: how often each value of the low bits occurs, in
// counters of a few bits in shared memory, and the keys that follow from it.
#pragma once

#include <functional>

#include "gpu/asynchronous_copy.cuh"
#include "gpu/counting_sort/block_loads.cuh"
#include "gpu/counting_sort/run_writer.cuh"
#include "gpu/counting_sort/work_list.cuh"

namespace tallcache::gpu::counting_sort {

/// Counters of `width` bits, 32 / width in a word.
template <int width>
struct Counters {
  static constexpr Key in_word = 32 / width;
  /// The counter of `value` += keys, if `is_wanted`: predicated, as a branch takes longer than the addition.
  /// `words`: the counters' address in shared memory.
  static __device__ void add_if(bool is_wanted, unsigned words, Key value, Key keys) {
    // A rotation shifts by value * width modulo 32.
    const Key addend = width == 32 ? keys : __funnelshift_l(keys, keys, value * width);
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p red.shared.add.u32 [%0], %1; }\n" ::"r"(
                     words + value / in_word * 4),
                 "r"(addend), "r"(Key{is_wanted})
                 : "memory");
  }
  static __device__ Key get(Key word, Key field) {
    return width == 32 ? word : word >> field * width & ((Key{1} << width % 32) - 1);
  }
  static __device__ Key sum(Key word) {
    if constexpr (width == 32) return word;
    if constexpr (width == 16) return (word & 0xffff) + (word >> 16);
    if constexpr (width == 8) return __dp4a(word, 0x01010101u, 0u);
    return __dp4a(word & 0x0f0f0f0fu, 0x01010101u, __dp4a(word >> 4 & 0x0f0f0f0fu, 0x01010101u, 0u));
  }
};

/// The counters of eight neighbouring values, by a lane: a warp's work for a batch of values hardly depends
/// on their number.
template <int width>
struct EightCounts {
  static constexpr Key words = width / 4;
  Key word[words];

  /// Those in from[first, beyond), at most.
  __device__ EightCounts(const Key* from, Key first, Key beyond) {
#pragma unroll
    for (Key k = 0; k < words; ++k) word[k] = first + k < beyond ? from[first + k] : 0;
  }
  __device__ Key sum() const {
    Key keys = 0;
#pragma unroll
    for (Key k = 0; k < words; ++k) keys += Counters<width>::sum(word[k]);
    return keys;
  }
  /// f(value, p) for each value in [0, 8) that has keys; they start at p, the first ones at `place`.
  template <class F>
  __device__ void for_each(Key place, F f) const {
#pragma unroll
    for (Key value = 0; value < 8; ++value) {
      constexpr Key in_word = Counters<width>::in_word;
      const Key keys = Counters<width>::get(word[value / in_word], value % in_word);
      if (keys) f(value, place);
      place += keys;
    }
  }
};

/// A bucket's keys, or those of a part of its values, from its low bits.
template <class LowBits, int threads>
struct BucketSort {
  static constexpr int warps = threads / 32;
  static constexpr Key too_narrow = ~Key{0};

  const LowBits* in;
  Index begin, end;
  Key *out, *words, *strips, *warp_sums;
  Key first_key;
  bool is_aligned;

  /// Writes all keys, of low bits below `values`, to `out` from `place` on. Returns how many they are, or
  /// too_narrow if a counter had too few bits.
  template <int width>
  __device__ Key sort(Key values, Key place) const {
    const unsigned counters = clear<width>(values);
    for_each_element<threads>(in, begin, end,
                              [&](Key low) { Counters<width>::add_if(true, counters, low, 1); });
    __syncthreads();
    return write_counted<width>(0, values, static_cast<Key>(end - begin), place, false);
  }

  /// The same for the low bits [from, from + values), from `place` on, or before it if they are the last.
  template <int width>
  __device__ Key sort_part(Key from, Key values, Key place, bool are_last) const {
    const unsigned counters = clear<width>(values);
    Key counted = 0;
    for_each_element<threads>(in, begin, end, [&](Key low) {
      const bool is_in_part = low - from < values;
      Counters<width>::add_if(is_in_part, counters, low - from, 1);
      counted += is_in_part;
    });
    return write_counted<width>(from, values, sum_of_block(counted), place, are_last);
  }

  /// The same where one value may be many of the keys.
  template <int width>
  __device__ Key sort_uneven_part(Key from, Key values, Key place) const {
    const unsigned counters = clear<width>(values);
    Key counted = 0;
    const auto add = [&](Key low, Key keys) {
      const bool is_in_part = low - from < values;
      Counters<width>::add_if(is_in_part, counters, low - from, keys);
      counted += is_in_part ? keys : 0;
    };
    for_each_but_hot<threads>(
        in, begin, end, std::identity{}, [&](Key low) { add(low, 1); }, add);
    return write_counted<width>(from, values, sum_of_block(counted), place, false);
  }

 private:
  template <int width>
  static __device__ Key words_of(Key values) {
    return (values + Counters<width>::in_word - 1) / Counters<width>::in_word;
  }

  /// Returns the address of the counters.
  template <int width>
  __device__ unsigned clear(Key values) const {
    for (Key w = threadIdx.x; w < words_of<width>(values); w += threads) words[w] = 0;
    __syncthreads();
    return shared_address(words);
  }

  __device__ Key sum_of_block(Key own) const {
    own = DeviceThread::reduce_add(own);
    if (threadIdx.x % 32 == 0) warp_sums[32 + threadIdx.x / 32] = own;
    __syncthreads();
    return DeviceThread::reduce_add(threadIdx.x % 32 < warps ? warp_sums[32 + threadIdx.x % 32] : 0);
  }

  /// Writes the keys that are counted, unless they are not `expected` ones: a carry from a counter makes the
  /// sum of the counters less than the number of keys.
  template <int width>
  __device__ Key write_counted(Key from, Key values, Key expected, Key place, bool is_end) const {
    const Key warp = threadIdx.x / 32, lane = threadIdx.x % 32, number = words_of<width>(values);
    // A warp has neighbouring words.
    const Key own = (number + 32 * warps - 1) / (32 * warps) * 32;
    const Key first = min(warp * own, number), beyond = min(first + own, number);
    Key sum = 0;
    for (Key w = first + lane; w < beyond; w += 32) sum += Counters<width>::sum(words[w]);
    sum = DeviceThread::reduce_add(sum);
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    const Key of_lane = lane < warps ? warp_sums[lane] : 0;
    const Key total = DeviceThread::reduce_add(of_lane);
    if (total != expected) return too_narrow;
    const Key start = (is_end ? place - total : place) + DeviceThread::reduce_add(lane < warp ? of_lane : 0);
    write<width>(first, beyond, start, sum, first_key + from);
    return total;
  }

  /// The keys that words [first, beyond) count, `sum` of them, by a warp; words[0] counts `min_key`.
  template <int width>
  __device__ void write(Key first, Key beyond, Key start, Key sum, Key min_key) const {
    RunWriter writer(out, is_aligned, strips + threadIdx.x / 32 * strip_keys, start, start + sum);
    Key before = start;
    for (Key w = first; w < beyond; w += 32 * EightCounts<width>::words) {
      const Key own = w + threadIdx.x % 32 * EightCounts<width>::words;
      const EightCounts<width> counts(words, own, beyond);
      const Key key = min_key + own * Counters<width>::in_word, keys = counts.sum();
      const Key upto = inclusive_sum_of_warp(keys), place = before + upto - keys;
      before += __shfl_sync(~0u, upto, 31);
      if (writer.window_reaches(before)) {
        counts.for_each(place, [&](Key value, Key p) { writer.mark(p, key + value); });
        __syncwarp();
        writer.flush_before(before);
        continue;
      }
      Key next;  // place that is to be marked and not held
      do {
        Key last_marked = 0, unmarked = before;
        counts.for_each(place, [&](Key value, Key p) {
          if (writer.contains(p))
            writer.mark(last_marked = p, key + value);
          else if (p > writer.window)
            unmarked = min(unmarked, p);
        });
        __syncwarp();
        next = DeviceThread::reduce_min(unmarked);
        writer.flush_run_before(next, DeviceThread::reduce_max(last_marked));
      } while (next != before);
    }
    writer.finish();
  }
};

/// Each bucket that is not heavy, in counters of `width` bits, by `parts` blocks: each reads all its keys,
/// and counts its part of the values. Buckets for which these are too narrow, or probably are, in counters of
/// `wider` bits, and are listed if these are too narrow, too, or `wider` is 0.
template <class LowBits, int threads, int width, int wider, int parts>
__global__ void __launch_bounds__(threads, 1536 / threads)
    sort_light_buckets(const LowBits* in, Key* out, bool is_aligned, const __grid_constant__ WorkPlan plan,
                       const __grid_constant__ WorkList list) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ Key warp_sums[64];
  let_next_kernel_start();
  using Sort = BucketSort<LowBits, threads>;
  constexpr bool is_wider = parts == 2;  // which guessed buckets may be; then they are even
  if (sizeof(LowBits) == 4 && plan.guess_is_wider() && list.is_guess_valid(plan) != is_wider) return;
  const int shift = is_wider ? plan.guess.shift : plan.digit[0].shift;
  const Key b = blockIdx.x / parts, part = blockIdx.x % parts, values = (Key{1} << shift) / parts;
  const auto [begin, end] = list.bucket(plan, b);
  if (begin == end || (!is_wider && end - begin > plan.most)) return;
  const Sort bucket{in,     begin,     end,        out,       memory + threads / 32 * strip_keys,
                    memory, warp_sums, b << shift, is_aligned};
  const Key place = list.first[b];
  bool is_narrow = !is_wider && end - begin > plan.even;
  if (!is_narrow) {
    Key sorted;
    if constexpr (parts == 1)
      sorted = bucket.template sort<width>(values, place);
    else
      sorted = bucket.template sort_part<width>(part * values, values, list.first[b + part], part == 1);
    is_narrow = sorted == Sort::too_narrow;
  }
  if constexpr (wider != 0)
    is_narrow = is_narrow && bucket.template sort_uneven_part<wider>(0, values, place) == Sort::too_narrow;
  if (is_narrow && threadIdx.x == 0) list.wide[atomicAdd(&list.numbers->wide, 1u)] = b;
}

}  // namespace tallcache::gpu::counting_sort
