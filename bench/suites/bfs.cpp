// Breadth-first search, also on the user's own graphs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/show/streams.hpp"
#include "bench/suites/graph_file.hpp"
#include "bench/suites/graph_order.hpp"
#include "bench/suites/suite.hpp"
#include "common/key_inputs.hpp"
#include "common/ops/bfs.hpp"

namespace tallcache {
namespace {

// The check of the search needs no seed.
Problem problem_on(const Operation& operation, GraphFile given, std::string_view input) {
  const auto graph = std::make_shared<const GraphFile>(std::move(given));
  const Shape shape{{"vertices", static_cast<Index>(graph->offset.size()) - 1},
                    {"edges", static_cast<Index>(graph->target.size())}};
  return {.operation = &operation, .shape = shape, .input = input, .own_inputs = [graph](auto buffers) {
            std::ranges::copy(graph->offset, reinterpret_cast<std::uint32_t*>(buffers[1]));
            std::ranges::copy(graph->target, reinterpret_cast<std::uint32_t*>(buffers[2]));
          }};
}

Problem graph_problem(const Operation& operation, const std::string& path) {
  // A large file takes a while.
  const auto show = [&](std::uint64_t bytes) {
    print(Stream::progress, "reading {}: {} MB\n", path, bytes / 1000000);
  };
  return problem_on(operation, read_graph(path, show), "file");
}

// The name of a graph's kind and order, which lasts as long as the program.
std::string_view name_of(std::string_view input, std::string_view order) {
  static std::set<std::string> names;
  return *names.insert(fmt::format("{}, by {}", input, order)).first;
}

Problem in_order(const Problem& problem, std::string_view order) {
  const Shape shape = complete_shape(*problem.operation, problem.shape);
  GraphFile graph{std::vector<std::uint32_t>(static_cast<std::size_t>(shape["vertices"]) + 1),
                  std::vector<std::uint32_t>(static_cast<std::size_t>(Bfs::edges_of(shape)))};
  if (shape["vertices"] == 0) return problem;
  const std::array<std::byte*, 3> buffers{nullptr, reinterpret_cast<std::byte*>(graph.offset.data()),
                                          reinterpret_cast<std::byte*>(graph.target.data())};
  const std::string_view input = problem.input.empty() ? problem.operation->inputs.front() : problem.input;
  if (problem.own_inputs) {
    problem.own_inputs(buffers);
  } else {
    require_input(*problem.operation, input);
    problem.operation->fill(shape, input, problem.seed, buffers);
  }
  Problem ordered = problem_on(*problem.operation, renamed(graph, vertex_names(graph, order, problem.seed)),
                               name_of(input, order));
  ordered.seed = problem.seed;
  return ordered;
}

Shape graph(Index vertices, Index edges) { return {{"vertices", vertices}, {"edges", edges}}; }

Shape sixteen_edges_a_vertex(Index n) { return graph(n, 16 * n); }

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

OptimizationSteps gpu_steps() {
  return {.element = "int32",
          .unit = "edge",
          .min_bytes = no_value,
          .limit = "the memory bandwidth",
          .shape = graph(1 << 20, 16 << 20),
          .smoke = graph(65, 1000),
          .steps = {{"a vertex a thread, all of them at every level", "vertex_per_thread"},
                    {"a queue a level, edges spread over warps and blocks", "frontier_queue"},
                    {"bottom up where a level is large", "direction_bitmaps"}},
          .backend = "gpu"};
}

// Graph500's scales, and graphs of many levels. No library of the CUDA toolkit searches graphs.
PeerComparison gpu_peers() {
  PeerComparison comparison{.element = "int32",
                            .variant = "direction_bitmaps",
                            .share = {SpeedShare::Of::first_input, "of the random graph's speed"},
                            .beside = {"frontier_queue"},
                            .baseline = "frontier_queue",
                            .smoke = graph(65, 1000),
                            .backend = "gpu"};
  for (const std::string_view input : graph_inputs)
    for (int scale = 16; scale <= 25; ++scale) {
      const Index n = Index{1} << scale;
      const bool is_dense = input == "random" || input == "power_law";
      const bool is_long = input == "path" && scale > 18;  // a level takes a while, whatever its size
      if (is_long || (!is_dense && scale > 22) || (input != "power_law" && scale % 2)) continue;
      comparison.cases.push_back({.shape = graph(n, is_dense ? 32 * n : 4 * n),
                                  .input = input,
                                  .from = scale > 20 ? Scale::full : Scale::quick});
    }
  return comparison;
}

}  // namespace

extern const Suite bfs_suite;
const Suite bfs_suite{.operation = "bfs",
                      .sizes = {.element = "int32",
                                .smoke = {65, 1000},
                                .quick = {1 << 12, 1 << 16, 1 << 20},
                                .full = {1 << 12, 1 << 16, 1 << 20, 1 << 24}},
                      .steps = {steps(), gpu_steps()},
                      .peers = {peers(), gpu_peers()},
                      .graph_problem = graph_problem,
                      .in_order = in_order,
                      .sized = sixteen_edges_a_vertex};

}  // namespace tallcache
