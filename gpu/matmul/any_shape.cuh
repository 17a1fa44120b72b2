// The product of floats of any shape on CUDA cores: tiles that suit it, and stream-K.
#pragma once

#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/aligned_rows.cuh"
#include "gpu/matmul/quickest_way.cuh"
#include "gpu/matmul/thin_products.cuh"
#include "gpu/matmul/warp_tiles.hpp"

namespace tallcache::gpu::matmul {

/// As InBlocks; where rows of B are no whole chunks, steps take `odd_percent` longer, or B is copied to
/// aligned rows first; where it is `never`, B is copied always.
inline constexpr int never = -1;
template <class BlockTiles, TileTimes times, int odd_percent, Splits splits = Splits{}>
struct AnyRows : InBlocks<BlockTiles, times, times, splits> {
  static constexpr bool reads_odd_rows = odd_percent != never;

  template <class T>
  static ProductPlan plan(const Shape& shape, std::span<const int> processors) {
    const Index n = shape["n"];
    ProductPlan aligned = AnyRows::template plan_of<T>(shape, times, processors);
    if ((n + shape["pad"]) % 4 == 0) return aligned;
    // Of B's elements each comes to shared memory once for every row of tiles, by elements where rows are no
    // whole chunks.
    aligned.time += 2000 + 0.002 * static_cast<double>(shape["k"] * n);
    aligned.copies = true;
    if (!reads_odd_rows) return aligned;
    const ProductPlan direct = AnyRows::template plan_of<T>(shape, times.longer(odd_percent), processors);
    return direct.time <= aligned.time ? direct : aligned;
  }

  static void start(const Launch& launch, const MatrixView<float>& c, const MatrixView<const float>& a,
                    const MatrixView<const float>& b, Scratch<>& scratch, const TileOrder& order,
                    const ProductPlan& plan) {
    using InBlocks = typename AnyRows::InBlocks;
    if constexpr (reads_odd_rows)
      if (!plan.copies && !rows_are_chunks(b))
        return InBlocks::start(launch, c, a, b, scratch, order, plan, std::false_type{});
    const AlignedRows<float> rows(launch, scratch, b);
    InBlocks::start(launch, c, a, rows.first(), scratch, order, plan, std::true_type{});
  }
};

struct any_shape : OnGpu {
  static constexpr std::string_view idea =
      "tiles of 32 x 32 to 128 x 256 elements, those of least time; warps of a small one share k, or blocks "
      "of a cluster; tiles that are left over split along k so that all multiprocessors end together, parts "
      "added in order; thin products apart; blocks as the recursion halves C; applies tiling, coarsening, "
      "coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; Osama et al. 2023";
  using operations = OperationList<Matmul<float>>;

  static std::size_t scratch(Matmul<float>, const Shape& shape, const Params&) {
    if (is_thin(shape)) return scratch_bytes({thin_parts(shape) * sizeof(float)});
    std::size_t bytes = 0;
    with_tiles(shape, [&]<class Way>(Way, const TileOrder&, const ProductPlan& plan) {
      const Index k = shape["k"], n = shape["n"];
      bytes = Way::template scratch<float>(plan) +
              scratch_bytes({plan.copies ? aligned_rows_bytes<float>(k, n, n + shape["pad"]) : 0});
    });
    return bytes;
  }

  static void call(const Launch& launch, const Matmul<float>::Args<>& args, const Params&) {
    const Shape shape = Matmul<float>::shape_of(args);
    if (args.c.rows == 0 || args.c.cols == 0) return;
    auto [c, a, b, scratch] = args;
    if (is_thin(shape)) return multiply_thin(launch, c, a, b, scratch.vector<float>(thin_parts(shape)).data);
    with_tiles(shape, [&]<class Way>(Way, const TileOrder& order, const ProductPlan& plan) {
      Way::start(launch, c, a, b, scratch, order, plan);
    });
  }

 private:
  static bool is_thin(const Shape& shape) { return std::min(shape["m"], shape["n"]) <= thin; }

  template <class Use>
  static void with_tiles(const Shape& shape, const Use& use) {
    with_quickest_way<
        float,
        AnyRows<warp_tiles::Tiles, TileTimes{9000, 9000, 159000, 159000, 0}, never,
                Splits{false, false, true}>,
        AnyRows<BlockShape<96, 128, 48, 32, 64, 3, 1, 2>, TileTimes{3200, 3000, 66500, 69500, 2000}, 0>,
        AnyRows<BlockShape<64, 128, 32, 32, 64, 3, 1, 2>, TileTimes{4000, 8000, 40000, 40000, 1500}, 15,
                Splits{true, true}>,
        AnyRows<BlockShape<64, 64, 32, 32, 64, 3, 1, 4>, TileTimes{2900, 4500, 22500, 22500, 1500}, 7>,
        AnyRows<BlockShape<64, 64, 16, 32, 32, 4, 4>, TileTimes{1900, 1200, 26000, 60000, 1900}, 7>,
        AnyRows<BlockShape<32, 32, 32, 32, 32, 4, 4, 4>, TileTimes{1500, 950, 8600, 11800, 1900}, 7,
                Splits{true, true}>,
        AnyRows<BlockShape<32, 32, 32, 16, 16, 4, 4>, TileTimes{1050, 450, 14600, 14900, 1800}, 7>>(
        shape, BlockOrder::recursive, use);
  }
};

}  // namespace tallcache::gpu::matmul
