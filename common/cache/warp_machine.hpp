// What a memory request of a warp depends on, by machine: today's GPUs and those that the seeds speak of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tallcache::cache {

/// How the addresses of a load or store to global memory become transactions.
enum class Coalescing {
  sectors,   ///< each distinct sector is one (compute capability 2.0 and later)
  segments,  ///< segments of 128, 64 or 32 bytes around the lowest lanes that are left (1.2 and 1.3)
  in_order,  ///< one for a half-warp that keeps the four rules, one a lane otherwise (1.0 and 1.1)
};

/// Consecutive pieces of `bytes` go to the channels in turn, and to the next bank of each after a round.
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
  bool loads_whole_lines = false;   ///< a load brings all sectors of its lines
  int banks = 32, bank_bytes = 4;   ///< of shared memory; one word of each bank a pass
  bool broadcasts_any_word = true;  ///< false: only the one word that all lanes of a request read
  bool pair_rule = false;           ///< wide loads whose neighbours agree go twice as many lanes a pass
  Interleave dram{};
  int most_threads = 1024;                ///< of a block
  std::size_t most_shared_bytes = 49152;  ///< of a block
};

/// The machines in the order of their age, today's first.
std::span<const WarpMachine> warp_machines();

/// The machine called `name`; throws Error with the nearest name when there is none.
const WarpMachine& warp_machine(std::string_view name);

}  // namespace tallcache::cache
