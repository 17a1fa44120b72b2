// A level of a multiway merge on the GPU. Groups of sorted sequences are merged in one pass over the keys:
// samples divide each group into buckets that fit into a block's shared memory whatever the keys are, and a
// block merges the parts of all sequences in its bucket.
#pragma once

#include "gpu/sort/multiway_plan.hpp"
#include "gpu/sort/tile_sort.hpp"
#ifdef __CUDACC__
#include "gpu/block_sum.cuh"
#endif

namespace tallcache::gpu::sort {

/// Where a bucket of a group ends in each of the sequences.
/// position[s * ways + q]: the keys of sequence q before the end of splitter s; before[s]: of all sequences.
/// Splitter s of group g is the end of bucket s - g * (buckets - 1).
template <class T, class Access>
struct Splitters {
  VectorView<T, Access> key;
  VectorView<std::uint32_t, Access> position;
  VectorView<Index, Access> before;

  static std::size_t bytes(Index number, Index positions) {
    return scratch_bytes({checked_product(number, sizeof(T), "splitters"),
                          checked_product(positions, sizeof(std::uint32_t), "splitters"),
                          checked_product(number, sizeof(Index), "splitters")});
  }
  Splitters(Scratch<Access>& scratch, Index number, Index positions)
      : key(scratch.template vector<T>(number)),
        position(scratch.template vector<std::uint32_t>(positions)),
        before(scratch.template vector<Index>(number)) {}
};

/// The first of elements [low, high) of a sequence that is not before `key`, or, where `behind`, that is
/// behind it. Element i is in[first + (i + 1) * stride - 1]. Three elements are looked at at a time: the time
/// is that of loads which wait for one another.
template <bool behind, class T, class In, class Less>
TALLCACHE_DEVICE Index bound(const In& in, Index first, Index stride, Index low, Index high, const T& key,
                             Less less) {
  const auto before = [&](Index i) {
    const T other = load_key<T>(in[first + (i + 1) * stride - 1]);
    return behind ? !less(key, other) : less(other, key);
  };
  while (high - low > 3) {
    const Index quarter = (high - low) / 4;
    const Index i = low + quarter, j = i + quarter, k = j + quarter;
    const bool i_before = before(i), j_before = before(j), k_before = before(k);
    low = k_before ? k + 1 : j_before ? j + 1 : i_before ? i + 1 : low;
    high = !i_before ? i : !j_before ? j : !k_before ? k : high;
  }
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Sums over a block.
template <class Thread, class Sum>
TALLCACHE_DEVICE void add_to_sum(const Thread& t, Sum&& sum, std::uint32_t value) {
  const std::uint32_t of_warp = t.reduce_add(value);
  if (t.thread().x % 32 == 0) t.atomic_add(sum, of_warp);
}

/// The positions of every splitter in the sequences of its group, a block a splitter, a thread a sequence. A
/// splitter is a sample of which only the key and the rank among the merged samples are known. Equal samples
/// are in the order of their sequences, so that the numbers of those tell whose it is.
template <int block_threads, class T, class Less>
struct FindSplits {
  static constexpr int max_threads = block_threads;

  template <class Thread, class In, class Key, class Position, class Before>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Sequences sequences, Index stride, Buckets buckets,
                                   Key key_of, Position position, Before before, Less less) const {
    auto&& sum = shared<0, std::uint32_t[3]>(t);
    const Index group = t.block().x / (buckets.number - 1);
    const Index rank = (t.block().x % (buckets.number - 1) + 1) * buckets.spacing;
    if (rank > sequences.samples_of(group, buckets.stride)) return;
    const int q = static_cast<int>(t.thread().x);
    if (q < 3) sum[q] = 0u;
    t.sync();

    const T key = load_key<T>(key_of[t.block().x]);
    const Index first = sequences.begin_of(group) + q * sequences.length;
    const Index left = sequences.begin_of(group) + sequences.size_of(group) - first;
    const Index length = q < sequences.ways && left > 0 ? smaller(left, sequences.length) : 0;
    const Index samples = length / buckets.stride;
    const Index smaller_samples = bound<false>(in, first, buckets.stride, 0, samples, key, less);
    Index not_larger = smaller_samples;
    if (smaller_samples < samples &&
        !less(key, load_key<T>(in[first + (smaller_samples + 1) * buckets.stride - 1])))
      not_larger = bound<true>(in, first, buckets.stride, smaller_samples, samples, key, less);
    add_to_sum(t, sum[0], static_cast<std::uint32_t>(smaller_samples));
    const auto equal = static_cast<std::uint32_t>(not_larger - smaller_samples);
    const auto [equal_before, all_equal] = exclusive_sum<block_threads>(t, equal);
    t.sync();

    const Index among_equals = rank - 1 - static_cast<std::uint32_t>(sum[0]);
    const Index ratio = buckets.stride / stride, elements = length / stride;
    Index split;
    if (among_equals >= equal_before && among_equals < Index{equal_before} + equal)
      split = (smaller_samples + among_equals - equal_before + 1) * ratio;
    else if (among_equals < equal_before)
      split = bound<false>(in, first, stride, smaller_samples * ratio,
                           smaller(elements, smaller_samples * ratio + ratio - 1), key, less);
    else
      split = bound<true>(in, first, stride, not_larger * ratio,
                          smaller(elements, not_larger * ratio + ratio - 1), key, less);
    if (q < sequences.ways)
      position[Index{t.block().x} * sequences.ways + q] = static_cast<std::uint32_t>(split);
    add_to_sum(t, sum[1], static_cast<std::uint32_t>(split & 0xffff));
    add_to_sum(t, sum[2], static_cast<std::uint32_t>(split >> 16));
    t.sync();
    if (q == 0)
      before[t.block().x] =
          Index{static_cast<std::uint32_t>(sum[1])} + (Index{static_cast<std::uint32_t>(sum[2])} << 16);
  }
};

/// The part of thread `own` in the merge of runs [q, q + width) with the next `width`, where it is of run
/// `run`. Run q has the slots of threads [first[q], first[q + 1]) and keys [before[q], before[q + 1]) of the
/// bucket.
template <int n, class First, class Before>
TALLCACHE_DEVICE MergePart part_of_runs(const First& first, const Before& before, int own, int run, int width,
                                        int runs) {
  const int begin = run & ~(2 * width - 1);
  const int middle = smaller(begin + width, runs), end = smaller(begin + 2 * width, runs);
  const int begin_thread = first[begin], begin_key = before[begin], middle_key = before[middle];
  const int size_a = middle_key - begin_key, size_b = static_cast<int>(before[end]) - middle_key;
  const int diagonal = (own - begin_thread) * n;
  return {begin_thread * n, size_a,   static_cast<int>(first[middle]) * n,
          size_b,           diagonal, smaller(larger(size_a + size_b - diagonal, 0), n)};
}

/// Merges a bucket, a block a bucket. Elements are every stride-th key of the sequences. Of samples (stride >
/// 1), only each next.spacing-th of the merged ones is stored, as a splitter; keys are all stored to their
/// places.
template <class Shape, class T, class Less, bool of_samples>
struct MergeBuckets {
  static constexpr int max_threads = Shape::threads, min_blocks = Shape::min_blocks;
  static constexpr std::size_t max_dynamic_shared_bytes = tile_bytes<Shape, T>;

  template <class Thread, class In, class Position, class Before, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Sequences sequences, Index stride, Buckets buckets,
                                   Position position, Before before_splitter, Buckets next, Out out,
                                   Less less) const {
    constexpr int threads = Shape::threads, n = Shape::keys;
    auto&& keys = dynamic_shared<T>(t);
    auto&& splits = shared<0, int[threads]>(t);
    auto&& first = shared<1, int[threads + 1]>(t);
    auto&& before = shared<2, int[threads + 1]>(t);
    auto&& source = shared<3, std::uint32_t[threads]>(t);
    const Index group = t.block().x / buckets.number, bucket = t.block().x % buckets.number;
    const Index samples = buckets.stride ? sequences.samples_of(group, buckets.stride) : 0;
    if (!buckets.has(bucket, samples)) return;
    const int own = static_cast<int>(t.thread().x);
    const Index begin = sequences.begin_of(group), size = sequences.size_of(group);
    const int runs = static_cast<int>(ceil_div(size, sequences.length));
    const Index splitter = group * (buckets.number - 1) + bucket;  // the end of this bucket

    // Where the runs lie in the sequences and in the slots.
    std::uint32_t from = 0, to = 0;
    if (own < runs) {
      if (bucket > 0) from = position[(splitter - 1) * sequences.ways + own];
      if (buckets.number > 1 && buckets.has(bucket + 1, samples))
        to = position[splitter * sequences.ways + own];
      else
        to = static_cast<std::uint32_t>(smaller(sequences.length, size - own * sequences.length) / stride);
    }
    const std::uint32_t length = to - from, threads_of_run = (length + n - 1) / n;
    const auto [sum, total] = exclusive_sum<threads>(t, length | threads_of_run << 16);
    first[own] = static_cast<int>(sum >> 16);
    before[own] = static_cast<int>(sum & 0xffff);
    source[own] = from;
    if (own == 0) {
      first[threads] = static_cast<int>(total >> 16);
      before[threads] = static_cast<int>(total & 0xffff);
    }
    t.sync();
    load_runs(t, in, begin, sequences.length, of_samples ? stride : 1, runs, first, before, source, keys);

    // The run of which the thread's slots are.
    int run = 0, beyond = runs;
    while (beyond - run > 1) {
      const int middle = (run + beyond) / 2;
      (static_cast<int>(first[middle]) <= own ? run : beyond) = middle;
    }
    wait_for_copies<0>(t);
    t.sync();
    for (int width = 1; width < runs; width *= 2)
      merge_round<Shape, T>(t, keys, splits, part_of_runs<n>(first, before, own, run, width, runs), less);

    const int merged = static_cast<int>(total & 0xffff);
    const Index rank = bucket > 0 ? static_cast<Index>(before_splitter[splitter - 1]) : 0;
    if constexpr (of_samples) {
      for (Index s = rank / next.spacing + own; (s + 1) * next.spacing <= rank + merged; s += threads)
        store_key<T>(out[group * (next.number - 1) + s],
                     load_key<T>(keys[(s + 1) * next.spacing - 1 - rank]));
    } else {
      store_tile<Shape, T>(t, keys, merged, out, begin + rank, less);
    }
  }

 private:
  /// Starts copies of all runs to their slots. A warp takes a run, or a part of one where there are few.
  template <class Thread, class In, class First, class Before, class Source, class Keys>
  TALLCACHE_DEVICE static void load_runs(const Thread& t, const In& in, Index begin, Index length,
                                         Index stride, int runs, const First& first, const Before& before,
                                         const Source& source, Keys&& keys) {
    constexpr int warps = Shape::threads / 32;
    const int warp = static_cast<int>(t.thread().x) / 32, lane = static_cast<int>(t.thread().x) % 32;
    const int parts = larger(1, warps / runs);
    for (int unit = warp; unit < runs * parts; unit += warps) {
      const int q = unit / parts;
      const int slot = static_cast<int>(first[q]) * Shape::keys;
      const int size = static_cast<int>(before[q + 1]) - static_cast<int>(before[q]);
      const Index from = begin + q * length + (Index{static_cast<std::uint32_t>(source[q])} + 1) * stride - 1;
      for (int i = unit % parts * 32 + lane; i < size; i += parts * 32)
        copy_asynchronously(t, shared_address(t, vector_at<1>(keys[slot + i])),
                            vector_at<1>(in[from + i * stride]), sizeof(T));
    }
    t.commit_copies();
  }
};

/// Merges the groups of `in` to `out`, which is another array.
template <class Shape, class T, class Access, class Device, class Less>
void merge_level(Device& device, const LevelPlan<Shape>& plan, VectorView<const T, Access> in,
                 VectorView<T, Access> out, const Splitters<T, Access>& splitters, Less less) {
  const Sequences& sequences = plan.sequences;
  const VectorView<const T, Access> key = splitters.key;
  const VectorView<const std::uint32_t, Access> position = splitters.position;
  const VectorView<const Index, Access> before = splitters.before;
  for (int depth = plan.depth; depth >= 0; --depth) {
    const Buckets buckets = plan.buckets_of(depth);
    const Index stride = plan.stride_of(depth);
    if (const Index ends = sequences.groups() * (buckets.number - 1); ends > 0) {
      const auto find = [&]<int threads>(std::integral_constant<int, threads>) {
        launch_kernel(device, FindSplits<threads, T, Less>{}, {{grid_of(ends)}, {threads}}, in, sequences,
                      stride, buckets, key, splitters.position, splitters.before, less);
      };
      if (sequences.ways <= 64)
        find(std::integral_constant<int, 64>{});
      else
        find(std::integral_constant<int, 256>{});
    }
    const LaunchShape block_per_bucket({grid_of(sequences.groups() * buckets.number)}, {Shape::threads},
                                       tile_bytes<Shape, T>);
    if (depth)
      launch_kernel(device, MergeBuckets<Shape, T, Less, true>{}, block_per_bucket, in, sequences, stride,
                    buckets, position, before, plan.buckets_of(depth - 1), splitters.key, less);
    else
      launch_kernel(device, MergeBuckets<Shape, T, Less, false>{}, block_per_bucket, in, sequences, stride,
                    buckets, position, before, buckets, out, less);
  }
}

}  // namespace tallcache::gpu::sort
