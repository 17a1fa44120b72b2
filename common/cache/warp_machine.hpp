// The properties of a machine that decide the cost of a warp's memory requests: today's GPUs and those of
// the slides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tallcache::cache {

/// How the addresses of a load or store to global memory become transactions.
enum class Coalescing {
  sectors,   ///< each distinct sector is one (compute capability 2.0 and later)
  segments,  ///< segments of 128, 64 or 32 bytes around the lowest lanes not yet served (1.2 and 1.3)
  in_order,  ///< one for a half-warp that keeps the four rules, otherwise one for each lane (1.0 and 1.1)
};

/// Consecutive pieces of `bytes` go to the channels in rotation, and after each round to the next bank of
/// each channel.
struct Interleave {
  int bytes = 0, channels = 0, banks = 1;  ///< bytes = 0: not known

  constexpr int channel(std::uint64_t address) const { return static_cast<int>(address / bytes % channels); }
  constexpr int bank(std::uint64_t address) const {
    return static_cast<int>(address / bytes / channels % banks);
  }
};

struct WarpMachine {
  std::string_view name, what, source;
  int lanes = 32;          ///< of a warp
  int request_lanes = 32;  ///< lanes that go to memory as one request: a warp, or a half-warp
  Coalescing coalescing = Coalescing::sectors;
  int sector_bytes = 32, line_bytes = 128;
  bool loads_whole_lines = false;   ///< a load fetches all sectors of its lines
  int banks = 32, bank_bytes = 4;   ///< of shared memory; one word of each bank a pass
  bool broadcasts_any_word = true;  ///< false: only the one word that all lanes of a request read
  /// Atomics of global memory go through sets of lines side by side. Bit i of a set's number is the parity of
  /// the bits of its lines' numbers that are set here. All zero: each line is a set of its own.
  std::array<std::uint32_t, 2> atomic_set_bits{};
  bool pair_rule = false;  ///< a pass serves twice as many lanes of a wide load whose neighbours agree
  Interleave dram{};
  int max_threads = 1024;                ///< of a block
  std::size_t max_shared_bytes = 49152;  ///< of a block
  std::string_view architecture{};       ///< for which texts are compiled: "sm_90a"
  std::size_t l2_bytes = 0;              ///< of the second-level cache; 0: it has none, or it is not modelled
};

/// The machines by age, the newest first.
std::span<const WarpMachine> warp_machines();

/// The machine called `name`. Throws Error with the nearest name when there is none.
const WarpMachine& warp_machine(std::string_view name);

}  // namespace tallcache::cache
