// B = A^T for rows of any length: the tile of each row of B starts where a
// sector of device memory does, so that no sector is written by two blocks.
#pragma once

#include <cstdint>

#include "common/ops/transpose.hpp"
#include "gpu/transpose/strip_order.hpp"
#include "gpu/tuning/tuned.hpp"

namespace tallcache::gpu::transpose {

/// The elements of a sector, the smallest unit that device memory reads or
/// writes.
template <class T>
inline constexpr int sector = 32 / sizeof(T);

/// Tiles of side x side elements of B, whose row r starts up to a sector less
/// one element early. A warp stores neighbouring elements of one row: 16 bytes
/// a thread would have to come from unaligned places of shared memory, with
/// four bank conflicts for each store saved.
template <int side, int threads>
struct TransposeSectors {
  static constexpr int max_threads = threads, step = threads / side;

  template <class Thread, class B, class A>
  TALLCACHE_DEVICE void operator()(const Thread& t, B b, A a, StripOrder order) const {
    using T = typename B::value_type;
    constexpr int early = sector<T> - 1, height = side + early;
    auto&& tile = shared<0, T[side][height | 1]>(t);  // an odd pitch: a column lies in different banks
    const Tile first = order.origin(t);
    const int x = static_cast<int>(t.thread().x) % side, y = static_cast<int>(t.thread().x) / side;
    {
      constexpr int loads = (height + step - 1) / step;
      const Index i = first.col - early + y, j = first.row + x;
      const bool is_whole =
          first.col >= early && first.col + side + step <= a.rows && first.row + side <= a.cols;
      T value[loads];
      if (is_whole) {  // no test between the loads
#pragma unroll
        for (int e = 0; e < loads; ++e) value[e] = a(i + e * step, j);
      } else {
#pragma unroll
        for (int e = 0; e < loads; ++e)
          if (i + e * step >= 0 && i + e * step < a.rows && j < a.cols) value[e] = a(i + e * step, j);
      }
#pragma unroll
      for (int e = 0; e < loads; ++e)
        if (y + e * step < height) tile[x][y + e * step] = value[e];
    }
    t.sync();
    const auto start =
        static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(b.data + first.row * b.ld) / sizeof(T));
    const auto pitch = static_cast<unsigned>(b.ld);
#pragma unroll 8
    for (int r = y; r < side; r += step) {
      const int into = (start + r * pitch) % sector<T>;  // elements of the sector before the tile
      const Index col = first.col + x - into;
      if (first.row + r < b.rows && col >= 0 && col < b.cols)
        b(first.row + r, col) = tile[r][early - into + x];
    }
  }
};

struct whole_sectors : OnGpu {
  static constexpr std::string_view idea =
      "rows of any length: each row of a tile of B starts at a 32-byte sector, "
      "so that none is written in "
      "parts, blocks along B's rows; applies coalescing, tiling, coarsening";
  static constexpr std::string_view source = "M6: REC-TRANSPOSE, on the GPU; M16: bank conflicts";
  using operations = OperationList<Transpose<float>, Transpose<double>, Transpose<std::int32_t>>;

  template <class Device, class Args>
  static void call(Device& device, const Args& args, const Params&) {
    using T = typename decltype(args.b)::value_type;
    constexpr int side = 64, threads = 256;
    if (args.b.rows == 0 || args.b.cols == 0) return;
    const bool is_on_time =
        args.b.ld % sector<T> == 0 && reinterpret_cast<std::uintptr_t>(args.b.data) % 32 == 0;
    StripOrder order(Tiling(args.b.rows, args.b.cols + (is_on_time ? 0 : sector<T> - 1), side, side));
    order.share_sectors(tuning_of(device).transpose_long_strip);
    order.spread_over_channels(args.a);
    launch_kernel(device, TransposeSectors<side, threads>{}, {{order.tiling.grid()}, {threads}}, args.b,
                  args.a, order);
  }
};

}  // namespace tallcache::gpu::transpose
