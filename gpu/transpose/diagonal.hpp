// As bank_conflict_free, with blocks along diagonals of tiles: blocks that run at the same time write
// different columns of tiles.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::transpose {

/// The text's two mappings from diagonal to Cartesian coordinates, for a square number of tiles and for
/// any other.
struct Diagonal {
  template <class Thread>
  TALLCACHE_DEVICE static Tile tile(const Thread& t, const Tiling& tiling) {
    const auto across = static_cast<unsigned>(tiling.across), down = static_cast<unsigned>(tiling.down);
    if (across == down) {
      const unsigned x = t.block().x % across, y = t.block().x / across;
      return {x, (x + y) % across};
    }
    const unsigned row = t.block().x % down;
    return {row, (t.block().x / down + row) % across};
  }
};

struct diagonal : OnGpu {
  static constexpr std::string_view idea =
      "as bank_conflict_free, blocks take tiles along diagonals, so that they do not camp on a memory "
      "partition";
  static constexpr std::string_view source = "M16: transposeDiagonal";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    move_tiles<Transposed, 4, 1, Diagonal>(device, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
