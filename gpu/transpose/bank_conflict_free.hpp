// As coalesced, with rows of 33 elements in shared memory: a column of the tile lies in 32 banks.
#pragma once

#include "common/ops/transpose.hpp"
#include "gpu/transpose/tile_moves.hpp"

namespace tallcache::gpu::transpose {

struct bank_conflict_free : OnGpu {
  static constexpr std::string_view idea =
      "as coalesced, the tile's rows padded to 33 elements: no bank conflicts on its columns; applies tiling";
  static constexpr std::string_view source = "M16: Shared memory bank conflicts";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;
  static constexpr ParamSpec params[] = {repeats_param};

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params& params) {
    move_tiles<Transposed, 4, 1>(device, args, params);
  }
};

}  // namespace tallcache::gpu::transpose
