// The request model: what a warp's load, store or atomic asks of the memory of a machine. Caches come after
// it: its sectors are those before the first-level cache.
#pragma once

#include <array>
#include <cstdint>

#include "common/cache/warp_machine.hpp"

namespace tallcache::cache {

enum class Space : unsigned char { global, shared };
enum class AccessKind : unsigned char { load, store, atomic };

/// One instruction of one warp. Lane i takes part when bit i of `mask` is set.
struct WarpRequest {
  std::uint32_t mask = 0;
  int width = 4;  ///< bytes a lane: 1, 2, 4, 8 or 16
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  std::array<std::uint64_t, 32>
      address{};  ///< in bytes, a multiple of width; of shared memory from its start
};

/// What requests took, each beside the least that could carry the same distinct bytes. Sums of them are
/// counts of several requests.
struct RequestCounts {
  std::uint64_t requests = 0;                    ///< a warp's, or half-warps'
  std::uint64_t lanes = 0;                       ///< that took part
  std::uint64_t lane_slots = 0;                  ///< that could have
  std::uint64_t bytes = 0;                       ///< distinct ones of global memory that the lanes named
  std::uint64_t bytes_moved = 0;                 ///< by global memory
  std::uint64_t sectors = 0, ideal_sectors = 0;  ///< of global memory; its transactions on an older machine
  std::uint64_t lines = 0, ideal_lines = 0;      ///< of global memory
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  ///< passes of shared memory
  std::uint64_t atomic_steps = 0;  ///< the lanes that meet on one address, the most of a request

  /// Passes that the words did not need.
  std::uint64_t bank_conflicts() const { return wavefronts - ideal_wavefronts; }
  /// Lanes that took part in those that could have; NaN without a request.
  double lane_efficiency() const { return static_cast<double>(lanes) / static_cast<double>(lane_slots); }
  /// Bytes asked for in those moved; NaN where global memory moved none.
  double byte_efficiency() const { return static_cast<double>(bytes) / static_cast<double>(bytes_moved); }

  RequestCounts& operator+=(const RequestCounts& other);
  friend bool operator==(const RequestCounts&, const RequestCounts&) = default;
};

/// The counts of one request; all zero when no lane takes part. Throws Error on a width that no lane has, an
/// address that is no multiple of it, and lanes that the machine's warps do not have.
RequestCounts count_requests(const WarpMachine& machine, const WarpRequest& request);

/// M17's rules for a half-warp, the `lanes` lanes from `first` on. Lanes may be left out.
struct CoalescingRules {
  bool size;        ///< 4, 8 or 16 bytes a lane
  bool aligned;     ///< the first element lies at a multiple of lanes x size
  bool contiguous;  ///< the elements are a block without gaps
  bool in_order;    ///< the i-th lane takes the i-th element

  bool kept() const { return size && aligned && contiguous && in_order; }
};
CoalescingRules coalescing_rules(const WarpRequest& request, int first, int lanes);

}  // namespace tallcache::cache
