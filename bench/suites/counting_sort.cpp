// The measurements of counting sorts.
#include <utility>

#include "bench/suites/suite.hpp"
#include "common/keys.hpp"

namespace tallcache {
namespace {

Shape keys(Index n) { return {{"n", n}, {"range", n}}; }

// Bytes: a pass over keys takes 4; a random counter or output is a line of 64 bytes in and out.
OptimizationSteps steps() {
  return {
      .element = "uint32",
      .unit = "key",
      .min_bytes = 8,
      .limit = "a copy's bandwidth",
      .shape = keys(60000000),
      .smoke = keys(1000),
      .steps = {{"a counter for every key: three random accesses", "classical", {}, 4 + 128 + 4 + 128 + 128},
                {"buckets first: counters and output in the cache", "bucketed", {}, 4 + 4 + 8 + 4 + 4 + 8},
                {"low bits buffered and streamed, runs written", "bucketed_streaming", {}, 4 + 2 + 2 + 4},
                {"forks on all cores", "bucketed_streaming", {}, 4 + 2 + 2 + 4, true},
                {.label = "radix sort by least digits, one core", .variant = "lsd_radix", .peer = true},
                {.label = "vqsort, one core", .variant = "vqsort", .peer = true}}};
}

PeerComparison peers(std::string_view element, std::string_view slower_peer) {
  return {.element = element,
          .variant = "bucketed_streaming",
          .share = {SpeedShare::Of::first_input, "of uniform keys' speed"},
          .without = {slower_peer},
          .beside = {"lsd_radix", "classical"},
          .baseline = "classical",
          .smoke = keys(65)};
}

// Every kind of keys at 10^7, uniform ones at other sizes too: a sort should be as fast as its peers at all.
PeerComparison inputs(std::string_view element, std::string_view slower_peer, Scale large) {
  PeerComparison comparison = peers(element, slower_peer);
  const Index n = 10000000, many = 60000000;
  for (const Index size : {Index{1000}, Index{10000}, Index{100000}, Index{1000000}, n})
    comparison.cases.push_back({.shape = keys(size)});
  comparison.cases.push_back({.shape = keys(many), .from = large});
  for (const std::string_view input : key_inputs)
    if (input != key_inputs[0]) comparison.cases.push_back({.shape = keys(n), .input = input});
  comparison.cases.push_back({.shape = keys(n), .all_cores = true});
  comparison.cases.push_back({.shape = keys(many), .all_cores = true, .from = large});
  return comparison;
}

// What the peers do by themselves: their own time, without a copy into an output.
PeerComparison in_place() {
  PeerComparison comparison = inputs("uint32", "std_sort", Scale::quick);
  comparison.variant = "in_place";
  comparison.beside.clear();
  comparison.baseline = {};
  return comparison;
}

// Compared with vqsort alone: the others take minutes a run.
PeerComparison largest() {
  PeerComparison comparison = peers("uint32", "std_sort");
  comparison.without.push_back("tbb_parallel_sort");
  comparison.beside.clear();
  comparison.baseline = {};
  for (const Index n : {200000000, 600000000})
    comparison.cases.push_back({.shape = keys(n), .from = Scale::full});
  return comparison;
}

// Bytes: a random counter or output is a sector of 32 bytes in and out.
OptimizationSteps gpu_steps() {
  return {.element = "uint32",
          .unit = "key",
          .min_bytes = 8,
          .limit = "a copy's bandwidth",
          .shape = keys(60000000),
          .smoke = keys(1000),
          .steps =
              {{"a counter for every key: atomic operations in memory", "global_atomics", {}, 4 + 64 + 4 + 4},
               {"buckets first: counters in shared memory", "bucketed", {}, 4 + 4 + 8 + 4 + 4},
               {"low bits alone moved, counters of a few bits", "low_bits", {}, 4 + 2 + 2 + 4},
               {.label = "CUB radix sort", .variant = "cub_radix_sort", .peer = true}},
          .backend = "gpu",
          .cold = true};
}

PeerComparison gpu_inputs(std::string_view element, std::string_view variant,
                          std::vector<std::string_view> beside) {
  PeerComparison comparison{.element = element,
                            .variant = variant,
                            .share = {SpeedShare::Of::first_input, "of uniform keys' speed"},
                            .beside = std::move(beside),
                            .smoke = keys(65),
                            .backend = "gpu",
                            .cold = true};
  const Index n = 10000000, many = 60000000;
  for (const Index size : {Index{10000}, Index{100000}, Index{1000000}, n, many})
    comparison.cases.push_back({.shape = keys(size)});
  for (const Index size : {n, many})
    for (const std::string_view input : key_inputs)
      if (input != key_inputs[0]) comparison.cases.push_back({.shape = keys(size), .input = input});
  comparison.cases.push_back({.shape = keys(270000000), .from = Scale::full});
  comparison.cases.push_back({.shape = keys(1000000000), .from = Scale::full});
  if (element == "uint32")  // more keys than a signed word counts, of a range that is not left to CUB
    comparison.cases.push_back(
        {.shape = {{"n", (Index{1} << 31) + 5}, {"range", Index{1} << 30}}, .from = Scale::full});
  return comparison;
}

}  // namespace

extern const Suite counting_sort_suite, counting_sort_in_place_suite;
const Suite counting_sort_suite{
    .operation = "counting_sort",
    .sizes = {.element = "uint32",
              .smoke = {500, 1000},
              .quick = {1000, 10000, 100000, 1000000, 10000000, 50000000},
              .full = {1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000}},
    .steps = {steps(), gpu_steps()},
    .peers = {inputs("uint32", "std_sort", Scale::quick), largest(),
              inputs("uint32_pair", "std_stable_sort", Scale::full), gpu_inputs("uint32", "low_bits", {}),
              gpu_inputs("uint32_pair", "wide_digits", {"nine_bit_onesweep"})}};

const Suite counting_sort_in_place_suite{.operation = "counting_sort_in_place", .peers = {in_place()}};

}  // namespace tallcache
