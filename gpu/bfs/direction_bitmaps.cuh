// Breadth-first search in two directions on the GPU, by one kernel.
#pragma once

#include "gpu/bfs/direction_search.cuh"

namespace tallcache::gpu::bfs {

template <int threads, int min_blocks>
static __global__ void __launch_bounds__(threads, min_blocks)
    search_in_two_directions(Graph graph, IncomingEdges incoming, Level* out, SearchMemory memory,
                             Vertex source, std::uint32_t alpha, std::uint32_t beta) {
  using Search = DirectionSearch<threads>;
  auto& shared = *dynamic_shared<typename Search::Memory>(DeviceThread{});
  Search(shared, graph, incoming, out, memory).run(source, alpha, beta);
}

struct direction_bitmaps : OnGpu {
  static constexpr std::string_view idea =
      "one kernel for all levels: a level's edges from a queue, shared out evenly, or, where they are "
      "many, the edges into what is not reached, by bits; one block alone where a level is small; what "
      "races writes the same level";
  static constexpr std::string_view source = "Beamer, Asanovic, Patterson 2012";
  static constexpr std::string_view uses = "CUB: the prefix sums (DeviceScan) of the incoming edges";
  using operations = OperationList<Bfs>;
  static constexpr ParamSpec params[] = {
      {"alpha", 15, "bottom up where a level has more than this part of the edges that are left"},
      {"beta", 256, "and top down again where it finds less than this part of the vertices"}};
  static constexpr PhaseSpec phases[] = {{"incoming edges", false, true}, {"search"}};

  static std::size_t scratch(Bfs, const Shape& shape, const Params&) {
    const Index n = shape["vertices"], edges = Bfs::edges_of(shape);
    return scratch_bytes({bytes<std::uint32_t>(n + 1), bytes<Vertex>(edges), bytes<Vertex>(n),
                          bytes<Word>(words_of(n)), bytes<SearchMemory::State>(1), bytes<Row>(n + 1),
                          bytes<Row>(n + 1), bytes<Word>(words_of(n)), bytes<Word>(words_of(n)),
                          scan_bytes(n + 1)});
  }

  template <int phase, int threads = 1024, int min_blocks = 1, class Args>
  static void call(const Launch& launch, const Args& args, const Params& params) {
    const Index n = args.out.size;
    if (n == 0) return;
    const Graph graph = graph_of(args);
    auto scratch = args.scratch;
    IncomingEdges incoming{};
    incoming.offset = scratch.template vector<std::uint32_t>(n + 1).data;
    incoming.from = scratch.template vector<Vertex>(graph.edges).data;
    incoming.likely = scratch.template vector<Vertex>(n).data;
    incoming.has_any = scratch.template vector<Word>(words_of(n)).data;
    SearchMemory memory{};
    const auto state = scratch.template vector<SearchMemory::State>(1);
    memory.state = state.data;
    for (Row*& queue : memory.queue) queue = scratch.template vector<Row>(n + 1).data;
    for (Word*& visited : memory.visited) visited = scratch.template vector<Word>(words_of(n)).data;
    if constexpr (phase == 0) {
      // The queues are free until the search.
      fill(launch, incoming, graph, {reinterpret_cast<std::uint32_t*>(memory.queue[0]), n + 1},
           {reinterpret_cast<Found::Packed*>(memory.queue[1]), n},
           scratch.template vector<std::byte>(static_cast<Index>(scan_bytes(n + 1))));
    } else {
      TALLCACHE_CUDA(cudaMemsetAsync(memory.state, 0, sizeof *memory.state, stream_of(launch)));
      launch_resident(launch, search_in_two_directions<threads, min_blocks>, threads,
                      sizeof(typename DirectionSearch<threads>::Memory), ceil_div(n, Index{warp}), graph,
                      incoming, args.out.data, memory, args.source, divisor(params["alpha"]),
                      divisor(params["beta"]));
    }
  }

 private:
  static std::uint32_t divisor(Index value) {
    return static_cast<std::uint32_t>(std::min<Index>(value, std::numeric_limits<std::uint32_t>::max()));
  }
  static Index words_of(Index n) { return ceil_div(n, Index{warp}); }
  template <class T>
  static std::size_t bytes(Index n) {
    return checked_product(n, sizeof(T), "elements");
  }
};

}  // namespace tallcache::gpu::bfs
