// Of the ways in which a library can run, the fastest is measured. The widest vectors that a processor has
// are not always its fastest: compress stores of AVX-512 are microcode on Zen 4, where AVX2 is
// several times as fast (cpu/counting_sort/TUNING.md).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace tallcache::cpu::peers {

/// One way in which a library can run.
struct Way {
  std::string name;
  /// Runs it once on the same problem as the others and returns the seconds. Throws Error where it cannot
  /// run.
  std::function<double()> seconds;
};

struct Fastest {
  std::size_t index;  ///< in the ways that were given
  std::string text;   ///< "AVX2 (AVX3 takes 7.6x, SSE4 2.9x)"
};

/// Two runs of each in turn; then the median of five more, in turn, of those that took less than twice the
/// least. Equal ones: the first. Throws the last one's Error when none can run. `ways` is not empty.
Fastest fastest(std::span<const Way> ways);

}  // namespace tallcache::cpu::peers
