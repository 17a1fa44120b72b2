// The tiles of the GPU's sorts by the size of a key: what a block sorts or merges in its shared memory.
#pragma once

#include "gpu/sort/block_merge.hpp"

namespace tallcache::gpu::sort {

/// Of the merge sort.
template <std::size_t key_bytes>
struct TileOf;
template <>
struct TileOf<4> : BlockShape<512, 33, 2, true> {};
template <>
struct TileOf<8> : BlockShape<512, 17, 2> {};
template <>
struct TileOf<16> : BlockShape<512, 7, 2> {};

/// Of the sample sort, at most: a launch takes as many threads as its leaves need.
template <std::size_t key_bytes>
struct LeafOf;
template <>
struct LeafOf<4> : BlockShape<512, 17, 3, true> {};
template <>
struct LeafOf<8> : BlockShape<512, 17, 2> {};
template <>
struct LeafOf<16> : BlockShape<1024, 7, 1> {};

}  // namespace tallcache::gpu::sort
