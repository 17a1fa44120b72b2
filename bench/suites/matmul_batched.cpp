// The measurements of products of batches of matrices.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

PeerComparison gpu_peers() {
  PeerComparison comparison{.element = "float",
                            .variant = "batched",
                            .share = {SpeedShare::Of::limit, "of the FMA peak"},
                            .smoke = {{"m", 9}, {"n", 9}, {"k", 9}, {"batch", 5}},
                            .backend = "gpu",
                            .mean = true};
  for (const auto& [n, batch] :
       {std::pair<Index, Index>{16, 1000}, {16, 65536}, {8, 100000}, {33, 16384}, {64, 4096}, {128, 1024}})
    comparison.cases.push_back({.shape = {{"m", n}, {"n", n}, {"k", n}, {"batch", batch}}});
  return comparison;
}

}  // namespace

extern const Suite matmul_batched_suite;
const Suite matmul_batched_suite{.operation = "matmul_batched", .peers = {gpu_peers()}};

}  // namespace tallcache
