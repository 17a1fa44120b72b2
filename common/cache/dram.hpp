// DRAM behind a bus: what a bus delivers, and when the banks that share it are ready.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tallcache::cache {

/// Bytes a second of a bus of `bits` that transfers `transfers_a_cycle` times in each of `hertz` cycles.
constexpr double bus_bandwidth(int bits, int transfers_a_cycle, double hertz) {
  return bits / 8.0 * transfers_a_cycle * hertz;
}

/// A channel: banks that each sense one burst at a time, and the bus that they share. Times are in cycles of
/// the bus.
struct DramChannel {
  int banks;
  int latency;       ///< until a bank's cells are sensed
  int transfer = 1;  ///< of a burst over the bus
};

/// One access: its bank senses from `start` until `sensed`, and the bus has it from `begin` until `end`. The
/// bank keeps it until then.
struct Burst {
  int bank;
  std::int64_t start, sensed, begin, end;
};

/// `number` accesses to the banks in turn, each as early as its bank and the bus are free. Throws Error on a
/// channel without banks and on times below 0 or a transfer of 0.
std::vector<Burst> bursts(const DramChannel& channel, int number);

/// The share of time in which the bus transfers, once every bank has delivered.
double bus_use(const DramChannel& channel);

/// The fewest banks with which the bus never waits.
int fewest_banks(int latency, int transfer = 1);

/// The most of some parts over their mean, 1 when all are alike; NaN without any.
double imbalance(std::span<const std::uint64_t> parts);

}  // namespace tallcache::cache
