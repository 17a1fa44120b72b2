// The queue of a level: the rows of its vertices, numbered through, so that warps share its edges evenly.
#pragma once

#include "gpu/bfs/warp_edges.cuh"

namespace tallcache::gpu::bfs {

/// The rows of a queue and the edges out of them, in one word, so that one atomic addition takes room for
/// both and rows are in the order of their edges' numbers.
struct Found {
  using Packed = unsigned long long;
  std::uint32_t rows, edges;

  static constexpr __device__ Packed pack(std::uint32_t rows, std::uint32_t edges) {
    return Packed{rows} << 32 | edges;
  }
  static __device__ Found of(Packed packed) {
    return {static_cast<std::uint32_t>(packed >> 32), static_cast<std::uint32_t>(packed)};
  }
  static __device__ Found load(const Packed* at) { return of(*const_cast<const volatile Packed*>(at)); }
};

/// A graph on the device.
struct Graph {
  const std::uint32_t* offset;
  const Vertex* target;
  Index vertices;
  std::uint32_t edges;
};
template <class Args>
Graph graph_of(const Args& args) {
  return {args.offset.data, args.target.data, args.out.size, static_cast<std::uint32_t>(args.target.size)};
}

/// By a warp: a row of each lane into the next level's queue, where it has edges.
inline __device__ void append(std::uint32_t begin, std::uint32_t degree, Row* queue, Found::Packed* found) {
  const int lane = threadIdx.x % warp;
  const unsigned with_edges = __ballot_sync(all_lanes, degree > 0);
  if (with_edges == 0) return;
  const std::uint32_t sum = inclusive_sum(degree, lane);
  Found::Packed room = 0;
  if (lane == warp - 1) room = atomicAdd(found, Found::pack(__popc(with_edges), sum));
  const Found before = Found::of(__shfl_sync(all_lanes, room, warp - 1));
  if (degree)
    queue[before.rows + __popc(with_edges & lanes_before(lane))] = {begin, before.edges + sum - degree};
}

/// Vertices that a warp has found, on the way to the next level's queue: 32 take its room at once.
class FoundVertices {
 public:
  static constexpr int capacity = 2 * warp;

  /// `memory`: capacity vertices of shared memory, the warp's own.
  __device__ FoundVertices(Vertex* memory, const Graph& graph, Row* queue, Found::Packed* found, int lane)
      : memory_(memory), graph_(graph), queue_(queue), found_(found), lane_(lane) {}

  /// By all lanes: v of those that have found one.
  __device__ void add(bool is_found, Vertex v) {
    const unsigned finders = __ballot_sync(all_lanes, is_found);
    if (finders == 0) return;
    if (is_found) memory_[size_ + __popc(finders & lanes_before(lane_))] = v;
    size_ += __popc(finders);
    __syncwarp();
    if (size_ >= warp) flush();
  }

  /// By all lanes: up to 32 of them into the queue, but for those without edges.
  __device__ void flush() {
    const int number = size_ < warp ? size_ : warp;
    if (number == 0) return;
    size_ -= number;
    std::uint32_t begin = 0, degree = 0;
    if (lane_ < number) {
      const Vertex v = memory_[size_ + lane_];
      begin = __ldg(graph_.offset + v);
      degree = __ldg(graph_.offset + v + 1) - begin;
    }
    __syncwarp();
    append(begin, degree, queue_, found_);
  }

 private:
  Vertex* memory_;
  const Graph& graph_;
  Row* queue_;
  Found::Packed* found_;
  int lane_, size_ = 0;
};

/// Whether this thread is the first to reach v, by its bit.
inline __device__ bool claim(Word* visited, Vertex v) {
  Word* const word = visited + v / warp;
  const Word bit = Word{1} << v % warp;
  if (*const_cast<const volatile Word*>(word) & bit) return false;
  return !(atomicOr(word, bit) & bit);
}

}  // namespace tallcache::gpu::bfs
