// The measurements of products of integers.
#include "bench/suites/suite.hpp"

namespace tallcache {
namespace {

Shape limbs(Index m, Index n) { return {{"m", m}, {"n", n}}; }

PeerComparison peers() {
  PeerComparison comparison{.element = "uint32",
                            .variant = "six_step",
                            .share = {SpeedShare::Of::first_input, "of its speed on random limbs"},
                            .smoke = limbs(40, 33),
                            .mean = true};
  for (const Index n : {64, 1024, 16384, 103810, 1048576})
    comparison.cases.push_back(
        {.shape = limbs(n, n), .input = "random", .from = n > 200000 ? Scale::full : Scale::quick});
  comparison.cases.push_back({.shape = limbs(40009, 1009), .input = "random"});
  return comparison;
}

}  // namespace

extern const Suite integer_product_suite;
const Suite integer_product_suite{.operation = "integer_product", .peers = {peers()}};

}  // namespace tallcache
