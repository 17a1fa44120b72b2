// n = n1 n2 in two passes over memory: columns with the roots of n, and rows. A block has a tile.
#pragma once

#include "gpu/fft/passes.hpp"

namespace tallcache::gpu::fft {

/// 4 columns, of numbers of 8 bytes 8, so that what lies together in memory is 64 bytes at least; half as
/// many where the tile would else not fit into a block's registers.
struct BlockTiles {
  static constexpr int max_lg_n = 24, max_lg_across = 12;

  template <class T>
  static constexpr int max_lg_whole(bool, unsigned) {
    return 12;
  }

  template <class T>
  static constexpr int lg_cols(Pass, int lg_l, Index) {
    return (lg_l >= 12 ? 1 : 2) + (sizeof(NumberOf<T>) == 8);
  }

  template <class T, Pass pass, int lg_l, class Device, class Data>
  static void run(Device& device, const Data& data) {
    constexpr int lg_own = lg_cols<T>(pass, lg_l, 0);
    constexpr int lg_c = pass == Pass::whole    ? lg_whole_cols<Data>(lg_l)
                         : pass == Pass::across ? lg_across_cols(lg_l, lg_own)
                                                : lg_own;
    constexpr int lg_e = pass == Pass::whole ? lg_whole_each<Data>(lg_l) : lg_each(lg_l);
    using Kernel = TransformTile<T, pass, lg_l, lg_c, lg_e>;
    launch_kernel(device, Kernel{},
                  {{grid_of(ceil_div(data.order.total(), Index{1} << lg_c))},
                   {Kernel::max_threads},
                   Kernel::max_dynamic_shared_bytes},
                  data);
  }

  template <class T, class Device, class Data>
  static void run_mixed(Device& device, bool, const Data& data) {
    const MixedPass& pass = data.pass;
    launch_kernel(device, MixedTile<T>{},
                  {{grid_of(pass.tiles(data.order))},
                   {static_cast<unsigned>(pass.threads)},
                   pass.tile_numbers() * sizeof(Complex<T>)},
                  data);
  }
};

/// The base of what runs on these tiles: a block of the longest columns has so much shared memory.
using OnBlockTiles =
    OnSharedMemory<TransformTile<double, Pass::rows, BlockTiles::max_lg_n / 2,
                                 BlockTiles::lg_cols<double>(Pass::rows, BlockTiles::max_lg_n / 2, 0),
                                 lg_each(BlockTiles::max_lg_n / 2)>::max_dynamic_shared_bytes>;

struct two_passes : OnBlockTiles {
  static constexpr std::string_view idea =
      "n = n1 n2 in two passes: columns of tiles in registers, radix 16, exchanged through shared memory; "
      "the result of the first pass in the tiles of the second; powers of two to 2^24, products of "
      "factors up to 17 and one up to 127; applies coalescing, tiling, coarsening";
  static constexpr std::string_view source =
      "Bailey 1990; Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008";
  using operations = OperationList<Fft<double>, Fft<float>>;
  static constexpr PhaseSpec phases[] = {{"roots", false, true}, {"transform"}};

  static bool supports(const Shape& shape) { return Passes<BlockTiles, double, Plain>::supports(shape["n"]); }

  template <class Device = Launch, class T>
  static std::size_t scratch(Fft<T>, const Shape& shape, const Params&) {
    return shape["n"] == 0 ? 0 : Passes<BlockTiles, T, Plain>(shape["n"]).scratch();
  }

  template <int phase, class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    if (args.in.size == 0) return;
    auto scratch = args.scratch;
    Passes<BlockTiles, RealOfArgs<Args>, AccessOf<Args>> passes(args.in.size);
    passes.take(scratch);
    if constexpr (phase == 0)
      passes.prepare(device);
    else
      passes.run(device, complex_view(args.out), complex_view(args.in));
  }
};

}  // namespace tallcache::gpu::fft
