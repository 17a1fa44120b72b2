// The textbook's merge sort on the GPU: tiles sorted in shared memory, and then a launch for every doubling
// of the sorted runs, in which each block merges one tile of the output.
#pragma once

#include "common/ops/sort.hpp"
#include "gpu/sort/shapes.hpp"
#include "gpu/sort/tile_sort.hpp"

namespace tallcache::gpu::sort {

/// How many of the first `diagonal` keys of two merged runs in global memory are of the first one.
template <class T, class In, class Less>
TALLCACHE_DEVICE Index merge_path_of_runs(const In& in, Index a, Index size_a, Index b, Index size_b,
                                          Index diagonal, Less less) {
  Index low = larger<Index>(0, diagonal - size_b), high = smaller(diagonal, size_a);
  while (low < high) {
    const Index middle = (low + high) / 2;
    const T key_a = load_key<T>(in[a + middle]), key_b = load_key<T>(in[b + diagonal - 1 - middle]);
    if (less(key_b, key_a))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Merges slots [0, of_a) with the others of a tile, which load() fills. By an order that is none the keys
/// may stay as they were.
template <class Shape, class T, class Thread, class Keys, class Splits, class Load, class Less>
TALLCACHE_DEVICE void merge_tile(const Thread& t, Keys&& keys, Splits&& splits, int of_a, int size, Load load,
                                 Less less) {
  load();
  const int own = static_cast<int>(t.thread().x);
  if constexpr (merges_by_network<Shape, T, Less>) {
    const int full = round_up(size, Shape::keys);
    if (own < full - size) store_key<T>(keys[size + own], last_key<T>());
    size = full;
  }
  t.sync();
  const int diagonal = smaller(own * Shape::keys, size);
  const bool is_whole = merge_round<Shape, T>(
      t, keys, splits, {0, of_a, of_a, size - of_a, diagonal, smaller(size - diagonal, Shape::keys)}, less);
  if (t.sync_and(is_whole)) return;
  load();
  t.sync();
}

/// Merges pairs of neighbouring runs of `run` keys, a multiple of the tile; a block makes a tile of the
/// output.
template <class Shape, class T, class Less>
struct MergePairs {
  static constexpr int max_threads = Shape::threads, min_blocks = Shape::min_blocks;
  static constexpr std::size_t max_dynamic_shared_bytes = tile_bytes<Shape, T>;

  template <class Thread, class In, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Out out, Index run, Less less) const {
    auto&& keys = dynamic_shared<T>(t);
    auto&& splits = shared<0, int[Shape::threads]>(t);
    auto&& ends = shared<1, Index[2]>(t);
    const int own = static_cast<int>(t.thread().x);
    const Index begin = Index{t.block().x} * Shape::tile;
    const int size = static_cast<int>(smaller<Index>(in.size - begin, Shape::tile));
    const Index a = begin / (2 * run) * (2 * run), b = smaller(a + run, in.size);
    const Index size_a = b - a, size_b = smaller(run, in.size - b);
    if (own % 32 == 0 && own < 64)
      ends[own / 32] = merge_path_of_runs<T>(in, a, size_a, b, size_b, begin - a + (own ? size : 0), less);
    t.sync();
    const Index first_a = ends[0], first_b = begin - a - first_a;
    const int of_a = static_cast<int>(static_cast<Index>(ends[1]) - first_a);
    const auto load = [&] {
#pragma unroll
      for (int e = 0; e < Shape::keys; ++e) {
        const int i = e * Shape::threads + own;
        if (i < size)
          store_key<T>(keys[i], load_key<T>(in[i < of_a ? a + first_a + i : b + first_b + (i - of_a)]));
      }
    };
    merge_tile<Shape, T>(t, keys, splits, of_a, size, load, less);
    store_tile<Shape, T>(t, keys, size, out, begin, less);
  }
};

struct merge_sort : OnGpu {
  static constexpr std::string_view idea =
      "tiles sorted in shared memory, then a launch for every doubling of the sorted runs; a block finds its "
      "tile of the output by a merge path and merges it in shared memory; stable; "
      "applies coalescing, tiling, coarsening";
  static constexpr std::string_view source = "M11; Green, McColl and Bader 2012";
  using operations = OperationList<Sort, SortOf<std::uint64_t>, SortOf<double>, SortOf<KeyAndPosition>>;

  template <class Device = const Launch, class T>
  static std::size_t scratch(SortOf<T>, const Shape& shape, const Params&) {
    return scratch_bytes({checked_product(shape["n"], sizeof(T), "keys")});
  }

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    sort_keys(device, args.keys, args.scratch, Ascending{});
  }

 private:
  template <class Device, class T, class Access, class Less>
  static void sort_keys(Device& device, VectorView<T, Access> keys, Scratch<Access> scratch, Less less) {
    using Shape = TileOf<sizeof(T)>;
    if (keys.size == 0) return;
    check_alignment(keys);
    const auto other = scratch.template vector<T>(keys.size);
    // The last pass writes `keys`.
    bool in_other = log2_up(ceil_div(keys.size, Shape::tile)) % 2;
    sort_tiles<Shape, T, Access>(device, keys, in_other ? other : keys, less);
    for (Index run = Shape::tile; run < keys.size; run *= 2, in_other = !in_other) {
      const VectorView<const T, Access> in = in_other ? other : keys;
      launch_kernel(device, MergePairs<Shape, T, Less>{},
                    {{grid_of(ceil_div(keys.size, Shape::tile))}, {Shape::threads}, tile_bytes<Shape, T>}, in,
                    in_other ? keys : other, run, less);
    }
  }
};

}  // namespace tallcache::gpu::sort
