// What the accesses of a kernel's text cost, site by site, and why, in a sentence each.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/warp/host_device.hpp"

namespace tallcache::warp {

/// How far apart neighbouring lanes access memory: the distance that most pairs of active lanes n and n + 1
/// have.
struct LaneDistance {
  std::int64_t bytes = 0;
  double share = 0;  ///< of the pairs, that have it; 0 without a pair
};

struct ExplainedSite {
  Site site;
  cache::RequestCounts counts;
  LaneDistance distance;
};

/// Observes the requests of a device's kernels as long as it lives. The device must outlive it.
class Explanation {
 public:
  explicit Explanation(HostDevice& device);
  ~Explanation();
  Explanation(const Explanation&) = delete;
  Explanation& operator=(const Explanation&) = delete;

  /// The sites of all kernels so far, by place in the text.
  std::vector<ExplainedSite> sites() const;

 private:
  struct Observed {
    Site site;
    std::unordered_map<std::int64_t, std::uint64_t> pairs;  ///< the number of pairs of each distance
  };
  std::unordered_map<std::uint64_t, Observed> observed_;
  HostDevice& device_;
};

/// "the store of line 27 touches 32 sectors for 128 bytes: neighbouring lanes write 4096 bytes apart". The
/// figures are those of one request, on average.
std::string sentence(const cache::WarpMachine& machine, const ExplainedSite& site);

}  // namespace tallcache::warp
