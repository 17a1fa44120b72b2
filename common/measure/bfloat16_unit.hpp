// The processor's own multiply-adds of bfloat16, for their measured peak.
#pragma once

#include <cstdint>

namespace tallcache {

struct Bfloat16Unit {
  int multiply_adds;  ///< of an instruction
  int chains;         ///< independent sums, enough to hide the latency
  /// Runs iterations * chains instructions, all of whose factors are 1. Returns the sum of all sums, which is
  /// the number of multiply-adds.
  double (*run)(std::uint64_t iterations);
};

/// The fastest that this process may use: AMX's tiles, else AVX-512 BF16; null where there is none.
const Bfloat16Unit* bfloat16_unit();

}  // namespace tallcache
