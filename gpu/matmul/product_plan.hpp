// How a product is divided among blocks, by the time that it then takes.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "common/ceil_div.hpp"
#include "common/named.hpp"
#include "gpu/matmul/block_order.hpp"
#include "gpu/matmul/stream_plan.hpp"

namespace tallcache::gpu::matmul {

/// What tiles of one size take, as measured (TUNING.md), in nanoseconds and picoseconds: a product of
/// `waves` blocks on each multiprocessor with k steps along k each takes start_ns + (waves - 1) wave_ns,
/// for each step waves step_ps, but alone_ps at least, and sums_ns where the blocks of a cluster have parts
/// of k. The ratios choose the tiles.
struct TileTimes {
  int start_ns, wave_ns, step_ps, alone_ps, sums_ns;

  constexpr double of(Index waves, Index k) const {
    return start_ns + static_cast<double>(waves - 1) * wave_ns +
           static_cast<double>(k * std::max<Index>(waves * step_ps, alone_ps)) * 1e-3;
  }
  /// Where steps along k take `percent` longer.
  constexpr TileTimes longer(int percent) const {
    return {start_ns, wave_ns, step_ps + step_ps * percent / 100, alone_ps + alone_ps * percent / 100,
            sums_ns};
  }
};

/// The nanoseconds of a product, and how its tiles are divided: each among the `parts` blocks of a cluster,
/// or, where it has blocks that share, by `stream`.
struct ProductPlan {
  double time;
  int parts = 1;
  StreamPlan stream{};
  bool copies = false;  ///< factors to aligned rows first

  static constexpr int most_parts = 8;  ///< blocks of a cluster on every device that has clusters

  /// The steps along k of each of `parts` blocks, whole ones of `depth`.
  static constexpr Index share(Index k, Index depth, Index parts) {
    return ceil_div(ceil_div(k, depth), parts) * depth;
  }

  /// The quickest of 1, 2, ... blocks a tile, all with steps of `depth` along k. processors[parts - 1]: the
  /// multiprocessors that clusters of as many blocks fill at once, 0 where there are none.
  static constexpr ProductPlan of_clusters(Index tiles, Index k, Index depth, const TileTimes& times,
                                           std::span<const int> processors) {
    ProductPlan best{std::numeric_limits<double>::infinity()};
    for (int parts = 1; parts <= std::ssize(processors); ++parts) {
      const Index steps = share(k, depth, parts);
      if (processors[parts - 1] == 0 || (parts > 1 && (parts - 1) * steps >= k)) continue;
      const Index waves = std::max<Index>(ceil_div(tiles * parts, processors[parts - 1]), 1);
      const double time = times.of(waves, steps) + (parts > 1 ? times.sums_ns : 0);
      if (time < best.time) best = {time, parts};
    }
    return best;
  }

  /// That of a remainder of tiles, which a block on each multiprocessor shares.
  template <class Tiles>
  static constexpr ProductPlan of_stream(Index tiles, Index k, const TileTimes& times, Index processors) {
    ProductPlan plan{std::numeric_limits<double>::infinity()};
    const StreamPlan stream = StreamPlan::of_remainder(tiles, ceil_div<Index>(k, Tiles::depth), processors);
    if (stream.sharing == 0) return plan;
    // Two kernels more, and the kernel that shares tiles is slower (TUNING.md).
    constexpr double sums_ns = 9000 + 0.9 * Tiles::rows * Tiles::cols;
    const double share = 1.07 * static_cast<double>(stream.shared_tiles) / static_cast<double>(processors);
    plan.time =
        times.of(tiles / processors + 1, 0) + sums_ns +
        (static_cast<double>(tiles / processors) + share) * times.step_ps * 1e-3 * static_cast<double>(k);
    plan.stream = stream;
    return plan;
  }
};

}  // namespace tallcache::gpu::matmul
