// The product of floats of any shape on CUDA cores: tiles that suit it, and stream-K.
#pragma once

#include "gpu/kernel_limits.hpp"
#include "gpu/matmul/thin_products.cuh"
#include "gpu/matmul/warp_tiles.cuh"

namespace tallcache::gpu::matmul {

struct any_shape : OnGpu {
  static constexpr std::string_view idea =
      "tiles of 32 x 32 to 128 x 256 elements, by C's size, the last split along k so that all "
      "multiprocessors end together, parts added in order; thin products apart; blocks as the recursion "
      "halves C; applies tiling, coarsening, coalescing";
  static constexpr std::string_view source =
      "M7: A cache-oblivious matrix multiplication algorithm, on the GPU; Osama et al. 2023";
  using operations = OperationList<Matmul<float>>;

  static std::size_t scratch(Matmul<float>, const Shape& shape, const Params&) {
    if (is_thin(shape)) return scratch_bytes({thin_parts(shape) * sizeof(float)});
    std::size_t bytes = 0;
    with_tiles(shape, [&]<class Tiles>(Tiles, const StreamPlan& plan) {
      bytes = scratch_bytes({plan.slots() * Tiles::rows * Tiles::cols * sizeof(float)});
    });
    return bytes;
  }

  static void call(const Launch& launch, const Matmul<float>::Args<>& args, const Params&) {
    const Shape shape = Matmul<float>::shape_of(args);
    if (args.c.rows == 0 || args.c.cols == 0) return;
    if (is_thin(shape)) {
      auto scratch = args.scratch;
      return multiply_thin(launch, args.c, args.a, args.b, scratch.vector<float>(thin_parts(shape)).data);
    }
    with_tiles(shape, [&]<class Tiles>(Tiles, const StreamPlan& plan) {
      auto scratch = args.scratch;
      float* const parts =
          scratch.vector<float>(static_cast<Index>(plan.slots()) * Tiles::rows * Tiles::cols).data;
      multiply_in_blocks<Tiles, float>(launch, args, tiles_of<Tiles>(shape, BlockOrder::recursive), plan,
                                       parts);
    });
  }

 private:
  using Large = warp_tiles::Tiles;
  using Small = BlockShape<64, 64, 16, 32, 32, 4, 4>;
  using Tiny = BlockShape<32, 32, 32, 16, 16, 4, 4>;

  static bool is_thin(const Shape& shape) { return std::min(shape["m"], shape["n"]) <= thin; }

  /// Calls use(tiles, plan) with the tiles that suit `shape`: the largest that occupy the multiprocessors.
  template <class Use>
  static void with_tiles(const Shape& shape, const Use& use) {
    const Index processors = multiprocessors();
    constexpr Index min_steps = 32;  // fewer are less than the sum of parts takes
    const auto tiles = [&]<class Tiles>(Tiles) {
      return tiles_of<Tiles>(shape, BlockOrder::recursive).tiles();
    };
    const auto steps = [&]<class Tiles>(Tiles) { return ceil_div<Index>(shape["k"], Tiles::depth); };
    const auto with_few = [&]<class Tiles>(Tiles t) {
      use(t, StreamPlan::of_few_tiles(tiles(t), steps(t), processors, processors * Tiles::min_blocks,
                                      min_steps));
    };
    // A tile that is largely outside C costs as much as a whole one.
    const Index elements = shape["m"] * shape["n"], in_tiles = tiles(Large{}) * Large::rows * Large::cols;
    if (tiles(Large{}) * 8 >= processors * 7 && elements * 8 >= in_tiles * 5)
      use(Large{}, StreamPlan::of_last_wave(tiles(Large{}), steps(Large{}), processors, min_steps));
    else if (std::min(shape["m"], shape["n"]) <= 32 || tiles(Tiny{}) <= 2 * processors)
      with_few(Tiny{});
    else
      with_few(Small{});
  }
};

}  // namespace tallcache::gpu::matmul
