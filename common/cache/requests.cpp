#include "common/cache/requests.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <string>

#include "common/ceil_div.hpp"
#include "common/error.hpp"

namespace tallcache::cache {
namespace {

/// The distinct values among at most 128. The values of a coalesced request come in order, and an ascending
/// run costs one comparison a value.
class Distinct {
 public:
  void add(std::uint64_t value) {
    if (size_ && value <= largest_) {
      if (value == last_ || contains(value)) return;
    } else {
      largest_ = value;
    }
    values_[size_++] = last_ = value;
  }
  int size() const { return size_; }
  const std::uint64_t* begin() const { return values_.data(); }
  const std::uint64_t* end() const { return values_.data() + size_; }

 private:
  bool contains(std::uint64_t value) const { return std::find(begin(), end(), value) != end(); }

  std::array<std::uint64_t, 128> values_;
  std::uint64_t largest_ = 0, last_ = 0;
  int size_ = 0;
};

/// Lanes [first, first + lanes) of a mask.
std::uint32_t part_of(std::uint32_t mask, int first, int lanes) {
  const std::uint32_t part = lanes == 32 ? ~0u : (1u << lanes) - 1;
  return mask & part << first;
}

template <class Visit>
void for_lanes(std::uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1) visit(std::countr_zero(mask));
}

/// The sizes of a half-warp's transactions on compute capability 1.2 and 1.3. The segment of the lowest
/// active lane serves all lanes in it. It is halved while only one half of it is used.
std::uint64_t count_segments(const WarpRequest& request, std::uint32_t mask, std::uint64_t& bytes_moved) {
  const std::uint64_t longest = request.width == 1 ? 32 : request.width == 2 ? 64 : 128;
  std::uint64_t segments = 0;
  while (mask) {
    const std::uint64_t segment = request.address[std::countr_zero(mask)] / longest;
    std::uint64_t min = ~std::uint64_t{0}, beyond = 0;
    for_lanes(mask, [&](int lane) {
      if (request.address[lane] / longest != segment) return;
      min = std::min(min, request.address[lane]);
      beyond = std::max(beyond, request.address[lane] + request.width);
      mask &= ~(1u << lane);
    });
    std::uint64_t size = longest;
    while (size > 32 && min / (size / 2) == (beyond - 1) / (size / 2)) size /= 2;
    bytes_moved += size;
    ++segments;
  }
  return segments;
}

/// On compute capability 1.0 and 1.1: 16 lanes of 16 bytes take two transactions of 128 bytes.
std::uint64_t count_in_order(const WarpRequest& request, int first, int lanes, std::uint32_t mask,
                             std::uint64_t& bytes_moved) {
  if (coalescing_rules(request, first, lanes).kept()) {
    const auto block = static_cast<std::uint64_t>(lanes) * request.width;
    bytes_moved += block;
    return ceil_div(block, 128);
  }
  const auto transactions = static_cast<std::uint64_t>(std::popcount(mask));
  bytes_moved += 32 * transactions;
  return transactions;
}

/// The set of a line; without sets, the line.
std::uint64_t atomic_set(const WarpMachine& machine, std::uint64_t line) {
  const auto& [low, high] = machine.atomic_set_bits;
  if (!low) return line;
  return static_cast<std::uint64_t>(std::popcount(line & low) % 2 + std::popcount(line & high) % 2 * 2);
}

/// The lanes of an atomic's set that go next: those of the lowest lane's line. Each place in a line belongs
/// to the lowest lane there, even where that lane waits for another line.
std::uint32_t served_lanes(const WarpMachine& machine, const WarpRequest& request, std::uint32_t set) {
  const auto line_bytes = static_cast<std::uint64_t>(machine.line_bytes);
  const std::uint64_t line = request.address[std::countr_zero(set)] / line_bytes;
  std::bitset<128> taken;
  std::uint32_t served = 0;
  for_lanes(set, [&](int lane) {
    const std::uint64_t address = request.address[lane];
    auto place = taken[address % line_bytes / static_cast<std::uint64_t>(request.width)];
    if (!place && address / line_bytes == line) served |= 1u << lane;
    place = true;
  });
  return served;
}

/// Each time that a set goes, its lanes bring their sectors. Lanes on one address go one after the other.
std::uint64_t count_atomic_sectors(const WarpMachine& machine, const WarpRequest& request,
                                   std::uint32_t mask) {
  const auto set_of = [&](int lane) {
    return atomic_set(machine, request.address[lane] / machine.line_bytes);
  };
  std::uint64_t total = 0;
  while (mask) {
    const std::uint64_t number = set_of(std::countr_zero(mask));
    std::uint32_t set = 0;
    for_lanes(mask, [&](int lane) { set |= static_cast<std::uint32_t>(set_of(lane) == number) << lane; });
    mask &= ~set;
    while (set) {
      const std::uint32_t served = served_lanes(machine, request, set);
      Distinct sectors;
      for_lanes(served, [&](int lane) { sectors.add(request.address[lane] / machine.sector_bytes); });
      total += static_cast<std::uint64_t>(sectors.size());
      set &= ~served;
    }
  }
  return total;
}

void count_global(const WarpMachine& machine, const WarpRequest& request, int first, std::uint32_t mask,
                  const Distinct& addresses, RequestCounts& counts) {
  Distinct lines, sectors;
  for (const std::uint64_t address : addresses) {
    lines.add(address / machine.line_bytes);
    sectors.add(address / machine.sector_bytes);
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(addresses.size()) * request.width;
  counts.bytes += bytes;
  counts.lines += lines.size();
  counts.ideal_lines += ceil_div(bytes, machine.line_bytes);
  if (machine.coalescing == Coalescing::sectors) {
    const bool loads = request.kind == AccessKind::load || request.kind == AccessKind::copy;
    const bool whole = machine.loads_whole_lines && loads;
    const std::uint64_t moved = whole ? lines.size() * (machine.line_bytes / machine.sector_bytes)
                                : request.kind == AccessKind::atomic
                                    ? count_atomic_sectors(machine, request, mask)
                                    : static_cast<std::uint64_t>(sectors.size());
    counts.sectors += moved;
    counts.ideal_sectors += ceil_div(bytes, machine.sector_bytes);
    counts.bytes_moved += moved * machine.sector_bytes;
    return;
  }
  counts.ideal_sectors += ceil_div(bytes, 128);
  counts.sectors += machine.coalescing == Coalescing::segments
                        ? count_segments(request, mask, counts.bytes_moved)
                        : count_in_order(request, first, machine.request_lanes, mask, counts.bytes_moved);
}

/// The number of distinct words in the fullest bank, over the lanes of `mask` in one pass.
std::uint64_t passes(const WarpMachine& machine, const WarpRequest& request, std::uint32_t mask) {
  if (!mask) return 0;
  std::array<std::uint8_t, 32> of_bank{};
  std::uint8_t max = 0;
  const auto take = [&](std::uint64_t word) {
    max = std::max(max, ++of_bank[word & (static_cast<std::uint64_t>(machine.banks) - 1)]);
  };
  const auto words = [&](int lane, auto visit) {
    const std::uint64_t address = request.address[lane];
    for (std::uint64_t word = address / machine.bank_bytes;
         word <= (address + request.width - 1) / machine.bank_bytes; ++word)
      visit(word);
  };
  if (request.exchanges) {
    for_lanes(mask, [&](int lane) { words(lane, take); });
    return max;
  }
  Distinct distinct;
  if (machine.broadcasts_any_word) {
    for_lanes(mask, [&](int lane) { words(lane, [&](std::uint64_t word) { distinct.add(word); }); });
    for (const std::uint64_t word : distinct) take(word);
    return max;
  }
  for_lanes(mask, [&](int lane) { distinct.add(request.address[lane]); });
  if (distinct.size() == 1)
    words(std::countr_zero(mask), take);
  else
    for_lanes(mask, [&](int lane) { words(lane, take); });
  return max;
}

/// Whether active lanes n and n xor `distance` have the same address, wherever both are active.
bool neighbours_agree(const WarpRequest& request, int distance) {
  bool agree = true;
  for_lanes(request.mask, [&](int lane) {
    const int other = lane ^ distance;
    if (request.mask >> other & 1 && request.address[lane] != request.address[other]) agree = false;
  });
  return agree;
}

void count_shared(const WarpMachine& machine, const WarpRequest& request, int first, std::uint32_t mask,
                  const Distinct& addresses, RequestCounts& counts) {
  const int pass_bytes = machine.banks * machine.bank_bytes;
  int together = std::min(machine.request_lanes, pass_bytes / request.width);
  if (machine.pair_rule && request.width > machine.bank_bytes && request.kind == AccessKind::load &&
      (neighbours_agree(request, 1) || neighbours_agree(request, 2)))
    together = std::min(machine.request_lanes, 2 * together);
  for (int lane = first; lane < first + machine.request_lanes; lane += together)
    counts.wavefronts += passes(machine, request, part_of(mask, lane, together));
  const auto bytes = static_cast<std::uint64_t>(addresses.size()) * request.width;
  counts.ideal_wavefronts += ceil_div(bytes, pass_bytes);
}

void validate(const WarpMachine& machine, const WarpRequest& request) {
  if (request.width < 1 || request.width > 16 || !std::has_single_bit(static_cast<unsigned>(request.width)))
    throw Error("a lane's access of " + std::to_string(request.width) +
                " bytes: it must be 1, 2, 4, 8 or 16");
  if (request.mask & ~part_of(~0u, 0, machine.lanes))
    throw Error("a warp of machine '" + std::string(machine.name) + "' has " + std::to_string(machine.lanes) +
                " lanes");
  for_lanes(request.mask, [&](int lane) {
    if (request.address[lane] & static_cast<std::uint64_t>(request.width - 1))
      throw Error("lane " + std::to_string(lane) + ": address " + std::to_string(request.address[lane]) +
                  " is no multiple of its width, " + std::to_string(request.width) + " bytes");
  });
}

/// The largest number of lanes of `mask` that share an address.
std::uint64_t max_on_one_address(const WarpRequest& request, std::uint32_t mask, const Distinct& addresses) {
  if (addresses.size() == std::popcount(mask)) return 1;
  std::uint64_t max = 0;
  for (const std::uint64_t address : addresses) {
    std::uint64_t lanes = 0;
    for_lanes(mask, [&](int lane) { lanes += request.address[lane] == address; });
    max = std::max(max, lanes);
  }
  return max;
}

}  // namespace

RequestCounts& RequestCounts::operator+=(const RequestCounts& other) {
  requests += other.requests;
  lanes += other.lanes;
  lane_slots += other.lane_slots;
  bytes += other.bytes;
  bytes_moved += other.bytes_moved;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  lines += other.lines;
  ideal_lines += other.ideal_lines;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  atomic_steps += other.atomic_steps;
  return *this;
}

RequestCounts count_requests(const WarpMachine& machine, const WarpRequest& request) {
  validate(machine, request);
  RequestCounts counts;
  for (int first = 0; first < machine.lanes; first += machine.request_lanes) {
    const std::uint32_t mask = part_of(request.mask, first, machine.request_lanes);
    if (!mask) continue;
    Distinct addresses;
    for_lanes(mask, [&](int lane) { addresses.add(request.address[lane]); });
    ++counts.requests;
    counts.lanes += static_cast<std::uint64_t>(std::popcount(mask));
    counts.lane_slots += static_cast<std::uint64_t>(machine.request_lanes);
    if (request.kind == AccessKind::atomic)
      counts.atomic_steps += max_on_one_address(request, mask, addresses);
    if (request.space == Space::global)
      count_global(machine, request, first, mask, addresses, counts);
    else
      count_shared(machine, request, first, mask, addresses, counts);
  }
  return counts;
}

CoalescingRules coalescing_rules(const WarpRequest& request, int first, int lanes) {
  const std::uint32_t mask = part_of(request.mask, first, lanes);
  const auto width = static_cast<std::uint64_t>(request.width);
  CoalescingRules rules{width == 4 || width == 8 || width == 16, true, true, true};
  if (!mask) return rules;
  const int lowest = std::countr_zero(mask);
  const std::uint64_t start = request.address[lowest] - (lowest - first) * width;
  std::uint64_t min = ~std::uint64_t{0}, max = 0;
  Distinct addresses;
  for_lanes(mask, [&](int lane) {
    const std::uint64_t address = request.address[lane];
    rules.in_order = rules.in_order && address == start + (lane - first) * width;
    min = std::min(min, address);
    max = std::max(max, address);
    addresses.add(address);
  });
  // Inactive lanes leave gaps that do not count: where the active lanes are in order, all of them would be.
  rules.contiguous = rules.in_order ||
                     (addresses.size() == std::popcount(mask) && max - min == (addresses.size() - 1) * width);
  rules.aligned = (rules.in_order ? start : min) % (static_cast<std::uint64_t>(lanes) * width) == 0;
  return rules;
}

}  // namespace tallcache::cache
