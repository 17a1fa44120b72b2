// Breadth-first search with a thread for each vertex, which looks at every level whether its turn has come.
#pragma once

#include "gpu/bfs/grid_barrier.cuh"
#include "gpu/bfs/level_queue.cuh"

namespace tallcache::gpu::bfs {

inline constexpr int vertex_threads = 256;

/// `state`: the words of the barrier and of the last level that found something; 0 before.
static __global__ void __launch_bounds__(vertex_threads)
    search_by_vertices(Graph graph, Level* out, Vertex source, unsigned* state) {
  GridBarrier barrier(state);
  // The threads of a level may read a level while others write it: all of them write the same.
  volatile Level* const level = out;
  volatile unsigned* const last_level = state + 1;
  const Index first = Index{blockIdx.x} * blockDim.x + threadIdx.x, stride = Index{gridDim.x} * blockDim.x;
  for (Index v = first; v < graph.vertices; v += stride) level[v] = v == source ? 0 : unreached;
  barrier.wait();
  for (Level own = 0;; ++own) {
    bool has_found = false;
    for (Index u = first; u < graph.vertices; u += stride) {
      if (level[u] != own) continue;
      for (Index e = graph.offset[u], end = graph.offset[u + 1]; e < end; ++e) {
        const Vertex v = graph.target[e];
        if (level[v] != unreached) continue;
        level[v] = own + 1;
        has_found = true;
      }
    }
    if (has_found) *last_level = static_cast<unsigned>(own + 1);
    barrier.wait();
    if (*last_level != static_cast<unsigned>(own + 1)) return;
    barrier.wait();  // before the next level is written there
  }
}

struct vertex_per_thread : OnGpu {
  static constexpr std::string_view idea =
      "a vertex a thread, which at every level asks whether the vertex is of it; one kernel, a barrier of "
      "the grid a level; what races writes the same level";
  static constexpr std::string_view source = "Harish and Narayanan 2007";
  using operations = OperationList<Bfs>;

  static std::size_t scratch(Bfs, const Shape&, const Params&) {
    return scratch_bytes({2 * sizeof(unsigned)});
  }

  template <class Args>
  static void call(const Launch& launch, const Args& args, const Params&) {
    const Index n = args.out.size;
    if (n == 0) return;
    auto scratch = args.scratch;
    const VectorView<unsigned> state = scratch.template vector<unsigned>(2);
    set_zero(launch, state);
    launch_resident(launch, search_by_vertices, vertex_threads, 0, ceil_div(n, Index{vertex_threads}),
                    graph_of(args), args.out.data, args.source, state.data);
  }
};

}  // namespace tallcache::gpu::bfs
