// The sort of keys that are few in their range: segments of keys that share their leading bits. A large one
// is spread by its next digit, in pieces, into others, and in the end counted; a block sorts one that fits.
#pragma once

#include "gpu/counting_sort/few_keys.cuh"
#include "gpu/counting_sort/residue_heavy.cuh"
#include "gpu/counting_sort/residue_partition.cuh"

namespace tallcache::gpu::counting_sort {

inline constexpr int work_threads = 1024;
using LeafBlock = KeyBlock<1024, 24>;

/// How n keys of `bits` bits are sorted: spread by two digits and counted by a third, as far as segments are
/// large. What the lists need room for follows: large segments of a level share no keys.
struct WorkPlan {
  static constexpr int levels = 3, min_digit = 7, max_digit = 12;
  struct Digit {
    int shift, bits;
    __host__ __device__ Key number() const { return Key{1} << bits; }
  };

  Key n;
  Digit digit[levels];  ///< from the leading one on
  Key piece;            ///< keys of a piece, at most
  Key most;             ///< keys of a segment that is not large
  Key part;             ///< of a segment: those that are not large and start in a part are sorted together

  WorkPlan(Index size, int bits, Index multiprocessors, Index max_light = LeafBlock::most / 2)
      : n(static_cast<Key>(size)),
        piece(static_cast<Key>(ResidueTiles(size, static_cast<int>(multiprocessors)).keys)),
        most(static_cast<Key>(max_light)),
        part(static_cast<Key>(
            std::clamp<Index>(size / (2 * multiprocessors), std::min<Index>(512, most), most))) {
    const int first = std::clamp(static_cast<int>(std::bit_width(n >> 13)), min_digit, max_digit);
    const int second = (bits - first) / 2;
    digit[0] = {bits - first, first};
    digit[1] = {bits - first - second, second};
    digit[2] = {0, bits - first - second};
  }

  Index segments() const { return n / most + 1; }  ///< of a level
  Index pieces() const { return n / piece + segments(); }
  Index leaves() const { return 2 * (n / part) + 1 + segments(); }
  Index counts(int level) const { return (level ? segments() : 1) << digit[level].bits; }
};

struct Segment {
  Key begin, size;
  Key first_key;  ///< the least that it may have
  Key done;       ///< pieces that are counted
};

/// Keys [begin, end) of a segment.
struct SegmentPiece {
  Key begin, end, segment;
};

/// Keys [begin, end), of neighbouring digits of a segment, that a block sorts.
struct Leaf {
  Key begin, end;
  int level;  ///< of the segment
  Key first_digit, last_digit;
};

/// The lists of each level. Zeroed: from the numbers on the leaves and the first counts behind them.
struct WorkList {
  struct Numbers {
    Key segments[WorkPlan::levels], pieces[WorkPlan::levels], leaves, taken;
  };
  Numbers* numbers;
  Leaf* leaf;
  Key* count[WorkPlan::levels];  ///< of each digit of each segment, then where the next of its keys goes
  Segment* segment[WorkPlan::levels];
  SegmentPiece* piece[WorkPlan::levels];
  Index zeroed;  ///< words
};

/// All keys as one segment. One block.
static __global__ void list_all_keys(WorkPlan plan, WorkList list) {
  let_next_kernel_start();
  for (Index i = threadIdx.x; i < list.zeroed; i += blockDim.x) reinterpret_cast<Key*>(list.numbers)[i] = 0;
  __syncthreads();
  const Key pieces = (plan.n - 1) / plan.piece + 1;
  for (Key p = threadIdx.x; p < pieces; p += blockDim.x)
    list.piece[0][p] = {p * plan.piece, min(plan.n - p * plan.piece, plan.piece) + p * plan.piece, 0};
  if (threadIdx.x) return;
  list.segment[0][0] = {0, plan.n, 0, 0};
  list.numbers->segments[0] = 1;
  list.numbers->pieces[0] = pieces;
}

/// What one block lists of a segment whose digits are counted.
struct SegmentLayout {
  const WorkPlan& plan;
  const WorkList& list;
  int level;
  Segment segment;
  Key* start;  ///< shared: of each digit, and of the end
  Key number;

  /// Makes places of `count`.
  __device__ void place(Key* count) const {
    Key before = segment.begin;
    for (Key begin = 0; begin < number; begin += work_threads) {
      const Key d = begin + threadIdx.x;
      const auto [earlier, all] =
          exclusive_sum<work_threads>(DeviceThread{}, d < number ? __ldcg(&count[d]) : 0);
      if (d < number) start[d] = count[d] = before + earlier;
      before += all;
      __syncthreads();
    }
    if (threadIdx.x == 0) start[number] = segment.begin + segment.size;
    __syncthreads();
  }

  /// Lists the segment of each digit: a large one for the next level, the others with their neighbours.
  __device__ void list_digits(Key first_leaf) const {
    for (Key d = threadIdx.x; d < number; d += work_threads) {
      if (is_large(d)) {
        list_large(d);
        continue;
      }
      Leaf& leaf = list.leaf[first_leaf + part_of(d)];
      if (d == 0 || is_large(d - 1) || part_of(d - 1) != part_of(d))
        leaf.begin = start[d], leaf.first_digit = d, leaf.level = level;
      if (d + 1 == number || is_large(d + 1) || part_of(d + 1) != part_of(d))
        leaf.end = start[d + 1], leaf.last_digit = d;
    }
  }
  __device__ Key parts() const { return segment.size / plan.part + 1; }

 private:
  __device__ bool is_large(Key d) const { return start[d + 1] - start[d] > plan.most; }
  __device__ Key part_of(Key d) const { return (start[d] - segment.begin) / plan.part; }

  __device__ void list_large(Key d) const {
    const Key begin = start[d], end = start[d + 1], pieces = (end - begin - 1) / plan.piece + 1;
    const Key s = atomicAdd(&list.numbers->segments[level + 1], 1u);
    Key p = atomicAdd(&list.numbers->pieces[level + 1], pieces);
    list.segment[level + 1][s] = {begin, end - begin, segment.first_key + (d << plan.digit[level].shift), 0};
    for (Key from = begin; from < end; from += plan.piece)
      list.piece[level + 1][p++] = {from, min(end - from, plan.piece) + from, s};
  }
};

/// The digits of the segments of a level; the block that ends a segment's last piece lays them out.
static __global__ void __launch_bounds__(work_threads, 2)
    count_segments(const Key* in, const __grid_constant__ WorkPlan plan,
                   const __grid_constant__ WorkList list, int level) {
  extern __shared__ Key own[];
  __shared__ Key first_leaf;
  __shared__ bool is_last;
  wait_for_last_kernel();
  let_next_kernel_start();
  const WorkPlan::Digit digit = plan.digit[level];
  const Key number = digit.number(), pieces = list.numbers->pieces[level];
  const SegmentPiece* const piece = list.piece[level];
  const auto begin_of = [&](Key block) { return static_cast<Key>(Index{block} * pieces / gridDim.x); };
  const Key misaligned = reinterpret_cast<std::uintptr_t>(in) % 16 / sizeof(Key);
  for (Key p = begin_of(blockIdx.x), end = begin_of(blockIdx.x + 1); p < end;) {
    const Key s = piece[p].segment;
    Key counted = 0;
    for (Key d = threadIdx.x; d < number; d += work_threads) own[d] = 0;
    __syncthreads();
    for (; p < end && piece[p].segment == s; ++p, ++counted)
      for_each_residue<work_threads>(
          in - misaligned, Index{piece[p].begin} + misaligned, Index{piece[p].end} + misaligned,
          [&](Key key) { atomicAdd(&own[key >> digit.shift & (number - 1)], 1u); });
    __syncthreads();
    Segment& segment = list.segment[level][s];
    Key* const count = list.count[level] + (Index{s} << digit.bits);
    for (Key d = threadIdx.x; d < number; d += work_threads)
      if (own[d]) atomicAdd(&count[d], own[d]);
    __threadfence();
    __syncthreads();
    const SegmentLayout layout{plan, list, level, segment, own, number};
    if (threadIdx.x == 0) {
      is_last = atomicAdd(&segment.done, counted) + counted == (segment.size - 1) / plan.piece + 1;
      if (is_last && level + 1 < WorkPlan::levels)
        first_leaf = atomicAdd(&list.numbers->leaves, layout.parts());
    }
    __syncthreads();
    if (!is_last) continue;
    __threadfence();
    layout.place(count);
    if (level + 1 < WorkPlan::levels) layout.list_digits(first_leaf);
    __syncthreads();
  }
}

/// The keys of the segments of a level by its digit, from `in` to `out`.
static __global__ void __launch_bounds__(work_threads, 1)
    spread_segments(const Key* in, Key* out, const __grid_constant__ WorkPlan plan,
                    const __grid_constant__ WorkList list, int level) {
  static_assert(work_threads == ResidueTiles::threads);
  extern __shared__ __align__(16) Key memory[];
  wait_for_last_kernel();
  let_next_kernel_start();
  const WorkPlan::Digit digit = plan.digit[level];
  const Index unknown = Index{list.numbers->segments[level + 1]} << plan.digit[level + 1].bits;
  for (Index c = Index{blockIdx.x} * work_threads + threadIdx.x; c < unknown;
       c += Index{gridDim.x} * work_threads)
    list.count[level + 1][c] = 0;
  const PartitionBlock block(memory, digit.shift, static_cast<int>(digit.number()));
  const Key pieces = list.numbers->pieces[level];
  block.clear();
  PartitionBlock::Keys keys;
  SegmentPiece next{};
  Key first_key = 0;
  const auto load = [&](Key p) {
    next = list.piece[level][p];
    first_key = list.segment[level][next.segment].first_key;
    const Key* const from = in + next.begin;
    block.load(keys, from, reinterpret_cast<std::uintptr_t>(from) % 16 == 0, 0, next.end - next.begin);
#pragma unroll
    for (uint4& key : keys) key.x -= first_key, key.y -= first_key, key.z -= first_key, key.w -= first_key;
  };
  if (blockIdx.x < pieces) load(blockIdx.x);
  for (Key p = blockIdx.x; p < pieces; p += gridDim.x) {
    const int here = static_cast<int>(next.end - next.begin);
    const Key least = first_key;
    Key* const count = list.count[level] + (Index{next.segment} << digit.bits);
    __syncthreads();
    block.count(keys, here);
    __syncthreads();
    block.find_places(here);
    __syncthreads();
    block.gather(keys, here);
    block.reserve([&](int d, Key size) { return atomicAdd(&count[d], size); });
    __syncthreads();
    if (p + gridDim.x < pieces) load(p + gridDim.x);
    block.clear();
#pragma unroll 8
    for (int k = threadIdx.x; k < here; k += work_threads) {
      const Key key = block.gathered[k];
      out[block.leap[key >> digit.shift] + static_cast<Key>(k)] = key + least;
    }
  }
}

/// Writes a piece of a segment whose digits tell its keys, a part of it by each warp.
inline __device__ void write_counted(const WorkPlan& plan, const WorkList& list, Key p, Key* strips,
                                     Key* out) {
  constexpr int last = WorkPlan::levels - 1;
  const SegmentPiece piece = list.piece[last][p];
  const Segment segment = list.segment[last][piece.segment];
  const Key* const place = list.count[last] + (Index{piece.segment} << plan.digit[last].bits);
  const Key warp = threadIdx.x / 32,
            own = (piece.end - piece.begin + LeafBlock::threads - 1) / LeafBlock::threads * 32;
  const Key begin = min(warp * own, piece.end - piece.begin) + piece.begin;
  const Key end = min(own, piece.end - begin) + begin, values = plan.digit[last].number();
  if (begin == end) return;
  const Key v = last_at_most(values, begin, [&](Key k) { return place[k]; });
  write_places(out, reinterpret_cast<std::uintptr_t>(out) % 16 == 0, strips + warp * strip_keys, place,
               values, segment.begin + segment.size, segment.first_key, begin, end, v);
}

/// The sorted keys: of leaves from `moved`, where the first level left them, or from `out`, and of segments
/// that are counted. Blocks take tickets, as some take longer.
static __global__ void __launch_bounds__(LeafBlock::threads, 1)
    sort_leaves(const Key* moved, Key* out, const __grid_constant__ WorkPlan plan,
                const __grid_constant__ WorkList list) {
  extern __shared__ __align__(16) Key memory[];
  __shared__ Key ticket;
  wait_for_last_kernel();
  let_next_kernel_start();
  const Key counted = list.numbers->pieces[WorkPlan::levels - 1], parts = counted + list.numbers->leaves;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) ticket = atomicAdd(&list.numbers->taken, 1u);
    __syncthreads();
    const Key taken = ticket;
    if (taken >= parts) return;
    if (taken < counted) {
      write_counted(plan, list, taken, memory, out);
      continue;
    }
    const Leaf leaf = list.leaf[taken - counted];
    if (leaf.begin == leaf.end) continue;
    const int bits = plan.digit[leaf.level].shift + 32 - __clz(leaf.first_digit ^ leaf.last_digit);
    const LeafBlock block{{memory, memory + LeafBlock::most, leaf.end - leaf.begin}};
    block.sort((leaf.level ? out : moved) + leaf.begin, leaf.end - leaf.begin, out + leaf.begin,
               FewDigits(bits));
  }
}

/// Keys of a range so large that a counter for each value would seldom count one, up to as many as CUB's
/// radix sort takes longer for.
struct SegmentSort {
  static bool suits(Index n, Index range) { return !Split::suits(n, range) && n <= Index{1} << 23; }

  static std::size_t scratch(Index n, Index range) {
    const WorkPlan plan = plan_of(n, range);
    std::size_t bytes =
        scratch_bytes({zeroed_words(plan) * sizeof(Key), checked_product(n, sizeof(Key), "keys")});
    for (int level = 0; level < WorkPlan::levels; ++level)
      bytes += scratch_bytes({level ? plan.counts(level) * sizeof(Key) : 0, plan.segments() * sizeof(Segment),
                              plan.pieces() * sizeof(SegmentPiece)});
    return bytes;
  }

  static void sort(const Launch& launch, const CountingSort<false>::Args<>& args) {
    const WorkPlan plan = plan_of(args.in.size, args.range);
    auto scratch = args.scratch;
    Key* const moved = scratch.vector<Key>(plan.n).data;
    const WorkList list = list_in(scratch, plan);
    const cudaStream_t stream = stream_of(launch);
    list_all_keys<<<1, work_threads, 0, stream>>>(plan, list);
    check_launch();
    const auto blocks = static_cast<unsigned>(multiprocessors());
    const Key* in = args.in.data;
    Key* out = moved;
    for (int level = 0; level < WorkPlan::levels; ++level, in = out, out = args.out.data) {
      const Key number = plan.digit[level].number();
      launch_dependent(count_segments, 2 * blocks, work_threads, (number + 1) * sizeof(Key), stream, in, plan,
                       list, level);
      if (level + 1 == WorkPlan::levels) break;
      const std::size_t bytes = ResidueTiles::shared_bytes(number);
      allow_dynamic_shared(reinterpret_cast<const void*>(spread_segments), bytes);
      launch_dependent(spread_segments, blocks, work_threads, bytes, stream, in, out, plan, list, level);
    }
    constexpr std::size_t bytes = LeafBlock::shared_bytes(FewDigits(32));
    allow_dynamic_shared(reinterpret_cast<const void*>(sort_leaves), bytes);
    launch_dependent(sort_leaves, blocks, LeafBlock::threads, bytes, stream, moved, args.out.data, plan,
                     list);
  }

 private:
  static WorkPlan plan_of(Index n, Index range) {
    return WorkPlan(n, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(range))),
                    multiprocessors());
  }

  static Index zeroed_words(const WorkPlan& plan) {
    return (sizeof(WorkList::Numbers) + plan.leaves() * sizeof(Leaf)) / sizeof(Key) + plan.counts(0);
  }

  static WorkList list_in(Scratch<>& scratch, const WorkPlan& plan) {
    WorkList list{};
    list.zeroed = zeroed_words(plan);
    Key* const zeroed = scratch.vector<Key>(list.zeroed).data;
    list.numbers = reinterpret_cast<WorkList::Numbers*>(zeroed);
    list.leaf = reinterpret_cast<Leaf*>(list.numbers + 1);
    list.count[0] = reinterpret_cast<Key*>(list.leaf + plan.leaves());
    for (int level = 0; level < WorkPlan::levels; ++level) {
      if (level) list.count[level] = scratch.vector<Key>(plan.counts(level)).data;
      list.segment[level] = scratch.vector<Segment>(plan.segments()).data;
      list.piece[level] = scratch.vector<SegmentPiece>(plan.pieces()).data;
    }
    return list;
  }
};

}  // namespace tallcache::gpu::counting_sort
