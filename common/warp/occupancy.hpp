// Occupancy: how many blocks of a kernel a multiprocessor holds at a time, and which of its resources is the
// limit. Machines are records of what theirs have: today's, those of the texts, and the texts' own examples.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace tallcache::warp {

/// What a multiprocessor has, and in which units it gives it to blocks.
struct Multiprocessor {
  std::string_view name, what, source;
  int threads, blocks;                ///< at a time
  int threads_of_block;               ///< at most
  int registers;                      ///< of 32 bits
  std::size_t shared_bytes;           ///< of shared memory
  std::size_t shared_bytes_of_block;  ///< at most, of what the kernel asks for
  int warp_lanes = 32;
  int registers_of_thread = 256;    ///< at most
  int register_unit = 256;          ///< a warp's, or a block's, are a multiple of this
  bool registers_by_block = false;  ///< given to a block as a whole, not to each of its warps
  int warp_unit = 1;                ///< a block's warps count as a multiple of this for its registers
  int partitions = 4;               ///< which share the registers; a warp's are in one
  std::size_t shared_reserved = 0;  ///< for the system, of each block
  std::size_t shared_unit = 128;    ///< a block's bytes are a multiple of this
};

/// What a block of a kernel takes.
struct BlockNeeds {
  int threads;
  int registers = 0;             ///< of a thread
  std::size_t shared_bytes = 0;  ///< static and dynamic
};

enum class Resource { threads, blocks, registers, shared_memory };
/// "threads", "block slots", "registers", "shared memory"
std::string_view to_string(Resource);

/// How many blocks each resource alone has room for; without_limit where a block takes none of it.
struct BlockLimits {
  static constexpr int without_limit = 1 << 30;
  int by_threads, by_blocks, by_registers, by_shared_memory;

  /// The least of them: the blocks that are there at a time. 0: the kernel cannot be launched.
  int blocks() const;
  /// The one that is the least; the first in the order of Resource where several are.
  Resource limit() const;
};

/// Throws Error on a block without threads and on less than no registers.
BlockLimits block_limits(const Multiprocessor&, const BlockNeeds&);

/// Warps at a time in those that there could be: the occupancy of blocks of `threads` threads.
double occupancy(const Multiprocessor&, const BlockLimits&, int threads);

/// The machines by their age, the texts' examples last.
std::span<const Multiprocessor> multiprocessors();
/// Throws Error with the nearest name.
const Multiprocessor& multiprocessor(std::string_view name);

}  // namespace tallcache::warp
