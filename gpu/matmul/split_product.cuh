// A product of floats as the sum of three TF32 products. Each element is split into big, its nearest TF32
// number, and small, what is left: A B = big big + big small + small big, but for small small,
// which is 2^-22 of |A||B| at most.
#pragma once

#include <bit>

#include "gpu/matmul/transposed_tiles.cuh"

namespace tallcache::gpu::matmul {

/// TransposedTiles with the small parts of A beside the big ones. A tensor core truncates its sums: those of
/// `steps_of_sum` steps are added, rounded, to sums in registers. Where it is 0, all steps are one sum.
template <int tile_rows, int number_of_stages, int steps_of_sum>
struct SplitTiles : TransposedTiles<tile_rows, number_of_stages> {
  using Base = TransposedTiles<tile_rows, number_of_stages>;
  static constexpr int sum_steps = steps_of_sum;
  static constexpr int splitting = 96;  ///< threads: three warps beside the one that copies
  static constexpr int shared_bytes = Base::shared_bytes + number_of_stages * Base::a_bytes;
};

/// `split` completes when both parts of a tile of A are there.
template <class Tiles>
struct SplitSharedTiles : SharedTiles<Tiles> {
  CopyBarrier* split;

  __device__ unsigned char* small_a(int stage) const {
    return this->memory + Tiles::stages * (Tiles::a_bytes + Tiles::b_bytes) + stage * Tiles::a_bytes;
  }
};

/// Veltkamp's splitting: big is x rounded to 11 bits, small is exact, and the tensor core truncates it to 11
/// bits. Beyond 2^114 both may be infinite or NaN; those products are computed again.
struct SplitFloat {
  float big, small;
  __device__ explicit SplitFloat(float x) {
    const float scaled = __fmul_rn(x, 8193);  // 2^13 + 1; none of these may be contracted
    big = __fsub_rn(scaled, __fsub_rn(scaled, x));
    small = __fsub_rn(x, big);
  }
};

/// Three warps split the tiles of A where they lie, `number` stages in all.
template <class Tiles>
__device__ void split_tiles(const SplitSharedTiles<Tiles>& tiles, int number) {
  constexpr int at_once = 4;  // loads of a thread in flight
  Turn<Tiles::stages> turn;
  for (int i = 0; i < number; ++i, turn.next()) {
    tiles.full[turn.stage].wait(turn.parity);
    auto* const big = reinterpret_cast<float4*>(tiles.a(turn.stage));
    auto* const small = reinterpret_cast<float4*>(tiles.small_a(turn.stage));
#pragma unroll 1
    for (int first = threadIdx.x - 32; first < Tiles::a_bytes / 16; first += at_once * Tiles::splitting) {
      float4 exact[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n)
        if (const int at = first + n * Tiles::splitting; at < Tiles::a_bytes / 16) exact[n] = big[at];
#pragma unroll
      for (int n = 0; n < at_once; ++n)
        if (const int at = first + n * Tiles::splitting; at < Tiles::a_bytes / 16) {
          const SplitFloat x(exact[n].x), y(exact[n].y), z(exact[n].z), w(exact[n].w);
          big[at] = {x.big, y.big, z.big, w.big};
          small[at] = {x.small, y.small, z.small, w.small};
        }
    }
    fence_stores_for_products();
    __syncwarp();
    if (threadIdx.x % 32 == 0) tiles.split[turn.stage].arrive();
  }
}

/// The products of one step of 32: sum = (add ? sum : 0) + ... `released` is called once the products of the
/// step before are done.
template <class Tiles, int sums, class Released>
__device__ __forceinline__ void multiply_split(const SplitSharedTiles<Tiles>& tiles, int stage,
                                               const ColumnPair& columns, float (&sum)[sums], int add,
                                               const Released& released) {
  const std::uint32_t a = shared_address(tiles.a(stage)), small_a = shared_address(tiles.small_a(stage));
  std::uint32_t big[2][4], small[2][4];  // of two steps of 8: the tensor cores read one, the other is loaded
#pragma unroll
  for (int l = 0; l < Tiles::depth / 8; ++l) {
    float exact[4];
    columns.load(exact, tiles.b(stage), l);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const SplitFloat parts(exact[e]);
      big[l % 2][e] = std::bit_cast<std::uint32_t>(parts.big);
      small[l % 2][e] = std::bit_cast<std::uint32_t>(parts.small);
    }
    const std::uint64_t big_tile = swizzled_tile(a + l * 32, 16, 1024);
    begin_products();
    multiply_tf32_by_four_warps(sum, small[l % 2], big_tile, add | l);
    multiply_tf32_by_four_warps(sum, big[l % 2], swizzled_tile(small_a + l * 32, 16, 1024), 1);
    multiply_tf32_by_four_warps(sum, big[l % 2], big_tile, 1);
    commit_products();
    wait_for_products<1>();
    if (l == 0) released();
  }
}

template <int sums>
__device__ bool all_finite(const float (&sum)[sums]) {
  float zero = 0;
#pragma unroll
  for (int i = 0; i < sums; ++i) zero += 0 * sum[i];
  return zero == 0;  // 0 times an infinity or a NaN is a NaN
}

/// Two warpgroups multiply what has been split. unusual[8 tile + warp] says whether a warp's sums of a tile
/// are not all finite.
template <class Tiles>
__device__ void multiply_split_tiles(const SplitSharedTiles<Tiles>& tiles, const MatrixView<float>& c,
                                     int number, int steps, bool pairs, unsigned char* unusual) {
  constexpr int sums = Tiles::rows / 2;
  constexpr bool promotes = Tiles::sum_steps > 0;
  const auto columns = ColumnPair::of(Tiles{});
  const int group = threadIdx.x / 128 - 1;
  float sum[sums], total[promotes ? sums : 1];
  Turn<Tiles::stages> turn;
  for (int tile = blockIdx.x; tile < number; tile += gridDim.x) {
    TileOrder::At at{};
    int last = -1, add = 0;
    // The groups add at different steps: the other one's products go on.
    int left = Tiles::sum_steps * (group + 1) / Tiles::groups;
    const auto release = [&] {
      if (last >= 0 && threadIdx.x % 128 == 0) tiles.empty[last].arrive();
      last = -1;
    };
    for (float& x : total) x = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step, turn.next()) {
      tiles.full[turn.stage].wait(turn.parity);
      tiles.split[turn.stage].wait(turn.parity);
      at = tiles.place[turn.stage];
      multiply_split(tiles, turn.stage, columns, sum, add, release);
      last = turn.stage;
      add = 1;
      if (promotes && (--left == 0 || step == steps - 1)) {
        wait_for_products<0>();
        release();
#pragma unroll
        for (int i = 0; i < sums; ++i) total[promotes ? i : 0] += sum[i];
        add = 0;
        left = Tiles::sum_steps;
      }
    }
    wait_for_products<0>();
    release();
    const int row = at.row * Tiles::rows, col = at.col * Tiles::cols + columns.col;
    bool finite;
    if constexpr (promotes) {
      finite = all_finite(total);
      store_transposed(c, total, row, col, pairs);
    } else {
      finite = all_finite(sum);
      store_transposed(c, sum, row, col, pairs);
    }
    const bool any = __any_sync(~0u, !finite);
    if (threadIdx.x % 32 == 0) unusual[tile * 8 + threadIdx.x / 32 - 4] = any;
  }
}

/// Each block does every gridDim.x-th tile. steps = ceil(k / depth) > 0. Where `pairs`, two elements of C are
/// stored at once.
template <class Tiles>
__global__ void __launch_bounds__(Tiles::threads, 1)
    multiply_three_times(MatrixView<float> c, const __grid_constant__ CUtensorMap a,
                         const __grid_constant__ CUtensorMap b, TileOrder order, int steps, bool pairs,
                         unsigned char* unusual) {
  extern __shared__ unsigned char memory[];
  __shared__ CopyBarrier full[Tiles::stages], empty[Tiles::stages], split[Tiles::stages];
  __shared__ TileOrder::At place[Tiles::stages];
  const SplitSharedTiles<Tiles> tiles{
      {memory + (1024 - shared_address(memory) % 1024) % 1024, full, empty, place}, split};
  if (threadIdx.x == 0) {
    for (int s = 0; s < Tiles::stages; ++s) {
      full[s].init(1);
      empty[s].init(Tiles::groups);
      split[s].init(Tiles::splitting / 32);
    }
    fence_barrier_init();
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 56;\n");
    const int own = (order.tiles() - static_cast<int>(blockIdx.x) - 1) / static_cast<int>(gridDim.x) + 1;
    if (threadIdx.x == 0) copy_tiles<Tiles>(tiles, a, b, order, steps);
    if (threadIdx.x >= 32) split_tiles<Tiles>(tiles, own * steps);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 224;\n");
    multiply_split_tiles<Tiles>(tiles, c, order.tiles(), steps, pairs, unusual);
  }
}

/// An infinity has no small part, and its products with zeros are NaN: what is not finite is computed again,
/// in float. A block has a tile.
template <class Tiles>
__global__ void __launch_bounds__(256)
    multiply_again(MatrixView<float> c, MatrixView<const float> a, MatrixView<const float> b, TileOrder order,
                   const unsigned char* unusual) {
  if (*reinterpret_cast<const std::uint64_t*>(unusual + Index{8} * blockIdx.x) == 0) return;
  const auto at = order.at(static_cast<int>(blockIdx.x));
  for (int e = threadIdx.x; e < Tiles::rows * Tiles::cols; e += 256) {
    const Index i = static_cast<Index>(at.row) * Tiles::rows + e / Tiles::cols;
    const Index j = static_cast<Index>(at.col) * Tiles::cols + e % Tiles::cols;
    if (i >= c.rows || j >= c.cols || isfinite(c(i, j))) continue;
    float sum = 0;
    for (Index l = 0; l < a.cols; ++l) sum += a(i, l) * b(l, j);
    c(i, j) = sum;
  }
}

}  // namespace tallcache::gpu::matmul
