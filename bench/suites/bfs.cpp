// Breadth-first search, also on the user's own graphs.
#include <algorithm>
#include <memory>

#include "bench/suites/graph_file.hpp"
#include "bench/suites/suite.hpp"
#include "common/ops/bfs.hpp"

namespace tallcache {
namespace {

// The check of the search needs no seed.
Problem graph_problem(const Operation& operation, const std::string& path) {
  auto graph = std::make_shared<const GraphFile>(read_graph(path));
  const Shape shape{{"vertices", static_cast<Index>(graph->offset.size()) - 1},
                    {"edges", static_cast<Index>(graph->target.size())}};
  return {.operation = &operation, .shape = shape, .input = "file", .own_inputs = [graph](auto buffers) {
            std::ranges::copy(graph->offset, reinterpret_cast<std::uint32_t*>(buffers[1]));
            std::ranges::copy(graph->target, reinterpret_cast<std::uint32_t*>(buffers[2]));
          }};
}

Shape graph(Index vertices, Index edges) { return {{"vertices", vertices}, {"edges", edges}}; }

OptimizationSteps steps() {
  return {.element = "int32",
          .unit = "edge",
          .min_bytes = no_value,
          .limit = "the memory bandwidth",
          .shape = graph(1 << 20, 16 << 20),
          .smoke = graph(65, 1000),
          .steps = {{"a queue", "bfs_queue"},
                    {"level by level, in blocks of edges", "bfs_frontier"},
                    {"bottom up where a level is large", "bfs_direction_optimizing"},
                    {"forks on all cores", "bfs_direction_optimizing", {}, no_value, true}}};
}

// Graph500's sixteen edges a vertex in each direction, and graphs of few edges and many levels.
PeerComparison peers() {
  PeerComparison comparison{.element = "int32",
                            .variant = "bfs_direction_optimizing",
                            .share = {SpeedShare::Of::first_input, "of the random graph's speed"},
                            .beside = {"bfs_queue", "bfs_frontier", "bfs_bag"},
                            .baseline = "bfs_queue",
                            .smoke = graph(65, 1000)};
  for (const bool all_cores : {false, true})
    for (const std::string_view input : graph_inputs)
      for (const int scale : {16, 18, 20, 22}) {
        const Index n = Index{1} << scale;
        const bool is_dense = input == "random" || input == "power_law";
        comparison.cases.push_back({.shape = graph(n, is_dense ? 32 * n : 4 * n),
                                    .input = input,
                                    .all_cores = all_cores,
                                    .from = scale > 20 ? Scale::full : Scale::quick});
      }
  return comparison;
}

}  // namespace

extern const Suite bfs_suite;
const Suite bfs_suite{
    .operation = "bfs", .steps = {steps()}, .peers = {peers()}, .graph_problem = graph_problem};

}  // namespace tallcache
