// The one pipeline of the products on Hopper's tensor cores: a thread of a block copies tiles of A and B by
// TMA, other warps prepare them where the tiles want it, and two warpgroups multiply. What is multiplied, and
// how, is a policy: the type of the tiles and its Products.
#pragma once

#include "common/view.hpp"
#include "gpu/dependent_launch.cuh"
#include "gpu/matmul/block_order.hpp"
#include "gpu/matmul/cluster_sums.cuh"
#include "gpu/matmul/staged_sums.cuh"
#include "gpu/matmul/warpgroup_product.cuh"
#include "gpu/tensor_copy.cuh"

namespace tallcache::gpu::matmul {

/// What all tiles have in common: a tile of C of tile_rows x tile_cols, in steps of tile_depth elements along
/// k; boxes of B have boxes_of_b columns. `epilogue`: the bytes of shared memory behind the stages. Where
/// `splits_k`, blocks of a cluster may have parts of k.
template <class T, int tile_rows, int tile_cols, int tile_depth, int boxes_of_b, int number_of_stages,
          int epilogue = 0, int multiplying_groups = 2, bool splits_k = false>
struct StagedTiles {
  static constexpr int rows = tile_rows, cols = tile_cols, depth = tile_depth, stages = number_of_stages;
  static constexpr int groups = multiplying_groups, multiplying_warps = 4 * groups;
  static constexpr int threads = 128 * (groups + 1);  // and a warpgroup that copies
  static constexpr int box_cols = boxes_of_b;
  static constexpr int a_bytes = rows * depth * int{sizeof(T)}, b_bytes = cols * depth * int{sizeof(T)};
  static constexpr int box_bytes = box_cols * depth * int{sizeof(T)};
  static constexpr int factor_bytes = stages * (a_bytes + b_bytes);
  static constexpr int shared_bytes = 1024 + factor_bytes + epilogue;  // tiles start at multiples of 1024
  static constexpr int steps_at_once = 1;  ///< of which a product takes a whole number
  static constexpr bool splits = splits_k;
  static constexpr int preparing_warps = 0;  ///< beside the thread that copies
  /// Of a thread of either role; the parts of a cluster are added by both.
  static constexpr int copy_registers = splits ? 40 : 24, product_registers = splits ? 232 : 240;
};

/// The stages in shared memory, and their barriers: `prepared` completes when the warps that prepare a stage
/// have done so.
template <class Tiles>
struct SharedTiles {
  unsigned char* memory;
  Mbarrier *full, *empty, *prepared;

  __device__ unsigned char* a(int stage) const { return memory + stage * Tiles::a_bytes; }
  __device__ unsigned char* b(int stage) const {
    return memory + Tiles::stages * Tiles::a_bytes + stage * Tiles::b_bytes;
  }
};

/// The stage in use and the parity of its barriers' phase.
template <int stages>
struct Turn {
  int stage = 0, parity = 0;
  __device__ void next() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// What a block does: its first tile, the tiles between its tiles, and its steps along k. Where parts > 1,
/// the blocks of a cluster have parts of the steps of one tile.
struct Share {
  int tile, stride, first_step, steps, rank, parts;

  /// Each of the cluster's blocks has `share` of the steps, the last ones fewer.
  template <class Tiles>
  static __device__ Share of(Tiles, int steps, int parts, int share) {
    const int tile = static_cast<int>(cluster_number()), stride = static_cast<int>(gridDim.x);
    if constexpr (!Tiles::splits) return {tile, stride, 0, steps, 0, 1};
    const int rank = static_cast<int>(cluster_rank()), first = rank * share;
    return {tile, stride, first, min(share, steps - first), rank, parts};
  }
};

/// One thread copies the tiles of A and B of each step as soon as their place is free.
template <class Tiles>
__device__ void copy_tiles(const SharedTiles<Tiles>& tiles, const CUtensorMap& a, const CUtensorMap& b,
                           const TileOrder& order, const Share& share) {
  Turn<Tiles::stages> turn;
  for (int tile = share.tile; tile < order.tiles(); tile += share.stride) {
    const auto at = order.at(tile);
    for (int step = share.first_step; step < share.first_step + share.steps; ++step, turn.next()) {
      Mbarrier& full = tiles.full[turn.stage];
      tiles.empty[turn.stage].wait(turn.parity ^ 1);
      full.arrive_expecting(Tiles::a_bytes + Tiles::b_bytes);
      copy_box(tiles.a(turn.stage), a, at.row * Tiles::rows, step * Tiles::depth, full);
#pragma unroll
      for (int box = 0; box < Tiles::cols / Tiles::box_cols; ++box)
        copy_box(tiles.b(turn.stage) + box * Tiles::box_bytes, b, step * Tiles::depth,
                 at.col * Tiles::cols + box * Tiles::box_cols, full);
    }
  }
}

/// A warp gives the place of a stage back: its lanes have read their part of it, and its products are done.
__device__ __forceinline__ void give_back(Mbarrier& empty) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) empty.arrive();
}

/// What products do around a tile and behind a step where nothing is to be done.
struct StagedProducts {
  __device__ void begin() {}
  template <class Release>
  __device__ void end_step(bool, const Release&) {}
  __device__ void finish() const {}
};

/// Stores the tile that the cluster's blocks have parts of. The stages are free: no copy is under way.
template <class Tiles, class Products>
__device__ void store_of_cluster(const Products& products, const SharedTiles<Tiles>& tiles,
                                 const Target& target, int row, int col, const Share& share) {
  using Sums = SharedSums<Tiles, float>;
  static_assert(Sums::bytes <= Tiles::factor_bytes);
  auto* const own = reinterpret_cast<float*>(tiles.memory);
  constexpr int threads = 32 * Tiles::multiplying_warps;
  asm volatile("bar.sync 1, %0;\n" ::"n"(threads) : "memory");  // all products are done
  products.store({Sums::at(own), true, false, {}}, 0, 0, 0);
  sync_cluster();
  add_parts_of_cluster<Tiles, threads>(target.c, row, col, own, threadIdx.x - 128, share.rank, share.parts,
                                       target.chunks);
  sync_cluster();  // no block ends while others read from it
}

/// Two warpgroups multiply what has arrived. A stage is given back when its products are done, one step late,
/// so that the tensor cores always have work; the place of the tile is computed beside the first products.
template <class Tiles>
__device__ void multiply_tiles(const SharedTiles<Tiles>& tiles, const Target& target, const TileOrder& order,
                               const Share& share) {
  const int steps = share.steps;
  typename Tiles::Products products(tiles);
  Turn<Tiles::stages> turn;
  for (int tile = share.tile; tile < order.tiles(); tile += share.stride) {
    TileOrder::At at{};
    int last = -1;
    const auto release = [&] {
      if (last >= 0) give_back(tiles.empty[last]);
      last = -1;
    };
    products.begin();
#pragma unroll 1
    for (int step = 0; step < steps; step += Tiles::steps_at_once)
#pragma unroll
      for (int side = 0; side < Tiles::steps_at_once; ++side, turn.next()) {
        tiles.full[turn.stage].wait(turn.parity);
        products.add(tiles, turn, step | side, side, release);
        if (side == 0 && step == 0) at = order.at(tile);
        wait_for_products<1>();
        release();
        last = turn.stage;
        products.end_step(step == steps - 1, release);
      }
    wait_for_products<0>();
    release();
    const int row = at.row * Tiles::rows, col = at.col * Tiles::cols;
    if constexpr (Tiles::splits)
      if (share.parts > 1) return store_of_cluster(products, tiles, target, row, col, share);
    products.store(target, tile, row, col);
  }
  products.finish();
}

/// Each block does every gridDim.x-th tile. steps = ceil(k / depth), a multiple of steps_at_once, > 0.
/// Where parts > 1, blocks are in clusters of as many, one for each tile, and have `share` of the steps each,
/// a multiple of steps_at_once. May start before the kernel before it has ended (launch_dependent).
template <class Tiles>
__global__ void __launch_bounds__(Tiles::threads, 1)
    multiply_in_stages(const __grid_constant__ Target target, const __grid_constant__ CUtensorMap a,
                       const __grid_constant__ CUtensorMap b, TileOrder order, int steps, int parts,
                       int share) {
  extern __shared__ unsigned char memory[];
  __shared__ Mbarrier full[Tiles::stages], empty[Tiles::stages], prepared[Tiles::stages];
  const SharedTiles<Tiles> tiles{memory + (1024 - shared_address(memory) % 1024) % 1024, full, empty,
                                 prepared};
  if (threadIdx.x == 0) {
    prefetch(a);
    prefetch(b);
    for (int s = 0; s < Tiles::stages; ++s) {
      full[s].init(1);
      empty[s].init(Tiles::multiplying_warps);
      if constexpr (Tiles::preparing_warps > 0) prepared[s].init(Tiles::preparing_warps);
    }
    fence_barrier_init();
  }
  __syncthreads();
  const Share own = Share::of(Tiles{}, steps, parts, share);
  wait_for_last_kernel();
  let_next_kernel_start();
  // A warpgroup that copies gives registers to those that multiply.
  if (threadIdx.x < 128) {
    if constexpr (Tiles::groups > 1)
      asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(Tiles::copy_registers));
    if (threadIdx.x == 0) copy_tiles<Tiles>(tiles, a, b, order, own);
    if constexpr (Tiles::preparing_warps > 0) {
      const int number = (order.tiles() - own.tile - 1) / own.stride + 1;
      if (threadIdx.x >= 32 && threadIdx.x < 32 * (Tiles::preparing_warps + 1))
        Tiles::prepare(tiles, number * steps);
    }
    if constexpr (Tiles::splits)
      if (parts > 1) {
        __syncwarp();
        sync_cluster();  // the barriers of store_of_cluster()
        sync_cluster();
      }
  } else {
    if constexpr (Tiles::groups > 1)
      asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(Tiles::product_registers));
    multiply_tiles<Tiles>(tiles, target, order, own);
  }
}

}  // namespace tallcache::gpu::matmul
