// The first step of the merge sorts on the GPU: a block sorts each tile of neighbouring keys.
#pragma once

#include "gpu/sort/block_merge.hpp"

namespace tallcache::gpu::sort {

/// The bytes of shared memory of a tile.
template <class Shape, class T>
inline constexpr std::size_t tile_bytes = Shape::tile * sizeof(T);

/// Starts copies of the `size` keys from in[begin] on to slots [0, size).
template <class Shape, class T, class Thread, class In, class Keys>
TALLCACHE_DEVICE void load_tile(const Thread& t, const In& in, Index begin, int size, Keys&& keys) {
#pragma unroll
  for (int e = 0; e < Shape::keys; ++e) {
    const int i = e * Shape::threads + static_cast<int>(t.thread().x);
    if (i < size)
      copy_asynchronously(t, shared_address(t, vector_at<1>(keys[i])), vector_at<1>(in[begin + i]),
                          sizeof(T));
  }
  t.commit_copies();
}

/// Stores the `size` keys in slots [0, size) to out[begin] and behind it.
template <class Shape, class T, class Thread, class Keys, class Out, class Less>
TALLCACHE_DEVICE void store_tile(const Thread& t, Keys&& keys, int size, const Out& out, Index begin,
                                 [[maybe_unused]] Less less) {
#pragma unroll
  for (int e = 0; e < Shape::keys; ++e) {
    const int i = e * Shape::threads + static_cast<int>(t.thread().x);
    if (i >= size) continue;
    T key = load_key<T>(keys[i]);
    if constexpr (sorts_codes<Less>) key = less.last ? Less::bits(key) : key;
    store_key<T>(out[begin + i], key);
  }
}

/// Sorts each tile of `in` to the same place of `out`, which may be `in`, a block a tile.
template <class Shape, class T, class Less>
struct SortTiles {
  static constexpr int max_threads = Shape::threads, min_blocks = Shape::min_blocks;
  static constexpr std::size_t max_dynamic_shared_bytes = tile_bytes<Shape, T>;

  template <class Thread, class In, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, In in, Out out, Less less) const {
    auto&& keys = dynamic_shared<T>(t);
    auto&& splits = shared<0, int[Shape::threads]>(t);
    const Index begin = Index{t.block().x} * Shape::tile;
    const int size = static_cast<int>(smaller<Index>(in.size - begin, Shape::tile));
    load_tile<Shape, T>(t, in, begin, size, keys);
    wait_for_copies<0>(t);
    t.sync();
    if (!sort_tile<Shape, T>(t, keys, splits, size, less)) {
      load_tile<Shape, T>(t, in, begin, size, keys);
      wait_for_copies<0>(t);
      t.sync();
    }
    store_tile<Shape, T>(t, keys, size, out, begin, less);
  }
};

/// Sorts each tile.
template <class Shape, class T, class Access, class Device, class Less>
void sort_tiles(Device& device, VectorView<const T, Access> in, VectorView<T, Access> out, Less less) {
  launch_kernel(device, SortTiles<Shape, T, Less>{},
                {{grid_of(ceil_div(in.size, Shape::tile))}, {Shape::threads}, tile_bytes<Shape, T>}, in, out,
                less);
}

}  // namespace tallcache::gpu::sort
