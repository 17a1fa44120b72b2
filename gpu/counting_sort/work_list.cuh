// A sort of keys as a list of work: segments of keys that share their leading bits. A large one is taken in
// pieces by many blocks: spread by its next digit into others, and in the end counted. What is not large, a
// block sorts.
#pragma once

#include "gpu/counting_sort/bucket_split.cuh"
#include "gpu/counting_sort/few_keys.cuh"
#include "gpu/counting_sort/segment_tiles.cuh"
#include "gpu/dependent_launch.cuh"

namespace tallcache::gpu::counting_sort {

inline constexpr int work_threads = 1024;
using LeafBlock = KeyBlock<1024, 24>;

/// How n keys are sorted: spread by up to two digits and counted by the last one, as far as segments are
/// large. What the lists need room for follows: large segments of a level share no keys.
struct WorkPlan {
  static constexpr int max_levels = 3, min_digit = 7, max_digit = 12;
  static constexpr int max_counted = 13, max_alone = 15;  ///< bits of a last digit, and of one of all keys
  struct Digit {
    int shift, bits;
    Key number;  ///< a multiple of four
    __device__ Key of(Key key) const { return key >> shift & ((Key{1} << bits) - 1); }
  };

  Key n;
  int levels = 0;
  Digit digit[max_levels]{};  ///< from the leading one on
  Key piece[max_levels]{};    ///< keys of a piece of a level, at most
  Key most;                   ///< keys of a segment that is not large
  Key part = 0;   ///< of a segment: digits that are not large and start in a part are a leaf; 0: no leaves
  Key even = 0;   ///< of a Split, whose buckets take the place of leaves
  Digit guess{};  ///< of keys that are moved before they are counted, in place of the first digit
  Key room = 0;   ///< of each of its values

  /// Keys of `bits` bits: few values, or few of their values.
  WorkPlan(Index size, int bits, Index multiprocessors)
      : n(static_cast<Key>(size)), most(static_cast<Key>(LeafBlock::most / 2)) {
    const int first = std::clamp(static_cast<int>(std::bit_width(n >> 13)), min_digit, max_digit);
    const int number = bits <= max_alone ? 1 : bits - first <= max_counted ? 2 : max_levels;
    if (number > 1)
      part = static_cast<Key>(std::clamp<Index>(ceil_div(size, 2 * multiprocessors), 512, most));
    for (int left = std::max(bits, 2); levels < number;) {
      const int own = levels + 1 == number ? left : levels == 0 ? first : left / 2;
      left -= own;
      add_level({left, own, Key{1} << own}, number == 1 ? size : tile_keys(size, multiprocessors));
    }
  }

  /// Keys that are many of their values.
  WorkPlan(Index size, Index range, const Split& split, Index multiprocessors)
      : n(static_cast<Key>(size)), most(split.heavy), even(split.even), room(split.room) {
    const auto of_buckets = [](int shift, Index number) {
      const auto buckets = static_cast<Key>(ceil_div(number, 4) * 4);
      return Digit{shift, static_cast<int>(std::bit_width(buckets)), buckets};
    };
    if (room) guess = of_buckets(split.guess_shift, Split::buckets(range, split.guess_shift));
    add_level(of_buckets(split.shift, split.number), tile_keys(size, multiprocessors));
    add_level({0, split.shift, static_cast<Key>(split.values())},
              std::clamp<Index>(ceil_div(size, 2 * multiprocessors), Split::always_light,
                                std::max<Index>(1 << 17, 2 * split.values())));
  }

  Index segments(int level) const { return level ? n / most + 1 : 1; }
  Index pieces(int level) const { return level ? n / piece[level] + segments(level) : 0; }  ///< listed
  Index leaves() const { return part ? 2 * (n / part) + 1 + segments(1) : 0; }
  Index counts(int level) const { return segments(level) * digit[level].number; }
  Index buckets() const { return even ? digit[0].number : 0; }
  __host__ __device__ bool guess_is_wider() const { return room && guess.shift != digit[0].shift; }
  __host__ __device__ const Digit& last() const { return digit[levels - 1]; }
  __device__ Key pieces_of(Key size, int level) const { return (size - 1) / piece[level] + 1; }

 private:
  void add_level(const Digit& d, Index keys) {
    piece[levels] = static_cast<Key>(keys);
    digit[levels++] = d;
  }
};

/// Keys of a large range.
struct Segment {
  Key begin, size;
  Key first_key;    ///< the least that it may have
  Key first_piece;  ///< in the list
  Key done;         ///< pieces that are counted
  Key hot;          ///< the digit of most of its keys, or PartitionBlock::none
};

/// Keys [begin, end) of a segment, as they lie before they are spread or counted.
struct SegmentPiece {
  Key begin, end, segment;
  __device__ int size() const { return static_cast<int>(end - begin); }
};

/// Keys [begin, end), of neighbouring digits of a segment, that a block sorts.
struct Leaf {
  Key begin, end;
  int level;  ///< of the segment
  Key first_digit, last_digit;
};

/// The lists of each level. Zeroed: from the numbers on the first counts and the leaves behind them.
struct WorkList {
  static constexpr int levels = WorkPlan::max_levels;
  struct alignas(128) Numbers {  // additions to a warp's counts, which follow, are to one line
    Key segments[levels], pieces[levels], leaves, wide, taken, placed, written;
    Key guess_valid;  ///< 1 while each bucket has the room that it needs, without a count
  };
  Numbers* numbers;
  Key* count[levels]{};  ///< of each digit of each segment, then where the next of its keys goes
  Leaf* leaf{};
  Segment* segment[levels]{};
  SegmentPiece* piece[levels]{};
  Key* moved;    ///< of each bucket, if all have the same room: where its next key goes
  Key* first;    ///< of each bucket: where it starts in the output; and the end
  Key* wide;     ///< buckets whose counters are too narrow, each once for each block that counts it
  Index zeroed;  ///< words

  /// take(bytes) is memory for each part.
  template <class Take>
  WorkList(const WorkPlan& plan, Take take) {
    zeroed =
        static_cast<Index>(sizeof(Numbers) + plan.leaves() * sizeof(Leaf)) / sizeof(Key) + plan.counts(0);
    const auto array = [&]<class T>(T*& to, Index size) {
      to = reinterpret_cast<T*>(take(size * sizeof(T)));
    };
    Key* words;
    array(words, zeroed);
    numbers = reinterpret_cast<Numbers*>(words);
    count[0] = words + sizeof(Numbers) / sizeof(Key);
    leaf = reinterpret_cast<Leaf*>(count[0] + plan.counts(0));
    for (int level = 0; level < plan.levels; ++level) {
      if (level) array(count[level], plan.counts(level));
      array(segment[level], plan.segments(level));
      array(piece[level], plan.pieces(level));
    }
    array(moved, plan.room ? plan.buckets() : 0);
    array(first, plan.buckets() + 1);
    array(wide, 2 * plan.buckets());
  }

  __device__ bool is_guess_valid(const WorkPlan& plan) const { return plan.room && numbers->guess_valid; }
  struct Places {
    Key begin, end;
  };
  /// Where the keys of a bucket lie once they are spread.
  __device__ Places bucket(const WorkPlan& plan, Key b) const {
    return is_guess_valid(plan) ? Places{b * plan.room, moved[b]} : Places{first[b], count[0][b]};
  }
  /// All keys are one segment, whose pieces are not listed.
  __device__ Key pieces(const WorkPlan& plan, int level) const {
    return level ? numbers->pieces[level] : plan.pieces_of(plan.n, 0);
  }
  __device__ SegmentPiece piece_at(const WorkPlan& plan, int level, Key p) const {
    if (level) return piece[level][p];
    const Key begin = p * plan.piece[0];
    return {begin, min(plan.n - begin, plan.piece[0]) + begin, 0};
  }
};

/// Once a block has counted `counted` pieces of a segment of `pieces`: whether the last one was among them.
/// All threads, which synchronise; they see the counts of all blocks then.
inline __device__ bool is_last_piece(Segment& segment, Key counted, Key pieces) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&segment.done, counted) + counted == pieces;
  __syncthreads();
  if (is_last) __threadfence();
  return is_last;
}

/// Whether a sample of the keys, by one block, is spread over the buckets so evenly that all may have the
/// same room. `own`: shared counters.
inline __device__ bool is_even_sample(const Key* in, const WorkPlan& plan, Key* own) {
  constexpr int own_keys = 8;
  constexpr Key keys = own_keys * work_threads;
  const Key number = plan.guess.number;
  for (Key b = threadIdx.x; b < number; b += work_threads) own[b] = 0;
  __syncthreads();
  Key key[own_keys];
#pragma unroll
  for (int e = 0; e < own_keys; ++e) key[e] = in[(Index{e} * work_threads + threadIdx.x) * plan.n / keys];
#pragma unroll
  for (int e = 0; e < own_keys; ++e) atomicAdd(&own[key[e] >> plan.guess.shift], 1u);
  __syncthreads();
  const float share = static_cast<float>(keys) / static_cast<float>(number);
  const Key most = static_cast<Key>(1.125f * share + 6 * sqrtf(share) + 8);
  bool is_even = true;
  for (Key b = threadIdx.x; b < number; b += work_threads) is_even &= own[b] <= most;
  return DeviceThread::sync_and(is_even);
}

/// All keys as one segment. One block.
static __global__ void __launch_bounds__(work_threads)
    list_all_keys(const Key* in, const __grid_constant__ WorkPlan plan,
                  const __grid_constant__ WorkList list) {
  extern __shared__ __align__(16) Key own[];
  let_next_kernel_start();
  if (threadIdx.x == 0) list.segment[0][0] = {0, plan.n, 0, 0, 0, PartitionBlock::none};
  for (Index i = threadIdx.x; i < list.zeroed; i += work_threads) reinterpret_cast<Key*>(list.numbers)[i] = 0;
  if (!plan.room) return;
  for (Key b = threadIdx.x; b < plan.guess.number; b += work_threads) list.moved[b] = b * plan.room;
  const bool is_even = is_even_sample(in, plan, own);  // synchronises
  if (threadIdx.x == 0) list.numbers->guess_valid = is_even;
}

}  // namespace tallcache::gpu::counting_sort
