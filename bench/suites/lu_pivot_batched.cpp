// The measurements of LU decompositions of batches of matrices.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape matrices(Index n, Index batch) { return {{"n", n}, {"m", n}, {"batch", batch}}; }

PeerComparison gpu_peers(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "batched",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = matrices(9, 5),
                            .backend = "gpu",
                            .mean = true};
  for (const Index n : {8, 13, 16, 24, 32, 33, 48, 64, 96, 100, 128})
    comparison.cases.push_back({.shape = matrices(n, 10000)});
  return comparison;
}

}  // namespace

extern const Suite lu_pivot_batched_suite;
const Suite lu_pivot_batched_suite{.operation = "lu_pivot_batched",
                                   .peers = {gpu_peers("double"), gpu_peers("float")}};

}  // namespace tallcache
