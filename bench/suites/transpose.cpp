// The measurements of transpositions.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape square(Index n) { return {{"m", n}, {"n", n}}; }

// Bytes: a store down a column reads a line of 64 bytes and writes it back, for 4 of them.
OptimizationSteps steps() {
  return {.element = "float",
          .unit = "element",
          .least_bytes = 8,
          .limit = "a copy's bandwidth",
          .shape = square(8192),
          .smoke = square(65),
          .steps = {{"two loops: a line of B for every element", "naive", {}, 4 + 64 + 64},
                    {"square tiles: each line of B brought in once", "tiled", {}, 12},
                    {"REC-TRANSPOSE: tiles of every size", "recursive", {}, 12},
                    {"leaves in vector registers", "recursive_streaming", {{"stream", 0}}, 12},
                    {"lines of B written whole, past the caches", "recursive_streaming", {{"stream", 1}}, 8},
                    {"forks on all cores", "recursive_streaming", {{"stream", 1}}, 8, true},
                    {.label = "OpenBLAS omatcopy, one core", .variant = "omatcopy", .peer = true}}};
}

PeerComparison peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "recursive_streaming",
                            .share = {SpeedShare::Of::reference, "of memcpy's speed", "copy", "memcpy"},
                            .beside = {"tiled"},
                            .smoke = square(65)};
  std::vector<PeerCase>& cases = comparison.cases;
  // Small outputs are read again from the caches, where plain stores leave them.
  for (const Index n : {256, 512, 1024, 2048})
    cases.push_back({.shape = square(n), .params = {{"stream", 0}}});
  for (const Index n : {1024, 2048, 4096, 8000, 8191, 8192, 8193}) cases.push_back({.shape = square(n)});
  cases.push_back({.shape = square(16384), .from = Scale::full});
  cases.push_back({.shape = {{"m", 10007}, {"n", 30011}}, .from = Scale::full});
  cases.push_back({.shape = square(8192), .all_cores = true});
  return comparison;
}

}  // namespace

extern const Suite transpose_suite;
const Suite transpose_suite{.operation = "transpose",
                            .sizes = {.element = "float",
                                      .smoke = {48, 64},
                                      .quick = {256, 512, 1024, 2048, 4096, 8192},
                                      .full = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768}},
                            .steps = {steps()},
                            .peers = {peers("float"), peers("double")}};

}  // namespace tallcache
