// The edges into each vertex, made once for any number of searches: counted, summed up and placed.
#pragma once

#include "gpu/bfs/level_queue.cuh"
#include "gpu/scan.hpp"

namespace tallcache::gpu::bfs {

/// The edges into v come from from[offset[v]], ..., from[offset[v + 1] - 1], in no order. `likely` is the
/// vertex before v that has the most edges, and so is reached early. Bit v % 32 of `has_any[v / 32]` says
/// whether v has any.
struct IncomingEdges {
  std::uint32_t* offset;
  Vertex *from, *likely;
  Word* has_any;
};

/// An edge's vertex by the number of its edges; of equals the lower one.
inline __device__ Found::Packed rank_of(Vertex u, std::uint32_t degree) { return Found::pack(degree, ~u); }

template <class Visit>
__device__ void for_each_edge_of(const Graph& graph, Visit visit) {
  const WarpPlace place = warp_of_grid();
  const Part part(graph.edges, 1024, place);
  const auto row_at = [&](Index u) {
    const std::uint32_t begin = __ldg(graph.offset + u);
    return Row{begin, begin};
  };
  for_each_edge(graph.vertices, part.begin, part.end, place.lane, row_at, visit);
}

static __global__ void count_incoming(Graph graph, std::uint32_t* count, Found::Packed* best) {
  for_each_edge_of(graph, [&](bool is_edge, Index u, std::uint32_t edge) {
    if (!is_edge) return;
    const Vertex v = graph.target[edge];
    atomicAdd(count + v, 1);
    const auto rank = rank_of(static_cast<Vertex>(u), graph.offset[u + 1] - graph.offset[u]);
    if (Found::Packed* const at = best + v; *static_cast<volatile Found::Packed*>(at) < rank)
      atomicMax(at, rank);
  });
}

static __global__ void name_likely(Index vertices, const Found::Packed* best, IncomingEdges incoming) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index v = Index{blockIdx.x} * blockDim.x + threadIdx.x; v < ceil_div(vertices, Index{warp}) * warp;
       v += stride) {
    const bool has_any = v < vertices && best[v] != 0;
    if (v < vertices) incoming.likely[v] = has_any ? ~static_cast<Vertex>(best[v]) : 0;
    const Word word = __ballot_sync(all_lanes, has_any);
    if (v % warp == 0) incoming.has_any[v / warp] = word;
  }
}

static __global__ void place_incoming(Graph graph, std::uint32_t* next, Vertex* from) {
  for_each_edge_of(graph, [&](bool is_edge, Index u, std::uint32_t edge) {
    if (is_edge) from[atomicAdd(next + graph.target[edge], 1)] = static_cast<Vertex>(u);
  });
}

/// Makes them. `next`, n + 1 words, and `best`, n, are working memory, `scan` that of the prefix sums.
inline void fill(const Launch& launch, const IncomingEdges& incoming, const Graph& graph,
                 VectorView<std::uint32_t> next, VectorView<Found::Packed> best, VectorView<std::byte> scan) {
  constexpr int threads = 256;
  const auto blocks = static_cast<unsigned>(16 * multiprocessors());
  const VectorView<std::uint32_t> offset{incoming.offset, graph.vertices + 1};
  const cudaStream_t stream = stream_of(launch);
  set_zero(launch, offset);
  set_zero(launch, best);
  if (graph.edges) {
    count_incoming<<<blocks, threads, 0, stream>>>(graph, offset.data, best.data);
    check_launch();
  }
  exclusive_scan(launch, offset, scan);
  name_likely<<<blocks, threads, 0, stream>>>(graph.vertices, best.data, incoming);
  check_launch();
  if (graph.edges == 0) return;
  copy_elements(launch, next, VectorView<const std::uint32_t>(offset));
  place_incoming<<<blocks, threads, 0, stream>>>(graph, next.data, incoming.from);
  check_launch();
}

}  // namespace tallcache::gpu::bfs
