// Sums of one tile of C that the blocks of a cluster have parts of.
#pragma once

#include "gpu/chunk.hpp"
#include "gpu/cluster.cuh"
#include "gpu/launch.cuh"

namespace tallcache::gpu::matmul {

/// A tile of sums in shared memory, in place of the factors.
template <class Tiles, class Sum>
struct SharedSums {
  static constexpr int chunk = 16 / int{sizeof(Sum)}, pitch = Tiles::cols + chunk;
  static constexpr int bytes = Tiles::rows * pitch * int{sizeof(Sum)};

  static __device__ MatrixView<Sum> at(Sum* memory) { return {memory, Tiles::rows, Tiles::cols, pitch}; }
};

/// The sums of the cluster's parts of C's tile with first element (row, col), in the order of k. Block
/// `rank` of `parts` adds and stores its share of the elements by `threads` threads, of which `thread` is
/// the caller.
template <class Tiles, int threads, class Sum>
__device__ __forceinline__ void add_parts_of_cluster(const MatrixView<Sum>& c, Index row, Index col,
                                                     const Sum* own, int thread, int rank, int parts,
                                                     bool wide_c) {
  using Sums = SharedSums<Tiles, Sum>;
  constexpr int across = Tiles::cols / Sums::chunk;
  const std::uint32_t here = shared_address(own);
  for (int i = rank * threads + thread; i < Tiles::rows * across; i += parts * threads) {
    const int r = i / across, j = i % across * Sums::chunk;
    const Index left = row + r < c.rows ? c.cols - (col + j) : 0;
    if (left <= 0) continue;
    const std::uint32_t at = here + (r * Sums::pitch + j) * std::uint32_t{sizeof(Sum)};
    Chunk<Sum> sum{};
#pragma unroll 4
    for (int part = 0; part < parts; ++part) {
      const auto other = __builtin_bit_cast(Chunk<Sum>, load_of_block(of_block(at, part)));
#pragma unroll
      for (int e = 0; e < Sums::chunk; ++e) sum.at[e] += other.at[e];
    }
    store_chunk(element_at(c.data[0], (row + r) * c.ld + col + j), 0, left, sum, wide_c);
  }
}

}  // namespace tallcache::gpu::matmul
