// The measurements of stencils.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape shape(Index cols, Index rows, Index planes, Index steps) {
  return {{"cols", cols}, {"rows", rows}, {"planes", planes}, {"steps", steps}, {"pad", 0}};
}

/// Beyond the caches. A unit is a point in a step. Loops read a state from memory, and the line of the other
/// one before it is written; a tile does so once in its steps.
OptimizationSteps steps() {
  return {.element = "double",
          .unit = "point and step",
          .min_bytes = 3 * 8 / 50.,
          .limit = "a copy's bandwidth",
          .shape = shape(4000, 4000, 1, 50),
          .smoke = shape(67, 67, 1, 9),
          .steps = {{"point by point, step by step", "loops", {}, 3 * 8},
                    {"rows in vectors", "vector_loops", {}, 3 * 8},
                    {"tiles of 16 steps", "tiles", {}, 3 * 8 / 16.},
                    {"trapezoids by recursion", "trapezoids", {}, 3 * 8 / 50.},
                    {"forks on all cores", "trapezoids", {}, 3 * 8 / 50., true}}};
}

/// The vector loops are what a user would write instead.
PeerComparison peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "trapezoids",
                            .share = {SpeedShare::Of::first_input, "of heat's speed"},
                            .beside = {"vector_loops", "tiles"},
                            .baseline = "vector_loops",
                            .smoke = shape(65, 33, 1, 7),
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const bool all_cores : {false, true}) {
    cases.push_back({.shape = shape(200, 200, 1, 500), .all_cores = all_cores, .group = "in cache"});
    cases.push_back({.shape = shape(4000, 4000, 1, 100), .all_cores = all_cores});
  }
  for (const bool all_cores : {false, true})
    cases.push_back({.shape = shape(8000, 8000, 1, 100), .all_cores = all_cores, .from = Scale::full});
  cases.push_back({.shape = shape(100, 100, 1, 2000), .group = "in cache"});
  cases.push_back({.shape = shape(30, 30, 30, 500), .group = "in cache"});
  cases.push_back({.shape = shape(16000000, 1, 1, 100)});
  cases.push_back({.shape = shape(250, 250, 250, 50)});
  for (const std::string_view input : {"heat_periodic", "heat_mirrored", "heat_box", "wave"})
    cases.push_back({.shape = shape(3000, 3000, 1, 100), .input = input});
  cases.push_back({.shape = shape(250, 250, 250, 50), .input = "heat_box"});
  return comparison;
}

/// Bytes of DRAM: a pass reads and writes a state once, and its halos come from the second-level cache.
OptimizationSteps gpu_steps() {
  return {.element = "double",
          .unit = "point and step",
          .min_bytes = 2 * 8 / 48.,
          .limit = "a copy's bandwidth",
          .shape = shape(8192, 8192, 1, 48),
          .smoke = shape(67, 67, 1, 9),
          .steps = {{"a point a thread, a launch a step", "one_step_a_launch", {}, 2 * 8},
                    {"strips with wide loads, rows kept in registers", "one_step_streamed", {}, 2 * 8},
                    {"8 steps a pass, tiles in shared memory", "overlapped_tiles", {}, 2 * 8 / 8.},
                    {"6 steps a pass, strips in registers", "register_streams", {}, 2 * 8 / 6.}},
          .backend = "gpu"};
}

/// A kernel for each step is what a user would write instead.
PeerComparison gpu_peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "register_streams",
                            .share = {SpeedShare::Of::first_input, "of heat's speed"},
                            .beside = {"one_step_streamed", "overlapped_tiles"},
                            .baseline = "one_step_streamed",
                            .smoke = shape(65, 33, 1, 7),
                            .backend = "gpu",
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {1000, 4000, 8192}) cases.push_back({.shape = shape(n, n, 1, 100)});
  for (const Index n : {250, 512}) cases.push_back({.shape = shape(n, n, n, 24)});
  cases.push_back({.shape = shape(16000000, 1, 1, 100)});
  for (const std::string_view input : {"heat_periodic", "heat_mirrored", "heat_box", "wave"})
    cases.push_back({.shape = shape(4000, 4000, 1, 100), .input = input});
  for (const std::string_view input : {"heat_box", "wave"})
    cases.push_back({.shape = shape(250, 250, 250, 24), .input = input});
  return comparison;
}

}  // namespace

extern const Suite stencil_suite;
const Suite stencil_suite{
    .operation = "stencil",
    .steps = {steps(), gpu_steps()},
    .peers = {peers("double"), peers("float"), gpu_peers("double"), gpu_peers("float")}};

}  // namespace tallcache
