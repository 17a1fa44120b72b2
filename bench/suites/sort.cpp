// The measurements of sorts by comparisons.
#include "bench/suites/suite.hpp"
#include "common/keys.hpp"

namespace tallcache {
namespace {

Shape keys(Index n) { return {{"n", n}}; }

// Uniform keys at several sizes, and every other kind at the middle one.
PeerComparison inputs(std::string_view element) {
  PeerComparison comparison{.element = element,
                            .variant = "distribution_sort",
                            .share = {SpeedShare::Of::first_input, "of uniform keys' speed"},
                            .smoke = keys(65)};
  const Index n = 1000000, many = 10000000;
  for (const Index size : {Index{1000}, Index{100000}, n, many})
    comparison.cases.push_back({.shape = keys(size)});
  for (const std::string_view input : key_inputs)
    if (input != key_inputs[0]) comparison.cases.push_back({.shape = keys(n), .input = input});
  comparison.cases.push_back({.shape = keys(n), .all_cores = true});
  comparison.cases.push_back({.shape = keys(many), .all_cores = true});
  return comparison;
}

}  // namespace

extern const Suite sort_suite;
const Suite sort_suite{
    .operation = "sort",
    .peers = {inputs("uint32"), inputs("uint64"), inputs("double"), inputs("key_and_position")}};

}  // namespace tallcache
