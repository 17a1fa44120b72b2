// The product of floats of any shape on CUDA cores: tiles that suit it, and stream-K.
#pragma once

#include <limits>

#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/aligned_rows.cuh"
#include "gpu/matmul/thin_products.cuh"
#include "gpu/matmul/warp_tiles.hpp"

namespace tallcache::gpu::matmul {

/// Tiles, and the time that a multiprocessor takes for one with k steps, start_ns + k step_ps / 1000.
/// Measured on an H200 (TUNING.md): the ratios choose the tiles.
struct TileTimes {
  int start_ns, step_ps;
  int odd_percent;  ///< how much longer steps are where rows of B are no whole chunks; `never`: B is copied
  bool shares = true;  ///< whether some tiles are split along k
  static constexpr int never = -1;
};
template <class BlockTiles, TileTimes measured>
struct TimedTiles {
  using Tiles = BlockTiles;
  static constexpr TileTimes times = measured;
  static constexpr bool reads_odd_rows = times.odd_percent != TileTimes::never;
};

/// How a product is divided, and its time in nanoseconds. Where `copies`, B is copied to aligned rows first.
struct TimedPlan {
  double time;
  StreamPlan plan;
  bool copies;
};

/// The faster of whole tiles and of a shared remainder.
template <class Timed>
TimedPlan plan_of(const Shape& shape, Index processors) {
  using Tiles = typename Timed::Tiles;
  const Index tiles = tiles_of<Tiles>(shape, BlockOrder::recursive).tiles(), k = shape["k"];
  const Index steps = ceil_div<Index>(k, Tiles::depth);
  const auto waves = static_cast<double>(ceil_div(tiles, processors));
  // Of B's elements each comes to shared memory once for every row of tiles, by elements where rows are no
  // whole chunks.
  const bool by_elements = (shape["n"] + shape["pad"]) % 4 != 0;
  constexpr TileTimes times = Timed::times;
  constexpr double odd = 1 + times.odd_percent * 0.01;
  const double aligned = times.step_ps * 1e-3 * static_cast<double>(k);
  const double copy_ns = 2000 + 0.002 * static_cast<double>(k) * static_cast<double>(shape["n"]);
  const bool copies = by_elements && (!Timed::reads_odd_rows || (odd - 1) * aligned * waves > copy_ns);
  const double inner = by_elements && !copies ? odd * aligned : aligned, of_tile = times.start_ns + inner,
               before = copies ? copy_ns : 0;
  const TimedPlan whole{before + of_tile * waves, StreamPlan::of_whole_tiles(tiles, steps), copies};
  const StreamPlan shared = StreamPlan::of_remainder(tiles, steps, processors);
  constexpr double sum_ns = 9000 + 0.9 * Tiles::rows * Tiles::cols;  // of the parts, and two more kernels
  // The kernel that shares tiles is slower (TUNING.md).
  const double part = 1.07 * static_cast<double>(shared.shared_tiles) / static_cast<double>(processors);
  const double time =
      before + of_tile * static_cast<double>(tiles / processors) + part * inner + times.start_ns + sum_ns;
  return times.shares && shared.sharing > 0 && time < whole.time ? TimedPlan{time, shared, copies} : whole;
}

struct any_shape : OnGpu {
  static constexpr std::string_view idea =
      "tiles of 32 x 32 to 128 x 256 elements, those of least time; warps of a small one share k; tiles that "
      "are left over split along k so that all multiprocessors end together, parts added in order; thin "
      "products apart; blocks as the recursion halves C; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; Osama et al. 2023";
  using operations = OperationList<Matmul<float>>;

  static std::size_t scratch(Matmul<float>, const Shape& shape, const Params&) {
    if (is_thin(shape)) return scratch_bytes({thin_parts(shape) * sizeof(float)});
    std::size_t bytes = 0;
    with_tiles(shape, [&]<class Timed>(Timed, const StreamPlan& plan, bool copies) {
      using Tiles = typename Timed::Tiles;
      bytes = scratch_bytes(
          {plan.slots() * Tiles::rows * Tiles::cols * sizeof(float),
           copies ? aligned_rows_bytes<float>(shape["k"], shape["n"], shape["n"] + shape["pad"]) : 0});
    });
    return bytes;
  }

  static void call(const Launch& launch, const Matmul<float>::Args<>& args, const Params&) {
    const Shape shape = Matmul<float>::shape_of(args);
    if (args.c.rows == 0 || args.c.cols == 0) return;
    auto own = args;
    if (is_thin(shape))
      return multiply_thin(launch, own.c, own.a, own.b,
                           own.scratch.template vector<float>(thin_parts(shape)).data);
    with_tiles(shape, [&]<class Timed>(Timed, const StreamPlan& plan, bool copies) {
      using Tiles = typename Timed::Tiles;
      const auto parts = parts_of<Tiles, float>(own.scratch, plan);
      const auto multiply = [&]<class Rows>(const MatrixView<const float>& b, Rows wide) {
        multiply_in_blocks<Tiles, Timed::times.shares>(
            launch, own.c, own.a, b, tiles_of<Tiles>(shape, BlockOrder::recursive), plan, parts, wide);
      };
      if constexpr (Timed::reads_odd_rows)
        if (!copies && !rows_are_chunks(own.b)) return multiply(own.b, std::false_type{});
      multiply(AlignedRows<float>(launch, own.b, own.scratch).view(), std::true_type{});
    });
  }

 private:
  static bool is_thin(const Shape& shape) { return std::min(shape["m"], shape["n"]) <= thin; }

  /// Calls use(timed tiles, plan, copies) with the tiles and the plan of least time.
  template <class Use>
  static void with_tiles(const Shape& shape, const Use& use) {
    choose(shape, use, TimedTiles<warp_tiles::Tiles, TileTimes{9000, 159000, TileTimes::never, false}>{},
           TimedTiles<BlockShape<64, 128, 32, 32, 64, 3, 1, 2>, TileTimes{3000, 40000, 15}>{},
           TimedTiles<BlockShape<64, 64, 32, 32, 64, 3, 1, 4>, TileTimes{2200, 25000, 7}>{},
           TimedTiles<BlockShape<64, 64, 16, 32, 32, 4, 4>, TileTimes{800, 28500, 7}>{},
           TimedTiles<BlockShape<64, 32, 32, 32, 32, 3, 2, 4>, TileTimes{1200, 15700, 7}>{},
           TimedTiles<BlockShape<32, 32, 32, 32, 32, 4, 4, 4>, TileTimes{800, 9400, 7}>{},
           TimedTiles<BlockShape<32, 32, 32, 16, 16, 4, 4>, TileTimes{300, 12800, 7, false}>{});
  }

  template <class Use, class... Timed>
  static void choose(const Shape& shape, const Use& use, Timed...) {
    const Index processors = multiprocessors();
    const TimedPlan plans[] = {plan_of<Timed>(shape, processors)...};
    const auto best = std::ranges::min_element(plans, {}, &TimedPlan::time) - std::begin(plans);
    std::ptrdiff_t at = 0;
    ((at++ == best ? use(Timed{}, plans[best].plan, plans[best].copies) : void()), ...);
  }
};

}  // namespace tallcache::gpu::matmul
