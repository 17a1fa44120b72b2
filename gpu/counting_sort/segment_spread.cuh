// The large segments of a level: their digits are counted, and their keys are spread by them into the
// segments of the next level.
#pragma once

#include "gpu/counting_sort/bucket_counts.cuh"
#include "gpu/counting_sort/work_list.cuh"

namespace tallcache::gpu::counting_sort {

/// What one block lists of a segment whose digits are counted.
struct SegmentLayout {
  const WorkPlan& plan;
  const WorkList& list;
  int level;
  Segment segment;
  Key* hot;    ///< of the segment
  Key* start;  ///< shared: of each digit, and of the end
  Key room;    ///< of each value of the guess, where its keys lie already; or 0

  __device__ Key number() const { return room ? plan.guess.number : plan.digit[level].number; }

  /// Makes places of `count`, the next of which is count_at(d).
  template <class CountAt>
  __device__ void place(Key* count, CountAt count_at) const {
    place_counts<work_threads>(number(), segment.begin, count_at, [=, this](Key d, const uint4& places) {
      *reinterpret_cast<uint4*>(count + d) = *reinterpret_cast<uint4*>(start + d) = places;
    });
    if (threadIdx.x == 0) start[number()] = segment.begin + segment.size;
    __syncthreads();
  }

  /// Lists the segment of each digit: a large one for the next level, the others with their neighbours.
  __device__ void list_digits(Key first_leaf) const {
    for (Key d = threadIdx.x; d < number(); d += work_threads) {
      if (start[d + 1] - start[d] > segment.size / 2) *hot = d;
      if (is_large(d))
        list_large(d);
      else if (plan.part)
        list_small(d, list.leaf[first_leaf + part_of(d)]);
    }
  }
  __device__ Key parts() const { return segment.size / plan.part + 1; }

 private:
  __device__ bool is_large(Key d) const { return room == 0 && start[d + 1] - start[d] > plan.most; }
  __device__ Key part_of(Key d) const { return (start[d] - segment.begin) / plan.part; }

  __device__ void list_small(Key d, Leaf& leaf) const {
    if (d == 0 || is_large(d - 1) || part_of(d - 1) != part_of(d))
      leaf.begin = start[d], leaf.first_digit = d, leaf.level = level;
    if (d + 1 == number() || is_large(d + 1) || part_of(d + 1) != part_of(d))
      leaf.end = start[d + 1], leaf.last_digit = d;
  }

  __device__ void list_large(Key d) const {
    const Key size = start[d + 1] - start[d], keys = plan.piece[level + 1],
              pieces = plan.pieces_of(size, level + 1);
    const Key s = atomicAdd(&list.numbers->segments[level + 1], 1u);
    const Key first_piece = atomicAdd(&list.numbers->pieces[level + 1], pieces);
    const Key first_key = segment.first_key + (d << plan.digit[level].shift);
    list.segment[level + 1][s] = {start[d], size, first_key, first_piece, 0, PartitionBlock::none};
    for (Key p = 0; p < pieces; ++p)
      list.piece[level + 1][first_piece + p] = {start[d] + p * keys, start[d] + min(p * keys + keys, size),
                                                s};
  }
};

/// The layout of the segment `s` by the block that ends its count, or of all keys that are moved already.
inline __device__ void lay_out(const WorkPlan& plan, const WorkList& list, int level, Key s, Key* start,
                               bool is_moved) {
  __shared__ Key first_leaf;
  Segment& listed = list.segment[level][s];
  Segment segment{0, plan.n};  // all keys
  if (level) segment = listed;
  const SegmentLayout layout{plan, list, level, segment, &listed.hot, start, is_moved ? plan.room : 0};
  const bool has_segments = level + 1 < plan.levels;  // behind it
  if (threadIdx.x == 0 && has_segments && plan.part)
    first_leaf = atomicAdd(&list.numbers->leaves, layout.parts());
  Key* const count = list.count[level] + Index{s} * layout.number();
  layout.place(count, [&](Key d) {
    const uint4 keys = __ldcg(reinterpret_cast<const uint4*>((is_moved ? list.moved : count) + d));
    const Key at = d * layout.room;
    return keys - uint4{at, at + layout.room, at + 2 * layout.room, at + 3 * layout.room};
  });
  if (has_segments) layout.list_digits(first_leaf);
  if (plan.even)
    for (Key d = threadIdx.x; d <= layout.number(); d += work_threads) list.first[d] = start[d];
  __syncthreads();
}

/// The digits of the segments of a level; the block that ends a segment's last piece lays them out.
template <int level>
static __global__ void __launch_bounds__(work_threads, 2)
    count_segments(const Key* in, const __grid_constant__ WorkPlan plan,
                   const __grid_constant__ WorkList list) {
  extern __shared__ __align__(16) Key own[];
  if (level || plan.room) wait_for_last_kernel();  // else the last one only zeroes what blocks add to
  let_next_kernel_start();
  const bool is_moved = level == 0 && list.is_guess_valid(plan);
  if (is_moved && blockIdx.x) return;
  const WorkPlan::Digit digit = plan.digit[level];
  // Of all keys, each block has a part.
  const Key pieces = level ? list.numbers->pieces[level] : gridDim.x;
  const auto segment_of = [&](Key p) { return level ? list.piece[level][p].segment : 0; };
  const auto begin_of = [&](Key block) { return level ? block * pieces / gridDim.x : block; };
  const auto digit_of = [&](Key key) { return digit.of(key); };
  const auto add = [&](Key d) { atomicAdd(&own[d], 1u); };
  const auto add_hot = [&](Key d, Key keys) { atomicAdd(&own[d], keys); };
  for (Key p = begin_of(blockIdx.x), end = begin_of(blockIdx.x + 1); p < end;) {
    const Key s = segment_of(p);
    Key counted = 0;
    for (Key d = threadIdx.x; d < digit.number; d += work_threads) own[d] = 0;
    __syncthreads();
    for (; p < end && segment_of(p) == s; ++p, ++counted) {
      if (is_moved) continue;
      if constexpr (level)
        for_each_but_hot<work_threads>(in, list.piece[level][p].begin, list.piece[level][p].end, digit_of,
                                       add, add_hot);
      else  // a sample would take longer
        for_each_element<work_threads>(
            in, 0, plan.n, [&](Key key) { add(digit.of(key)); },
            Index{blockIdx.x} * work_threads + threadIdx.x, Index{gridDim.x} * work_threads);
    }
    __syncthreads();
    wait_for_last_kernel();
    Key* const count = list.count[level] + Index{s} * digit.number;
    for (Key d = threadIdx.x; d < digit.number; d += work_threads)
      if (own[d]) atomicAdd(&count[d], own[d]);
    Segment& segment = list.segment[level][s];
    const Key all = is_moved ? counted : level ? plan.pieces_of(segment.size, level) : pieces;
    if (is_last_piece(segment, counted, all)) lay_out(plan, list, level, s, own, is_moved);
  }
}

/// The keys of the segments of a level by its digit, from `in` to `out`: as low bits if buckets are sorted.
/// `is_guess`: all keys by the digit of the guess, into the same room for each of its values; if that is
/// valid, they are not spread again.
template <class Element, int level>
__global__ void __launch_bounds__(work_threads, 1)
    spread_segments(const Key* in, Element* out, const __grid_constant__ WorkPlan plan,
                    const __grid_constant__ WorkList list, const __grid_constant__ WorkPlan::Digit digit,
                    bool is_guess) {
  static_assert(work_threads == PartitionBlock::threads);
  extern __shared__ __align__(16) Key memory[];
  let_next_kernel_start();
  Key hot_of_all = PartitionBlock::none;
  const auto wait = [&] {
    wait_for_last_kernel();
    if (is_guess) return;
    hot_of_all = list.segment[0][0].hot;
    const Index unknown = Index{list.numbers->segments[level + 1]} * plan.digit[level + 1].number;
    for (Index c = Index{blockIdx.x} * work_threads + threadIdx.x; c < unknown;
         c += Index{gridDim.x} * work_threads)
      list.count[level + 1][c] = 0;
  };
  const bool is_early = level == 0 && !plan.room;  // all blocks have keys, and load them meanwhile
  if (!is_early) wait();
  // All threads of a block see the same, though another may find meanwhile that the guess is not valid.
  const bool is_valid = DeviceThread::sync_and(list.is_guess_valid(plan));
  const Key pieces = level == 0 && is_valid != is_guess ? 0 : list.pieces(plan, level);
  if (blockIdx.x >= pieces) return;
  const PartitionBlock block(memory, digit.shift, static_cast<int>(digit.number));
  Key* const next = is_guess ? list.moved : list.count[level];
  const Key kept = plan.part ? ~Key{0} : (Key{1} << digit.shift) - 1;
  const Segment* const segment = list.segment[level];
  block.spread(
      pieces,
      [&](PartitionBlock::Keys& keys, Key p) {
        const SegmentPiece piece = list.piece_at(plan, level, p);
        const Key* const from = in + piece.begin;
        block.load(keys, from, reinterpret_cast<std::uintptr_t>(from) % 16 == 0, 0, piece.size());
        if (level == 0) return piece;  // keys may still be on their way
        const Key least = segment[piece.segment].first_key;
#pragma unroll
        for (uint4& key : keys) key.x -= least, key.y -= least, key.z -= least, key.w -= least;
        return piece;
      },
      [&] {
        if (is_early) wait();
      },
      [&](const SegmentPiece& tile) { return level ? segment[tile.segment].hot : hot_of_all; },
      [&](const SegmentPiece& tile, Key d, Key size) {
        const Key place = atomicAdd(&next[Index{tile.segment} * digit.number + d], size);
        if (!is_guess || place + size <= (d + 1) * plan.room) return place;
        list.numbers->guess_valid = 0;
        return min(place, digit.number * plan.room);  // anywhere in the memory: all keys are spread again
      },
      [&](const SegmentPiece& tile) {
        const Key least = level ? segment[tile.segment].first_key : 0;
        block.for_each_gathered(tile.size(), [&](Key place, Key key) {
          out[place] = static_cast<Element>((key & kept) + least);
        });
      });
}

}  // namespace tallcache::gpu::counting_sort
