// Breadth-first search with a queue for each level. A thread takes a vertex of it; the edges of a warp's
// vertices are spread over its lanes, those of a vertex of many edges over the block.
#pragma once

#include "gpu/bfs/grid_barrier.cuh"
#include "gpu/bfs/level_queue.cuh"

namespace tallcache::gpu::bfs {

inline constexpr int queue_threads = 256;

/// The working memory of a search.
struct QueueMemory {
  Vertex* queue[2];
  unsigned* size;     ///< three: each level's, of the next, and of the one that is cleared for later
  unsigned* arrived;  ///< of the barrier
};

/// Claims v for `level` and appends it. By all lanes of a warp.
inline __device__ void append_claimed(bool is_edge, Vertex v, Level level, Level* out, Vertex* queue,
                                      unsigned* size) {
  bool is_new = false;
  if (is_edge && *static_cast<volatile Level*>(out + v) == unreached)
    is_new = atomicCAS(out + v, unreached, level) == unreached;
  const unsigned finders = __ballot_sync(all_lanes, is_new);
  if (finders == 0) return;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  unsigned room = 0;
  if (lane == 0) room = atomicAdd(size, static_cast<unsigned>(__popc(finders)));
  room = __shfl_sync(all_lanes, room, 0);
  if (is_new) queue[room + __popc(finders & lanes_before(lane))] = v;
}

/// A row that a block takes together.
struct WideRow {
  unsigned owner;
  std::uint32_t begin, end;
};

/// visit(is_edge, edge) for the edges [begin, end) of each thread's row, by all threads of a block: long rows
/// by the block, those of a warp's lanes or more by the warp, the others gathered by a sum over the warp.
template <class Visit>
__device__ void expand(std::uint32_t begin, std::uint32_t end, WideRow& wide, Visit visit) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  while (__syncthreads_or(end - begin >= queue_threads)) {
    if (end - begin >= queue_threads) wide.owner = threadIdx.x;  // one of them stays
    __syncthreads();
    if (wide.owner == threadIdx.x) {
      wide.begin = begin, wide.end = end;
      end = begin;
    }
    __syncthreads();
    const Index stop = wide.end;
    for (Index e = wide.begin; e < stop; e += queue_threads)
      visit(e + threadIdx.x < stop, static_cast<std::uint32_t>(e + threadIdx.x));
  }
  for (unsigned lanes = __ballot_sync(all_lanes, end - begin >= warp); lanes; lanes &= lanes - 1) {
    const int owner = __ffs(static_cast<int>(lanes)) - 1;
    const Index stop = __shfl_sync(all_lanes, end, owner);
    for (Index e = __shfl_sync(all_lanes, begin, owner); e < stop; e += warp)
      visit(e + lane < stop, static_cast<std::uint32_t>(e + lane));
    if (lane == owner) end = begin;
  }
  const std::uint32_t sum = inclusive_sum(end - begin, lane), own = sum - (end - begin);
  const std::uint32_t edges = __shfl_sync(all_lanes, sum, warp - 1);
  for (std::uint32_t number = lane; number < edges + lane; number += warp) {
    int owner = 0;
#pragma unroll
    for (int half = warp / 2; half > 0; half /= 2)
      if (__shfl_sync(all_lanes, own, owner + half) <= number) owner += half;
    visit(number < edges, __shfl_sync(all_lanes, begin - own, owner) + number);
  }
}

static __global__ void __launch_bounds__(queue_threads)
    search_by_queues(Graph graph, Level* out, Vertex source, QueueMemory memory) {
  __shared__ WideRow wide;
  GridBarrier barrier(memory.arrived);
  const Index first = Index{blockIdx.x} * blockDim.x + threadIdx.x, stride = Index{gridDim.x} * blockDim.x;
  for (Index v = first; v < graph.vertices; v += stride) out[v] = v == source ? 0 : unreached;
  if (first == 0) memory.queue[0][0] = source, memory.size[0] = 1;
  barrier.wait();
  for (Level level = 1;; ++level) {
    const Vertex* const queue = memory.queue[(level - 1) % 2];
    Vertex* const next = memory.queue[level % 2];
    const unsigned size = *static_cast<volatile unsigned*>(memory.size + (level - 1) % 3);
    unsigned* const next_size = memory.size + level % 3;
    if (size == 0) return;
    if (first == 0) memory.size[(level + 1) % 3] = 0;
    const auto visit = [&](bool is_edge, std::uint32_t edge) {
      append_claimed(is_edge, is_edge ? __ldg(graph.target + edge) : 0, level, out, next, next_size);
    };
    for (Index base = Index{blockIdx.x} * blockDim.x; base < size; base += stride) {
      const Index i = base + threadIdx.x;
      std::uint32_t begin = 0, end = 0;
      if (i < size) {
        const Vertex u = queue[i];
        begin = __ldg(graph.offset + u), end = __ldg(graph.offset + u + 1);
      }
      expand(begin, end, wide, visit);
    }
    barrier.wait();
  }
}

struct frontier_queue : OnGpu {
  static constexpr std::string_view idea =
      "a queue a level, a vertex a thread; the edges of many go over the block, of fewer over the warp, the "
      "others gathered by a sum; one kernel, a barrier of the grid a level";
  static constexpr std::string_view source = "M11: breadth-first search; Merrill, Garland, Grimshaw 2012";
  using operations = OperationList<Bfs>;

  static std::size_t scratch(Bfs, const Shape& shape, const Params&) {
    const std::size_t queue = checked_product(shape["vertices"], sizeof(Vertex), "vertices");
    return scratch_bytes({queue, queue, 4 * sizeof(unsigned)});
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    const Index n = args.out.size;
    if (n == 0) return;
    auto scratch = args.scratch;
    QueueMemory memory{};
    for (Vertex*& queue : memory.queue) queue = scratch.template vector<Vertex>(n).data;
    const VectorView<unsigned> counters = scratch.template vector<unsigned>(4);
    memory.size = counters.data, memory.arrived = counters.data + 3;
    set_zero(launch, counters);
    launch_resident(launch, search_by_queues, queue_threads, 0, ceil_div(n, Index{queue_threads}),
                    graph_of(args), args.out.data, args.source, memory);
  }
};

}  // namespace tallcache::gpu::bfs
