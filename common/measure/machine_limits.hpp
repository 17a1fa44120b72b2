// Measured limits of this machine's processors: what the speed of every variant is held against.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/measure/machine.hpp"

namespace tallcache {

/// A rate over several rounds: median, median absolute deviation, and the best round. Disturbances only take
/// away, so that the best is the limit; the other two tell how disturbed the machine was.
struct Rated {
  double median = 0, mad = 0, best = 0;
  int rounds = 0;
  friend bool operator==(const Rated&, const Rated&) = default;
};

/// Multiply-adds from registers.
struct FlopPeak {
  std::string element;
  int threads = 0, lanes = 0;  ///< lanes of a vector: multiply-adds of an instruction
  Rated gflop_per_s;
  friend bool operator==(const FlopPeak&, const FlopPeak&) = default;
};

/// Operations from registers that are no multiply-adds.
struct OperationPeak {
  std::string operation;  ///< "logic": of three operands; "add_minimum": an addition and a minimum, as one
  std::string element;
  Rated gop_per_s;
  friend bool operator==(const OperationPeak&, const OperationPeak&) = default;
};

/// Traffic with main memory.
struct Bandwidth {
  std::string kernel;  ///< "read", "copy (memcpy)" or "copy (streaming stores)"
  int threads = 0;
  std::size_t bytes = 0;  ///< that one run touches: what it reads and what it writes
  Rated gb_per_s;         ///< 1e9 bytes read plus bytes written, each counted once
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

struct Limits {
  Figure<double> clock_ghz;               ///< cycles of a core at integer work, in the best round
  bool fused = false;                     ///< multiply-adds are one instruction here
  std::vector<FlopPeak> peaks;            ///< float, double, its own bfloat16; on one core and on all
  std::vector<Bandwidth> bandwidths;      ///< each kernel on one core and on all
  std::string bandwidths_absent;          ///< why there are none
  std::vector<OperationPeak> operations;  ///< of a GPU alone
  friend bool operator==(const Limits&, const Limits&) = default;

  /// The best multiply-adds, and the best bytes read plus written by any kernel, on one core (threads = 1) or
  /// on all of them; NaN where there is no figure.
  double gflop_per_s(std::string_view element, int threads) const;
  double gb_per_s(int threads) const;

  /// Multiply-add instructions that a core ended in one cycle, by the clock above, both in their best rounds.
  Figure<double> instructions_per_cycle(const FlopPeak&) const;
};

/// How many flops a machine can do in the time that one byte, or one word of the element type, takes from or
/// to main memory. Source: seed 004, Peak ratios.
struct Balance {
  std::string element;
  int threads = 0;
  double gflop_per_s = 0, gb_per_s = 0;  ///< best rounds; the bandwidth is that of the fastest kernel
  double flops_per_byte = 0, flops_per_word = 0;
  friend bool operator==(const Balance&, const Balance&) = default;
};

/// One for each peak whose threads have a bandwidth.
std::vector<Balance> balances(const Limits&);

/// How long to measure. There are three parts: peaks, bandwidth of one core, bandwidth of all cores. Each
/// runs its kernels in interleaved rounds until it had the least rounds and the seconds are over, or the
/// most rounds.
struct LimitsProtocol {
  int min_rounds = 5, max_rounds = 101;
  double seconds = 3;
  double flop_seconds =
      0.003;  ///< of one run of multiply-adds: short beside a time slice, long beside a wake-up
  std::size_t footprint = 0;  ///< bytes of the two arrays together; 0: four times the last-level caches
  static LimitsProtocol quick() { return {.seconds = 0.6}; }
  /// That it runs, and no more.
  static LimitsProtocol smoke() {
    return {.min_rounds = 1, .max_rounds = 1, .footprint = std::size_t{16} << 20};
  }
};

/// Hears what is measured next. After false nothing more is.
using LimitsProgress = std::function<bool(std::string_view)>;

/// Measures the limits of the host's processors, quick in about 3 seconds on two idle cores. Threads are
/// pinned, one a core; every result is checked. Throws Error when a result is wrong or a thread cannot
/// be pinned.
Limits measure_limits(const Machine&, const LimitsProtocol& = {}, const LimitsProgress& progress = {});

}  // namespace tallcache
