// The bucketed counting sort on the GPU: the keys go into buckets of neighbouring values first, and then a
// block sorts each bucket with counts that fit into its shared memory.
#pragma once

#include "common/ops/counting_sort.hpp"
#include "gpu/on_gpu.hpp"
#include "gpu/scan.hpp"
#ifdef __CUDACC__
#include "gpu/block_sum.cuh"
#endif

namespace tallcache::gpu::counting_sort {

using Key = std::uint32_t;

/// Buckets of 2^shift neighbouring values.
struct Buckets {
  static constexpr Index max_buckets = 8192;        ///< whose counts fit into a block's 32 KB
  static constexpr Index counts_per_block = 16384;  ///< 64 KB: three blocks share a multiprocessor
  int shift;
  Index number;

  /// At most `wanted` of them. 0: 512 or more, of counts_per_block values at most while `max_buckets` of them
  /// are enough.
  Buckets(Index range, Index wanted) {
    const auto min_shift = [range](Index buckets) {
      int s = 0;
      while (range >> s >= buckets) ++s;
      return s;
    };
    constexpr int full = 14;
    static_assert(Index{1} << full == counts_per_block);
    shift = min_shift(wanted ? std::min(wanted, max_buckets) : 512);
    if (!wanted && shift > full) shift = std::max(full, min_shift(max_buckets));
    number = (range >> shift) + 1;
  }

  constexpr Index of(Key key) const { return static_cast<Index>(std::uint64_t{key} >> shift); }
};

inline constexpr int count_threads = 512, keys_per_thread_placed = 16;
inline constexpr Index placed_tile = Index{count_threads} * keys_per_thread_placed;

/// count[b] += the keys of bucket b in this block's tile, counted in shared memory first.
struct CountBuckets {
  static constexpr int max_threads = count_threads;

  template <class Thread, class In, class Count>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Buckets buckets, Count count) const {
    auto&& own = dynamic_shared<Key>(t);
    for (Index b = t.thread().x; b < buckets.number; b += count_threads) own[b] = 0;
    t.sync();
    const Index begin = t.block().x * placed_tile + t.thread().x;
#pragma unroll
    for (int e = 0; e < keys_per_thread_placed; ++e) {
      const Index i = begin + e * count_threads;
      if (i < in.size) t.atomic_add(own[buckets.of(in[i])], 1u);
    }
    t.sync();
    for (Index b = t.thread().x; b < buckets.number; b += count_threads)
      if (own[b]) t.atomic_add(count[b], own[b]);
  }
};

/// The keys of this block's tile into their buckets. Within the tile a key's rank among those of its
/// bucket is an atomic addition in shared memory; the tile's room in a bucket is one atomic addition
/// to next[bucket].
struct PlaceInBuckets {
  static constexpr int max_threads = count_threads;

  template <class Thread, class In, class Out, class Next>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Out out, Buckets buckets, Next next) const {
    auto&& own = dynamic_shared<Key>(t);
    for (Index b = t.thread().x; b < buckets.number; b += count_threads) own[b] = 0;
    t.sync();
    const Index begin = t.block().x * placed_tile + t.thread().x;
    Key key[keys_per_thread_placed], rank[keys_per_thread_placed];
#pragma unroll
    for (int e = 0; e < keys_per_thread_placed; ++e)
      if (begin + e * count_threads < in.size) key[e] = in[begin + e * count_threads];
#pragma unroll
    for (int e = 0; e < keys_per_thread_placed; ++e)
      if (begin + e * count_threads < in.size) rank[e] = t.atomic_add(own[buckets.of(key[e])], 1u);
    t.sync();
    for (Index b = t.thread().x; b < buckets.number; b += count_threads)
      if (own[b]) own[b] = t.atomic_add(next[b], own[b]);
    t.sync();
#pragma unroll
    for (int e = 0; e < keys_per_thread_placed; ++e)
      if (begin + e * count_threads < in.size) out[own[buckets.of(key[e])] + rank[e]] = key[e];
  }
};

inline constexpr int sort_threads = 512;

/// Writes each lane's `key` to out[begin, end). Short runs are written by their lanes, long ones by the whole
/// warp, so that one value that is most of the keys does not leave 31 lanes idle.
template <class Thread, class Out>
TALLCACHE_DEVICE void write_run(const Thread& t, const Out& out, Key key, Key begin, Key end) {
  constexpr Key longest = 8;
  const bool is_long = end - begin > longest;
  if (!is_long)
    for (Key i = begin; i < end; ++i) out[i] = key;
  for (unsigned left = t.ballot(is_long); left; left &= left - 1) {
    const int lane = t.first_set(left);
    const Key its_key = t.shuffle(key, lane), its_end = t.shuffle(end, lane);
    for (Key i = t.shuffle(begin, lane) + t.thread().x % 32; i < its_end; i += 32) out[i] = its_key;
  }
}

/// A counting sort of each bucket, a block a bucket: its counts in shared memory, their prefix sums, and each
/// value written as often as it was counted. A bucket of more values than the counts have room for is read
/// once for each part of its values.
struct SortBuckets {
  static constexpr int max_threads = sort_threads, min_blocks = 3;
  static constexpr Index max_dynamic_shared_bytes = (Buckets::counts_per_block + 1) * Index{sizeof(Key)};

  template <class Thread, class Bucketed, class Out, class First>
  TALLCACHE_DEVICE void operator()(const Thread& t, Bucketed bucketed, Out out, Buckets buckets, First first,
                                   Index range, int counts) const {
    auto&& count = dynamic_shared<Key>(t);  // one more than `counts`: the end of the last
    const Key begin = first[t.block().x], end = first[t.block().x + 1];
    if (begin == end) return;
    const Index first_key = Index{t.block().x} << buckets.shift;
    const Index beyond = range + 1 < first_key + (Index{1} << buckets.shift)
                             ? range + 1
                             : first_key + (Index{1} << buckets.shift);
    Key place = begin;
    for (Index part = first_key; part < beyond; part += counts) {
      for (int c = t.thread().x; c < counts; c += sort_threads) count[c] = 0;
      t.sync();
      for (Index i = Index{begin} + t.thread().x; i < end; i += sort_threads) {
        const Key c = bucketed[i] - static_cast<Key>(part);  // of a smaller key: beyond every count
        if (c < static_cast<Key>(counts)) t.atomic_add(count[c], 1u);
      }
      t.sync();
      for (int c = t.thread().x; c < counts; c += sort_threads) {
        const auto [sum, total] = exclusive_sum<sort_threads>(t, static_cast<Key>(count[c]));
        count[c] = place + sum;
        place += total;
        t.sync();
      }
      if (t.thread().x == 0) count[counts] = place;
      t.sync();
      for (int c = t.thread().x; c < counts; c += sort_threads)
        write_run(t, out, static_cast<Key>(part + c), count[c], count[c + 1]);
      t.sync();
    }
  }
};

struct bucketed : OnGpu {
  static constexpr std::string_view idea =
      "the keys into buckets of neighbouring values first, then a counting sort of each in a block's shared "
      "memory, "
      "which writes the values as often as it counted them; applies privatisation, tiling, coarsening";
  static constexpr std::string_view source = "M8: Counting sort: a cache-friendly algorithm, on the GPU";
  static constexpr std::string_view uses = "CUB: the prefix sums (DeviceScan)";
  using operations = OperationList<CountingSort<false>>;
  static constexpr ParamSpec params[] = {
      {"buckets", 0, "at most so many, up to 8192; 0: 512 to 8192, by the range", 0}};
  static constexpr PhaseSpec phases[] = {{"preprocessing"}, {"sorting"}};

  template <class Device = const Launch>
  static std::size_t scratch(CountingSort<false>, const Shape& shape, const Params& params) {
    const Buckets buckets(shape["range"], params["buckets"]);
    const std::size_t counts = (buckets.number + 1) * sizeof(Key);
    return scratch_bytes({counts, counts, checked_product(shape["n"], sizeof(Key), "keys"),
                          scan_bytes<Device>(buckets.number + 1)});
  }

  template <int phase, class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    if (args.in.size == 0) return;
    const Buckets buckets(args.range, params["buckets"]);
    auto scratch = args.scratch;
    const auto first = scratch.template vector<Key>(buckets.number + 1),
               next = scratch.template vector<Key>(buckets.number + 1);
    const auto keys = scratch.template vector<Key>(args.in.size);
    const auto scan = scratch.template vector<std::byte>(static_cast<Index>(scan_bytes<Device>(first.size)));
    const VectorView<const Key, typename decltype(args.in)::access_type> first_of_bucket = first,
                                                                         bucketed_keys = keys;
    if constexpr (phase == 0) {
      const LaunchShape block_per_tile({grid_of(ceil_div(args.in.size, placed_tile))}, {count_threads},
                                       buckets.number * sizeof(Key));
      set_zero(device, first);
      launch_kernel(device, CountBuckets{}, block_per_tile, args.in, buckets, first);
      exclusive_scan(device, first, scan);
      copy_elements(device, next, first_of_bucket);
      launch_kernel(device, PlaceInBuckets{}, block_per_tile, args.in, keys, buckets, next);
    } else {
      // A whole number of counts a thread: all threads take part in every step of the prefix sums.
      const int counts = static_cast<int>(std::min(
          Buckets::counts_per_block, ceil_div(Index{1} << buckets.shift, sort_threads) * sort_threads));
      launch_kernel(device, SortBuckets{},
                    {{grid_of(buckets.number)}, {sort_threads}, (counts + 1) * sizeof(Key)}, bucketed_keys,
                    args.out, buckets, first_of_bucket, Index{args.range}, counts);
    }
  }
};

}  // namespace tallcache::gpu::counting_sort
