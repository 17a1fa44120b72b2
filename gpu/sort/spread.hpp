// A level of a sort by distribution on the GPU: a sample of each segment divides it into buckets, and each
// piece of it is brought into the order of its buckets, stably and in its place.
#pragma once

#include "gpu/sort/distribution_plan.hpp"
#include "gpu/sort/tile_sort.hpp"
#ifdef __CUDACC__
#include "gpu/block_sum.cuh"
#include "gpu/early_launch.cuh"
#endif

namespace tallcache::gpu::sort {

/// A sample has 64 keys for each of 2^bits buckets, or 32 of 128 and more: with 16 of each of 256, one of
/// the leaves that are to fill half of a tile would not fit in one of ten sorts (TUNING.md).
constexpr int sample_bits(int bits) { return bits < 7 ? bits + 6 : bits + 5; }
/// The blocks of a sample, at most, and the threads of one.
template <class T>
using SampleShape = BlockShape<1024, 9, 1, sizeof(T) == 4>;
template <class T>
constexpr unsigned sample_threads(int bits) {
  return static_cast<unsigned>(ceil_div(Index{1} << sample_bits(bits), SampleShape<T>::keys * 32) * 32);
}

/// Takes a sample of each segment that is to be split, sorts it, and stores its splitters, a block a segment.
/// The blocks also fill `zeroed`.
template <class T, class Less>
struct FindSplitters {
  using Shape = SampleShape<T>;
  static constexpr int max_threads = Shape::threads, min_blocks = Shape::min_blocks;
  static constexpr std::uint32_t most_starts = 2048;
  static constexpr std::size_t max_dynamic_shared_bytes = tile_bytes<Shape, T>;

  template <class Thread, class Tables, class In, class Splitter, class Words>
  TALLCACHE_DEVICE void operator()(const Thread& t, Tables own, Tables from, In in, Splitter splitter,
                                   Words zeroed, Less less) const {
    wait_for_last_kernel(t);
    for (Index i = Index{t.block().x} * t.block_dim().x + t.thread().x; i < zeroed.size;
         i += Index{t.grid_dim().x} * t.block_dim().x)
      zeroed[i] = 0u;
    auto&& keys = dynamic_shared<T>(t);
    auto&& splits = shared<0, int[Shape::threads]>(t);
    auto&& starts = shared<1, std::uint32_t[most_starts]>(t);
    const int ways = 1 << own.bits, threads = static_cast<int>(t.block_dim().x),
              size = 1 << sample_bits(own.bits), of_bucket = size >> own.bits;
    const std::uint32_t segments = own.number_of_segments();
    for (Index s = t.block().x; s < segments; s += t.grid_dim().x) {
      const Part part = own.segment(s);
      if (part.kind != Part::split) continue;
      const PlacesOf places(from, part);
      // So that not every step of a search waits for device memory.
      const std::uint32_t stretch = (places.pieces - 1) / most_starts + 1;
      if (own.number)
        for (std::uint32_t k = t.thread().x; k * stretch < places.pieces; k += t.block_dim().x)
          starts[k] = places.before(k * stretch);
      t.sync();
      T key[Shape::keys];
#pragma unroll
      for (int e = 0; e < Shape::keys; ++e) {
        const int i = e * threads + static_cast<int>(t.thread().x);
        if (i >= size) continue;
        Index place = place_of_sample(part, i, sample_bits(own.bits));
        if (own.number) {
          const auto of_part = static_cast<std::uint32_t>(place);
          const std::uint32_t first =
              stretch * last_at_most((places.pieces - 1) / stretch + 1, of_part,
                                     [&](std::uint32_t k) -> std::uint32_t { return starts[k]; });
          place = places.at(of_part, first, smaller(stretch, places.pieces - first));
        }
        key[e] = load_key<T>(in[place]);
      }
#pragma unroll
      for (int e = 0; e < Shape::keys; ++e) {
        const int i = e * threads + static_cast<int>(t.thread().x);
        if (i < size) store_key<T>(keys[i], key[e]);
      }
      t.sync();
      sort_tile<Shape, T>(t, keys, splits, size, less);
      for (int b = t.thread().x; b + 1 < ways; b += threads)
        store_key<T>(splitter[(s << own.bits) + b], load_key<T>(keys[of_bucket * (b + 1) - 1]));
      t.sync();
    }
  }

 private:
  /// A place in sample i's stretch of the part; stretches have equal sizes.
  TALLCACHE_DEVICE static Index place_of_sample(const Part& part, int i, int bits) {
    const Index begin = Index{part.size} * i >> bits, width = (Index{part.size} * (i + 1) >> bits) - begin;
    return begin + (Index{hashed(static_cast<std::uint32_t>(begin))} * width >> 32);
  }
  /// Mixes all bits (the finaliser of MurmurHash3).
  TALLCACHE_DEVICE static std::uint32_t hashed(std::uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
  }
};

/// The splitters of a segment in shared memory: as a tree, whose node i has the children 2 i and 2 i + 1, and
/// in order. Where two splitters are equal, the bucket between them takes the keys that equal them.
template <class T, class Less, class Tree, class Order, class Equals>
struct Classifier {
  Tree& tree;
  Order& order;
  Equals& follows_equals;  ///< of each bucket: whether the one before is of equal keys
  int bits;
  bool has_equals;
  Less less;

  /// The buckets of `number` keys, side by side, so that loads overlap.
  template <int number>
  TALLCACHE_DEVICE void find(const T* key, int (&bucket)[number]) const {
#pragma unroll
    for (int e = 0; e < number; ++e) bucket[e] = 1;
    for (int d = 0; d < bits; ++d)
#pragma unroll
      for (int e = 0; e < number; ++e)
        bucket[e] = 2 * bucket[e] + !less(key[e], load_key<T>(tree[bucket[e]]));
#pragma unroll
    for (int e = 0; e < number; ++e) {
      bucket[e] -= 1 << bits;
      if (has_equals && follows_equals[bucket[e]] && !less(load_key<T>(order[bucket[e] - 1]), key[e]))
        --bucket[e];
    }
  }
};

/// Brings each piece of the level's segments into the order of its buckets, a block a piece.
template <class T, class Less>
struct SpreadPieces {
  static constexpr int max_threads = spread_threads, min_blocks = 2, rows = spread_rows<T>;
  static constexpr std::size_t max_dynamic_shared_bytes = max_piece<T> * sizeof(T);
  static constexpr int most = 1 << max_bits, at_once = rows < 8 ? rows : 8;

  template <class Thread, class Tables, class In, class Splitter, class Out>
  TALLCACHE_DEVICE void operator()(const Thread& t, Tables own, Tables from, In in, Splitter splitter,
                                   Out out, Less less) const {
    auto&& keys = dynamic_shared<T>(t);
    auto&& next = shared<0, std::uint32_t[spread_warps * most]>(t);  // of each warp and bucket
    auto&& lanes = shared<1, std::uint32_t[spread_warps * most]>(t);
    auto&& tree = shared<2, T[most], 16>(t);
    auto&& order = shared<3, T[most], 16>(t);
    auto&& follows_equals = shared<4, std::uint8_t[most]>(t);
    const int id = static_cast<int>(t.thread().x), warp = id / 32, lane = id % 32;
    for (int i = id; i < spread_warps * most; i += spread_threads) lanes[i] = 0u;
    wait_for_last_kernel(t);
    const std::uint32_t pieces = own.number_of_pieces();
    for (std::uint32_t p = t.block().x; p < pieces; p += t.grid_dim().x) {
      const std::uint32_t s = own.segment_of_piece(p);
      const Part part = own.segment(s);
      const std::uint32_t first = (p - part.first_piece) * own.piece;
      const int size = static_cast<int>(smaller(own.piece, part.size - first));
      const int chunk = (size + spread_threads - 1) / spread_threads * 32;  // of a warp
      const int begin = smaller(warp * chunk, size), number = smaller(chunk, size - begin);
      const int bits = part.kind == Part::split ? own.bits : 0;
      for (int i = id; i < spread_warps * most; i += spread_threads) next[i] = 0u;
      const bool has_equals = load_splitters(t, splitter, Index{s} << own.bits, bits, tree, order,
                                             follows_equals, less);  // synchronises
      const auto load = [&](std::uint32_t i, Index at) {
        copy_asynchronously(t, shared_address(t, vector_at<1>(keys[begin + i])), vector_at<1>(in[at]),
                            sizeof(T));
      };
      if (own.number) PlacesOf(from, part).for_each(t, first + begin, number, load);
      t.commit_copies();
      wait_for_copies<0>(t);
      t.sync_warp();

      T key[rows];
      std::uint32_t bucket[rows / 4];  // 8 bits a key
      const Classifier<T, Less, decltype(tree), decltype(order), decltype(follows_equals)> classifier{
          tree, order, follows_equals, bits, has_equals, less};
      if (own.number)
        count_buckets(t, keys, Index{begin}, number, classifier, next, key, bucket);
      else
        count_buckets(t, in, Index{first} + begin, number, classifier, next, key, bucket);
      t.sync();
      const bool has_rows = place_buckets(t, own, p, s, size, next);  // synchronises
#pragma unroll
      for (int r = 0; r < rows; r += 4) {
        if (r * 32 >= number) break;
        std::uint32_t place[4];
#pragma unroll
        for (int e = 0; e < 4; ++e)
          place[e] = place_in_row(t, static_cast<int>(bucket[r / 4] >> e * 8 & 255), number - (r + e) * 32,
                                  has_rows, next, lanes);
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if ((r + e) * 32 + lane < number) store_key<T>(keys[place[e]], key[r + e]);
      }
      t.sync();
      for (int i = id; i < size; i += spread_threads)
        store_key<T>(out[Index{part.begin} + first + i], load_key<T>(keys[i]));
      t.sync();
    }
  }

 private:
  /// Loads the warp's `number` keys from from[begin] on, finds their buckets, and counts them.
  template <class Thread, class From, class Found, class Next>
  TALLCACHE_DEVICE static void count_buckets(const Thread& t, const From& from, Index begin, int number,
                                             const Found& classifier, Next& next, T (&key)[rows],
                                             std::uint32_t (&bucket)[rows / 4]) {
    const int lane = static_cast<int>(t.thread().x) % 32, warp = static_cast<int>(t.thread().x) / 32;
#pragma unroll
    for (int r = 0; r < rows; r += at_once) {
      if (r * 32 >= number) break;
      int own_bucket[at_once];
#pragma unroll
      for (int e = 0; e < at_once; ++e) {
        const int i = (r + e) * 32 + lane;
        key[r + e] = load_key<T>(from[begin + (i < number ? i : 0)]);
        if constexpr (sorts_codes<Less>)
          if (classifier.less.first) key[r + e] = Less::code(key[r + e]);
      }
      classifier.find(key + r, own_bucket);
#pragma unroll
      for (int e = 0; e < at_once; ++e) {
        if (e % 4 == 0) bucket[(r + e) / 4] = 0;
        bucket[(r + e) / 4] |= static_cast<std::uint32_t>(own_bucket[e]) << e % 4 * 8;
        if ((r + e) * 32 + lane < number) t.atomic_add(next[warp * most + own_bucket[e]], 1u);
      }
    }
  }

  /// Whether two of a segment's splitters are equal.
  template <class Thread, class Splitter, class Tree, class Order, class Equals>
  TALLCACHE_DEVICE static bool load_splitters(const Thread& t, const Splitter& splitter, Index at, int bits,
                                              Tree& tree, Order& order, Equals& follows_equals, Less less) {
    const int id = static_cast<int>(t.thread().x), ways = 1 << bits;
    if (id + 1 < ways) {
      store_key<T>(order[id], load_key<T>(splitter[at + id]));
      // Node i, of depth d, has splitter (2 (i - 2^d) + 1) 2^(bits - 1 - d) - 1.
      const int node = id + 1, depth = std::bit_width(static_cast<unsigned>(node)) - 1;
      const int of_node = ((2 * (node - (1 << depth)) + 1) << (bits - 1 - depth)) - 1;
      store_key<T>(tree[node], load_key<T>(splitter[at + of_node]));
    }
    t.sync();
    bool follows = false;
    if (id < ways) {
      follows = id > 1 && !less(load_key<T>(order[id - 2]), load_key<T>(order[id - 1]));
      follows_equals[id] = static_cast<std::uint8_t>(follows);
    }
    return t.sync_or(follows);
  }

  /// The counts of warps in `next` become places: of bucket after bucket, and in one of warp after warp.
  /// Returns whether a bucket has so many keys that all keys of a row may be of it.
  template <class Thread, class Tables, class Next>
  TALLCACHE_DEVICE static bool place_buckets(const Thread& t, const Tables& own, std::uint32_t p,
                                             std::uint32_t s, int size, Next& next) {
    const int b = static_cast<int>(t.thread().x), row = own.row();
    std::uint32_t sum = 0;
    if (b < most)
#pragma unroll
      for (int w = 0; w < spread_warps; ++w) sum += next[w * most + b];
    auto [place, all] = exclusive_sum<spread_threads>(t, sum);
    if (b < row) {
      const std::uint32_t local = b + 1 == row ? all : place;
      own.local[Index{p} * row + b] = local;
      t.atomic_add(own.begin[Index{s} * row + b], local);
    }
    if (b < most)
#pragma unroll
      for (int w = 0; w < spread_warps; ++w) {
        const std::uint32_t count = next[w * most + b];
        next[w * most + b] = place;
        place += count;
      }
    return t.sync_or(static_cast<int>(sum) > size / 4);
  }

  /// The place of a key of bucket b in a warp's row of keys, of which there are `left`. All lanes.
  template <class Thread, class Next, class Lanes>
  TALLCACHE_DEVICE static std::uint32_t place_in_row(const Thread& t, int b, int left, bool has_rows,
                                                     Next& next, Lanes& lanes) {
    const int lane = static_cast<int>(t.thread().x) % 32,
              own = static_cast<int>(t.thread().x) / 32 * most + b;
    const bool is_key = lane < left;
    unsigned same = 0;
    bool is_one_bucket = false;
    if (has_rows) {
      const int first = t.shuffle(b, 0);
      same = t.ballot(is_key && b == first);
      is_one_bucket = same == t.ballot(is_key);
    }
    if (is_one_bucket) {
      t.sync_warp();
    } else {
      if constexpr (may_exchange_equals<T, Less>)
        return is_key ? static_cast<std::uint32_t>(t.atomic_add(next[own], 1u)) : 0u;
      if (is_key) t.atomic_add(lanes[own], 1u << lane);
      t.sync_warp();
      same = is_key ? static_cast<unsigned>(lanes[own]) : 0u;
    }
    std::uint32_t place = 0;
    if (is_key) place = next[own];
    t.sync_warp();
    if (is_key && same >> lane == 1) {
      next[own] = place + static_cast<std::uint32_t>(t.popcount(same));
      lanes[own] = 0u;
    }
    t.sync_warp();
    return place + static_cast<std::uint32_t>(t.popcount(same & ((1u << lane) - 1)));
  }
};

}  // namespace tallcache::gpu::sort
