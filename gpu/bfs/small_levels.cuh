// Levels of few edges, which one block searches alone: a barrier of a block takes a tenth of one of the grid,
// and a warp needs none. A long path is all such levels.
#pragma once

#include "gpu/bfs/level_queue.cuh"

namespace tallcache::gpu::bfs {

/// What a search has come to between two steps.
struct Progress {
  Found::Packed found;  ///< the queue of the level that is next to be searched
  std::uint32_t edges;  ///< out of the levels that are done
  Level level;          ///< of the vertices that the next step finds
};

/// The levels of up to an edge a thread.
template <int threads>
class SmallLevels {
 public:
  struct Memory {
    Row queue[2][threads];
    Found::Packed found[3];
    Progress progress;
  };

  __device__ SmallLevels(Memory& memory, const Graph& graph, Level* out, Word* visited)
      : memory_(memory), graph_(graph), out_(out), visited_(visited) {}

  /// By all threads of one block: from the queue `from` of `found` on, until a level is empty or has more
  /// edges; that level's queue is in `to`.
  __device__ void run(Found found, Level level, const Row* from, Row* to, Progress& progress) {
    int step = 0;
    std::uint32_t edges = 0;
    if (threadIdx.x < found.rows) memory_.queue[0][threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x < 3) memory_.found[threadIdx.x] = 0;
    __syncthreads();
    while (found.rows && found.edges <= threads) {
      if (found.edges <= warp) {
        if (threadIdx.x < warp) run_warp(found, edges, level, memory_.queue[step % 2]);
        __syncthreads();
        level = memory_.progress.level, edges = memory_.progress.edges;
        found = Found::of(memory_.progress.found);
        __syncthreads();
        continue;
      }
      edges += found.edges;
      search(found, level, step);
      __syncthreads();
      ++level, ++step;
      found = Found::of(memory_.found[step % 3]);
    }
    if (threadIdx.x < found.rows) to[threadIdx.x] = memory_.queue[step % 2][threadIdx.x];
    if (threadIdx.x == 0) progress = {Found::pack(found.rows, found.edges), edges, level};
  }

 private:
  /// One level.
  __device__ void search(Found found, Level level, int step) {
    if (threadIdx.x == 0) memory_.found[(step + 2) % 3] = 0;
    const Row reached =
        threadIdx.x < found.edges ? reach(memory_.queue[step % 2], found.rows, threadIdx.x, level) : Row{};
    append(reached.edge, reached.number, memory_.queue[(step + 1) % 2], &memory_.found[(step + 1) % 3]);
  }

  /// The first edge and the number of edges of the vertex that an edge reaches; none when it was reached.
  __device__ Row reach(const Row* queue, std::uint32_t rows, std::uint32_t number, Level level) const {
    std::uint32_t low = 0, high = rows;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (queue[middle].number <= number ? low : high) = middle;
    }
    const Vertex v = __ldg(graph_.target + (queue[low].edge + number - queue[low].number));
    const Word bit = Word{1} << v % warp;
    const std::uint32_t begin = __ldg(graph_.offset + v), end = __ldg(graph_.offset + v + 1);
    if (atomicOr(visited_ + v / warp, bit) & bit) return {};
    out_[v] = level;
    return {begin, end - begin};
  }

  /// By one warp: levels of up to an edge a lane. It is alone, so that levels themselves say what is reached,
  /// which its multiprocessor's cache holds; the bits follow for the steps behind.
  __device__ void run_warp(Found found, std::uint32_t edges, Level level, Row* queue) {
    const int lane = threadIdx.x;
    Row row = lane < static_cast<int>(found.rows) ? queue[lane] : Row{0, ~0u};
    while (found.rows && found.edges <= warp) {
      edges += found.edges;
      int owner = 0;
      if (found.rows > 1)
#pragma unroll
        for (int half = warp / 2; half > 0; half /= 2)
          if (__shfl_sync(all_lanes, row.number, owner + half) <= static_cast<unsigned>(lane)) owner += half;
      const std::uint32_t edge = __shfl_sync(all_lanes, row.edge - row.number, owner) + lane;
      Vertex v = ~Vertex{0};  // matching takes a step for each value
      bool is_new = false;
      std::uint32_t begin = 0, degree = 0;
      if (lane < static_cast<int>(found.edges)) {
        v = __ldg(graph_.target + edge);
        begin = __ldg(graph_.offset + v);
        degree = __ldg(graph_.offset + v + 1) - begin;
        is_new = out_[v] == unreached;
      }
      const unsigned same = __match_any_sync(all_lanes, v);
      is_new = is_new && !(same & lanes_before(lane));
      if (is_new) {
        out_[v] = level;
        atomicOr(visited_ + v / warp, Word{1} << v % warp);
      } else {
        degree = 0;
      }
      const unsigned with_edges = __ballot_sync(all_lanes, degree > 0);
      found = next(with_edges, begin, degree, queue, row);
      ++level;
    }
    if (lane < static_cast<int>(found.rows)) queue[lane] = row;
    if (lane == 0) memory_.progress = {Found::pack(found.rows, found.edges), edges, level};
  }

  /// The rows of the next level, a row a lane.
  __device__ static Found next(unsigned with_edges, std::uint32_t begin, std::uint32_t degree, Row* queue,
                               Row& row) {
    const int lane = threadIdx.x;
    __syncwarp();
    if (__popc(with_edges) <= 1) {
      const int only = with_edges ? __ffs(static_cast<int>(with_edges)) - 1 : 0;
      const std::uint32_t its_begin = __shfl_sync(all_lanes, begin, only);
      row = lane == 0 ? Row{its_begin, 0} : Row{0, ~0u};
      return {with_edges ? 1u : 0u, __shfl_sync(all_lanes, degree, only)};
    }
    const std::uint32_t sum = inclusive_sum(degree, lane);
    if (degree) queue[__popc(with_edges & lanes_before(lane))] = {begin, sum - degree};
    __syncwarp();
    const auto rows = static_cast<std::uint32_t>(__popc(with_edges));
    row = lane < static_cast<int>(rows) ? queue[lane] : Row{0, ~0u};
    __syncwarp();
    return {rows, __shfl_sync(all_lanes, sum, warp - 1)};
  }

  Memory& memory_;
  const Graph& graph_;
  Level* out_;
  Word* visited_;
};

}  // namespace tallcache::gpu::bfs
