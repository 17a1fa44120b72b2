// The measurements of sorts by comparisons.
#include "bench/suites/suite.hpp"
#include "common/keys.hpp"

namespace tallcache {
namespace {

Shape keys(Index n) { return {{"n", n}}; }

// Uniform keys at several sizes, and every other kind at the middle one.
PeerComparison inputs(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "distribution_sort",
                            .share = {SpeedShare::Of::first_input, "of uniform keys' speed"},
                            .smoke = keys(65)};
  const Index n = 1000000, many = 10000000;
  for (const Index size : {Index{1000}, Index{100000}, n, many})
    comparison.cases.push_back({.shape = keys(size)});
  for (const std::string_view input : key_inputs)
    if (input != key_inputs[0]) comparison.cases.push_back({.shape = keys(n), .input = input});
  comparison.cases.push_back({.shape = keys(n), .all_cores = true});
  comparison.cases.push_back({.shape = keys(many), .all_cores = true});
  return comparison;
}

// Bytes: a launch reads and writes all keys. 2^24 keys take 120 launches of a network, a tile sort and ten
// passes of a merge sort by pairs, and two levels of a sample sort and its leaves.
OptimizationSteps gpu_steps() {
  return {.element = "uint32",
          .unit = "key",
          .min_bytes = 8,
          .limit = "a copy's bandwidth",
          .shape = keys(Index{1} << 24),
          .smoke = keys(1000),
          .steps = {{"a bitonic network, a launch a step", "bitonic", {}, 8 * 120},
                    {"tiles sorted in shared memory, runs merged in pairs", "merge_sort", {}, 8 * 11},
                    {"buckets by samples, leaves sorted in shared memory", "sample_sort", {}, 8 * 3},
                    {.label = "CUB merge sort", .variant = "cub_merge_sort", .peer = true}},
          .backend = "gpu",
          .cold = true};
}

// Uniform keys at powers of two and between them, and every other kind at the middle size.
PeerComparison gpu_inputs(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "sample_sort",
                            .share = {SpeedShare::Of::first_input, "of uniform keys' speed"},
                            .beside = {"merge_sort"},
                            .baseline = "merge_sort",
                            .smoke = keys(65),
                            .backend = "gpu",
                            .cold = true,
                            .mean = true};
  const Index n = Index{1} << 24;
  for (const Index size : {Index{1} << 20, Index{3000017}, n, Index{50000017}, Index{1} << 27})
    comparison.cases.push_back({.shape = keys(size)});
  for (const std::string_view input : key_inputs)
    if (input != key_inputs[0]) comparison.cases.push_back({.shape = keys(n), .input = input});
  return comparison;
}

}  // namespace

extern const Suite sort_suite;
const Suite sort_suite{
    .operation = "sort",
    .sizes = {.element = "uint32",
              .smoke = {65, 1000},
              .quick = {10000, 100000, 1000000, 10000000},
              .full = {10000, 100000, 1000000, 10000000, 100000000}},
    .steps = {gpu_steps()},
    .peers = {inputs("uint32"), inputs("uint64"), inputs("double"), inputs("key_and_position"),
              inputs("move_only"), inputs("string_pointer"), gpu_inputs("uint32"), gpu_inputs("uint64"),
              gpu_inputs("double"), gpu_inputs("key_and_position")}};

}  // namespace tallcache
