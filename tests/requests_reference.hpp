// The request model written as slowly and as simply as possible, byte by byte with sets, as a reference for
// the model, and random requests for both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "common/cache/requests.hpp"
#include "common/random.hpp"

namespace tallcache::cache {

using Numbers = std::set<std::uint64_t>;

/// The active lanes among [first, first + number).
inline std::vector<int> active_lanes(const WarpRequest& request, int first, int number) {
  std::vector<int> lanes;
  for (int lane = first; lane < first + number; ++lane)
    if (request.mask >> lane & 1) lanes.push_back(lane);
  return lanes;
}

/// Every byte of the lanes, divided by `unit`.
inline Numbers units_of(const WarpRequest& request, const std::vector<int>& lanes, int unit) {
  Numbers units;
  for (const int lane : lanes)
    for (int byte = 0; byte < request.width; ++byte)
      units.insert((request.address[lane] + static_cast<std::uint64_t>(byte)) / unit);
  return units;
}

inline std::uint64_t slow_ceil(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// The transactions of a half-warp by the rules of the programming guide, each as {begin, bytes}.
inline std::vector<std::pair<std::uint64_t, std::uint64_t>> slow_segments(const WarpRequest& request,
                                                                          std::vector<int> lanes) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> transactions;
  while (!lanes.empty()) {
    std::uint64_t size = request.width == 1 ? 32 : request.width == 2 ? 64 : 128;
    std::uint64_t begin = request.address[lanes.front()] / size * size;
    std::vector<int> served, left;
    for (const int lane : lanes)
      (request.address[lane] >= begin && request.address[lane] < begin + size ? served : left)
          .push_back(lane);
    const Numbers bytes = units_of(request, served, 1);
    for (bool halved = true; halved && size > 32;) {
      halved = false;
      if (*bytes.rbegin() < begin + size / 2) {
        size /= 2, halved = true;
      } else if (*bytes.begin() >= begin + size / 2) {
        begin += size / 2, size /= 2, halved = true;
      }
    }
    transactions.push_back({begin, size});
    lanes = left;
  }
  return transactions;
}

inline bool slow_in_order(const WarpRequest& request, const std::vector<int>& lanes, int number) {
  if (request.width < 4) return false;
  const std::uint64_t block = static_cast<std::uint64_t>(number) * request.width;
  const std::uint64_t begin = request.address[lanes.front()] / block * block;
  for (const int lane : lanes)
    if (request.address[lane] != begin + static_cast<std::uint64_t>(lane % number) * request.width)
      return false;
  return true;
}

inline std::uint64_t slow_passes(const WarpMachine& machine, const WarpRequest& request,
                                 const std::vector<int>& lanes) {
  std::map<std::uint64_t, std::multiset<std::uint64_t>> words_of_bank;
  Numbers addresses;
  for (const int lane : lanes) addresses.insert(request.address[lane]);
  for (const int lane : lanes)
    for (const std::uint64_t word : units_of(request, {lane}, machine.bank_bytes))
      words_of_bank[word % static_cast<std::uint64_t>(machine.banks)].insert(word);
  const bool distinct = !request.exchanges && (machine.broadcasts_any_word || addresses.size() == 1);
  std::uint64_t max = 0;
  for (const auto& [bank, words] : words_of_bank)
    max = std::max<std::uint64_t>(max, distinct ? Numbers(words.begin(), words.end()).size() : words.size());
  return max;
}

inline bool slow_agree(const WarpRequest& request, int distance) {
  for (int lane = 0; lane < 32; ++lane)
    if (request.mask >> lane & 1 && request.mask >> (lane ^ distance) & 1 &&
        request.address[lane] != request.address[lane ^ distance])
      return false;
  return true;
}

inline std::uint64_t slow_wavefronts(const WarpMachine& machine, const WarpRequest& request, int first) {
  int together = machine.request_lanes;
  while (together * request.width > machine.banks * machine.bank_bytes) together /= 2;
  if (machine.pair_rule && request.kind == AccessKind::load && together < machine.request_lanes &&
      (slow_agree(request, 1) || slow_agree(request, 2)))
    together *= 2;
  std::uint64_t passes = 0;
  for (int lane = first; lane < first + machine.request_lanes; lane += together)
    passes += slow_passes(machine, request, active_lanes(request, lane, together));
  return passes;
}

/// The set that a line of an atomic goes through.
inline std::uint64_t slow_set(const WarpMachine& machine, std::uint64_t line) {
  std::uint64_t set = 0;
  bool sets = false;
  for (std::size_t i = 0; i < machine.atomic_set_bits.size(); ++i)
    for (int bit = 0; bit < 32; ++bit)
      if (machine.atomic_set_bits[i] >> bit & 1) {
        sets = true;
        set ^= (line >> bit & 1) << i;
      }
  return sets ? set : line;
}

/// Turn by turn: in each set the lowest lane that waits names the line, and of that line go the lanes whose
/// place in a line no lower lane of the set waits for.
inline std::uint64_t slow_atomic_sectors(const WarpMachine& machine, const WarpRequest& request,
                                         const std::vector<int>& lanes) {
  const auto line_bytes = static_cast<std::uint64_t>(machine.line_bytes);
  std::map<std::uint64_t, std::vector<int>> waiting;  // by set
  for (const int lane : lanes) waiting[slow_set(machine, request.address[lane] / line_bytes)].push_back(lane);
  std::uint64_t sectors = 0;
  for (auto& [set, queue] : waiting)
    while (!queue.empty()) {
      std::map<std::uint64_t, int> first;  // by place in a line
      for (const int lane : queue) first.try_emplace(request.address[lane] % line_bytes, lane);
      const std::uint64_t line = request.address[queue.front()] / line_bytes;
      std::vector<int> gone, left;
      for (const int lane : queue)
        (request.address[lane] / line_bytes == line && first[request.address[lane] % line_bytes] == lane
             ? gone
             : left)
            .push_back(lane);
      sectors += units_of(request, gone, machine.sector_bytes).size();
      queue = left;
    }
  return sectors;
}

inline void slow_global(const WarpMachine& machine, const WarpRequest& request, const std::vector<int>& lanes,
                        RequestCounts& counts) {
  const std::uint64_t bytes = units_of(request, lanes, 1).size();
  const Numbers lines = units_of(request, lanes, machine.line_bytes);
  counts.bytes += bytes;
  counts.lines += lines.size();
  counts.ideal_lines += slow_ceil(bytes, machine.line_bytes);
  if (machine.coalescing == Coalescing::sectors) {
    std::uint64_t sectors = request.kind == AccessKind::atomic
                                ? slow_atomic_sectors(machine, request, lanes)
                                : units_of(request, lanes, machine.sector_bytes).size();
    const bool loads = request.kind == AccessKind::load || request.kind == AccessKind::copy;
    if (machine.loads_whole_lines && loads) sectors = lines.size() * 4;
    counts.sectors += sectors;
    counts.ideal_sectors += slow_ceil(bytes, machine.sector_bytes);
    counts.bytes_moved += sectors * machine.sector_bytes;
    return;
  }
  counts.ideal_sectors += slow_ceil(bytes, 128);
  if (machine.coalescing == Coalescing::segments) {
    for (const auto& [begin, size] : slow_segments(request, lanes))
      ++counts.sectors, counts.bytes_moved += size;
  } else if (slow_in_order(request, lanes, machine.request_lanes)) {
    counts.sectors += request.width == 16 ? 2 : 1;
    counts.bytes_moved += static_cast<std::uint64_t>(16 * request.width);
  } else {
    counts.sectors += lanes.size();
    counts.bytes_moved += 32 * lanes.size();
  }
}

inline RequestCounts slow_counts(const WarpMachine& machine, const WarpRequest& request) {
  RequestCounts counts;
  for (int first = 0; first < machine.lanes; first += machine.request_lanes) {
    const std::vector<int> lanes = active_lanes(request, first, machine.request_lanes);
    if (lanes.empty()) continue;
    ++counts.requests;
    counts.lanes += lanes.size();
    counts.lane_slots += static_cast<std::uint64_t>(machine.request_lanes);
    if (request.kind == AccessKind::atomic) {
      std::map<std::uint64_t, std::uint64_t> at;
      std::uint64_t max = 0;
      for (const int lane : lanes) max = std::max(max, ++at[request.address[lane]]);
      counts.atomic_steps += max;
    }
    if (request.space == Space::global) {
      slow_global(machine, request, lanes, counts);
    } else {
      counts.wavefronts += slow_wavefronts(machine, request, first);
      counts.ideal_wavefronts +=
          slow_ceil(units_of(request, lanes, 1).size(), machine.banks * machine.bank_bytes);
    }
  }
  return counts;
}

/// Mask and addresses of a random request whose width is given: strided, scattered over a small or a large
/// range, in pairs of equal lanes, all on one address; with all lanes or some. Below 32 KB.
inline void draw_lanes(const WarpMachine& machine, std::uint64_t seed, WarpRequest& request) {
  std::uint64_t drawn = 3;
  const auto up_to = [&](std::uint64_t bound) { return random_up_to(seed, drawn++, bound); };
  const std::uint32_t all = machine.lanes == 32 ? ~0u : (1u << machine.lanes) - 1;
  request.mask = all;
  if (const auto lanes = up_to(3); lanes == 1)
    request.mask &= static_cast<std::uint32_t>(random_bits(seed, 1000));
  else if (lanes == 2)
    request.mask &= static_cast<std::uint32_t>(random_bits(seed, 1000) & random_bits(seed, 1001));
  const std::uint64_t pattern = up_to(5), base = up_to(255), range = std::uint64_t{1} << (3 + up_to(7));
  const std::uint64_t stride = up_to(1) ? 1 : up_to(40);
  for (int lane = 0; lane < 32; ++lane) {
    const std::uint64_t element = pattern == 0   ? base + static_cast<std::uint64_t>(lane) * stride
                                  : pattern == 1 ? base + random_up_to(seed, 2000 + lane, range)
                                  : pattern == 2 ? base + random_up_to(seed, 2000 + lane / 2, range)
                                  : pattern == 3 ? base + random_up_to(seed, 2000 + (lane & ~2), range)
                                  : pattern == 4 ? base
                                                 : base + (static_cast<std::uint64_t>(lane) ^ (stride & 31));
    request.address[lane] = element * static_cast<std::uint64_t>(request.width);
  }
}

/// Requests of every width, space and kind.
inline WarpRequest random_request(const WarpMachine& machine, std::uint64_t seed) {
  WarpRequest request;
  request.width = 1 << random_up_to(seed, 0, 4);
  request.space = random_up_to(seed, 1, 1) ? Space::shared : Space::global;
  request.kind = static_cast<AccessKind>(random_up_to(seed, 2, 3));
  request.exchanges = request.kind == AccessKind::atomic && random_up_to(seed, 3000, 1);
  draw_lanes(machine, seed, request);
  return request;
}

}  // namespace tallcache::cache
