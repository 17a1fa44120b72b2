// The measurements of transitive closures.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape vertices(Index n) { return {{"n", n}}; }

// What a user would write is the loops in vectors of words.
PeerComparison peers() {
  PeerComparison comparison{.element = "uint64",
                            .variant = "closure_recursive",
                            .share = {SpeedShare::Of::first_input, "of random graphs' speed"},
                            .beside = {"warshall_vectors"},
                            .baseline = "warshall_vectors",
                            .smoke = vertices(65),
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {64, 256, 512, 1000, 2048, 4096}) cases.push_back({.shape = vertices(n)});
  for (const std::string_view input : {"dense", "grid", "path"})
    cases.push_back({.shape = vertices(2048), .input = input});
  cases.push_back({.shape = vertices(8192), .from = Scale::full});
  cases.push_back({.shape = vertices(2048), .all_cores = true});
  return comparison;
}

PeerComparison gpu_peers() {
  PeerComparison comparison{.element = "uint64",
                            .variant = "warshall_blocked",
                            .share = {SpeedShare::Of::first_input, "of random graphs' speed"},
                            .beside = {"warshall"},
                            .baseline = "warshall",
                            .smoke = vertices(65),
                            .backend = "gpu",
                            .mean = true};
  std::vector<PeerCase>& cases = comparison.cases;
  for (const Index n : {512, 1000, 2048, 4096, 8192}) cases.push_back({.shape = vertices(n)});
  for (const std::string_view input : {"dense", "grid", "path"})
    cases.push_back({.shape = vertices(4096), .input = input});
  cases.push_back({.shape = vertices(16384), .from = Scale::full});
  return comparison;
}

}  // namespace

extern const Suite transitive_closure_suite;
const Suite transitive_closure_suite{.operation = "transitive_closure", .peers = {peers(), gpu_peers()}};

}  // namespace tallcache
