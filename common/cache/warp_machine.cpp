#include "common/cache/warp_machine.hpp"

#include <algorithm>
#include <vector>

#include "common/catalogue.hpp"

namespace tallcache::cache {
namespace {

constexpr WarpMachine machines[] = {
    {.name = "h200",
     .what =
         "sectors of 32 bytes, 32 banks of 4 bytes, wide loads by pairs of lanes, atomics by sets of lines",
     .source = "random requests of each kind and width on an H200, equal to its counters",
     .atomic_set_bits = {0x1ef7ab5, 0xbad5da},
     .pair_rule = true,
     .max_shared_bytes = 232448,
     .architecture = "sm_90a",
     .l2_bytes = std::size_t{60} << 20},
    {.name = "k40",
     .what = "loads by lines of 128 bytes, stores by 32; 32 banks of 8 bytes",
     .source = "S5: three views of a load; S5: bank = address / 8 % 32",
     .loads_whole_lines = true,
     .bank_bytes = 8},
    {.name = "gt200",
     .what = "half-warps, segments of 32, 64 or 128 bytes, 16 banks, 8 partitions of 256 bytes",
     .source = "M17: coalescing, bank conflicts, partition camping; CUDA programming guide 2.3, 5.1.2.1",
     .request_lanes = 16,
     .coalescing = Coalescing::segments,
     .banks = 16,
     .broadcasts_any_word = false,
     .dram = {256, 8, 1},
     .max_threads = 512,
     .max_shared_bytes = 16384},
    {.name = "g80",
     .what = "half-warps that keep four rules, 16 banks, 6 partitions of 256 bytes",
     .source = "M17: coalescing, bank conflicts, partition camping",
     .request_lanes = 16,
     .coalescing = Coalescing::in_order,
     .banks = 16,
     .broadcasts_any_word = false,
     .dram = {256, 6, 1},
     .max_threads = 512,
     .max_shared_bytes = 16384},
    {.name = "pmpp_toy",
     .what = "4 channels of 2 banks, two floats each in turn; the rest as today's",
     .source = "P4: interleaved data distribution",
     .pair_rule = true,
     .dram = {8, 4, 2}},
    {.name = "four_banks",
     .what = "warps of 4 lanes and 4 banks",
     .source = "S5: shared memory thought experiment",
     .lanes = 4,
     .request_lanes = 4,
     .banks = 4},
};

}  // namespace

std::span<const WarpMachine> warp_machines() { return machines; }

const WarpMachine& warp_machine(std::string_view name) {
  const auto* found = std::ranges::find(machines, name, &WarpMachine::name);
  if (found != std::end(machines)) return *found;
  std::vector<std::string_view> names;
  for (const WarpMachine& machine : machines) names.push_back(machine.name);
  throw Error(unknown_name("machine", name, names));
}

}  // namespace tallcache::cache
