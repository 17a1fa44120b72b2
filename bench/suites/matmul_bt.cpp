// The measurements of products with a column-major second factor.
#include "bench/suites/products.hpp"
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

PeerComparison peers(std::string_view element) {
  PeerComparison comparison = products_of(element);
  for (const bool all_cores : {false, true})
    for (const Index n : {256, 512, 1024, 2048})
      comparison.cases.push_back({.shape = {{"m", n}, {"n", n}, {"k", n}}, .all_cores = all_cores});
  return comparison;
}

}  // namespace

extern const Suite matmul_bt_suite;
const Suite matmul_bt_suite{.operation = "matmul_bt", .peers = {peers("double"), peers("float")}};

}  // namespace tallcache
