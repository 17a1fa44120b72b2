#include "common/warp/occupancy.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "common/catalogue.hpp"

namespace tallcache::warp {
namespace {

constexpr int whole(int value, int unit) { return (value + unit - 1) / unit * unit; }

int warps_of(const Multiprocessor& machine, int threads) { return (threads - 1) / machine.warp_lanes + 1; }

/// The limits of compute capability 7.0 and later that are alike.
constexpr Multiprocessor today(std::string_view name, std::string_view what, int threads, int blocks,
                               std::size_t shared_kib, std::size_t shared_kib_of_block) {
  return {.name = name,
          .what = what,
          .source = "CUDA C++ programming guide, technical specifications per compute capability",
          .threads = threads,
          .blocks = blocks,
          .threads_of_block = 1024,
          .registers = 65536,
          .shared_bytes = shared_kib * 1024,
          .shared_bytes_of_block = shared_kib_of_block * 1024,
          .shared_reserved = 1024};
}

/// Volta and Turing reserve nothing and give shared memory in larger pieces.
constexpr Multiprocessor of_major_7(Multiprocessor record) {
  record.shared_reserved = 0;
  record.shared_unit = 256;
  return record;
}

/// A text's example: nothing but the limits that it names. What it leaves open does not limit.
constexpr Multiprocessor example(std::string_view name, std::string_view what, std::string_view source,
                                 int threads, int blocks, int registers, std::size_t shared_kib) {
  constexpr int open = 1 << 20;
  return {.name = name,
          .what = what,
          .source = source,
          .threads = threads ? threads : open,
          .blocks = blocks ? blocks : open,
          .threads_of_block = 1024,
          .registers = registers ? registers : open * 256,
          .shared_bytes = shared_kib ? shared_kib * 1024 : std::size_t{1} << 40,
          .shared_bytes_of_block = shared_kib ? shared_kib * 1024 : std::size_t{1} << 40,
          .register_unit = 1,
          .partitions = 1,
          .shared_unit = 1};
}

/// Compute capability 1.x, whose registers go to blocks.
constexpr Multiprocessor of_major_1(std::string_view name, std::string_view what, int threads, int registers,
                                    int register_unit) {
  return {.name = name,
          .what = what,
          .source = "CUDA C programming guide 4.2, section 4.2 and appendix F.1",
          .threads = threads,
          .blocks = 8,
          .threads_of_block = 512,
          .registers = registers,
          .shared_bytes = 16384,
          .shared_bytes_of_block = 16384,
          .registers_of_thread = 128,
          .register_unit = register_unit,
          .registers_by_block = true,
          .warp_unit = 2,
          .partitions = 1,
          .shared_unit = 512};
}

constexpr Multiprocessor machines[] = {
    today("cc90", "compute capability 9.0: H100, H200", 2048, 32, 228, 227),
    today("cc89", "compute capability 8.9: L40, RTX 4090", 1536, 24, 100, 99),
    today("cc86", "compute capability 8.6: A40, RTX 3090", 1536, 16, 100, 99),
    today("cc80", "compute capability 8.0: A100", 2048, 32, 164, 163),
    of_major_7(today("cc75", "compute capability 7.5: T4", 1024, 16, 64, 64)),
    of_major_7(today("cc70", "compute capability 7.0: V100", 2048, 32, 96, 96)),
    {.name = "cc35",
     .what = "compute capability 3.5: K40",
     .source = "CUDA C programming guide 6.5, section 4.2 and appendix G.1",
     .threads = 2048,
     .blocks = 16,
     .threads_of_block = 1024,
     .registers = 65536,
     .shared_bytes = 49152,
     .shared_bytes_of_block = 49152,
     .registers_of_thread = 255,
     .shared_unit = 256},
    {.name = "fermi",
     .what = "compute capability 2.0",
     .source = "CUDA C programming guide 4.2, section 4.2 and appendix F.1",
     .threads = 1536,
     .blocks = 8,
     .threads_of_block = 1024,
     .registers = 32768,
     .shared_bytes = 49152,
     .shared_bytes_of_block = 49152,
     .registers_of_thread = 63,
     .register_unit = 64,
     .partitions = 2},
    of_major_1("gt200", "compute capability 1.3: GTX 280", 1024, 16384, 512),
    of_major_1("g80", "compute capability 1.0: 8800 GTX", 768, 8192, 256),
    example("hong", "1536 threads, 8 blocks, 16384 registers, 16 KB",
            "H2: Memory Resources as Limit to Parallelism", 1536, 8, 16384, 16),
    example("hong_48kb", "48 KB, nothing else said", "H2: Block Size Consideration", 0, 0, 0, 48),
    example("hong_48kb_2048", "48 KB and today's 2048 threads", "H2: Block Size Consideration", 2048, 0, 0,
            48),
    example("moreno_maza", "768 threads, 8 blocks, 16384 registers, 16 KB",
            "M17: Matrix multiplication (16/16)", 768, 8, 16384, 16),
};

int by_registers(const Multiprocessor& machine, const BlockNeeds& block, int warps) {
  if (block.registers > machine.registers_of_thread) return 0;
  if (!block.registers) return BlockLimits::without_limit;
  const int of_warp = block.registers * machine.warp_lanes;
  if (machine.registers_by_block) {
    const int of_block = whole(of_warp * whole(warps, machine.warp_unit), machine.register_unit);
    return machine.registers / of_block;
  }
  // A block is refused as if it used all partitions alike; it is placed warp by warp.
  const int given = whole(of_warp, machine.register_unit);
  if (given * whole(warps, machine.partitions) > machine.registers) return 0;
  return machine.registers / machine.partitions / given * machine.partitions / warps;
}

int by_shared_memory(const Multiprocessor& machine, const BlockNeeds& block) {
  if (block.shared_bytes > machine.shared_bytes_of_block) return 0;
  const std::size_t asked = block.shared_bytes + machine.shared_reserved;
  if (!asked) return BlockLimits::without_limit;
  const std::size_t given = (asked + machine.shared_unit - 1) / machine.shared_unit * machine.shared_unit;
  return static_cast<int>(std::min<std::size_t>(machine.shared_bytes / given, BlockLimits::without_limit));
}

}  // namespace

std::string_view to_string(Resource resource) {
  constexpr std::string_view names[] = {"threads", "block slots", "registers", "shared memory"};
  return names[static_cast<std::size_t>(resource)];
}

int BlockLimits::blocks() const { return std::min({by_threads, by_blocks, by_registers, by_shared_memory}); }

Resource BlockLimits::limit() const {
  const int least = blocks();
  if (by_threads == least) return Resource::threads;
  if (by_blocks == least) return Resource::blocks;
  return by_registers == least ? Resource::registers : Resource::shared_memory;
}

BlockLimits block_limits(const Multiprocessor& machine, const BlockNeeds& block) {
  if (block.threads < 1) throw Error("a block of " + std::to_string(block.threads) + " threads");
  if (block.registers < 0) throw Error("a thread of " + std::to_string(block.registers) + " registers");
  const bool fits = block.threads <= machine.threads_of_block;
  const int warps = warps_of(machine, std::min(block.threads, machine.threads_of_block));
  return {.by_threads = fits ? machine.threads / machine.warp_lanes / warps : 0,
          .by_blocks = machine.blocks,
          .by_registers = by_registers(machine, block, warps),
          .by_shared_memory = by_shared_memory(machine, block)};
}

double occupancy(const Multiprocessor& machine, const BlockLimits& limits, int threads) {
  const int warps = machine.threads / machine.warp_lanes;
  return static_cast<double>(limits.blocks()) * warps_of(machine, threads) / warps;
}

std::span<const Multiprocessor> multiprocessors() { return machines; }

const Multiprocessor& multiprocessor(std::string_view name) {
  const auto* found = std::ranges::find(machines, name, &Multiprocessor::name);
  if (found != std::end(machines)) return *found;
  std::vector<std::string_view> names;
  for (const Multiprocessor& machine : machines) names.push_back(machine.name);
  throw Error(unknown_name("multiprocessor", name, names));
}

}  // namespace tallcache::warp
