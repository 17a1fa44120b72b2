// The kernels that a machine's limits are measured with: SIMD, dispatched at run time to the best target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tallcache {

struct SimdTarget {
  std::string name;             ///< Highway's: "AVX3" is AVX-512
  int floats = 0, doubles = 0;  ///< lanes of a vector
  std::size_t bytes = 0;        ///< of a vector
  bool fused = false;  ///< has fused multiply-add; without it a multiplication and an addition count as one
  int chains = 0;      ///< independent accumulators of multiply_add_chains
};

/// The target that this CPU dispatches to.
SimdTarget simd_target();

/// `iterations` times x <- x * factor + addend in every lane of `chains` independent vectors, enough to hide
/// the latency of every port; lane l of chain c starts at c + 1. Returns the sum of all lanes. Flops: 2 *
/// iterations * chains * lanes. Source: the peak of multiply-add units, latency x throughput (Little's law).
float multiply_add_chains(std::uint64_t iterations, float factor, float addend);
double multiply_add_chains(std::uint64_t iterations, double factor, double addend);

/// The sum, modulo 2^64, of `count` words.
std::uint64_t sum_words(const std::uint64_t* words, std::size_t count);

/// Copies `count` words with stores that bypass the caches. `to` is aligned to a vector.
void stream_words(std::uint64_t* to, const std::uint64_t* from, std::size_t count);

/// Runs `steps` additions that each need the one before, or returns false where there is no kernel for this
/// architecture. An integer addition of registers takes one cycle on every x86-64 and AArch64 core so far.
bool chain_of_additions(std::uint64_t steps);

}  // namespace tallcache
