// The measurements of edit distances: one pair of strings, batches of pairs, and alignments.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape shape(Index m, Index n) { return {{"m", m}, {"n", n}}; }

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
    comparison.cases.push_back({.shape = shape(100000, 100000), .input = input, .all_cores = true});
  }
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

}  // namespace

extern const Suite levenshtein_suite, levenshtein_batched_suite, alignment_suite;
const Suite levenshtein_suite{.operation = "levenshtein", .peers = {distances("bits_recursive")}};
const Suite levenshtein_batched_suite{.operation = "levenshtein_batched", .peers = {batches()}};
const Suite alignment_suite{.operation = "alignment", .peers = {distances("alignment_recursive")}};

}  // namespace tallcache
