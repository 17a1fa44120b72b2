// The measurements of all pairs' shortest paths. A relaxation is an addition and a minimum: two operations.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape vertices(Index n) { return {{"n", n}}; }

OptimizationSteps steps() {
  return {.element = "float",
          .unit = "relaxation",
          .min_bytes = no_value,
          .limit = "the FMA peak",
          .shape = vertices(1024),
          .smoke = vertices(48),
          .steps = {{"three loops over single elements", "floyd_warshall"},
                    {"the innermost loop in vectors", "floyd_warshall_vectors"},
                    {"by quadrants, leaves in registers", "cgep_recursive"},
                    {.label = "forks on all cores", .variant = "cgep_recursive", .all_cores = true}}};
}

// What a user would write is the loops in vectors.
PeerComparison peers(std::string_view element, std::string_view variant) {
  PeerComparison comparison{.element = element,
                            .variant = variant,
                            .share = {SpeedShare::Of::limit, "of the FMA peak of float", {}, {}, "float"},
                            .beside = {"floyd_warshall_vectors", "floyd_warshall_blocked"},
                            .baseline = "floyd_warshall_vectors",
                            .smoke = vertices(65),
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {64, 100, 256, 300, 512, 1000, 1024, 2048}) cases.push_back({.shape = vertices(n)});
  for (const std::string_view input : {"sparse", "grid", "negative"})
    cases.push_back({.shape = vertices(1000), .input = input});
  cases.push_back({.shape = {{"n", 1000}, {"pad", 24}}});
  cases.push_back({.shape = vertices(3072), .from = Scale::full});
  cases.push_back({.shape = vertices(1024), .all_cores = true});
  cases.push_back({.shape = vertices(3072), .all_cores = true, .from = Scale::full});
  return comparison;
}

// A minimum of floats goes to half as many lanes as a multiply-add, so that additions and minima reach 0.57
// of the FMA peak that is measured on an H100 (gpu/gep/TUNING.md).
OptimizationSteps gpu_steps() {
  return {.element = "float",
          .unit = "relaxation",
          .min_bytes = no_value,
          .limit = "the FMA peak",
          .shape = vertices(4096),
          .smoke = vertices(48),
          .steps = {{"a launch for each intermediate vertex", "floyd_warshall"},
                    {"tiles of 32 x 32 in shared memory", "floyd_warshall_blocked"},
                    {"register tiles, 64 vertices a product", "cgep_recursive", {{"group", 64}}},
                    {"by halves: products of up to 512 vertices", "cgep_recursive"}},
          .backend = "gpu"};
}

// A relaxation, of two flops, is an addition and a minimum.
PeerComparison gpu_peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "cgep_recursive",
                            .share = {.of = SpeedShare::Of::limit,
                                      .title = "of the limit of additions and minima",
                                      .operation = "add_minimum",
                                      .element = element,
                                      .operations = 0.5},
                            .beside = {"floyd_warshall_blocked", "floyd_warshall"},
                            .baseline = "floyd_warshall_blocked",
                            .smoke = vertices(65),
                            .backend = "gpu",
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {512, 1000, 1024, 2048, 3072, 4096, 8192}) cases.push_back({.shape = vertices(n)});
  for (const std::string_view input : {"sparse", "grid", "negative"})
    cases.push_back({.shape = vertices(2048), .input = input});
  cases.push_back({.shape = {{"n", 2047}, {"pad", 3}}});
  cases.push_back({.shape = vertices(16384), .from = Scale::full});
  return comparison;
}

}  // namespace

extern const Suite shortest_paths_suite;
const Suite shortest_paths_suite{.operation = "shortest_paths",
                                 .steps = {steps(), gpu_steps()},
                                 .peers = {peers("float", "cgep_recursive"), peers("int32", "gep_recursive"),
                                           gpu_peers("float"), gpu_peers("int32")}};

}  // namespace tallcache
