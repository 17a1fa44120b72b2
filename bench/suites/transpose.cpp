// The measurements of transpositions.
#include <utility>

#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape square(Index n) { return {{"m", n}, {"n", n}}; }

// Bytes: a store down a column reads a line of 64 bytes and writes it back, for 4 of them.
OptimizationSteps steps() {
  return {.element = "float",
          .unit = "element",
          .min_bytes = 8,
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
  for (const Index n : {64, 96, 128, 256, 512, 1024, 2048, 4096, 8000, 8191, 8192, 8193})
    cases.push_back({.shape = square(n)});
  cases.push_back({.shape = square(16384), .from = Scale::full});
  cases.push_back({.shape = {{"m", 10007}, {"n", 30011}}, .from = Scale::full});
  cases.push_back({.shape = square(8192), .all_cores = true});
  return comparison;
}

// Bytes: a warp's stores down a column write a sector of 32 bytes for each of 4; the second-level cache joins
// those of neighbouring columns when it still holds them.
OptimizationSteps gpu_steps() {
  return {.element = "float",
          .unit = "element",
          .min_bytes = 8,
          .limit = "a copy's bandwidth",
          .shape = square(8192),
          .smoke = square(64),
          .steps = {{"an element a thread: stores down a column", "naive", {}, 4 + 32},
                    {"a tile in shared memory: both sides coalesced", "coalesced", {}, 8},
                    {"the tile's rows padded: no bank conflicts", "bank_conflict_free", {}, 8},
                    {"blocks in the order of the diagonals", "diagonal", {}, 8},
                    {"16 bytes a thread on both sides, blocks by halving", "sixteen_bytes", {}, 8},
                    {"any shape: whole sectors at ragged ends", "any_shape", {}, 8},
                    {.label = "cuBLAS geam", .variant = "cublas_geam", .peer = true}},
          .backend = "gpu",
          .cold = true};
}

PeerComparison gpu_peers(std::string_view element) {
  PeerComparison comparison{
      .element = element,
      .variant = "any_shape",
      .share = {SpeedShare::Of::reference, "of memcpy's speed", "copy", "device_memcpy"},
      .beside = {"bank_conflict_free"},
      .baseline = "bank_conflict_free",
      .smoke = square(65),
      .backend = "gpu",
      .cold = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {4096, 8192, 16384, 8191}) cases.push_back({.shape = square(n)});
  cases.push_back({.shape = {{"m", 8192}, {"n", 8192}, {"pad", 4}}});
  for (const auto& [m, n] :
       {std::pair<Index, Index>{10007, 30011}, {3, 1048576}, {1048576, 3}, {33, 65537}, {65537, 33}})
    cases.push_back({.shape = {{"m", m}, {"n", n}}});
  cases.push_back({.shape = square(32768), .from = Scale::full});
  cases.push_back({.shape = {{"m", 65537}, {"n", 32771}}, .from = Scale::full});
  return comparison;
}

}  // namespace

extern const Suite transpose_suite;
const Suite transpose_suite{
    .operation = "transpose",
    .sizes = {.element = "float",
              .smoke = {48, 64},
              .quick = {256, 512, 1024, 2048, 4096, 8192},
              .full = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768}},
    .steps = {steps(), gpu_steps()},
    .peers = {peers("float"), peers("double"), gpu_peers("float"), gpu_peers("double")}};

}  // namespace tallcache
