// n = n1 n2 in two passes over memory: columns with the roots of n, and rows. A block has a tile.
#pragma once

#include "gpu/fft/passes.hpp"

namespace tallcache::gpu::fft {

/// 4 columns, so that what lies together in memory is 64 bytes at least; 2 where the tile would else not fit
/// into a block's registers.
struct BlockTiles {
  static constexpr int max_lg_n = 24;

  static constexpr int lg_cols(int lg_l) { return lg_l >= 12 ? 1 : 2; }

  template <Pass pass, int lg_l, class Device, class Data>
  static void run(Device& device, Index columns, const Data& data) {
    constexpr int lg_c = pass == Pass::whole ? 0 : lg_cols(lg_l);
    using Kernel = TransformTile<pass, lg_l, lg_c, lg_each(lg_l)>;
    launch_kernel(device, Kernel{},
                  {{grid_of(columns >> lg_c)}, {Kernel::max_threads}, Kernel::max_dynamic_shared_bytes},
                  data.to, data.from, data.powers, data.low, data.tables, data.layout);
  }
};

/// The base of what runs on these tiles: a block of the longest columns has so much shared memory.
using OnBlockTiles = OnSharedMemory<
    TransformTile<Pass::rows, BlockTiles::max_lg_n / 2, BlockTiles::lg_cols(BlockTiles::max_lg_n / 2),
                  lg_each(BlockTiles::max_lg_n / 2)>::max_dynamic_shared_bytes>;

struct two_passes : OnBlockTiles {
  static constexpr std::string_view idea =
      "n = n1 n2 in two passes: columns of tiles in registers, radix 16, exchanged through shared memory; "
      "the result of the first pass in the tiles of the second; powers of two to 2^24; applies "
      "coalescing, tiling, coarsening";
  static constexpr std::string_view source =
      "Bailey 1990; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008";
  using operations = OperationList<Fft>;
  static constexpr PhaseSpec phases[] = {{"roots", false, true}, {"transform"}};

  static bool supports(const Shape& shape) { return Passes<BlockTiles, Plain>::supports(shape["n"]); }

  template <class Device = Launch>
  static std::size_t scratch(Fft, const Shape& shape, const Params&) {
    return shape["n"] == 0 ? 0 : Passes<BlockTiles, Plain>::scratch(shape["n"]);
  }

  template <int phase, class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    if (args.in.size == 0) return;
    auto scratch = args.scratch;
    const Passes<BlockTiles, AccessOf<Args>> passes(scratch, args.in.size);
    if constexpr (phase == 0)
      passes.prepare(device);
    else
      passes.run(device, complex_view(args.out), complex_view(args.in));
  }
};

}  // namespace tallcache::gpu::fft
