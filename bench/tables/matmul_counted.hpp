// What the table of the three products shows of a run, as the processor counted it.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "bench/tables/table.hpp"

namespace tallcache {

/// Of one product; NaN where it is not known here.
struct ProductFigures {
  double cpi = absent;           ///< cycles an instruction
  double l1 = absent;            ///< L1 data misses a load or store
  double l2 = absent;            ///< L2 data misses a load or store
  double vector = absent;        ///< share of the instructions that are vector instructions in double
  double instructions = absent;  ///< instructions retired
  std::string missing{};         ///< what could not be counted and why; empty when nothing is missing
};

/// The figures of a run of the CPU's product `variant` in double on one thread, as PAPI counts them, after
/// the result was verified.
ProductFigures count_product(std::string_view variant, const Params&, const Shape&, std::uint64_t seed);

}  // namespace tallcache
