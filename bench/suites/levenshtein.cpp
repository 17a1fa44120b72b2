// The measurements of edit distances: one pair of strings, batches of pairs, and alignments.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape shape(Index m, Index n) { return {{"m", m}, {"n", n}}; }
Shape two_thousand_pairs(Index n) { return {{"m", n}, {"n", n}, {"pairs", 2000}}; }

/// The speeds are shares of that on random strings of four letters: similar strings take less of the tableau,
/// and codes of more letters take longer.
constexpr SpeedShare share{SpeedShare::Of::first_input, "of its speed on random strings"};

constexpr std::string_view timed_inputs[] = {"random",     "similar",    "disjoint",   "random_20",
                                             "similar_20", "random_256", "similar_256"};

PeerComparison distances(std::string_view variant) {
  PeerComparison comparison{
      .element = "int32", .variant = variant, .share = share, .smoke = shape(1500, 1500)};
  comparison.mean = true;
  for (const std::string_view input : timed_inputs)
    for (const Index n : {1000, 10000, 100000})
      comparison.cases.push_back({.shape = shape(n, n), .input = input});
  comparison.cases.push_back({.shape = shape(5000, 40009), .input = "random"});
  for (const std::string_view input : {"random", "similar"}) {
    comparison.cases.push_back({.shape = shape(1000000, 1000000), .input = input, .from = Scale::full});
    for (const Index n : {10000, 100000})
      comparison.cases.push_back({.shape = shape(n, n), .input = input, .all_cores = true});
  }
  comparison.cases.push_back(
      {.shape = shape(1000000, 1000000), .input = "similar", .all_cores = true, .from = Scale::full});
  return comparison;
}

PeerComparison batches() {
  PeerComparison comparison{.element = "int32",
                            .variant = "pairs_in_lanes",
                            .share = share,
                            .smoke = {{"m", 70}, {"n", 70}, {"pairs", 9}},
                            .mean = true};
  for (const std::string_view input : timed_inputs)
    for (const Index n : {100, 300, 1000})
      comparison.cases.push_back({.shape = {{"m", n}, {"n", n}, {"pairs", 1000}}, .input = input});
  for (const std::string_view input : {"random", "similar"})
    comparison.cases.push_back(
        {.shape = {{"m", 1000}, {"n", 1000}, {"pairs", 10000}}, .input = input, .all_cores = true});
  return comparison;
}

// What limits the steps is how many 32-bit operations a device does: `peers` has their share.
OptimizationSteps gpu_steps() {
  return {
      .element = "int32",
      .unit = "cell",
      .min_bytes = no_value,
      .limit = "the memory bandwidth",
      .shape = shape(100000, 100000),
      .smoke = shape(65, 65),
      .steps = {{"cells in shared memory: a launch for each anti-diagonal of tiles", "diagonals_of_tiles"},
                {"bits in registers: one launch, a warp for each stripe", "stripes_in_pipeline"}},
      .backend = "gpu"};
}

OptimizationSteps gpu_batch_steps() {
  return {.element = "int32",
          .unit = "cell",
          .min_bytes = no_value,
          .limit = "the memory bandwidth",
          .shape = {{"m", 1000}, {"n", 1000}, {"pairs", 20000}},
          .smoke = {{"m", 70}, {"n", 70}, {"pairs", 9}},
          .steps = {{"a pair for each thread, a row of cells in memory", "row_per_thread"},
                    {"bits in registers: a pair for each group of lanes", "pairs_in_lane_groups"}},
          .backend = "gpu"};
}

/// Myers's step takes 17 operations for the 32 cells of a word (Hyyrö 2003), of which this counts `cells`.
SpeedShare share_of_logic(double cells) {
  return {.of = SpeedShare::Of::limit,
          .title = "of the limit of logic, 17 operations for 32 cells",
          .operation = "logic",
          .element = "uint32",
          .operations = 17.0 / 32 * cells};
}

// No library of CUDA's toolkit compares strings: the textbook's variant is what there is to compare with.
PeerComparison gpu_distances() {
  PeerComparison comparison{.element = "int32",
                            .variant = "stripes_in_pipeline",
                            .share = share_of_logic(1),
                            .beside = {"diagonals_of_tiles"},
                            .baseline = "diagonals_of_tiles",
                            .smoke = shape(1500, 1500),
                            .backend = "gpu"};
  for (const std::string_view input : timed_inputs)
    for (const Index n : {1000, 10000, 100000})
      comparison.cases.push_back({.shape = shape(n, n), .input = input});
  comparison.cases.push_back({.shape = shape(5000, 40009), .input = "random"});
  for (const std::string_view input : {"random", "random_20", "random_256"})
    comparison.cases.push_back({.shape = shape(1000000, 1000000), .input = input, .from = Scale::full});
  return comparison;
}

// A string of a batch has between three quarters of m and m letters: of m x n cells 49 in 64 are there.
PeerComparison gpu_batches() {
  PeerComparison comparison{.element = "int32",
                            .variant = "pairs_in_lane_groups",
                            .share = share_of_logic(49.0 / 64),
                            .beside = {"row_per_thread"},
                            .baseline = "row_per_thread",
                            .smoke = {{"m", 70}, {"n", 70}, {"pairs", 9}},
                            .backend = "gpu"};
  for (const std::string_view input : timed_inputs)
    for (const Index n : {100, 300, 1000})
      comparison.cases.push_back({.shape = {{"m", n}, {"n", n}, {"pairs", 20000}}, .input = input});
  return comparison;
}

}  // namespace

extern const Suite levenshtein_suite, levenshtein_batched_suite, alignment_suite;
const Suite levenshtein_suite{.operation = "levenshtein",
                              .sizes = {.element = "int32",
                                        .smoke = {65, 300},
                                        .quick = {100, 1000, 10000, 100000},
                                        .full = {100, 1000, 10000, 100000, 300000}},
                              .steps = {gpu_steps()},
                              .peers = {distances("bits_recursive"), gpu_distances()}};
const Suite levenshtein_batched_suite{.operation = "levenshtein_batched",
                                      .sizes = {.element = "int32",
                                                .smoke = {33, 70},
                                                .quick = {30, 100, 300, 1000},
                                                .full = {30, 100, 300, 1000, 3000}},
                                      .steps = {gpu_batch_steps()},
                                      .peers = {batches(), gpu_batches()},
                                      .sized = two_thousand_pairs};
const Suite alignment_suite{.operation = "alignment", .peers = {distances("alignment_recursive")}};

}  // namespace tallcache
