// The leaves of a sort by distribution on the GPU: a block sorts each in its shared memory. One that is
// larger than that, which no sample makes likely, it sorts in tiles, and merges these.
#pragma once

#include "gpu/sort/divide.hpp"
#include "gpu/sort/merge_sort.hpp"

namespace tallcache::gpu::sort {

/// The room of a leaf in the array that the last level has written, key by key.
template <class Access, class In>
struct LeafRoom {
  PlacesOf<Access> places;
  const In& in;
  TALLCACHE_DEVICE decltype(auto) operator[](Index i) const { return in[places[i]]; }
};

/// The leaves of a class. The launches of the classes, the largest first, may overlap: none waits for the one
/// before it until its end.
template <class Shape, class T, class Less>
struct SortLeaves {
  static constexpr int max_threads = Shape::threads, min_blocks = Shape::min_blocks;
  static constexpr std::size_t max_dynamic_shared_bytes = tile_bytes<Shape, T>;

  template <class Thread, class Access, class Words, class In, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, LevelTables<Access> from, Words leaves, int of_class,
                                   In in, Out out, Less less) const {
    auto&& keys = dynamic_shared<T>(t);
    auto&& splits = shared<0, int[Shape::threads + 1]>(t);
    const bool is_first = of_class + 1 == from.classes.number;
    if (is_first) wait_for_last_kernel(t);
    let_next_kernel_start(t);
    const std::uint32_t number = from.counts[2 + of_class], threads = t.block_dim().x,
                        tile = threads * Shape::keys;
    for (Index l = t.block().x; l < number; l = next_leaf(t, from.taken[of_class])) {
      const Part leaf = load_part(leaves, Index{from.leaves} * of_class + l);
      const bool in_tiles = leaf.kind != Part::equal && leaf.size > tile;
      Less of_tile = less;
      if constexpr (sorts_codes<Less>) of_tile.last = less.last && !in_tiles;
      for (std::uint32_t begin = 0; begin < leaf.size; begin += tile) {
        const std::uint32_t size = smaller(leaf.size - begin, tile);
        gather(t, from, leaf, begin, size, in, keys);
        if (leaf.kind != Part::equal &&
            !sort_tile<Shape, T>(t, keys, splits, static_cast<int>(size), of_tile))
          gather(t, from, leaf, begin, size, in, keys);
#pragma unroll 4
        for (std::uint32_t i = t.thread().x; i < size; i += threads) {
          T key = load_key<T>(keys[i]);
          if constexpr (sorts_codes<Less>) key = of_tile.last ? Less::bits(key) : key;
          store_key<T>(out[Index{leaf.begin} + begin + i], key);
        }
        t.sync();
      }
      if (in_tiles) {
        const LeafRoom<Access, In> room{{from, leaf}, in};
        merge_tiles(t, out.block(leaf.begin, leaf.size), room, Index{leaf.size}, keys, splits, less);
      }
    }
    if (!is_first) wait_for_last_kernel(t);
  }

 private:
  /// The next one that no block has taken: blocks begin at different times, and leaves differ.
  template <class Thread, class Taken>
  TALLCACHE_DEVICE static Index next_leaf(const Thread& t, Taken&& taken) {
    auto&& next = shared<1, std::uint32_t[1]>(t);
    if (t.thread().x == 0) next[0] = t.grid_dim().x + t.atomic_add(taken, 1u);
    t.sync();
    return Index{next[0]};
  }

  template <class Thread, class Access, class In, class Keys>
  TALLCACHE_DEVICE static void gather(const Thread& t, const LevelTables<Access>& from, const Part& leaf,
                                      std::uint32_t first, std::uint32_t size, const In& in, Keys& keys) {
    const std::uint32_t chunk = (size - 1) / t.block_dim().x * 32 + 32;
    const std::uint32_t begin = smaller(t.thread().x / 32 * chunk, size);
    PlacesOf(from, leaf)
        .for_each(t, leaf.from + first + begin, smaller(chunk, size - begin), [&](std::uint32_t i, Index at) {
          copy_asynchronously(t, shared_address(t, vector_at<1>(keys[begin + i])), vector_at<1>(in[at]),
                              sizeof(T));
        });
    t.commit_copies();
    wait_for_copies<0>(t);
    t.sync();
  }

  template <class Thread>
  TALLCACHE_DEVICE static int tile_of(const Thread& t) {
    return static_cast<int>(t.block_dim().x) * Shape::keys;
  }

  /// Sorted tiles in `out` are merged, a doubling at a time, to and fro between `out` and the room.
  template <class Thread, class Out, class Room, class Keys, class Splits>
  TALLCACHE_DEVICE static void merge_tiles(const Thread& t, const Out& out, const Room& room, Index size,
                                           Keys& keys, Splits& splits, Less less) {
    bool in_room = false;
    for (Index run = tile_of(t); run < size; run *= 2, in_room = !in_room) {
      if (in_room)
        merge_pass(t, room, out, size, run, keys, splits, less);
      else
        merge_pass(t, out, room, size, run, keys, splits, less);
    }
    for (Index i = t.thread().x; i < size; i += t.block_dim().x) {
      T key = in_room ? load_key<T>(room[i]) : load_key<T>(out[i]);
      if constexpr (sorts_codes<Less>) key = less.last ? Less::bits(key) : key;
      store_key<T>(out[i], key);
    }
    t.sync();
  }

  template <class Thread, class In, class Out, class Keys, class Splits>
  TALLCACHE_DEVICE static void merge_pass(const Thread& t, const In& in, const Out& out, Index n, Index run,
                                          Keys& keys, Splits& splits, Less less) {
    Index taken = 0;  // of the first run of a pair
    for (Index begin = 0; begin < n; begin += tile_of(t)) {
      const Index size = smaller<Index>(tile_of(t), n - begin), a = begin / (2 * run) * (2 * run);
      const Index b = smaller(a + run, n), size_b = smaller(run, n - b);
      if (begin == a) taken = 0;
      // By an order that is none, a tile might end before it begins.
      if (t.thread().x == 0)
        splits[Shape::threads] = static_cast<int>(smaller(
            larger<Index>(merge_path_of_runs<T>(in, a, b - a, b, size_b, begin - a + size, less) - taken, 0),
            size));
      t.sync();
      const Index of_a = splits[Shape::threads];
      const auto load = [&] {
#pragma unroll 1
        for (Index i = t.thread().x; i < size; i += t.block_dim().x)
          store_key<T>(keys[i], load_key<T>(in[i < of_a ? a + taken + i : b + begin - a - taken + i - of_a]));
      };
      merge_tile<Shape, T>(t, keys, splits, static_cast<int>(of_a), static_cast<int>(size), load, less);
#pragma unroll 1
      for (Index i = t.thread().x; i < size; i += t.block_dim().x)
        store_key<T>(out[begin + i], load_key<T>(keys[i]));
      t.sync();
      taken += of_a;
    }
  }
};

}  // namespace tallcache::gpu::sort
