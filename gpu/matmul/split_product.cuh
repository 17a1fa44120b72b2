// A product of floats as the sum of three TF32 products. Each element is split into big, its nearest TF32
// number, and small, what is left: A B = big big + big small + small big, but for small small,
// which is 2^-22 of |A||B| at most.
#pragma once

#include <bit>

#include "gpu/matmul/transposed_tiles.cuh"

namespace tallcache::gpu::matmul {

/// A tensor core truncates its sums: how many steps along k it adds by itself.
enum class Sums {
  truncated,   ///< all
  rounded,     ///< 128, which are then added, rounded, to sums in registers
  fine,        ///< 32, and the products of small parts first: the others alone truncate a sum of full size
  compensated  ///< as `fine`; what the rounded sum of the registers loses begins the next 32 (Kahan 1965)
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
__device__ void split_tiles(const SharedTiles<Tiles>& tiles, int number) {
  constexpr int at_once = 4;  // loads of a thread in flight
  constexpr int splitting = 32 * Tiles::preparing_warps;
  Turn<Tiles::stages> turn;
  for (int i = 0; i < number; ++i, turn.next()) {
    tiles.full[turn.stage].wait(turn.parity);
    auto* const big = reinterpret_cast<float4*>(tiles.a(turn.stage));
    auto* const small = reinterpret_cast<float4*>(Tiles::small_a(tiles, turn.stage));
#pragma unroll 1
    for (int first = threadIdx.x - 32; first < Tiles::a_bytes / 16; first += at_once * splitting) {
      float4 exact[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n)
        if (const int at = first + n * splitting; at < Tiles::a_bytes / 16) exact[n] = big[at];
#pragma unroll
      for (int n = 0; n < at_once; ++n)
        if (const int at = first + n * splitting; at < Tiles::a_bytes / 16) {
          const SplitFloat x(exact[n].x), y(exact[n].y), z(exact[n].z), w(exact[n].w);
          big[at] = {x.big, y.big, z.big, w.big};
          small[at] = {x.small, y.small, z.small, w.small};
        }
    }
    fence_stores_for_products();
    __syncwarp();
    if (threadIdx.x % 32 == 0) tiles.prepared[turn.stage].arrive();
  }
}

/// Both parts of a thread's factors, as the tensor cores read them.
__device__ __forceinline__ void split_factors(const float (&exact)[4], std::uint32_t (&big)[4],
                                              std::uint32_t (&small)[4]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const SplitFloat parts(exact[e]);
    big[e] = std::bit_cast<std::uint32_t>(parts.big);
    small[e] = std::bit_cast<std::uint32_t>(parts.small);
  }
}

/// The products of one step of 32: sum = (add ? sum : 0) + ... `released` is called once the products of the
/// step before are done. Where `small_first`, none may be under way; else, the last ones are when it returns.
template <class Tiles, int sums, class Released>
__device__ __forceinline__ void multiply_split(const SharedTiles<Tiles>& tiles, int stage,
                                               const ColumnPair& columns, float (&sum)[sums], int add,
                                               const Released& released) {
  constexpr int parts = Tiles::depth / 8;
  // Of two steps of 8: the tensor cores read one, the other is loaded. The big ones of all, where they wait.
  constexpr int kept = Tiles::small_first ? parts : 2;
  std::uint32_t big[kept][4], small[2][4];
  const std::uint32_t a = shared_address(tiles.a(stage)),
                      small_a = shared_address(Tiles::small_a(tiles, stage));
  const auto tile_at = [](std::uint32_t address, int l) { return swizzled_tile(address + l * 32, 16, 1024); };
#pragma unroll
  for (int l = 0; l < parts; ++l) {
    float exact[4];
    columns.load(exact, tiles.b(stage), l);
    split_factors(exact, big[l % kept], small[l % 2]);
    begin_products();
    multiply_tf32_by_four_warps(sum, small[l % 2], tile_at(a, l), add | l);
    multiply_tf32_by_four_warps(sum, big[l % kept], tile_at(small_a, l), 1);
    if constexpr (!Tiles::small_first) multiply_tf32_by_four_warps(sum, big[l % kept], tile_at(a, l), 1);
    commit_products();
    wait_for_products<1>();
    if (l == 0) released();
  }
  if constexpr (Tiles::small_first) {
    begin_products();
#pragma unroll
    for (int l = 0; l < parts; ++l) multiply_tf32_by_four_warps(sum, big[l], tile_at(a, l), 1);
    commit_products();
  }
}

/// total += sum, rounded. Where the tiles want it, sum becomes what was lost.
template <class Tiles, int sums>
__device__ __forceinline__ void promote(float (&total)[sums], float (&sum)[sums]) {
#pragma unroll
  for (int i = 0; i < sums; ++i) {
    const float before = total[i];
    total[i] = __fadd_rn(before, sum[i]);
    if constexpr (Tiles::compensates) sum[i] = __fsub_rn(sum[i], __fsub_rn(total[i], before));
  }
}

template <int sums>
__device__ bool all_finite(const float (&sum)[sums]) {
  float zero = 0;
#pragma unroll
  for (int i = 0; i < sums; ++i) zero += 0 * sum[i];
  return zero == 0;  // 0 times an infinity or a NaN is a NaN
}

/// target.unusual says of each warp and tile whether the sums are not all finite; of eight warps, where there
/// are four of each twice.
template <class Tiles>
class SplitProducts : public StagedProducts {
 public:
  __device__ explicit SplitProducts(const SharedTiles<Tiles>&) : columns(ColumnPair::of(Tiles{})) {}

  __device__ void begin() {
    continues = Tiles::compensates;
    // The groups add at different steps: the other one's products go on.
    const int group = threadIdx.x / 128 - 1;
    left = ceil_div(Tiles::sum_steps * (group + 1), 2);
    for (float& x : total) x = 0;
    if constexpr (Tiles::compensates)
      for (float& x : sum) x = 0;
  }

  template <class Release>
  __device__ __forceinline__ void add(const SharedTiles<Tiles>& tiles, const Turn<Tiles::stages>& turn, int,
                                      int, const Release& release) {
    tiles.prepared[turn.stage].wait(turn.parity);
    multiply_split(tiles, turn.stage, columns, sum, continues, release);
    continues = 1;
  }

  template <class Release>
  __device__ __forceinline__ void end_step(bool is_last, const Release& release) {
    if constexpr (Tiles::promotes)
      if (--left == 0 || is_last) {
        wait_for_products<0>();
        release();
        promote<Tiles>(total, sum);
        continues = Tiles::compensates;
        left = Tiles::sum_steps;
      }
  }

  __device__ void store(const Target& target, int tile, int row, int col) const {
    const auto store = [&](const auto& sums) {
      store_transposed(target.c, sums, row, col + columns.col, target.pairs);
      const bool any = __any_sync(~0u, !all_finite(sums));
      if (threadIdx.x % 32 == 0)
        for (int warp = threadIdx.x / 32 - 4; warp < 8; warp += Tiles::multiplying_warps)
          target.unusual[tile * 8 + warp] = any;
    };
    if constexpr (Tiles::promotes)
      store(total);
    else
      store(sum);
  }

 private:
  static constexpr int sums = Tiles::rows / 2;
  ColumnPair columns;
  int left, continues;  ///< steps until the sums are promoted; whether the next products are added to them
  float sum[sums], total[Tiles::promotes ? sums : 1];
};

/// TransposedTiles with the small parts of A behind the stages.
template <int tile_rows, int tile_cols, int number_of_stages, Sums how>
struct SplitTiles
    : TransposedTiles<tile_rows, tile_cols, number_of_stages, number_of_stages * tile_rows * 32 * 4> {
  static constexpr Sums sums = how;
  static constexpr bool promotes = sums != Sums::truncated, compensates = sums == Sums::compensated,
                        small_first = sums == Sums::fine || compensates;
  static constexpr int sum_steps = small_first ? 1 : 4;  ///< of 32
  static constexpr int preparing_warps = 3;              ///< beside the one that copies
  static constexpr int copy_registers = 56, product_registers = 224;

  static __device__ unsigned char* small_a(const SharedTiles<SplitTiles>& tiles, int stage) {
    return tiles.memory + SplitTiles::factor_bytes + stage * SplitTiles::a_bytes;
  }
  static __device__ void prepare(const SharedTiles<SplitTiles>& tiles, int number) {
    split_tiles(tiles, number);
  }
  using Products = SplitProducts<SplitTiles>;
};

/// An infinity has no small part, and its products with zeros are NaN: what is not finite is computed again,
/// in float. A block has a tile. May start before the kernel before it has ended (launch_dependent).
template <class Tiles>
__global__ void __launch_bounds__(256)
    multiply_again(MatrixView<float> c, MatrixView<const float> a, MatrixView<const float> b, TileOrder order,
                   const unsigned char* unusual) {
  wait_for_last_kernel();
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
