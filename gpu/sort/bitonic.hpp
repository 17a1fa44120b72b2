// The bitonic sorting network on the GPU. Any number of keys: the first step of every merge compares each key
// with its mirror image, so that all comparators put the smaller key first, and those that reach beyond the
// end can be left out.
#pragma once

#include "common/ops/sort.hpp"
#include "gpu/sort/order.hpp"

namespace tallcache::gpu::sort {

inline constexpr int bitonic_threads = 512, bitonic_tile = 2 * bitonic_threads;

/// The pair of keys that comparator number c of a step compares: mirrored at the middle of runs of `size`
/// keys, numbered from there, or `distance` apart. So those that exist have the smallest numbers.
struct KeyPair {
  Index low, high;
};
TALLCACHE_DEVICE inline KeyPair mirrored(Index c, Index size) {
  const Index half = size / 2, run = c / half * size, i = c % half;
  return {run + half - 1 - i, run + half + i};
}
TALLCACHE_DEVICE inline KeyPair apart(Index c, Index distance) {
  const Index low = c / distance * (2 * distance) + c % distance;
  return {low, low + distance};
}

/// The smaller key of a pair first, where both exist.
template <class T, class Keys, class Less>
TALLCACHE_DEVICE void compare_pair(Keys&& keys, KeyPair pair, Index size, Less less) {
  if (pair.high >= size) return;
  const T low = keys[pair.low], high = keys[pair.high];
  if (less(high, low)) {
    keys[pair.low] = high;
    keys[pair.high] = low;
  }
}

/// One step of the network over all keys; a thread runs one comparator. `size` > 0: mirrored.
template <class T, class Less>
struct BitonicStep {
  template <class Thread, class Keys>
  TALLCACHE_DEVICE void operator()(const Thread& t, Keys keys, Index size, Index distance, Less less) const {
    const Index c = Index{t.block().x} * bitonic_threads + t.thread().x;
    compare_pair<T>(keys, size ? mirrored(c, size) : apart(c, distance), keys.size, less);
  }
};

/// The steps within a tile, in shared memory: from runs of one key to a sorted tile (`sort`), or the last
/// steps of a merge.
template <class T, class Less>
struct BitonicTile {
  template <class Thread, class Keys>
  TALLCACHE_DEVICE void operator()(const Thread& t, Keys keys, bool sort, Less less) const {
    auto&& tile = shared<0, T[bitonic_tile]>(t);
    const Index begin = Index{t.block().x} * bitonic_tile, c = t.thread().x;
    const Index size = smaller<Index>(keys.size - begin, bitonic_tile);
    for (Index i = c; i < size; i += bitonic_threads) tile[i] = static_cast<T>(keys[begin + i]);
    t.sync();
    for (Index run = sort ? 2 : bitonic_tile; run <= bitonic_tile; run *= 2) {
      if (sort) {
        compare_pair<T>(tile, mirrored(c, run), size, less);
        t.sync();
      }
      for (Index distance = sort ? run / 4 : run / 2; distance > 0; distance /= 2) {
        compare_pair<T>(tile, apart(c, distance), size, less);
        t.sync();
      }
    }
    for (Index i = c; i < size; i += bitonic_threads) keys[begin + i] = static_cast<T>(tile[i]);
  }
};

struct bitonic : OnGpu {
  static constexpr std::string_view idea =
      "a network of lg n (lg n + 1) / 2 steps, each a launch, in which a thread compares two keys; the steps "
      "within a tile in shared memory; not stable; applies coalescing, tiling";
  static constexpr std::string_view source = "Batcher 1968";
  using operations = OperationList<Sort, SortOf<std::uint64_t>, SortOf<double>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using T = typename decltype(args.keys)::value_type;
    const auto keys = args.keys;
    if (keys.size < 2) return;
    const Ascending less;
    const LaunchShape block_per_tile({grid_of(ceil_div(keys.size, bitonic_tile))}, {bitonic_threads});
    launch_kernel(device, BitonicTile<T, Ascending>{}, block_per_tile, keys, true, less);
    for (Index run = 2 * bitonic_tile; run < 2 * keys.size; run *= 2) {
      launch_kernel(device, BitonicStep<T, Ascending>{}, block_per_tile, keys, run, Index{0}, less);
      for (Index distance = run / 4; distance >= bitonic_tile; distance /= 2)
        launch_kernel(device, BitonicStep<T, Ascending>{}, block_per_tile, keys, Index{0}, distance, less);
      launch_kernel(device, BitonicTile<T, Ascending>{}, block_per_tile, keys, false, less);
    }
  }
};

}  // namespace tallcache::gpu::sort
