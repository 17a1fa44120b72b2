// The buckets that are not heavy, a block each: how often each residue occurs, in counters of a few bits in
// shared memory, and the keys that say so.
#pragma once

#include "gpu/counting_sort/run_writer.cuh"

namespace tallcache::gpu::counting_sort {

/// Counters of `width` bits, 32 / width in a word.
template <int width>
struct Counters {
  static constexpr Key in_word = 32 / width;
  static __device__ void add(Key* words, Key value, Key keys) {
    atomicAdd(&words[value / in_word], keys << value % in_word * width);
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

/// f(residue) for each of in[begin, end), 16 bytes at a time; all threads of a block.
template <int threads, class Residue, class F>
__device__ void for_each_residue(const Residue* in, Index begin, Index end, F f) {
  constexpr Index in_vector = 16 / sizeof(Residue);
  const Index first = (begin + in_vector - 1) / in_vector * in_vector, last = end / in_vector * in_vector;
  if (first >= last) {
    for (Index i = begin + threadIdx.x; i < end; i += threads) f(in[i]);
    return;
  }
  if (begin + threadIdx.x < first) f(in[begin + threadIdx.x]);
  if (last + threadIdx.x < end) f(in[last + threadIdx.x]);
  const auto tell = [&](const uint4& vector) {
    const Key word[] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      f(static_cast<Residue>(word[w]));
      if constexpr (in_vector == 8) f(static_cast<Residue>(word[w] >> 16));
    }
  };
  // All loads before the first use: f may branch, and loads do not pass branches.
  constexpr Index at_once = threads == 1024 ? 4 : 2;
  const auto* const vectors = reinterpret_cast<const uint4*>(in);
  const Index beyond = last / in_vector;
  Index i = first / in_vector + threadIdx.x;
  for (; i + (at_once - 1) * threads < beyond; i += at_once * threads) {
    uint4 vector[at_once];
#pragma unroll
    for (Index k = 0; k < at_once; ++k) vector[k] = vectors[i + k * threads];
#pragma unroll
    for (Index k = 0; k < at_once; ++k) tell(vector[k]);
  }
  for (; i < beyond; i += threads) tell(vectors[i]);
}

/// f(residue) for each of in[begin, end), which are not none, but a value that is many of them: its keys are
/// counted in registers, because additions to one counter wait for each other, and told once a warp, to
/// hot(residue, keys).
template <int threads, class Residue, class F, class Hot>
__device__ void for_each_but_hot(const Residue* in, Index begin, Index end, F f, Hot hot) {
  const Key lane = threadIdx.x % 32;
  const Key sample = in[begin + lane * (end - begin) / 32];
  const int equal = __popc(__match_any_sync(~0u, sample)), max_equal = __reduce_max_sync(~0u, equal);
  const int lane_of_max = __ffs(__ballot_sync(~0u, equal == max_equal)) - 1;
  const Key value = max_equal > 2 ? __shfl_sync(~0u, sample, lane_of_max) : ~Key{0};
  Key keys = 0;
  for_each_residue<threads>(in, begin, end, [&](Key residue) {
    if (residue == value)
      ++keys;
    else
      f(residue);
  });
  keys = __reduce_add_sync(~0u, keys);
  if (lane == 0 && keys) hot(value, keys);
}

/// A bucket's keys, or those of a part of its values, from its residues.
template <class Residue, int threads>
struct BucketSort {
  static constexpr int warps = threads / 32;
  static constexpr Key too_narrow = ~Key{0};

  const Residue* in;
  Index begin, end;
  Key *out, *words, *strips, *warp_sums;
  Key first_key;
  bool is_aligned;

  /// Writes the keys of residues [from, from + values), which are all there are if `is_all`, to `out` from
  /// `place` on. Returns how many they are, or too_narrow if a counter had too few bits: a carry makes the
  /// sum of the counters less than the number of keys.
  template <int width, bool is_all>
  __device__ Key sort(Key from, Key values, Key place) const {
    using Counter = Counters<width>;
    const Key number = (values + Counter::in_word - 1) / Counter::in_word;
    for (Key w = threadIdx.x; w < number; w += threads) words[w] = 0;
    __syncthreads();
    const Key warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    Key met = 0;
    if constexpr (is_all) {
      for_each_residue<threads>(in, begin, end, [&](Key residue) { Counter::add(words, residue, 1); });
    } else {
      const auto add = [&](Key residue, Key keys) {
        if (residue - from >= values) return;
        Counter::add(words, residue - from, keys);
        met += keys;
      };
      for_each_but_hot<threads>(
          in, begin, end, [&](Key residue) { add(residue, 1); }, add);
      met = __reduce_add_sync(~0u, met);
      if (lane == 0) warp_sums[32 + warp] = met;
    }
    __syncthreads();

    // A warp has neighbouring words.
    const Key own = (number + 32 * warps - 1) / (32 * warps) * 32;
    const Key first = min(warp * own, number), beyond = min(first + own, number);
    Key sum = 0;
    for (Key w = first + lane; w < beyond; w += 32) sum += Counter::sum(words[w]);
    sum = __reduce_add_sync(~0u, sum);
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    const Key of_lane = lane < warps ? warp_sums[lane] : 0;
    const Key total = __reduce_add_sync(~0u, of_lane);
    const Key expected = is_all ? static_cast<Key>(end - begin)
                                : __reduce_add_sync(~0u, lane < warps ? warp_sums[32 + lane] : 0);
    if (total != expected) return too_narrow;
    const Key start = place + __reduce_add_sync(~0u, lane < warp ? of_lane : 0);
    write<width>(first, beyond, start, sum, from);
    return total;
  }

 private:
  /// The keys that words [first, beyond) count, `sum` of them, by a warp.
  template <int width>
  __device__ void write(Key first, Key beyond, Key start, Key sum, Key from) const {
    using Counter = Counters<width>;
    const Key lane = threadIdx.x % 32;
    RunWriter writer(out, is_aligned, strips + threadIdx.x / 32 * strip_keys, start, start + sum,
                     first_key + from);
    Key before = start;
    for (Key w = first; w < beyond; w += 32) {
      const Key word = w + lane < beyond ? words[w + lane] : 0;
      const Key keys = Counter::sum(word);
      Key upto = keys;
#pragma unroll
      for (int d = 1; d < 32; d *= 2) {
        const Key other = __shfl_up_sync(~0u, upto, d);
        upto += lane >= d ? other : 0;
      }
      const Key end_of_words = before + __shfl_sync(~0u, upto, 31);
      for (bool fits = false, is_first = true; !fits; is_first = false) {
        fits = writer.holds_before(end_of_words);
        const bool all_held = fits && is_first;
        Key p = before + upto - keys;
#pragma unroll
        for (Key field = 0; field < Counter::in_word; ++field) {
          const Key count = Counter::get(word, field);
          if (count && (all_held || writer.holds(p))) writer.mark(p, (w + lane) * Counter::in_word + field);
          p += count;
        }
        __syncwarp();
        if (!fits) writer.flush();
      }
      writer.flush_before(end_of_words);
      before = end_of_words;
    }
    writer.finish();
  }
};

/// Each bucket that is not heavy, a block a bucket, in counters of `width` bits. Buckets for which they are
/// too narrow, or probably are, are listed.
template <class Residue, int threads, int width>
__global__ void __launch_bounds__(threads, 1536 / threads)
    sort_light_buckets(const Residue* in, Key* out, bool is_aligned, SplitState state) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ Key warp_sums[64];
  using Sort = BucketSort<Residue, threads>;
  const Key begin = state.start[blockIdx.x], end = state.next[blockIdx.x];
  if (begin == end || end - begin > state.heavy_limit) return;
  const Sort bucket{in,
                    begin,
                    end,
                    out,
                    memory + threads / 32 * strip_keys,
                    memory,
                    warp_sums,
                    Key{blockIdx.x} << state.shift,
                    is_aligned};
  const bool is_narrow = end - begin > state.even_limit ||
                         bucket.template sort<width, true>(0, Key{1} << state.shift,
                                                           state.first[blockIdx.x]) == Sort::too_narrow;
  if (is_narrow && threadIdx.x == 0) state.wide[atomicAdd(state.wides, 1u)] = blockIdx.x;
}

}  // namespace tallcache::gpu::counting_sort
