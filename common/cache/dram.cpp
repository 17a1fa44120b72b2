#include "common/cache/dram.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/error.hpp"

namespace tallcache::cache {

std::vector<Burst> bursts(const DramChannel& channel, int number) {
  if (channel.banks < 1 || channel.latency < 0 || channel.transfer < 1)
    throw Error("a channel needs a bank, a latency of at least 0 and a transfer of at least 1 cycle");
  std::vector<Burst> all;
  std::vector<std::int64_t> bank_free(static_cast<std::size_t>(channel.banks));
  std::int64_t bus_free = 0;
  for (int i = 0; i < number; ++i) {
    const int bank = i % channel.banks;
    Burst burst{.bank = bank, .start = bank_free[static_cast<std::size_t>(bank)]};
    burst.sensed = burst.start + channel.latency;
    burst.begin = std::max(burst.sensed, bus_free);
    burst.end = burst.begin + channel.transfer;
    bus_free = bank_free[static_cast<std::size_t>(bank)] = burst.end;
    all.push_back(burst);
  }
  return all;
}

double bus_use(const DramChannel& channel) {
  const std::vector<Burst> all = bursts(channel, 8 * channel.banks);
  const std::int64_t began = all[static_cast<std::size_t>(channel.banks - 1)].end;
  return 7.0 * channel.banks * channel.transfer / static_cast<double>(all.back().end - began);
}

int fewest_banks(int latency, int transfer) {
  int banks = 1;
  while (bus_use({banks, latency, transfer}) < 1) ++banks;
  return banks;
}

double imbalance(std::span<const std::uint64_t> parts) {
  const auto total = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
  if (!total) return std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t max = *std::ranges::max_element(parts);
  return static_cast<double>(max) * static_cast<double>(parts.size()) / static_cast<double>(total);
}

}  // namespace tallcache::cache
