// The request model: the memory requests of a warp's load, store or atomic on a given machine. Caches come
// after the model: it counts sectors before the first-level cache.
#pragma once

#include <array>
#include <cstdint>

#include "common/cache/warp_machine.hpp"

namespace tallcache::cache {

enum class Space : unsigned char { global, shared };
/// A copy is asynchronous: it loads from global memory and stores to shared memory.
enum class AccessKind : unsigned char { load, store, atomic, copy };

/// One instruction of one warp. Lane i is active when bit i of `mask` is set.
struct WarpRequest {
  std::uint32_t mask = 0;
  int width = 4;  ///< bytes a lane: 1, 2, 4, 8 or 16
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  /// An atomic that a bank cannot do for several lanes on one address at once: one whose old value is needed,
  /// such as an exchange.
  bool exchanges = false;
  std::array<std::uint64_t, 32>
      address{};  ///< in bytes, a multiple of width; of shared memory from its start
};

/// The cost of requests, each figure beside the minimum for the same distinct bytes. Counts of several
/// requests add up.
struct RequestCounts {
  std::uint64_t requests = 0;                    ///< a warp's, or half-warps'
  std::uint64_t lanes = 0;                       ///< active lanes
  std::uint64_t lane_slots = 0;                  ///< active and inactive lanes
  std::uint64_t bytes = 0;                       ///< distinct bytes of global memory that the lanes access
  std::uint64_t bytes_moved = 0;                 ///< bytes that global memory moves
  std::uint64_t sectors = 0, ideal_sectors = 0;  ///< of global memory; its transactions on an older machine
  std::uint64_t lines = 0, ideal_lines = 0;      ///< of global memory
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  ///< passes of shared memory
  std::uint64_t atomic_steps = 0;  ///< the largest number of lanes of a request on one address

  /// Passes beyond the minimum.
  std::uint64_t bank_conflicts() const { return wavefronts - ideal_wavefronts; }
  /// Active lanes over all lanes. NaN without a request.
  double lane_efficiency() const { return static_cast<double>(lanes) / static_cast<double>(lane_slots); }
  /// Bytes accessed over bytes moved. NaN where global memory moved none.
  double byte_efficiency() const { return static_cast<double>(bytes) / static_cast<double>(bytes_moved); }

  RequestCounts& operator+=(const RequestCounts& other);
  friend bool operator==(const RequestCounts&, const RequestCounts&) = default;
};

/// The counts of one request; all zero when no lane is active. Throws Error on a width that no lane has, on
/// an address that is not a multiple of the width, and on lanes beyond the machine's warp.
RequestCounts count_requests(const WarpMachine& machine, const WarpRequest& request);

/// M17's rules for a half-warp: the `lanes` lanes from `first` on. Lanes may be inactive.
struct CoalescingRules {
  bool size;        ///< 4, 8 or 16 bytes a lane
  bool aligned;     ///< the first element lies at a multiple of lanes x size
  bool contiguous;  ///< the elements are a block without gaps
  bool in_order;    ///< the i-th lane takes the i-th element

  bool kept() const { return size && aligned && contiguous && in_order; }
};
CoalescingRules coalescing_rules(const WarpRequest& request, int first, int lanes);

}  // namespace tallcache::cache
