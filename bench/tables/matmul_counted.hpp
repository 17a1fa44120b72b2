// The processor's counts of the three products.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/no_value.hpp"
#include "common/measure/harness.hpp"

namespace tallcache {

/// One quantity of common/papi/source.hpp, such as "L1 data misses", in one run.
struct ProductCount {
  std::string name;
  std::string event{};  ///< PAPI's, which counted it
  double value = no_value;
  std::string reason{};  ///< why there is no value
};

/// Counts cycles, instructions, misses of L1 and L2, accesses, loads, stores and vector instructions of a run
/// of the CPU's product `variant` in double on one thread, after its result was verified. Throws Error when
/// the result is wrong.
std::vector<ProductCount> count_product(std::string_view variant, const Params&, const Shape&,
                                        std::uint64_t seed);

}  // namespace tallcache
