// The steps of a search in two directions, all in one kernel.
#pragma once

#include "gpu/bfs/bottom_up.cuh"
#include "gpu/bfs/grid_barrier.cuh"
#include "gpu/bfs/small_levels.cuh"

namespace tallcache::gpu::bfs {

/// The working memory of a search.
struct SearchMemory {
  struct State {
    Found::Packed found[3];  ///< by each step for the next; a step clears that of the step after
    Progress progress;
    unsigned arrived;
  };
  State* state;  ///< zero before the search
  Row* queue[2];
  Word* visited[2];
};

template <int threads>
class DirectionSearch {
 public:
  union Memory {
    typename SmallLevels<threads>::Memory small;
    BottomUp::Memory bottom_up[threads / warp];
    Vertex found[threads / warp][FoundVertices::capacity];
  };

  __device__ DirectionSearch(Memory& shared, const Graph& graph, const IncomingEdges& incoming, Level* out,
                             const SearchMemory& memory)
      : shared_(shared),
        graph_(graph),
        incoming_(incoming),
        out_(out),
        memory_(memory),
        barrier_(&memory.state->arrived),
        place_(warp_of_grid()),
        visited_(memory.visited[0]),
        next_visited_(memory.visited[1]) {}

  /// alpha, beta: as of Beamer et al., section IV.
  __device__ void run(Vertex source, std::uint32_t alpha, std::uint32_t beta) {
    start(source);
    barrier_.wait();
    bool is_queue = true;
    std::uint32_t left = graph_.edges;
    for (;;) {
      const Found found = Found::load(found_at(0));
      if (found.rows == 0) return;
      const bool is_small = is_queue && found.edges <= threads;
      if (is_small) {
        run_small(found);
      } else if (is_queue && found.edges <= left / alpha) {
        left -= found.edges;
        top_down(found);
      } else if (is_queue || found.rows > graph_.vertices / beta) {
        if (is_queue) left -= found.edges;
        is_queue = false;
        bottom_up();
      } else {
        is_queue = true;
        make_queue();
      }
      end_step();
      if (is_small) {
        level_ = memory_.state->progress.level;
        left -= memory_.state->progress.edges;
      }
    }
  }

 private:
  __device__ Found::Packed* found_at(int later) const { return memory_.state->found + (step_ + later) % 3; }
  __device__ Row* queue() const { return memory_.queue[step_ % 2]; }
  __device__ Row* next_queue() const { return memory_.queue[(step_ + 1) % 2]; }

  /// All have read what the last step found when they come to this step's barrier; it is cleared behind that.
  __device__ void end_step() {
    barrier_.wait();
    ++step_;
    if (blockIdx.x == 0 && threadIdx.x == 0) *found_at(2) = 0;
  }

  __device__ void start(Vertex source) {
    const Index stride = Index{gridDim.x} * blockDim.x, first = Index{blockIdx.x} * blockDim.x + threadIdx.x;
    for (Index v = first; v < graph_.vertices; v += stride) out_[v] = v == source ? 0 : unreached;
    for (Index w = first; w < ceil_div(graph_.vertices, Index{warp}); w += stride)
      visited_[w] = w == source / warp ? Word{1} << source % warp : 0;
    if (first == 0) {
      const std::uint32_t begin = graph_.offset[source], degree = graph_.offset[source + 1] - begin;
      queue()[0] = {begin, 0};
      *found_at(0) = degree ? Found::pack(1, degree) : 0;
    }
  }

  /// Block 0 alone, until a level has more edges.
  __device__ void run_small(Found found) {
    Progress& progress = memory_.state->progress;
    if (blockIdx.x == 0) {
      SmallLevels<threads> small(shared_.small, graph_, out_, visited_);
      small.run(found, level_, queue(), next_queue(), progress);
      if (threadIdx.x == 0) *found_at(1) = progress.found;
    }
  }

  __device__ FoundVertices found_vertices() {
    return {shared_.found[threadIdx.x / warp], graph_, next_queue(), found_at(1), place_.lane};
  }

  __device__ void top_down(Found found) {
    const Part part(found.edges, warp, place_);
    FoundVertices next = found_vertices();
    for_each_edge(
        found.rows, part.begin, part.end, place_.lane, [rows = queue()](Index i) { return rows[i]; },
        [&](bool is_edge, Index, std::uint32_t edge) {
          const Vertex v = is_edge ? __ldg(graph_.target + edge) : 0;
          const bool is_new = is_edge && claim(visited_, v);
          if (is_new) out_[v] = level_;
          next.add(is_new, v);
        });
    next.flush();
    ++level_;
  }

  __device__ void bottom_up() {
    BottomUp step(shared_.bottom_up[threadIdx.x / warp], graph_.vertices, incoming_, out_, level_, visited_,
                  next_visited_);
    const std::uint32_t found = step.run(place_);
    if (place_.lane == 0 && found) atomicAdd(found_at(1), Found::pack(found, 0));
    Word* const before = visited_;
    visited_ = next_visited_;
    next_visited_ = before;
    ++level_;
  }

  /// Of what the last step found from below: the bits that its step before had not.
  __device__ void make_queue() {
    const Index words = ceil_div(graph_.vertices, Index{warp});
    FoundVertices next = found_vertices();
    for (Index first = place_.number * warp; first < words; first += place_.warps * warp) {
      const Index own = first + place_.lane;
      const Word bits = own < words ? visited_[own] & ~next_visited_[own] : 0;
      for (unsigned lanes = __ballot_sync(all_lanes, bits != 0); lanes; lanes &= lanes - 1) {
        const int k = __ffs(static_cast<int>(lanes)) - 1;
        const Word word = __shfl_sync(all_lanes, bits, k);
        next.add(word >> place_.lane & 1, static_cast<Vertex>((first + k) * warp + place_.lane));
      }
    }
    next.flush();
  }

  Memory& shared_;
  const Graph& graph_;
  const IncomingEdges& incoming_;
  Level* out_;
  const SearchMemory& memory_;
  GridBarrier barrier_;
  WarpPlace place_;
  Word *visited_, *next_visited_;
  Level level_ = 1;  ///< of the vertices that the step finds
  int step_ = 0;
};

}  // namespace tallcache::gpu::bfs
