// What the lanes of a warp do together with the edges of many vertices.
#pragma once

#include <cstdint>

#include "common/ops/bfs.hpp"
#include "gpu/on_gpu.hpp"

namespace tallcache::gpu::bfs {

using Vertex = Bfs::Vertex;
using Level = Bfs::Level;
using Word = std::uint32_t;

inline constexpr int warp = 32;
inline constexpr unsigned all_lanes = ~0u;

/// Where a warp stands among those that share a step's work.
struct WarpPlace {
  Index number, warps;
  int lane;
};
inline __device__ WarpPlace warp_of_grid() {
  const int warps = static_cast<int>(blockDim.x) / warp;
  return {Index{blockIdx.x} * warps + static_cast<int>(threadIdx.x) / warp, Index{gridDim.x} * warps,
          static_cast<int>(threadIdx.x) % warp};
}

inline __device__ unsigned lanes_before(int lane) { return (1u << lane) - 1; }

/// The sum of `value` over this lane and those before it.
inline __device__ std::uint32_t inclusive_sum(std::uint32_t value, int lane) {
#pragma unroll
  for (int distance = 1; distance < warp; distance *= 2) {
    const std::uint32_t before = __shfl_up_sync(all_lanes, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

/// A row of edges: the place of its first in the graph, and its number among the edges of a step.
struct Row {
  std::uint32_t edge, number;
};

/// The last of `rows` rows whose number is at most `number`; that of row 0 is.
template <class RowAt>
__device__ Index row_with(Index rows, Index number, int lane, RowAt row_at) {
  Index low = 0, high = rows;
  while (high - low > 1) {
    const Index stride = (high - low + warp - 1) / warp, i = low + stride * lane;
    const unsigned votes = __ballot_sync(all_lanes, i < high && row_at(i).number <= number);
    const Index last = low + stride * (31 - __clz(static_cast<int>(votes | 1)));
    high = last + stride < high ? last + stride : high;
    low = last;
  }
  return low;
}

/// visit(is_edge, i, edge), by all lanes together, for the edges numbered [begin, end) of a step: `edge` is
/// the edge's place in the graph, i its row. The lanes take neighbouring edges, whatever the lengths of rows.
template <class RowAt, class Visit>
__device__ void for_each_edge(Index rows, Index begin, Index end, int lane, RowAt row_at, Visit visit) {
  if (begin >= end) return;
  Index first = row_with(rows, begin, lane, row_at);
  for (Index number = begin; number < end; first += warp) {
    const bool is_row = first + lane < rows;
    const Row row = is_row ? row_at(first + lane) : Row{};
    const Index starts = is_row ? Index{row.number} : end;
    const Index stop = first + warp < rows ? min(end, Index{row_at(first + warp).number}) : end;
    for (; number < stop; number += warp) {
      int owner = 31 - __clz(static_cast<int>(__ballot_sync(all_lanes, starts <= number) | 1));
      if (__any_sync(all_lanes, starts > number && starts < number + warp)) {
        // The last lane whose row starts at this lane's edge or before it.
        const int shift = starts <= number ? 0 : static_cast<int>(min(starts - number, Index{warp}));
        owner = 0;
#pragma unroll
        for (int half = warp / 2; half > 0; half /= 2)
          if (__shfl_sync(all_lanes, shift, owner + half) <= lane) owner += half;
      }
      const Index own = number + lane;
      const std::uint32_t edge = __shfl_sync(all_lanes, row.edge - row.number, owner);
      visit(own < stop, first + owner, edge + static_cast<std::uint32_t>(own));
    }
    number = stop;
  }
}

/// The part of [0, size) of a step that a warp takes: neighbours, at least `grain` of them.
struct Part {
  Index begin, end;

  __device__ Part(Index size, Index grain, const WarpPlace& place) {
    Index each = (size + place.warps - 1) / place.warps;
    each = each < grain ? grain : (each + warp - 1) / warp * warp;
    begin = min(size, each * place.number);
    end = min(size, begin + each);
  }
};

}  // namespace tallcache::gpu::bfs
