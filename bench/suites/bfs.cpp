// Breadth-first search, also on the user's own graphs.
#include <algorithm>
#include <memory>

#include "bench/suites/graph_file.hpp"
#include "bench/suites/suite.hpp"

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

}  // namespace

extern const Suite bfs_suite;
const Suite bfs_suite{.operation = "bfs", .graph_problem = graph_problem};

}  // namespace tallcache
