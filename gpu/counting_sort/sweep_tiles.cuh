// The tiles of a stable pass over pairs by one digit. The warps of a block work at three tiles at once: some
// rank and gather a tile by digit in shared memory, some look back for where its digits go, some write it as
// a run for each digit.
#pragma once

#include "gpu/counting_sort/look_back.cuh"
#include "gpu/mbarrier.cuh"

namespace tallcache::gpu::counting_sort {

/// A block's work on its tiles, the first of which is step 0. Steps take turns in two slots.
struct SweepBlock {
  using Tile = SweepTile;
  static constexpr int rows = Tile::rows, slots = 2;
  static_assert(Tile::rank_threads >= DigitPlan::max_digits);
  static_assert(Tile::look_threads * 4 >= DigitPlan::max_digits);

  /// What warps of different roles exchange. Each thread of a role arrives, not one for its warp, as
  /// racecheck takes an arrival for its thread alone.
  struct Exchange {
    Mbarrier ranked[slots],  ///< the counts of a tile are there: those that rank to those that look back
        consumed[slots],     ///< they have been read: back to those that rank
        full[slots],         ///< a tile is gathered, and its digits' offsets are known: to those that write
        empty[slots];        ///< it is written: to both of them
    Key warp_sums[Tile::rank_warps];
    Key drawn[slots];  ///< the tile of this step and the next one
    Key ranked_tile[slots], full_tile[slots];
    int shift;
  };

  Digit digit;
  Tiling tiling;
  int padded;
  uint2* gathered;  ///< a tile of each slot
  Key* counts;      ///< of each warp that ranks
  Key *place, *total,
      *offset;  ///< of each slot: a digit's place in the tile, its pairs, the offset of the output
  Exchange* exchange;

  static constexpr std::size_t shared_bytes(int max_padded) {
    return slots * Tile::pairs * sizeof(uint2) + (3 * slots + Tile::rank_warps) * max_padded * sizeof(Key) +
           sizeof(Exchange);
  }

  __device__ SweepBlock(const Digit& d, const Tiling& t, uint2* memory)
      : digit(d), tiling(t), padded(d.padded()) {
    gathered = memory;
    counts = reinterpret_cast<Key*>(gathered + slots * Tile::pairs);
    place = counts + Tile::rank_warps * padded;
    total = place + slots * padded;
    offset = total + slots * padded;
    exchange = reinterpret_cast<Exchange*>(offset + slots * padded);
  }

  /// One thread, before a barrier of the block. Draws the first tile.
  __device__ void start(Key* ticket) const {
    exchange->shift = digit.shift;
    exchange->drawn[0] = atomicAdd(ticket, 1u);
    for (int slot = 0; slot < slots; ++slot) {
      exchange->ranked[slot].init(Tile::rank_threads);
      exchange->consumed[slot].init(Tile::look_threads);
      exchange->full[slot].init(Tile::rank_threads + Tile::look_threads);
      exchange->empty[slot].init(Tile::write_threads);
    }
  }

  /// The warps that rank. pairs_from.at(i)(k) is the pair i + k, and pairs_from.prefetch(i, number) asks a
  /// warp to bring pairs into the second-level cache: a tile's come while the one before it is ranked.
  template <class PairsFrom>
  __device__ void rank(Key* ticket, Key* table, PairsFrom pairs_from) const {
    uint2 pairs[rows];
    Key tile = exchange->drawn[0];
    if (tile < tiling.tiles) load(pairs_from, tile, pairs);
    if (threadIdx.x == 0) exchange->drawn[1] = atomicAdd(ticket, 1u);
    for (int step = 0;; ++step) {
      const int slot = step % slots;
      if (tile >= tiling.tiles) return end(step);
      const int used = tiling.rows(tile);
      count(pairs, used);
      wait_for_ranks();
      const Key next = exchange->drawn[(step + 1) % slots];
      Key later = 0;
      if (threadIdx.x == 0) later = atomicAdd(ticket, 1u);
      find_places(table, tile, step);
      if (next < tiling.whole) pairs_from.prefetch(first_of(next), 32 * rows);
      if (threadIdx.x == 0) exchange->drawn[slot] = later;
      wait_for_ranks();
      wait_for_reuse(exchange->empty, step);
      gather(pairs, used, gathered + slot * Tile::pairs);
      exchange->full[slot].arrive();
      tile = next;
      if (tile < tiling.tiles) load(pairs_from, tile, pairs);
    }
  }

  /// The warps that look back, from the counts of each tile that is ranked. A thread has four neighbouring
  /// digits, if it has any; first[digit] is where the digit's pairs start.
  __device__ void look(Key* table, const Key* first) const {
    const int thread = threadIdx.x - Tile::rank_threads, d = thread * 4;
    for (int step = 0;; ++step) {
      const int slot = step % slots;
      wait_for(exchange->ranked, step);
      const Key tile = exchange->ranked_tile[slot];
      uint4 offsets{}, count{};
      if (tile < tiling.tiles && d < padded) {
        offsets = *reinterpret_cast<const uint4*>(place + slot * padded + d);
        count = *reinterpret_cast<const uint4*>(total + slot * padded + d);
      }
      exchange->consumed[slot].arrive();
      if (tile < tiling.tiles && d < padded) {
        Key* const own = table + static_cast<Index>(tile) * padded + d;
        const uint4 before = look_back(own, tile, padded);
        TileCount::store(own, before + count, TileCount::is_sum);
        offsets = *reinterpret_cast<const uint4*>(first + d) + before - offsets;
      }
      __syncwarp();
      wait_for_reuse(exchange->empty, step);
      if (d < padded) *reinterpret_cast<uint4*>(offset + slot * padded + d) = offsets;
      if (thread == 0) exchange->full_tile[slot] = tile;
      exchange->full[slot].arrive();
      if (tile >= tiling.tiles) return;
    }
  }

  /// The warps that write: put(i, pair) for each pair of a tile.
  template <class Put>
  __device__ void write(Put put) const {
    constexpr int at_once = 8, threads = Tile::write_threads;
    const Key thread = threadIdx.x - (Tile::threads - threads);
    for (int step = 0;; ++step) {
      const int slot = step % slots;
      wait_for(exchange->full, step);
      const Key tile = exchange->full_tile[slot];
      if (tile >= tiling.tiles) return;
      const Key here = tiling.pairs(tile);
      const uint2* const from = gathered + slot * Tile::pairs;
      const Key* const offsets = offset + slot * padded;
      for (Key first = thread; first < here; first += at_once * threads) {
        uint2 pair[at_once];
        Key at[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          const Key i = first + k * threads;
          pair[k] = i < here ? from[i] : uint2{};
          at[k] = offsets[digit.of(pair[k].x)] + i;
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (first + k * threads < here) put(at[k], pair[k]);
      }
      exchange->empty[slot].arrive();
    }
  }

 private:
  /// Of the warps that rank, for each other. PTX ISA, "barrier": of some warps of a block.
  __device__ static void wait_for_ranks() {
    asm volatile("barrier.sync 1, %0;" ::"n"(Tile::rank_threads) : "memory");
  }
  /// Until the barrier of this step's slot has passed in this step.
  __device__ static void wait_for(Mbarrier* barrier, int step) {
    barrier[step % slots].wait(step / slots % 2);
  }
  /// Until the step before that used the slot has passed, if any.
  __device__ static void wait_for_reuse(Mbarrier* barrier, int step) {
    if (step >= slots) wait_for(barrier, step - slots);
  }

  __device__ Key* own_counts() const { return counts + threadIdx.x / 32 * padded; }

  /// This warp's first pair of a tile.
  __device__ Key first_of(Key tile) const {
    return tiling.first(tile) + threadIdx.x / 32 * (32 * tiling.rows(tile));
  }

  /// This thread's pairs of a tile; behind the last one pairs of the last digit.
  template <class PairsFrom>
  __device__ void load(PairsFrom pairs_from, Key tile, uint2 (&pairs)[rows]) const {
    const Key first = first_of(tile) + threadIdx.x % 32;
    const auto at = pairs_from.at(first);
    if (tile < tiling.whole) {
#pragma unroll
      for (int r = 0; r < rows; ++r) pairs[r] = at(r * 32);
    } else {
      const int used = tiling.short_rows, left = static_cast<int>(tiling.n - first);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        if (r % Tiling::unit_rows == 0 && r >= used) break;
        pairs[r] = r * 32 < left ? at(r * 32) : uint2{~Key{0}, 0};
      }
    }
  }

  __device__ void count(const uint2 (&pairs)[rows], int used) const {
    Key* const own = own_counts();
    clear_counts(own, padded);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (r % Tiling::unit_rows == 0 && r >= used) break;
      atomicAdd(&own[digit.of(pairs[r].x)], 1u);
    }
  }

  /// The tile's counts are stored for later tiles and for the warps that look back, and become the places of
  /// the warps' first pairs, once the warps that rank have waited for each other. A thread a digit.
  __device__ void find_places(Key* table, Key tile, int step) const {
    const int d = threadIdx.x, lane = d % 32, warp = d / 32, slot = step % slots;
    Key count = 0;
    if (d < padded) {
#pragma unroll
      for (int w = 0; w < Tile::rank_warps; ++w) count += counts[w * padded + d];
      TileCount::store(table + static_cast<Index>(tile) * padded + d, count,
                       tile ? TileCount::is_own : TileCount::is_sum);
    }
    Key upto = count;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
      const Key other = __shfl_up_sync(~0u, upto, s);
      upto += lane >= s ? other : 0;
    }
    if (lane == 31) exchange->warp_sums[warp] = upto;
    wait_for_ranks();
    Key at = upto - count + DeviceThread::reduce_add(lane < warp ? exchange->warp_sums[lane] : 0);
    wait_for_reuse(exchange->consumed, step);
    if (d < padded) {
      place[slot * padded + d] = at;
      total[slot * padded + d] = count;
    }
    if (d == 0) exchange->ranked_tile[slot] = tile;
    exchange->ranked[slot].arrive();
    if (d < padded) {
#pragma unroll
      for (int w = 0; w < Tile::rank_warps; ++w) {
        Key& own = counts[w * padded + d];
        const Key pairs = own;
        own = at;
        at += pairs;
      }
    }
  }

  __device__ void gather(const uint2 (&pairs)[rows], int used, uint2* to) const {
    // Read anew, or all digits and addresses of counts stay in registers since count().
    const Digit same{*const_cast<const volatile int*>(&exchange->shift), digit.bits};
    const auto digit_of = [&](const uint2& pair) { return same.of(pair.x); };
    const auto put = [&](const uint2& pair, Key at) { to[at] = pair; };
    if (digit.bits < 9)
      place_in_order<8, Tiling::unit_rows>(pairs, used, own_counts(), digit_of, put);
    else
      place_in_order<9, Tiling::unit_rows>(pairs, used, own_counts(), digit_of, put);
  }

  /// Lets the other warps know that there are no more tiles.
  __device__ void end(int step) const {
    const int slot = step % slots;
    wait_for_reuse(exchange->consumed, step);
    if (threadIdx.x == 0) exchange->ranked_tile[slot] = tiling.tiles;
    exchange->ranked[slot].arrive();
    wait_for_reuse(exchange->empty, step);
    exchange->full[slot].arrive();
  }
};

/// The tiles of a pass, in the order of tickets: a tile waits only for tiles that are under own, and
/// neighbours are written at almost the same time, while the second-level cache still has the sectors in
/// which their runs meet.
template <class PairsFrom, class Put>
__device__ void sweep(const SweepBlock& block, Key* ticket, Key* table, const Key* first,
                      PairsFrom pairs_from, Put put) {
  // The same in all lanes, as the compiler sees: under a branch that may diverge it has no predicates left
  // for the ballots.
  const int thread = __shfl_sync(~0u, threadIdx.x, 0);
  const bool ranks = thread < SweepTile::rank_threads;
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  // Only the warps that rank hold pairs in registers.
  if (ranks)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(SweepTile::rank_registers));
  else
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(SweepTile::other_registers));
#endif
  if (ranks)
    block.rank(ticket, table, pairs_from);
  else if (thread < SweepTile::threads - SweepTile::write_threads)
    block.look(table, first);
  else
    block.write(put);
}

}  // namespace tallcache::gpu::counting_sort
